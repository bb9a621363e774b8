"""Overlays that are not tried on each other are in no conflict: what trying all of them shows."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft import kube
from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.overlay import conflicts, paths
from podgraft.core.injectors.overlay.overlay import Overlay
from podgraft.core.injectors.overlay.templates import OverlayTemplate
from podgraft.kube.matching.constraints import MatchConstraints

POD = conflicts.SAMPLES[0]
OVERLAY = Overlay(
    name="o",
    constraints=MatchConstraints(),
    conditions=(),
    source=OverlayTemplate("o", ""),
)

_WORDS = st.sampled_from(["a", "b"])
_MAPS = st.dictionaries(st.sampled_from(["a", "A", "b"]), st.none() | _WORDS, max_size=2)


def _some(*members: tuple[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries({}, optional=dict(members))


def _named_objects(
    name: st.SearchStrategy[str], *members: tuple[str, Any]
) -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries({"name": name}, optional=dict(members))


_ENV = _named_objects(_WORDS, ("value", _WORDS), ("$patch", st.just("delete")))
_CONTAINER = _named_objects(
    st.sampled_from(["app", "other", "*"]),
    ("image", st.none() | _WORDS),
    ("args", st.lists(_WORDS, max_size=2)),
    ("env", st.none() | st.lists(_ENV, max_size=3)),
    ("resources", _some(("limits", _MAPS.map(lambda known: dict.fromkeys(known, "1"))))),
    ("$patch", st.sampled_from(["delete", "replace"])),
)
_PARTIALS = _some(
    ("metadata", _some(("labels", _MAPS), ("annotations", st.none() | _MAPS))),
    (
        "spec",
        _some(
            ("containers", st.lists(_CONTAINER, max_size=2)),
            ("nodeSelector", st.none() | _MAPS),
            ("$retainKeys", st.just(["containers"])),
        ),
    ),
)


_IF_ABSENT = st.sets(st.sampled_from(["env", "image", "labels", "resources"]), max_size=2)


@given(st.lists(st.tuples(_PARTIALS, _IF_ABSENT), min_size=2, max_size=4))
def test_pairs_that_are_not_selected_do_not_conflict(
    partials: list[tuple[Object, set[str]]],
) -> None:
    rendered = [
        (replace(OVERLAY, if_absent=tuple(if_absent)), partial) for partial, if_absent in partials
    ]
    tried = set(paths.find_candidate_pairs(partials, kube.POD))
    for one, other in set(combinations(range(len(partials)), 2)) - tried:
        assert not list(conflicts.compare_orders(rendered[one], rendered[other], POD))


def _container(**members: Any) -> Object:
    return {"spec": {"containers": [{"name": "app", **members}]}}


@pytest.mark.parametrize(
    ("one", "other", "tried"),
    [
        (_container(image="a"), _container(image="b"), True),
        (_container(image="a"), _container(image="a"), False),
        (_container(image="a"), _container(command=["a"]), False),
        (_container(image="a"), {"spec": {"containers": [{"name": "x", "image": "b"}]}}, False),
        (_container(env=None), _container(env=[{"name": "a", "value": "b"}]), True),
        (_container(**{"$patch": "delete"}), _container(image="a"), True),
        ({"spec": {"containers": [{"name": "app", "Image": "a"}]}}, _container(image="b"), True),
        ({"metadata": {"labels": {"a": "1"}}}, {"metadata": {"labels": {"b": "1"}}}, False),
        (_container(image="a"), {"spec": {"containers": [{"name": "*", "image": "b"}]}}, True),
        ({"metadata": {"labels": None}}, {"metadata": {"labels": {}}}, True),
    ],
)
def test_overlays_that_set_the_same_path_are_selected(
    one: Object, other: Object, tried: bool
) -> None:
    assert bool(paths.find_candidate_pairs([(one, ()), (other, ())], kube.POD)) is tried
