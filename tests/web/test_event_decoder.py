"""The decoder of events in Lambda's runtime client: the same events and the same errors."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.web import lambda_runtime

# awslambdaric has no types.
lambda_runtime_client: Any = import_module("awslambdaric.lambda_runtime_client")
FaultException: Any = import_module("awslambdaric.lambda_runtime_exception").FaultException
ORIGINAL: Any = import_module("awslambdaric.lambda_runtime_marshaller").LambdaMarshaller()
DECODER = lambda_runtime.EventMarshaller(ORIGINAL)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    max_leaves=20,
)
TEXTS = (
    '{"a": 1, "a": 2}',
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    "NaN",
    "[1e400, -1e400, -0, -0.0, 5e-324]",
    "123456789012345678901234567890",
    "[" * 5000 + "]" * 5000,
    " {} ",
    "{",
    "[1,]",
    "",
    "\ufeff{}",
)


def decode(marshaller: Any, request: bytes, content_type: str) -> str:
    try:
        return repr(marshaller.unmarshal_request(request, content_type))
    except FaultException as fault:
        return f"{fault.exception_type}: {fault.msg}"


@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_an_unusual_event_is_decoded_as_by_the_runtime_client(text: str, content_type: str) -> None:
    request = text.encode()
    assert decode(DECODER, request, content_type) == decode(ORIGINAL, request, content_type)


def test_bytes_that_are_not_utf_8_are_the_same_error() -> None:
    request, kind = b'{"a": "\xff"}', "application/json"
    assert decode(DECODER, request, kind) == decode(ORIGINAL, request, kind)


@given(VALUES, st.booleans())
def test_each_event_is_decoded_as_by_the_runtime_client(value: object, is_ascii: bool) -> None:
    try:
        request = json.dumps(value, ensure_ascii=is_ascii).encode()
    except UnicodeEncodeError:
        return
    assert decode(DECODER, request, "application/json") == decode(
        ORIGINAL, request, "application/json"
    )


def test_the_client_gets_the_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    client = lambda_runtime_client.BaseLambdaRuntimeClient
    monkeypatch.setattr(client, "marshaller", ORIGINAL)
    lambda_runtime.replace_event_decoder()
    assert isinstance(client.marshaller, lambda_runtime.EventMarshaller)
    assert lambda_runtime_client.LambdaRuntimeClient("localhost:1").marshaller is client.marshaller
    assert client.marshaller.original is ORIGINAL
    response = {"statusCode": 200}
    assert client.marshaller.marshal_response(response) == ORIGINAL.marshal_response(response)


@pytest.mark.parametrize(
    "module", [None, SimpleNamespace(), SimpleNamespace(LambdaRuntimeClient=1)]
)
def test_without_the_client_or_its_attribute_nothing_changes(
    module: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        sys.modules,
        "awslambdaric.lambda_runtime_client",
        module,  # type: ignore[arg-type]
    )
    lambda_runtime.replace_event_decoder()


def test_the_client_of_an_older_version_gets_the_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    class LambdaRuntimeClient:
        marshaller: object = ORIGINAL

    module = SimpleNamespace(LambdaRuntimeClient=LambdaRuntimeClient)
    monkeypatch.setitem(
        sys.modules,
        "awslambdaric.lambda_runtime_client",
        module,  # type: ignore[arg-type]
    )
    lambda_runtime.replace_event_decoder()
    assert isinstance(LambdaRuntimeClient.marshaller, lambda_runtime.EventMarshaller)
