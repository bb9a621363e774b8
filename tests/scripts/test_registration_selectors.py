"""Selectors as kubectl writes them, and the ones by which Istio's revisions are chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from podgraft.jsonvalue import JSON
from registration import RegistrationError, selectors
from registration.selectors import Requirement, Selector

READ: Mapping[str, Selector] = {
    "": (),
    "a=b": (Requirement("a", "In", ("b",)),),
    "a==b": (Requirement("a", "In", ("b",)),),
    "a=": (Requirement("a", "In", ("",)),),
    "a!=b": (Requirement("a", "NotIn", ("b",)),),
    "a in (c, b)": (Requirement("a", "In", ("b", "c")),),
    "a notin (b)": (Requirement("a", "NotIn", ("b",)),),
    "a": (Requirement("a", "Exists"),),
    "!a": (Requirement("a", "DoesNotExist"),),
    "example.com/team=x,!legacy , tier in (a,b)": (
        Requirement("example.com/team", "In", ("x",)),
        Requirement("legacy", "DoesNotExist"),
        Requirement("tier", "In", ("a", "b")),
    ),
}


@pytest.mark.parametrize("text", READ)
def test_a_selector_is_read_as_kubectl_reads_it(text: str) -> None:
    assert selectors.parse(text) == READ[text]


@pytest.mark.parametrize("text", ["a b", "a in b", "=b", "a=b=c", "a>1", "a in (b", "-a", "a=b c"])
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(RegistrationError, match="selector "):
        selectors.parse(text)


def test_a_bad_value_in_a_list_is_named() -> None:
    with pytest.raises(RegistrationError, match=r"'b c' is no label value"):
        selectors.parse("a in (b c)")


def test_the_empty_selector_is_what_the_api_server_fills_in() -> None:
    assert selectors.manifest(()) == {}


# The scopes of a revision, against the labels that decide: which scope of which revision is asked.


@dataclass(frozen=True, slots=True)
class Chosen:
    name: str
    scopes: tuple[str, ...]  # "revision: scope", of the revisions default and canary
    namespace: Mapping[str, str] = field(default_factory=dict[str, str])
    pod: Mapping[str, str] = field(default_factory=dict[str, str])


REV, INJECT, ENABLED = "istio.io/rev", "sidecar.istio.io/inject", "istio-injection"

ON, OFF = {ENABLED: "enabled"}, {ENABLED: "disabled"}
YES, NO = {INJECT: "true"}, {INJECT: "false"}
CANARY = {REV: "canary"}

CHOSEN = (
    Chosen("nothing said", ()),
    # the namespace speaks for the default revision
    Chosen("enabled", ("default: namespace.",), ON),
    Chosen("enabled, the pod asks", ("default: namespace.",), ON, YES),
    Chosen("enabled, the pod refuses", (), ON, NO),
    Chosen("enabled, pod of a revision", ("default: namespace.",), ON, CANARY),
    Chosen("enabled and a revision", ("default: namespace.",), ON | CANARY),
    Chosen("disabled", (), OFF),
    Chosen("disabled, the pod asks", (), OFF, YES),
    Chosen("disabled and a revision", (), OFF | CANARY),
    # the namespace names a revision
    Chosen("a revision", ("canary: rev.namespace.",), CANARY),
    Chosen("a revision, the pod refuses", (), CANARY, NO),
    Chosen("a revision, the pod another", ("canary: rev.namespace.",), CANARY, {REV: "default"}),
    Chosen("the default revision", ("default: rev.namespace.",), {REV: "default"}),
    Chosen("a revision that nobody registered", (), {REV: "other"}),
    # the pod speaks
    Chosen("the pod asks", ("default: object.",), {}, YES),
    Chosen("the pod refuses", (), {}, NO),
    Chosen("pod of a revision", ("canary: rev.object.",), {}, CANARY),
    Chosen("pod of a revision that asks", ("canary: rev.object.",), {}, CANARY | YES),
    Chosen("pod of a revision that refuses", (), {}, CANARY | NO),
)


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.name)
def test_namespaces_and_pods_choose_a_revision_as_in_istio(case: Chosen) -> None:
    asked = tuple(
        f"{revision}: {scope.name}"
        for revision in ("default", "canary")
        for scope in selectors.revision_scopes(revision)
        if _matches(scope.namespaces, case.namespace) and _matches(scope.objects, case.pod)
    )
    assert asked == case.scopes


def _matches(selector: Selector, labels: Mapping[str, str]) -> bool:
    return all(_holds(one.manifest(), labels) for one in selector)


def _holds(expression: Mapping[str, JSON], labels: Mapping[str, str]) -> bool:
    """The meaning of a matchExpression, read off its manifest (metav1.LabelSelectorRequirement)."""
    value, listed = labels.get(str(expression["key"])), expression.get("values", [])
    assert isinstance(listed, list)
    match expression["operator"]:
        case "In":
            return value in listed
        case "NotIn":
            return value not in listed
        case "Exists":
            return value is not None
        case _:
            return value is None
