"""The resources of the module have the arguments of the provider's schema."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from terraform.module import MODULE

_SCHEMA = json.loads(Path(__file__).with_name("schema.json").read_text())
_META = {"count", "depends_on", "for_each", "lifecycle", "provider"}


@pytest.mark.parametrize("address", [*MODULE])
def test_the_provider_has_the_arguments_of_a_resource(address: str) -> None:
    """Recorded from the schema of the provider: run record_schema.py for another release."""
    body = {key: each for key, each in MODULE[address].items() if key not in _META}
    assert find_problems(body, _SCHEMA[address.partition(".")[0]]) == []


def find_problems(body: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Unknown and missing arguments of a resource and of its blocks."""
    dynamic = {
        name: each["content"] for item in body.get("dynamic", ()) for name, each in item.items()
    }
    given = {key: each for key, each in body.items() if key != "dynamic"} | dynamic
    problems = [f"unknown: {key}" for key in given if key not in schema]
    problems += [
        f"missing: {key}" for key, each in schema.items() if each["required"] and key not in given
    ]
    for key, value in given.items():
        arguments = schema.get(key, {}).get("arguments")
        for block in cast("list[Any]", value) if isinstance(value, list) else ():
            if arguments is not None and isinstance(block, dict):
                problems += find_problems(cast("dict[str, Any]", block), arguments)
    return problems


def test_an_unknown_argument_is_found() -> None:
    schema = _SCHEMA["aws_lambda_alias"]
    assert find_problems({"name": "a", "function_names": "b"}, schema) == [
        "unknown: function_names",
        "missing: function_name",
        "missing: function_version",
    ]
