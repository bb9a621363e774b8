"""The requests of the worker: JSON text in, JSON text out."""

import json
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.istio import releases

from . import export
from .session import Session
from .workspace import Input

BUILD = Path(__file__).with_name("build.json")  # the version

_SESSIONS: dict[Path, Session] = {}


def handle(text: str, folder: str) -> str:
    """Answer one request in the session of a folder."""
    request: dict[str, Any] = json.loads(text)
    path = Path(folder)
    session = _SESSIONS.setdefault(path, Session(path))
    return json.dumps(_ANSWERS[request["do"]](session, request))


def _ready(_: Session, request: Mapping[str, Any]) -> Object:
    del request
    build: Object = {"podgraft": ""}
    if BUILD.exists():
        build = json.loads(BUILD.read_text())
    names: list[JSON] = [f"1.{minor}" for minor in reversed(releases.KNOWN)]
    return {**build, "python": platform.python_version(), "releases": names}


def _review(session: Session, request: Mapping[str, Any]) -> Object:
    return session.review(_input(request))


def _origins(session: Session, request: Mapping[str, Any]) -> Object:
    return session.origins(_input(request))


def _verdicts(session: Session, request: Mapping[str, Any]) -> Object:
    return session.verdicts(_input(request), request["pods"], request["policies"])


def _test_case(session: Session, request: Mapping[str, Any]) -> Object:
    return session.test_case(_input(request))


def _export(session: Session, request: Mapping[str, Any]) -> Object:
    given = _input(request)
    document = session.test_case(given).get("document")
    return export.make_archive(given, str(document) if document else "")


def _input(request: Mapping[str, Any]) -> Input:
    return Input(**request["input"])


_ANSWERS: Mapping[str, Callable[[Session, Mapping[str, Any]], Object]] = {
    "ready": _ready,
    "review": _review,
    "origins": _origins,
    "verdicts": _verdicts,
    "testCase": _test_case,
    "export": _export,
}
