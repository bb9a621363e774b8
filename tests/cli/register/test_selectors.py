"""Selectors as kubectl writes them, and the ones by which Istio's revisions are chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.register import selectors
from podgraft.kube.selectors import Operator, Requirement, Selector, compile_


def _selector(*requirements: tuple[str, Operator] | tuple[str, Operator, str]) -> Selector:
    return Selector(
        tuple(
            Requirement(key, operator, frozenset(values)) for key, operator, *values in requirements
        )
    )


IN, NOT_IN = Operator.IN, Operator.NOT_IN

READ: Mapping[str, Selector] = {
    "": Selector(),
    "a=b": _selector(("a", IN, "b")),
    "a==b": _selector(("a", IN, "b")),
    "a=": _selector(("a", IN, "")),
    "a!=b": _selector(("a", NOT_IN, "b")),
    "a in (b)": _selector(("a", IN, "b")),
    "a in (c, b)": Selector((Requirement("a", IN, frozenset({"b", "c"})),)),
    "a notin (b)": _selector(("a", NOT_IN, "b")),
    "a": _selector(("a", Operator.EXISTS)),
    "!a": _selector(("a", Operator.DOES_NOT_EXIST)),
    "example.com/team=x,!legacy , tier in (a,a)": _selector(
        ("example.com/team", IN, "x"), ("legacy", Operator.DOES_NOT_EXIST), ("tier", IN, "a")
    ),
}


@pytest.mark.parametrize("text", READ)
def test_a_selector_is_read_as_kubectl_reads_it(text: str) -> None:
    assert selectors.parse_selector(text) == READ[text]


@pytest.mark.parametrize(
    "text", ["a b", "a in b", "=b", "a=b=c", "a>1", "a in (b", "-a", "a=b c", "a in (b c)", "a/b/c"]
)
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="selector "):
        selectors.parse_selector(text)


def test_the_empty_selector_is_what_the_api_server_fills_in() -> None:
    assert selectors.selector_to_manifest(selectors.EVERYTHING) == {}


# The scopes of a revision, against the labels that decide: the scope and revision of each webhook.


@dataclass(frozen=True, slots=True)
class RevisionCase:
    name: str
    scopes: tuple[str, ...]  # "revision: scope", of the revisions default and canary
    namespace: Mapping[str, str] = field(default_factory=dict[str, str])
    pod: Mapping[str, str] = field(default_factory=dict[str, str])


REV, INJECT, ENABLED = "istio.io/rev", "sidecar.istio.io/inject", "istio-injection"

ON, OFF = {ENABLED: "enabled"}, {ENABLED: "disabled"}
YES, NO = {INJECT: "true"}, {INJECT: "false"}
CANARY = {REV: "canary"}

CHOSEN = (
    RevisionCase("nothing said", ()),
    # the namespace speaks for the default revision
    RevisionCase("enabled", ("default: namespace.",), ON),
    RevisionCase("enabled, the pod asks", ("default: namespace.",), ON, YES),
    RevisionCase("enabled, the pod refuses", (), ON, NO),
    RevisionCase("enabled, pod of a revision", ("default: namespace.",), ON, CANARY),
    RevisionCase("enabled and a revision", ("default: namespace.",), ON | CANARY),
    RevisionCase("disabled", (), OFF),
    RevisionCase("disabled, the pod asks", (), OFF, YES),
    RevisionCase("disabled and a revision", (), OFF | CANARY),
    # the namespace names a revision
    RevisionCase("a revision", ("canary: rev.namespace.",), CANARY),
    RevisionCase("a revision, the pod refuses", (), CANARY, NO),
    RevisionCase(
        "a revision, the pod another", ("canary: rev.namespace.",), CANARY, {REV: "default"}
    ),
    RevisionCase("the default revision", ("default: rev.namespace.",), {REV: "default"}),
    RevisionCase("a revision that nobody registered", (), {REV: "other"}),
    # the pod speaks
    RevisionCase("the pod asks", ("default: object.",), {}, YES),
    RevisionCase("the pod refuses", (), {}, NO),
    RevisionCase("pod of a revision", ("canary: rev.object.",), {}, CANARY),
    RevisionCase("pod of a revision that asks", ("canary: rev.object.",), {}, CANARY | YES),
    RevisionCase("pod of a revision that refuses", (), {}, CANARY | NO),
)


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.name)
def test_namespaces_and_pods_choose_a_revision_as_in_istio(case: RevisionCase) -> None:
    asked = tuple(
        f"{revision}: {scope.name}"
        for revision in ("default", "canary")
        for scope in selectors.revision_webhook_scopes(revision)
        if scope.namespaces.matches(case.namespace) and scope.objects.matches(case.pod)
    )
    assert asked == case.scopes


@pytest.mark.parametrize("text", READ)
def test_a_manifest_means_what_the_text_meant(text: str) -> None:
    read = selectors.parse_selector(text)
    assert compile_(selectors.selector_to_manifest(read)) == read
