"""Every recorded answer of evanphx/json-patch v4, given again without Go."""

import pytest

from oracle import program
from oracle.jsonpatch.record import FIXTURE, answer, go_answer, is_same
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import patch
from podgraft.kube.patch import ExplicitNull, FailedTestError
from support.corpus import assert_corpus
from support.deep_stack import call_at_depth

ROWS = program.load_rows(FIXTURE)


def test_the_fixture_is_as_large_as_it_was() -> None:
    assert len(ROWS) >= 1500
    assert len([row for row in ROWS if "error" in row]) >= 400


def test_every_recorded_patch_applies_as_in_go() -> None:
    assert_corpus(ROWS, expected=go_answer, actual=answer, same=is_same)  # type: ignore[arg-type]


def test_an_explicit_null_equals_an_empty_map_but_no_null_of_the_document() -> None:
    add: Object = {"op": "add", "path": "/a", "value": ExplicitNull()}
    test: Object = {"op": "test", "path": "/a", "value": {}}
    assert patch.apply({}, [add, test]) == {"a": None}
    with pytest.raises(FailedTestError):
        patch.apply({"a": None}, [{"op": "test", "path": "/a", "value": ExplicitNull()}])


def test_copies_are_limited_as_in_kube_apiserver() -> None:
    document: Object = {"a": "x" * 1_000_000, "b": []}
    copies = [{"op": "copy", "from": "/a", "path": "/b/-"}] * 4
    assert patch.apply(document, copies[:3])
    with pytest.raises(patch.PatchError, match="accumulated size increase of copy is 4000008"):
        patch.apply(document, copies)


@pytest.mark.parametrize("frames", [0, 400])
def test_no_operation_nests_a_document_deeper_than_its_limit(frames: int) -> None:
    """Each ``copy`` to the innermost map doubles the depth: 20 would be a million levels."""
    copies = [{"op": "copy", "from": "/a", "path": "/a" * (2**step + 1)} for step in range(20)]
    with pytest.raises(patch.PatchError, match="is nested deeper than 200 levels"):
        call_at_depth(frames, lambda: patch.apply({"a": {}}, copies))
    value: JSON = "x"
    for _ in range(199):
        value = [value]
    added = [{"op": "add", "path": "/a", "value": value}]
    assert call_at_depth(frames, lambda: patch.apply({}, added)) == {"a": value}
    added[0]["value"] = [value]
    with pytest.raises(patch.PatchError, match="is nested deeper than 200 levels"):
        patch.apply({}, added)
