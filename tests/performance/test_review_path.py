"""The path of one review: how many modules pass it on, and how often it crosses packages.

The review is that of an unseen pod of samples/istio, through the function's handler, after four
others: what the first reviews compile is not counted.
"""

from pathlib import Path

import pytest

import podgraft
from bench import pods
from bench.bench_input import BenchmarkInput, sample_input
from bench.warm import Handler, check_injected, make_handler
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.review.results import ReviewFailure, ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube.admission import AdmissionRequest, AdmissionResponse
from support.calltrace import CallTrace, trace_calls

# What a review consists of, from the decoded request to the encoded response.
CARRIERS = (
    AdmissionRequest,
    AdmissionResponse,
    Mutation,
    ReviewContext,
    ReviewFailure,
    ReviewResponse,
)
MAX_SPINE_MODULES = 12
# Half of the 503 calls that the same review made in an earlier structure of the packages.
MAX_CROSSINGS = 251
# What a review takes today; a change must not lengthen it. The goal is 60 and 300.
MAX_MODULES = 90
MAX_CHANGES = 394


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> CallTrace:
    world = sample_input()
    store: Path = world.write_store(tmp_path_factory.mktemp("store"))
    with pytest.MonkeyPatch.context() as patch:
        # A check of the files, every tenth of a second, is in the trace or not.
        patch.setattr("podgraft.service.store.factory._POLL_SECONDS", 3600.0)
        with make_handler(store) as handle:
            return _trace_review(world, handle)


def _trace_review(world: BenchmarkInput, handle: Handler) -> CallTrace:
    for number in range(4):
        handle(pods.unseen_pod(world, number), None)
    event = pods.unseen_pod(world, 4)
    # A review that failed would call less: the traced one injects.
    return trace_calls(lambda: check_injected(handle(event, None)), CARRIERS)


def test_few_modules_pass_a_review_on(trace: CallTrace) -> None:
    assert len(trace.carriers) <= MAX_SPINE_MODULES, sorted(trace.carriers)
    assert {"service.http.webhook", "core.review.__init__", "core.bundle.istio"} <= trace.carriers


def test_a_review_seldom_crosses_packages(trace: CallTrace) -> None:
    assert trace.crossings.total() <= MAX_CROSSINGS, trace.crossings.most_common(12)


def test_a_review_passes_flask_and_mangum_and_a_bounded_number_of_modules(
    trace: CallTrace,
) -> None:
    assert trace.libraries == {"flask", "mangum"}
    assert len(trace.modules) <= MAX_MODULES
    assert trace.changes <= MAX_CHANGES


def test_a_review_without_a_rollout_and_a_census_runs_no_code_of_either(trace: CallTrace) -> None:
    """So its cost is that of two comparisons with None."""
    own = {
        "core.review.candidate",
        "core.policy.rollout",
        "core.policy.census",
        "kube.patch.kinds",
        "core.versions.candidate",
        "core.versions.brake",
        "service.store.census",
        "service.http.candidate_metrics",
    }
    root = Path(podgraft.__file__).parent
    assert all((root / f"{name.replace('.', '/')}.py").exists() for name in own)
    assert trace.modules.isdisjoint(own)
    assert not any(name.startswith("core.census.") for name in trace.modules)
