"""The cleanup of a stack, which EventBridge invokes: it deletes old versions of the function.

A deployment publishes a version and leaves the old ones. SnapStart bills each of them. The newest
versions remain, and all to which an alias routes. During a deployment, and for some hours after it,
the cleanup deletes nothing: a rollback can need any version. It needs no layers: botocore is a part
of Lambda's runtime.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

Event: TypeAlias = Mapping[str, Any]

# Longer than the longest deployment of CodeDeploy and its rollback.
PAUSE = timedelta(hours=4)
_LATEST = "$LATEST"


@dataclass(frozen=True, slots=True)
class Settings:
    """The environment of the function; template.yaml sets all variables."""

    stack: str
    function: str  # the ARN of the webhook function
    alias: str
    count: int  # how many of the newest versions remain; 0 deletes none


@dataclass(frozen=True, slots=True)
class Version:
    """A published version."""

    number: int
    published: datetime


class MissingAliasError(Exception):
    """The function does not have the alias, so no version is known to be live."""


def find_old_versions(
    versions: Sequence[Version],
    aliases: Sequence[Mapping[str, Any]],
    settings: Settings,
    now: datetime,
) -> list[int]:
    """Return the versions to delete; raises ``MissingAliasError``."""
    if settings.alias not in {alias["Name"] for alias in aliases}:
        raise MissingAliasError(f"alias {settings.alias}: not found")
    used: set[int] = set()
    for alias in aliases:
        routing: Mapping[str, Any] = alias.get("RoutingConfig") or {}
        if routing.get("AdditionalVersionWeights"):  # a deployment is in progress
            return []
        if alias["FunctionVersion"] != _LATEST:
            used.add(int(alias["FunctionVersion"]))
    newest = sorted(versions, key=lambda version: version.number, reverse=True)
    if not settings.count or not newest or newest[0].published > now - PAUSE:
        return []
    old = newest[settings.count :]
    return sorted(version.number for version in old if version.number not in used)


def make_handler(settings: Settings, client: Any) -> Callable[[Event, object], None]:
    """Return the function that Lambda calls.

    It raises the errors of the service: Lambda repeats asynchronous invocations.
    """

    def handle(event: Event, context: object) -> None:
        del event, context
        versions = list(_list_versions(client, settings.function))
        aliases = list(_list(client, "list_aliases", "Aliases", settings.function))
        old = find_old_versions(versions, aliases, settings, datetime.now(UTC))
        deleted: list[int] = []
        try:
            for number in old:
                _delete(client, settings.function, number, deleted)
        finally:
            _print_line(
                level="INFO" if len(deleted) == len(old) else "WARNING",
                message="cleanup",
                service=settings.stack,
                versions=len(versions),
                deleted=deleted,
            )

    return handle


def _delete(client: Any, function: str, number: int, deleted: list[int]) -> None:
    """Delete one version, unless an alias uses it in the meantime, or it is gone."""
    try:
        client.delete_function(FunctionName=function, Qualifier=str(number))
    except (
        client.exceptions.ResourceConflictException,
        client.exceptions.ResourceNotFoundException,
    ):
        return
    deleted.append(number)


def _list_versions(client: Any, function: str) -> Iterator[Version]:
    for each in _list(client, "list_versions_by_function", "Versions", function):
        if each["Version"] != _LATEST:
            yield Version(int(each["Version"]), datetime.fromisoformat(each["LastModified"]))


def _list(client: Any, operation: str, key: str, function: str) -> Iterator[Mapping[str, Any]]:
    for page in client.get_paginator(operation).paginate(FunctionName=function):
        yield from page[key]


def _print_line(**fields: Any) -> None:
    print(json.dumps(fields, separators=(",", ":")), flush=True)  # noqa: T201  Lambda's log


def _open_handler(environment: Mapping[str, str]) -> Callable[[Event, object], None]:
    import botocore.session  # a part of Lambda's runtime

    session: Any = botocore.session.get_session()
    settings = Settings(
        environment["CLEANUP_STACK"],
        environment["CLEANUP_FUNCTION"],
        environment["CLEANUP_ALIAS"],
        int(environment["CLEANUP_COUNT"]),
    )
    return make_handler(settings, session.create_client("lambda"))


if "CLEANUP_STACK" in os.environ:
    handler = _open_handler(os.environ)
