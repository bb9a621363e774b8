"""The annotation ``sidecar.istio.io/status``: what an injection added, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from podgraft.jsonvalue import JSON, NotJSONError, Object, load, object_at, objects_at, text_at
from podgraft.records import dataclass

from . import gojson
from .releases import Profile

ANNOTATION = "sidecar.istio.io/status"
DEFAULT_REVISION = "default"


@dataclass(frozen=True, slots=True)
class Status:
    """The names of what the templates hold, in their order."""

    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    image_pull_secrets: tuple[str, ...] = ()


def of_pod(template: Mapping[str, JSON]) -> Status:
    """The status for a template pod."""
    spec = object_at(template, "spec")
    return Status(
        *[
            tuple([text_at(each, "name") for each in objects_at(spec, key)])
            for key in ("initContainers", "containers", "volumes", "imagePullSecrets")
        ]
    )


def to_json(profile: Profile, status: Status, revision: str, version: str = "") -> str:
    """The annotation's text; lists without a name print as ``null``."""
    return _text(
        status,
        (revision or DEFAULT_REVISION) if profile.status_revision else None,
        version if profile.status_version else None,
    )


@lru_cache(maxsize=256)
def _text(status: Status, revision: str | None, version: str | None) -> str:
    shown: Object = {} if version is None else {"version": version}
    shown |= {
        "initContainers": _list(status.init_containers),
        "containers": _list(status.containers),
        "volumes": _list(status.volumes),
        "imagePullSecrets": _list(status.image_pull_secrets),
    }
    if revision is not None:
        shown["revision"] = revision
    return gojson.encode(shown)


def read(annotations: Mapping[str, str]) -> Status | None:
    """What an earlier injection wrote; ``None`` where there is no readable status."""
    if ANNOTATION not in annotations:  # nearly always, and an error takes its time
        return None
    try:
        raw = load(annotations[ANNOTATION])
    except NotJSONError:
        return None
    if not isinstance(raw, dict):
        return None
    return Status(
        *(
            _names(raw.get(key))
            for key in ("initContainers", "containers", "volumes", "imagePullSecrets")
        )
    )


def _list(names: tuple[str, ...]) -> JSON:
    return [*names] or None


def _names(value: JSON) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
