"""The differences of CEL from kube-apiserver that docs/overlays.md names; each is as it says.

What kube-apiserver does was recorded: ``REASONS`` of test_policies.py.
"""

from __future__ import annotations

import pytest

from kube.cel.test_policies import Row, World
from oracle.cel import record


def answer(text: str) -> Row:
    return World().answer({"expression": text})


def test_a_format_has_at_most_a_hundred_digits() -> None:
    assert "value" in answer("'%.100f'.format([1.0])")
    assert "refused" in answer("'%.101f'.format([1.0])")


def test_one_and_true_are_one_key_in_a_format() -> None:
    assert answer("'%s'.format([{1: 'a', true: 'b'}])")["value"] == 'string("{1:\\"b\\"}")'


@pytest.mark.parametrize("text", ["[?dyn(1)]", "{b'a': 1}"])
def test_what_makes_kube_apiserver_panic_is_an_error(text: str) -> None:
    assert {"refused", "error"} & answer(text).keys()


@pytest.mark.parametrize("name", ["Any", "Empty"])
def test_other_messages_of_protobuf_are_undeclared(name: str) -> None:
    ((*_, message),) = answer(f"google.protobuf.{name}{{}}")["refused"]
    assert message == f"undeclared reference to 'google.protobuf.{name}'"


def test_an_optional_contains_no_error() -> None:
    text = "object.spec.containers[?0u].hasValue()"
    found = World(record.TYPED_HEAD).answer({"expression": text})
    assert found["error"] == "unsupported index type: types.Uint"


def test_time_zones_are_of_a_package() -> None:
    assert answer("timestamp(0).getHours('Local')") == answer("timestamp(0).getHours('UTC')")
    assert answer("timestamp(0).getHours('Asia/Tokyo')")["value"] == "int(9)"


def test_loops_over_maps_are_in_the_order_of_the_document() -> None:
    assert answer("{'b': 1, 'a': 2}.map(k, k)")["value"] == 'list[string("b"), string("a")]'
    first, last = (answer(f"{{'b': 1, 'a': 2}}.exists(k, k == '{key}')") for key in "ba")
    assert first["value"] == last["value"]
    assert first["cost"] < last["cost"]
