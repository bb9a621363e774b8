"""What each step reads: the object and the configuration of the trace's own review."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playground_build.examples import read_examples
from podgraft_playground.session import Session
from podgraft_playground.workspace import Input

ROOT = Path(__file__).parents[2]
EXAMPLES = read_examples(ROOT)
INPUTS = [(name, pod) for name, example in EXAMPLES.items() for pod in example["pods"]]

POD = """
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {app: web, sidecar.istio.io/inject: "true"}
  annotations: {sidecar.istio.io/inject: "no", inject.istio.io/templates: sidecar}
spec:
  hostNetwork: false
  containers: [{name: web, image: example.com/web:1}]
"""
REGISTRATION = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: podgraft}
webhooks:
- name: podgraft.example.com
  clientConfig: {url: https://example.com/inject}
  namespaceSelector: {matchLabels: {istio-injection: enabled}}
  matchConditions: [{name: once, expression: "object.spec.hostNetwork != true"}]
  rules:
  - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
"""


def make_input(name: str, **changes: Any) -> Input:
    example = EXAMPLES[name]
    pod = next(iter(example["pods"].values()))
    return replace(Input(pod=pod, files=example["files"], policy=example["policy"]), **changes)


def read_steps(session: Session, given: Input) -> dict[str, dict[str, str]]:
    """The input of each step by its name; the first of steps with the same name."""
    answer: Any = session.review(given)
    steps: dict[str, dict[str, str]] = {}
    for document in answer["documents"]:
        for path in document["paths"]:
            for row in path["rows"]:
                for step in row["steps"] or [row]:
                    steps.setdefault(step["name"], step)
    return steps


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "session")


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=[f"{name}/{pod}" for name, pod in INPUTS])
def test_each_step_of_each_example_has_its_input(session: Session, name: str, pod: str) -> None:
    steps = read_steps(session, make_input(name, pod=EXAMPLES[name]["pods"][pod]))

    for step_name, step_input in steps.items():
        is_result = step_name == "result"
        assert bool(step_input["object"]) is not is_result, step_name
        assert bool(step_input["configuration"]) is not is_result, step_name


CASES = (
    # example, step, parts of what the object contains, parts of what the configuration contains
    ("istio", "hostNetwork", ["spec.hostNetwork: false"], ["never injected"]),
    ("istio", "ignoredNamespaces", ["namespace: shop"], ["kube-system"]),
    (
        "istio",
        "inject label or annotation",
        ["label sidecar.istio.io/inject: 'true'", "annotation sidecar.istio.io/inject: 'no'"],
        ["the label first", "other values have no effect"],
    ),
    ("istio", "neverInjectSelector", ["app: web"], ["1: batch.kubernetes.io/job-name"]),
    ("istio", "alwaysInjectSelector", ["app: web"], ["alwaysInjectSelector: not set"]),
    ("istio", "policy", ["not read"], ["policy: enabled"]),
    ("istio", "Istio templates", ["inject.istio.io/templates: sidecar"], ["Istio 1.30.4"]),
    (
        "selective-injection",
        "inject label or annotation",
        ["annotation sidecar.istio.io/inject: 'no'"],
        ["the annotation only", "any other value does not"],
    ),
    ("logging", "overlay logging", ["CREATE v1 pods in shop", "app: web"], ["wants-logs-followed"]),
    ("appmesh", "mesh shop", ["app: web"], ["labelsToMatch", "app: checkout"]),
    (
        "require-limits",
        "rule require-limits, binding require-limits",
        ["CREATE v1 pods in shop"],
        ["ValidatingAdmissionPolicyBinding require-limits", "validations:"],
    ),
)


@pytest.mark.parametrize(("name", "step", "said", "configured"), CASES)
def test_a_step_names_what_it_reads(
    session: Session, name: str, step: str, said: list[str], configured: list[str]
) -> None:
    step_input = read_steps(session, make_input(name, pod=POD))[step]

    assert [part for part in said if part not in step_input["object"]] == []
    assert [part for part in configured if part not in step_input["configuration"]] == []


def test_a_registration_is_read_from_the_webhook_configuration(session: Session) -> None:
    options = {"namespace-labels": "istio-injection=enabled"}
    steps = read_steps(
        session, make_input("istio", pod=POD, webhooks=REGISTRATION, options=options)
    )

    assert steps["rules"]["object"] == "CREATE v1 pods in shop"
    assert "operations:\n  - CREATE" in steps["rules"]["configuration"]
    assert "istio-injection: enabled" in steps["namespaceSelector"]["object"]
    assert "matchLabels" in steps["namespaceSelector"]["configuration"]
    assert steps["objectSelector"]["configuration"] == "objectSelector: not set"
    condition = steps["matchConditions: once"]
    assert condition["configuration"] == "object.spec.hostNetwork != true"


def test_a_step_reads_the_object_after_the_earlier_webhooks(session: Session) -> None:
    """/mutate of the sample allow sets an annotation that /validate requires."""
    answer: Any = session.review(make_input("allow"))
    (document,) = answer["documents"]
    stages = [stage["name"] for stage in document["trace"]["stages"]]
    validate = next(i for i, name in enumerate(stages) if name.startswith("podgraft /validate"))

    assert "web/Allow" in document["paths"][validate]["rows"][0]["object"]
    assert "web/Allow" not in document["paths"][0]["rows"][0]["object"]
