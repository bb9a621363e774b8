"""The cleanup: it never deletes a version that is live, that an alias uses, or that is new."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cleanup import MissingAliasError, Settings, Version, find_old_versions, make_handler

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SETTINGS = Settings("dev", "arn:aws:lambda:eu-central-1:111122223333:function:dev", "live", 3)
DAY = timedelta(days=1)


def make_versions(count: int, newest: timedelta = DAY) -> list[Version]:
    """Versions 1 to *count*; the newest one is that old."""
    return [Version(each, NOW - newest - (count - each) * DAY) for each in range(1, count + 1)]


def make_alias(version: str, name: str = "live", **weights: float) -> dict[str, Any]:
    alias: dict[str, Any] = {"Name": name, "FunctionVersion": version}
    if weights:
        shares = {name.removeprefix("v"): weight for name, weight in weights.items()}
        alias["RoutingConfig"] = {"AdditionalVersionWeights": shares}
    return alias


CASES: tuple[tuple[list[Version], list[dict[str, Any]], int, list[int]], ...] = (
    (make_versions(6), [make_alias("6")], 3, [1, 2, 3]),
    (make_versions(6), [make_alias("2")], 3, [1, 3]),  # after five failed deployments
    (make_versions(6), [make_alias("6"), make_alias("1", "other")], 3, [2, 3]),
    (make_versions(6), [make_alias("6"), make_alias("$LATEST", "test")], 3, [1, 2, 3]),
    (make_versions(6), [{**make_alias("6"), "RoutingConfig": {}}], 3, [1, 2, 3]),
    (make_versions(6), [make_alias("6")], 0, []),
    (make_versions(6), [make_alias("6")], 1, [1, 2, 3, 4, 5]),
    (make_versions(3), [make_alias("3")], 3, []),
    ([], [make_alias("$LATEST")], 3, []),
    # A deployment is in progress, or was a short time ago.
    (make_versions(6), [make_alias("5", v6=0.1)], 3, []),
    (make_versions(6), [make_alias("6"), make_alias("1", "other", v2=0.5)], 3, []),
    (make_versions(6, timedelta(hours=3, minutes=59)), [make_alias("6")], 3, []),
    (make_versions(6, timedelta(hours=4)), [make_alias("6")], 3, [1, 2, 3]),
)


@pytest.mark.parametrize(("versions", "aliases", "count", "old"), CASES)
def test_old_versions_are_those_that_nothing_needs(
    versions: Sequence[Version], aliases: list[dict[str, Any]], count: int, old: list[int]
) -> None:
    settings = Settings("dev", "arn", "live", count)
    assert find_old_versions([*reversed(versions)], aliases, settings, NOW) == old


@pytest.mark.parametrize("aliases", [[], [make_alias("6", "other")]])
def test_without_the_alias_nothing_is_deleted(aliases: list[dict[str, Any]]) -> None:
    with pytest.raises(MissingAliasError):
        find_old_versions(make_versions(6), aliases, SETTINGS, NOW)


class Lambda:
    """The versions and the alias of one function, in pages of two."""

    class exceptions:  # noqa: N801 - as in botocore
        ResourceConflictException = KeyError
        ResourceNotFoundException = LookupError

    def __init__(self, count: int, live: str, refused: Mapping[str, Exception] = {}) -> None:
        self.versions = [str(each) for each in range(1, count + 1)]
        self.live = live
        self.refused = refused

    def get_paginator(self, operation: str) -> Any:
        client = self

        class Paginator:
            def paginate(self, **arguments: Any) -> Any:
                assert arguments == {"FunctionName": SETTINGS.function}
                if operation == "list_aliases":
                    return [{"Aliases": [make_alias(client.live)]}]
                time = "2026-01-22T08:31:07.490+0000"
                names = ["$LATEST", *client.versions]
                rows = [{"Version": each, "LastModified": time} for each in names]
                return [{"Versions": rows[at : at + 2]} for at in range(0, len(rows), 2)]

        return Paginator()

    def delete_function(self, **arguments: Any) -> None:
        assert arguments.keys() == {"FunctionName", "Qualifier"}  # never the function itself
        number = arguments["Qualifier"]
        if number in self.refused:
            raise self.refused[number]
        self.versions.remove(number)


def run(client: Lambda, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    make_handler(SETTINGS, client)({}, None)
    return json.loads(capsys.readouterr().out)


def test_old_versions_are_deleted_once(capsys: pytest.CaptureFixture[str]) -> None:
    client = Lambda(7, "7")
    line = run(client, capsys)
    assert line == {
        "level": "INFO",
        "message": "cleanup",
        "service": "dev",
        "versions": 7,
        "deleted": [1, 2, 3, 4],
    }
    assert client.versions == ["5", "6", "7"]
    assert run(client, capsys)["deleted"] == []


def test_a_version_that_became_live_remains(capsys: pytest.CaptureFixture[str]) -> None:
    """Lambda rejects the deletion of a version that an alias uses."""
    client = Lambda(7, "7", {"2": KeyError("alias"), "3": LookupError("gone")})
    line = run(client, capsys)
    assert (line["level"], line["deleted"]) == ("WARNING", [1, 4])
    assert "2" in client.versions


def test_an_error_of_the_service_is_raised_and_logged(capsys: pytest.CaptureFixture[str]) -> None:
    client = Lambda(7, "7", {"2": OSError("denied")})
    with pytest.raises(OSError, match="denied"):
        make_handler(SETTINGS, client)({}, None)
    assert json.loads(capsys.readouterr().out)["deleted"] == [1]
