"""Errors of AWS in commands."""

from __future__ import annotations

from typing import Any

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import aws_errors


def test_a_response_without_its_fields_is_an_error() -> None:
    """As botocore returns one that was truncated."""
    response: dict[str, Any] = {"ResponseMetadata": {}}
    problem = "parameter /a: the response has no 'Parameters'; run the command again"
    with pytest.raises(CommandError, match=problem), aws_errors("parameter /a"):
        response["Parameters"]
