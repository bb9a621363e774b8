"""JSON Merge Patch: the table of RFC 7386, appendix A, and purity."""

from copy import deepcopy

import pytest

from podgraft.base.jsonvalue import JSON, equal
from podgraft.kube.patch import merge_patch

ROWS: tuple[tuple[JSON, JSON, JSON], ...] = (
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
)


@pytest.mark.parametrize(("target", "patch", "result"), ROWS)
def test_the_rows_of_the_standard(target: JSON, patch: JSON, result: JSON) -> None:
    before = deepcopy((target, patch))
    assert equal(merge_patch(target, patch), result)
    assert (target, patch) == before
