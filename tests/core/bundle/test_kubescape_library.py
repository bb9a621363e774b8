"""The 66 policies of kubescape's library: each loads, and gives the verdicts of its own tests.

The fixture (Apache-2.0; its first line has the commit) holds the policies, the parameters, and the
objects of the tests: a template, and the values that a test sets in it.
"""

import json
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from podgraft.core import bundle
from podgraft.core.bundle import Bundle
from podgraft.core.policy import Policy
from podgraft.kube import yaml
from podgraft.kube.matching.constraints import make_create_request

FIXTURE = Path(__file__).parent / "fixtures/kubescape.jsonl"
_, SHARED, *POLICIES = map(json.loads, FIXTURE.read_text().splitlines())
API = "admissionregistration.k8s.io/v1"
TESTED = [each for each in POLICIES if each["cases"]]


def load(policy: dict[str, Any], param: str, action: str) -> Bundle:
    """A bundle of the policy, a binding, and an object of its kind of parameters."""
    name, spec = policy["name"], policy["spec"]
    binding: dict[str, Any] = {"policyName": name, "validationActions": [action]}
    kind = "ValidatingAdmissionPolicy"
    documents: list[Any] = [
        {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec},
        {"apiVersion": API, "kind": f"{kind}Binding", "metadata": {"name": name}, "spec": binding},
    ]
    if "paramKind" in spec:
        binding["paramRef"] = {"name": param, "parameterNotFoundAction": "Deny"}
        parameter = {
            "apiVersion": "kubescape.io/v1",
            "kind": "ControlConfiguration",
            "metadata": {"name": param},
            "settings": SHARED["params"][param],
        }
        documents += [SHARED["definition"], parameter]
    text = "---\n".join(map(yaml.dump, documents))
    return bundle.compile_({"kubescape.yaml": text.encode()}, Policy())


def make_object(template: str, changes: list[Any]) -> dict[str, Any]:
    value = deepcopy(SHARED["templates"][template])
    for path, new in changes:
        target: Any = value
        for step, following in pairwise(path):
            grow(target, step)
            if target[step] is None:
                target[step] = [] if isinstance(following, int) else {}
            target = target[step]
        grow(target, path[-1])
        target[path[-1]] = new
    return value


def grow(target: Any, step: int | str) -> None:
    """Give a list or a map the member, with no value."""
    if isinstance(step, int):
        target.extend([None] * (step + 1 - len(target)))
    else:
        target.setdefault(step, None)


def test_the_library_is_whole() -> None:
    assert len(POLICIES) == 66
    assert sum(len(each["cases"]) for each in POLICIES) == 628


@pytest.mark.parametrize("policy", POLICIES, ids=[each["name"] for each in POLICIES])
def test_each_policy_loads(policy: dict[str, Any]) -> None:
    assert len(load(policy, "default", "Deny").validators) == 1


@pytest.mark.parametrize("policy", TESTED, ids=[each["name"] for each in TESTED])
def test_the_verdicts_are_the_librarys(policy: dict[str, Any]) -> None:
    for verdict, param, template, changes in policy["cases"]:
        (validator,) = load(policy, param, "Warn" if verdict == "warn" else "Deny").validators
        value = make_object(template, changes)
        result = validator(make_create_request(value, "default"))
        found = "fail" if result.denials else "warn" if result.warnings else "pass"
        assert found == verdict, (template, changes, result)
