"""The defaults of each recorded release are those that its kube-apiserver sets."""

import pytest

from oracle import program
from oracle.defaults.record import FIXTURE, RELEASES
from oracle.mutation.policies import without_empty
from podgraft.base.jsonvalue import JSON
from podgraft.kube import DecodeError
from podgraft.kube.defaults import complete
from support.corpus import assert_corpus

ROWS = program.load_rows(FIXTURE)


def test_every_recorded_object_has_the_defaults_of_its_release() -> None:
    assert_corpus(ROWS, expected=_sent, actual=_complete)


def test_all_releases_are_recorded() -> None:
    assert {row["minor"] for row in ROWS} == {int(each.split(".")[1]) for each in RELEASES}


def _sent(row: program.Row) -> JSON:
    return without_empty(row["sent"])


def _complete(row: program.Row) -> JSON:
    return without_empty(complete(row["object"], row["minor"]))


def test_a_sum_of_resources_that_is_too_large_does_not_decode() -> None:
    containers: list[JSON] = [
        {"name": name, "resources": {"requests": {"cpu": amount}}}
        for name, amount in (("a", "1e500"), ("b", "1"))
    ]
    spec: JSON = {"resources": {"limits": {"cpu": "1"}}, "containers": containers}
    with pytest.raises(DecodeError, match="the result is too large"):
        complete({"apiVersion": "v1", "kind": "Pod", "spec": spec}, 36)
