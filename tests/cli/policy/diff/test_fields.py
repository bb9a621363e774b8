"""The fields in which objects differ."""

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli.policy.diff.fields import FieldChange, find_changes
from podgraft.kube import yaml


def load(text: str) -> Object:
    value = yaml.load(text)
    assert isinstance(value, dict)
    return value


CASES: tuple[tuple[str, str, list[FieldChange]], ...] = (
    ("a: 1", "a: 1", []),
    ("a: 1", "a: 1.5", [FieldChange("a", 1, 1.5)]),
    ("a: 1", "a: true", [FieldChange("a", 1, True)]),
    ("{}", "a: {b: 1}", [FieldChange("a", None, {"b": 1}, is_added=True)]),
    ("a: null", "{}", [FieldChange("a", None, None, is_removed=True)]),
    ("a: {b: {c: 1}}", "a: {b: {c: 2}}", [FieldChange("a.b.c", 1, 2)]),
    (
        "labels: {app.io/name: a}",
        "labels: {app.io/name: b}",
        [FieldChange("labels[app.io/name]", "a", "b")],
    ),
    (
        "containers: [{name: a, image: i}, {name: b, image: i}]",
        "containers: [{name: x, image: i}, {name: a, image: i}, {name: b, image: j}]",
        [
            FieldChange("containers[b].image", "i", "j"),
            FieldChange("containers[x]", None, {"name": "x", "image": "i"}, is_added=True),
        ],
    ),
    ("l: [{name: a}, {name: b}]", "l: [{name: b}, {name: a}]", [
        FieldChange("l[]", ["a", "b"], ["b", "a"]),
    ]),
    ("l: [1, 2]", "l: [2, 1]", [FieldChange("l", [1, 2], [2, 1])]),
    (
        "m: [{name: v, mountPath: /a}, {name: v, mountPath: /b}]",
        "m: [{name: v, mountPath: /a}, {name: w, mountPath: /b}]",
        [FieldChange("m[/b].name", "v", "w")],
    ),
)  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), CASES)
def test_changes_of_fields(before: str, after: str, expected: list[FieldChange]) -> None:
    assert [*find_changes(load(before), load(after))] == expected


def test_missing_objects_have_no_fields() -> None:
    added = [FieldChange("a", None, 1, is_added=True)]
    assert [*find_changes(None, {"a": 1})] == added
    assert [*find_changes(None, None)] == []
