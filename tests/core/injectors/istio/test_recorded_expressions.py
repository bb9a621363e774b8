"""Template expressions that Istio's own injector evaluated, and the methods of its data.

``tests/oracle/istio/expressions.py`` contains the expressions and records the answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.istio import podgraft_side
from oracle.istio.expressions import FIXED, POD, REFUSED, make_settings, output_of
from oracle.istio.podgraft_side import Podgraft
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.data.template_data import dot_type
from podgraft.golang.reflect import GoType, Kind

DATA = Path(__file__).parent / "data"
RELEASES = ("1.30.3", "1.31.0-rc.0")
# The fields of a structpb.Struct are JSON values here.
JSON_VALUES = {"structpb.ListValue", "structpb.NullValue", "structpb.Value"}


def _answers(release: str) -> Iterator[dict[str, JSON]]:
    path = DATA / f"expressions-{release}.jsonl"
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


CASES = [
    (release, answer["expression"], answer.get("output"))
    for release in RELEASES
    for answer in _answers(release)
]


def _evaluate(release: str, expression: str) -> JSON:
    """The text of the expression; ``None`` if podgraft refuses the pod."""
    podgraft = podgraft_side.load(release, make_settings(expression), {})
    outcome = podgraft.review(POD, "ns", "/inject")
    return None if outcome.pod is None else output_of(outcome.pod)


@pytest.mark.parametrize(
    ("release", "expression", "expected"), [case for case in CASES if case[1] in FIXED]
)
def test_an_expression_has_the_text_of_istio(release: str, expression: str, expected: str) -> None:
    assert _evaluate(release, expression) == expected


@pytest.mark.parametrize(
    ("release", "expression"), [case[:2] for case in CASES if case[1] in REFUSED]
)
def test_what_podgraft_means_to_refuse_is_an_error_of_the_configuration(
    release: str, expression: str
) -> None:
    podgraft = podgraft_side.load(release, make_settings(expression), {})
    outcome = podgraft.review(POD, "ns", "/inject")
    assert outcome.is_operators
    assert outcome.refusal is not None
    assert outcome.refusal.endswith(("not available", "only UTC is supported")) or (
        "podgraft does not support the method" in outcome.refusal
    )


QUOTED = (
    (".ObjectMeta.OwnerReferences", "[{apps/v1 ReplicaSet web-1 u <nil> <nil>}]"),
    ("semver (index .ObjectMeta.Annotations `v`)", "1.2.3"),
    (".TypeMeta", "{Pod v1}"),
    ("toDate `2006` `2024`", "2024-01-01 00:00:00 +0000 UTC"),
    ("mulf (index .ObjectMeta.Annotations `n`) 2", "7.4"),
    ("float64 (index .ObjectMeta.Annotations `n`)", "3.7"),
    ("add1f .", "1"),
    ("list .ObjectMeta.OwnerReferences", "[[{apps/v1 ReplicaSet web-1 u <nil> <nil>}]]"),
)


@pytest.mark.parametrize("function", ["quote", "squote"])
@pytest.mark.parametrize(("expression", "expected"), QUOTED)
def test_a_struct_in_quotes_is_no_change_of_the_structure(
    expression: str, expected: str, function: str
) -> None:
    template = f"metadata: {{annotations: {{out: {{{{ {expression} | {function} }}}}}}}}"
    outcome = _load_template(template).review(POD, "ns", "/inject")
    assert outcome.pod is not None, outcome.refusal
    assert output_of(outcome.pod) == expected


def test_a_struct_with_quotes_in_quotes_changes_the_structure() -> None:
    template = "metadata: {annotations: {out: {{ .ObjectMeta.OwnerReferences | squote }}}}"
    metadata = object_at(POD, "metadata")
    owner: Object = {"apiVersion": "v1", "kind": "X", "name": "a', in: 'x", "uid": "u"}
    pod: Object = {**POD, "metadata": {**metadata, "ownerReferences": [owner]}}
    outcome = _load_template(template).review(pod, "ns", "/inject")
    assert outcome.pod is None
    assert outcome.refusal is not None
    assert "would change the structure" in outcome.refusal


def _load_template(template: str) -> Podgraft:
    config: Object = {
        "policy": "enabled",
        "defaultTemplates": ["t"],
        "templates": {"t": template},
    }
    settings: Object = {**make_settings("1"), "config": json.dumps(config)}
    return podgraft_side.load("1.30.3", settings, {})


@pytest.mark.parametrize("release", RELEASES)
def test_every_expression_has_a_recorded_result(release: str) -> None:
    assert [answer["expression"] for answer in _answers(release)] == [*FIXED, *REFUSED]


@pytest.mark.parametrize("release", RELEASES)
def test_every_method_that_a_template_can_call_is_supported_or_refused_by_name(
    release: str,
) -> None:
    path = DATA / f"methods-{release}.json"
    recorded: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    types = {type_.name: type_ for type_ in _reachable_types(release)}
    missing = {
        f"{name}.{method}"
        for name, methods in recorded.items()
        for method in methods
        if name in types and types[name].member(method) is None
    }
    assert not missing


@pytest.mark.parametrize("release", RELEASES)
def test_every_reachable_type_of_go_has_a_type(release: str) -> None:
    path = DATA / f"methods-{release}.json"
    recorded: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    types = {type_.name for type_ in _reachable_types(release)}
    assert recorded.keys() - types == JSON_VALUES


def _reachable_types(release: str) -> list[GoType]:
    """The named types that a template can reach, by fields and getters (Methods in oracle.go)."""
    visited: dict[str, GoType] = {}

    def visit(type_: GoType | None) -> None:
        while type_ is not None and type_.kind in (Kind.POINTER, Kind.SLICE):
            type_ = type_.elem
        if type_ is None or type_.name in visited or "." not in type_.name.rpartition("]")[2]:
            return
        if type_.kind is Kind.MAP and type_.literal:
            visit(type_.elem)
            return
        visited[type_.name] = type_
        if type_.kind is Kind.MAP:
            visit(type_.elem)
        for name, method in type_.methods.items():
            if name.startswith("Get") and method.result is not None:
                visit(method.result)
        for field in type_.fields:
            if field.name[:1].isupper():
                visit(field.type)

    visit(dot_type(releases.parse_release(release)))
    return [*visited.values()]
