"""The short path of reviews responds as Mangum and Flask do, and only to plain reviews."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from podgraft.web import direct_reviews
from support.effort import IS_LONG
from support.store_fixture import PATH_TOKEN, TOKEN, write_injector
from web.test_handler import event, load_handler

Handler = Callable[[Any, object], dict[str, Any]]
EVENT = event("bearer-token")
PLAIN_PATHS = (
    "/inject",
    "/mutate",
    "/validate",
    "/default/inject",
    "/other/inject",
    "/missing/inject",
    "/inject/cluster/prod-eu/net/n1",
    "/default/inject/:ENV:cluster=a:ENV:b=c",
    f"/k/{PATH_TOKEN}/inject",
    f"/k/{PATH_TOKEN}/default/mutate",
    "/k/wrong/default/inject",
    "/k//inject",
)
OTHER_PATHS = (
    "/k/token-o%2Ff-prod/inject",
    "/",
    "",
    "//inject",
    "/inject/",
    "/inject//x",
    "/k/inject",
    "/inject/inject",
    "/inject/mutate/x",
    "/Default/inject",
    "/default/inject/%2e",
    "/inject/é",
    "/a/b/inject",
    "/ping",
    "/readyz",
    None,
    5,
)
FIELDS: tuple[dict[str, Any], ...] = (
    {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"},
    {"Authorization": f"bearer {TOKEN}", "Content-Type": 'application/json; charset="utf-8"'},
    {"authorization": "Bearer wrong", "content-type": "application/json"},
    {"content-type": "application/json"},
    {"authorization": f"Bearer {TOKEN}", "content-type": "text/plain"},
    {"authorization": f"Bearer {TOKEN}"},
    {"authorization": f"Bearer {TOKEN}", "content-type": "application/json", "x_y": "1"},
    {"authorization": f"Bearer {TOKEN}", "content_type": "application/json"},
    {"authorization": "Bearer é", "content-type": "application/json"},
    {"authorization": 5},
    {"host": "[::1]:443", "authorization": f"Bearer {TOKEN}", "content-type": "application/json"},
)
BODIES: tuple[Any, ...] = (
    EVENT["body"],
    EVENT["body"][:50],
    EVENT["body"].replace("web", "wéb"),
    "",
    None,
    "{}",
    "\ud800",
    7,
)
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"version": "1.0"},
    {"rawQueryString": "timeout=1s"},
    {"rawQueryString": "é"},
    {"rawQueryString": None},
    {"cookies": ["a=b"]},
    {"isBase64Encoded": True},
    {"headers": None},
    {"requestContext": None},
    {"requestContext": {**EVENT["requestContext"], "elb": {}}},
)


@pytest.fixture
def handlers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Handler, Handler]:
    """Two functions: one with the short path, and one without."""
    write_injector(folder, "other")
    monkeypatch.setenv("PODGRAFT_STORE", f"file:{folder}")
    direct, whole = load_handler(), load_handler()

    def without_direct(sent: Any, context: object) -> dict[str, Any]:
        with monkeypatch.context() as patched:
            patched.setattr(direct_reviews, "respond", _respond_to_nothing)
            return whole(sent, context)

    return direct, without_direct


def _respond_to_nothing(*_: object) -> None:
    return None


def _make_event(path: Any, fields: Any, body: Any, change: dict[str, Any]) -> dict[str, Any]:
    made = {**EVENT, "rawPath": path, "headers": fields, "body": body}
    made["requestContext"] = {**EVENT["requestContext"]}
    made["requestContext"]["http"] = {**EVENT["requestContext"]["http"], "path": path}
    return {**made, **change}


def _make_events() -> list[tuple[Any, Any, Any, dict[str, Any]]]:
    every = [*itertools.product((*PLAIN_PATHS, *OTHER_PATHS), FIELDS, BODIES, CHANGES)]
    return every if IS_LONG else Random(1).sample(every, 1500)  # noqa: S311 - the same each time


def test_both_paths_respond_alike(handlers: tuple[Handler, Handler]) -> None:
    direct, whole = handlers
    for parts in _make_events():
        sent = _make_event(*parts)
        assert direct(sent, None) == whole(sent, None), parts


def _takes_direct_path(sent: dict[str, Any]) -> bool:
    return direct_reviews.parse_review(sent) is not None


@pytest.mark.parametrize("path", PLAIN_PATHS)
def test_a_plain_review_takes_the_short_path(path: str) -> None:
    encoded = base64.b64encode(EVENT["body"].encode()).decode()
    for fields in FIELDS[:6]:
        assert _takes_direct_path(_make_event(path, fields, EVENT["body"], {}))
        assert _takes_direct_path(_make_event(path, fields, encoded, {"isBase64Encoded": True}))


@pytest.mark.parametrize("path", [path for path in OTHER_PATHS if isinstance(path, str)])
def test_no_other_path_is_read(path: str) -> None:
    assert not _takes_direct_path(_make_event(path, FIELDS[0], EVENT["body"], {}))


@pytest.mark.parametrize(
    "name", ["base64", "bearer-token", "client-certificate", "no-credentials", "token-in-path"]
)
def test_recorded_events_take_the_short_path(name: str) -> None:
    assert _takes_direct_path(event(name))


def test_a_review_reaches_neither_mangum_nor_flask(
    handlers: tuple[Handler, Handler], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mangum.adapter.Mangum.__call__", None)
    monkeypatch.setattr("flask.Flask.wsgi_app", None)
    response = handlers[0](EVENT, None)
    assert json.loads(response["body"])["response"]["allowed"] is True
