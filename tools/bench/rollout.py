"""Warm reviews during a rollout, each against the same review without one; and what the code of
rollouts costs a review without a rollout.

The candidate has another image for the proxy, so its templates and caches are separate, and each
comparison finds a change.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from podgraft.base.jsonvalue import Object
from podgraft.core import bundle, review
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import yaml

from . import pods
from .bench_input import BenchmarkInput
from .cold import check_injected
from .table import Row, make_row
from .timing import Action, time_interleaved
from .warm import Handler, make_handler

WITHOUT = "the same without a rollout"
WITHOUT_CODE = "the same without the code of rollouts"
# Stable and candidate, and the comparison of both.
SHADOW_TARGET = 2.2
# The bucket, and the fields of the log.
OUTSIDE_TARGET = 1.1
NONE_TARGET = 1.02
# The medians of fewer reviews differ by more than the target.
_NONE_EFFORT = 4
_IMAGE, _OTHER_IMAGE = b"proxyv2", b"proxyv3"
_WARMUP = 50
_Kind = Callable[[BenchmarkInput, int], dict[str, Any]]
_RunTracks = Callable[[review.Review, Snapshot, review.Handler], review.ReviewResult]
_KINDS: Mapping[str, _Kind] = {
    "pod seen before": pods.similar_pod,
    "pod never seen": pods.unseen_pod,
}


def measure_rollout(inputs: BenchmarkInput, folder: Path, repetitions: int) -> Iterable[Row]:
    """Compare reviews of a shadowed and of an unselected workload with those without a rollout."""
    candidate = change_image(inputs)
    with ExitStack() as stack:
        handlers = {
            name: stack.enter_context(make_handler(write_rollout(inputs, candidate, folder, share)))
            for name, share in (("without", None), ("outside", 0), ("shadow", 100))
        }
        for name, kind in _KINDS.items():
            timings = time_interleaved(
                {key: _make_runner(each, kind, inputs) for key, each in handlers.items()},
                repetitions,
                warmup=_WARMUP,
            )
            baseline = (WITHOUT, timings["without"])
            for key, words, target in (
                ("outside", "rollout that does not select it", OUTSIDE_TARGET),
                ("shadow", "shadow at 100 %", SHADOW_TARGET),
            ):
                yield make_row("warm", f"{name}, {words}", timings[key], baseline, target=target)


def measure_code(inputs: BenchmarkInput, folder: Path, repetitions: int) -> Iterable[Row]:
    """Compare reviews without a rollout with those that never ask for a candidate."""
    with_code, without_code = review.run_tracks, _run_stable
    store = inputs.write_store(folder / "none")
    with make_handler(store) as handle:

        def make_runner(run_tracks: _RunTracks, kind: _Kind) -> Callable[[int], Action]:
            run = _make_runner(handle, kind, inputs)

            def select(number: int) -> Action:
                review.run_tracks = run_tracks
                return run(number)

            return select

        try:
            for name, kind in _KINDS.items():
                timings = time_interleaved(
                    {
                        "with": make_runner(with_code, kind),
                        "without": make_runner(without_code, kind),
                    },
                    _NONE_EFFORT * repetitions,
                    warmup=_WARMUP,
                )
                baseline = (WITHOUT_CODE, timings["without"])
                words = f"{name}, no rollout"
                yield make_row("warm", words, timings["with"], baseline, target=NONE_TARGET)
        finally:
            review.run_tracks = with_code


def _run_stable(
    each: review.Review, snapshot: Snapshot, handler: review.Handler
) -> review.ReviewResult:
    return review.run_handler(handler, each, snapshot.bundle)


def change_image(inputs: BenchmarkInput) -> dict[str, bytes]:
    """Return the files of the bundle with another image for the proxy."""
    changed = {
        name: content.replace(_IMAGE, _OTHER_IMAGE) for name, content in inputs.files.items()
    }
    if changed == inputs.files:
        raise ValueError(f"the bundle of {inputs.source} has no image {_IMAGE.decode()}")
    return changed


def write_rollout(
    inputs: BenchmarkInput, candidate: Mapping[str, bytes], folder: Path, share: int | None
) -> Path:
    """Write a file store in mode shadow with a percentage; without one, there is no rollout."""
    store = inputs.write_store(folder / f"share-{share}")
    if share is None:
        return store
    digest = bundle.digest(candidate)
    target = store / "default" / "bundles" / digest.removeprefix("sha256:")
    for name, content in candidate.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    rollout: Object = {
        "id": "bench",
        "mode": "shadow",
        "share": share,
        "candidate": {"bundle": digest},
    }
    (store / "default" / "policy.yaml").write_text(yaml.dump({"rollout": rollout}))
    return store


def _make_runner(handle: Handler, kind: _Kind, inputs: BenchmarkInput) -> Callable[[int], Action]:
    check_injected(handle(kind(inputs, 0), None))

    def run(number: int) -> Action:
        sent = kind(inputs, number)
        return lambda: handle(sent, None)

    return run
