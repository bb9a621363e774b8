"""Work grows with what it is about and no faster: lines of Python are counted, nothing is timed.

The sizes and shapes are those of ``make bench``, which tells the times.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import support.opcount
from bench import pods, scaling
from bench.bench_input import CLUSTER, BenchmarkInput, review_body, sample_input
from podgraft.base.deadline import Deadline
from podgraft.core import bundle, policy, review
from podgraft.core.injectors.overlay import templates
from podgraft.core.review.results import ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission, selectors, yaml
from podgraft.service.http import Auth
from podgraft.service.http.authentication import make_authenticator
from podgraft.service.http.request import PeerCertificate, Request
from podgraft.service.store import CallerRegistry, Callers, subjects
from podgraft.service.store.caller_document import TokenHash, hash_token
from podgraft.service.store.folder import FolderStore

# 2 is linear and 4 a square; sorting, and a table that grows in steps, take a little more than 2.
LINEAR = 2.3
# Ten times the size does not change the work; the hashes of a run do, by a few lines.
CONSTANT = 1.02

Files = Mapping[str, bytes]
Event = Callable[[int, int], dict[str, Any]]  # of a size and a number


@pytest.fixture(scope="module")
def world() -> BenchmarkInput:
    return sample_input()


def review_cost(store: FolderStore, event: Event) -> Callable[[int], int]:
    """The lines that the review of a new pod of a size runs, without HTTP."""
    caller = ReviewContext(injector="default", cluster=CLUSTER)

    def answer(body: bytes) -> str:
        outcome = review.inject(caller.with_request(admission.decode(body)), store)
        assert isinstance(outcome, ReviewResponse)
        return admission.encode(outcome.response).decode()

    def cost(size: int) -> int:
        for number in (0, 1):  # the second pod makes what further ones reuse
            assert '"patch"' in answer(event(size, number)["body"].encode())
        body = event(size, size)["body"].encode()  # no pod of another size has the same texts
        return support.opcount.count_lines(lambda: answer(body))

    return cost


@pytest.mark.parametrize(
    ("kind", "size"),
    [(pods.many_container_pod, 50), (pods.annotated_pod, 20_000)],
    ids=["containers", "annotations"],
)
def test_a_review_grows_with_the_pod(
    kind: Callable[[BenchmarkInput, int, int], dict[str, Any]],
    size: int,
    world: BenchmarkInput,
    tmp_path: Path,
) -> None:
    store = FolderStore(world.write_store(tmp_path))
    cost = review_cost(store, lambda size, number: kind(world, size, number))
    assert support.opcount.measure_growth(cost, size) < LINEAR


def test_a_review_grows_linearly_with_many_short_annotations(
    world: BenchmarkInput, tmp_path: Path
) -> None:
    def event(count: int, number: int) -> dict[str, Any]:
        annotations = {f"example.com/{index}": f"a: {number}" for index in range(count)}
        metadata = {**world.pod["metadata"], "annotations": annotations}
        return pods.similar_pod(replace(world, pod={**world.pod, "metadata": metadata}), number)

    assert (
        support.opcount.measure_growth(
            review_cost(FolderStore(world.write_store(tmp_path)), event), 250
        )
        < LINEAR
    )


def make_rules(size: int) -> policy.InjectionRules:
    never = (
        selectors.compile_({"matchLabels": {"app": f"never-{index}"}}) for index in range(size)
    )
    return policy.InjectionRules(never=tuple(never))


def test_a_decision_grows_with_the_selectors(world: BenchmarkInput) -> None:
    def cost(size: int) -> int:
        rules = make_rules(size)
        return support.opcount.count_lines(lambda: policy.decide(rules, world.pod, "default"))

    assert support.opcount.measure_growth(cost, 100) < LINEAR


def test_a_policy_document_grows_with_its_selectors() -> None:
    def cost(size: int) -> int:
        listed = [{"matchLabels": {"app": f"never-{index}"}} for index in range(size)]
        document = json.dumps({"neverInjectSelector": listed})
        return support.opcount.count_lines(lambda: policy.parse(document))

    assert support.opcount.measure_growth(cost, 50) < LINEAR


def test_the_cost_of_a_certificate_does_not_depend_on_the_number_of_clusters() -> None:
    subject = subjects.parse_subject("CN=cluster-0")
    assert subject is not None
    shown = Request(read=BytesIO().read, certificate=PeerCertificate(subject))

    def cost(count: int) -> int:
        callers = {str(each): Callers(subjects=(f"CN=cluster-{each}",)) for each in range(count)}
        known = make_authenticator(Auth.MTLS, _FixedCallers(callers))
        assert known(shown, None).cluster == "0"
        return support.opcount.count_lines(lambda: known(shown, None))

    assert cost(300) == cost(1)


def test_the_cost_of_a_token_does_not_depend_on_the_number_of_clusters() -> None:
    request = Request(read=BytesIO().read, path_token="token-0")

    def cost(count: int) -> int:
        hashes = (TokenHash(hash_token(f"token-{each}"), "") for each in range(count))
        callers = {str(each): Callers((own,)) for each, own in enumerate(hashes)}
        known = make_authenticator(Auth.TOKEN, _FixedCallers(callers))
        assert known(request, None).cluster == "0"
        return support.opcount.count_lines(lambda: known(request, None))

    assert cost(3_000) == cost(1)


@dataclass(frozen=True, slots=True)
class _FixedCallers:
    known: Mapping[str, Callers]

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        return CallerRegistry(self.known)


def overlays(count: int) -> Files:
    """Each for the pods of one application, as the bench has them."""
    return scaling.make_overlays(count)


def overlays_for_all(count: int) -> Files:
    """Overlays for every pod, each with a separate container and label."""
    manifest: dict[str, Any] = json.loads(json.dumps(yaml.load(scaling.make_overlay(0).decode())))

    def one(index: int) -> bytes:
        manifest["metadata"]["name"] = f"overlay-{index}"
        manifest["spec"]["template"] = (
            f"metadata: {{labels: {{label-{index}: '{index}'}}}}\n"
            f"spec: {{containers: [{{name: sidecar-{index}, image: one}}]}}\n"
        )
        return yaml.dump(manifest).encode()

    return {f"{index}.yaml": one(index) for index in range(count)}


def make_template_files(count: int) -> Files:
    """One overlay of many lines, each with an action."""
    line = '  - {name: "c%d", image: {{ printf "%%s-%d" .ObjectMeta.Name | quote }}}\n'
    lines = "".join(line % (index, index) for index in range(count))
    manifest: Any = yaml.load(scaling.make_overlay(0).decode())
    manifest["spec"]["template"] = f"spec:\n  containers:\n{lines}"
    return {"overlay.yaml": yaml.dump(manifest).encode()}


def make_parameter_files(count: int) -> Files:
    """A policy with many bindings, each with a separate ConfigMap."""
    return {"rule.yaml": _RULE.encode()} | {
        f"{index}.yaml": _BINDING.replace("NUMBER", str(index)).encode() for index in range(count)
    }


_RULE = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: rule}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations: [{expression: "params.data.limit != ''"}]
"""
_BINDING = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: binding-NUMBER}
spec:
  policyName: rule
  validationActions: [Deny]
  paramRef: {name: limit-NUMBER, namespace: limits, parameterNotFoundAction: Deny}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limit-NUMBER, namespace: limits}
data: {limit: "1"}
"""


def test_a_review_does_not_grow_with_overlays_that_do_not_match(world: BenchmarkInput) -> None:
    context = ReviewContext(namespace="default", request=admission.decode(review_body(world.pod)))

    def cost(count: int) -> int:
        (mutator,) = bundle.compile_(scaling.make_overlays(count), policy.Policy()).pod_mutators
        assert mutator(world.pod, context).is_changed
        return support.opcount.count_lines(lambda: mutator(world.pod, context))

    assert cost(200) < CONSTANT * cost(20)


def test_a_review_does_not_grow_with_mutating_policies_that_do_not_match(
    world: BenchmarkInput,
) -> None:
    request = admission.decode(review_body(world.pod))
    context = ReviewContext(namespace="default", request=request)

    def cost(count: int) -> int:
        (mutator,) = bundle.compile_(scaling.make_policies(count), policy.Policy()).pod_mutators
        assert mutator(world.pod, context).is_changed
        return support.opcount.count_lines(lambda: mutator(world.pod, context))

    assert cost(100) < scaling.POLICIES_RATIO * cost(1)


def test_validation_does_not_grow_with_policies_that_do_not_match(world: BenchmarkInput) -> None:
    request = admission.decode(review_body(world.pod))

    def cost(count: int) -> int:
        files = {f"{index}.yaml": _NAMED_RULE % {"n": index} for index in range(count)}
        encoded = {name: text.encode() for name, text in files.items()}
        (validator,) = bundle.compile_(encoded, policy.Policy()).validators
        assert not validator(request).denials
        return support.opcount.count_lines(lambda: validator(request))

    assert cost(200) < CONSTANT * cost(20)


_NAMED_RULE = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: rule-%(n)s}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: team-%(n)s}}
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations: [{expression: "false"}]
"""


def test_validation_grows_with_the_bindings_and_their_parameters(world: BenchmarkInput) -> None:
    request = admission.decode(review_body(world.pod))

    def cost(count: int) -> int:
        (judge,) = bundle.compile_(make_parameter_files(count), policy.Policy()).validators
        assert not judge(request).denials
        return support.opcount.count_lines(lambda: judge(request))

    assert support.opcount.measure_growth(cost, 50) < LINEAR


@pytest.mark.parametrize(
    ("files", "size"),
    [(overlays, 20), (overlays_for_all, 20), (make_template_files, 50), (make_parameter_files, 50)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_compiling_grows_with_the_bundle(
    files: Callable[[int], Files], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cost(count: int) -> int:
        made = files(count)
        # A smaller bundle has some of the templates.
        empty = templates.CompiledTemplateCache(templates.MAX_CHARACTERS)
        monkeypatch.setattr(templates, "COMPILED", empty)
        return support.opcount.count_lines(lambda: bundle.compile_(made, policy.Policy()))

    cost(1)  # what is imported at first use is no growth
    assert support.opcount.measure_growth(cost, size) < LINEAR
