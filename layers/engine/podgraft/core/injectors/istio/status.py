"""The annotation ``sidecar.istio.io/status``: the names of what an injection added."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, NotJSONError, Object, load, names_at, object_at

from . import gojson
from .releases import Profile

ANNOTATION = "sidecar.istio.io/status"
DEFAULT_REVISION = "default"


class InjectionStatus(Struct, frozen=True):
    """The names of the objects in the template pod, in order."""

    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    image_pull_secrets: tuple[str, ...] = ()


# The objects that versions without a status inject.
LEGACY = InjectionStatus(
    init_containers=("istio-init", "enable-core-dump"),
    containers=("istio-proxy",),
    volumes=("istio-certs", "istio-envoy"),
)


def make_status(template: Mapping[str, JSON]) -> InjectionStatus:
    """Return the status for a template pod."""
    spec = object_at(template, "spec")
    return InjectionStatus(
        *[
            tuple(names_at(spec, key))
            for key in ("initContainers", "containers", "volumes", "imagePullSecrets")
        ]
    )


def to_json(profile: Profile, status: InjectionStatus, revision: str, version: str = "") -> str:
    """Format the annotation; an empty list is ``null``."""
    fields: Object = {"version": version} if profile.status_version else {}
    fields |= {
        "initContainers": _null_if_empty(status.init_containers),
        "containers": _null_if_empty(status.containers),
        "volumes": _null_if_empty(status.volumes),
        "imagePullSecrets": _null_if_empty(status.image_pull_secrets),
    }
    if profile.status_revision:
        fields["revision"] = revision or DEFAULT_REVISION
    return gojson.encode(fields)


def parse_status(annotations: Mapping[str, str]) -> InjectionStatus | None:
    """Parse the status of an earlier injection; None if it is missing or invalid."""
    if ANNOTATION not in annotations:  # the common case; an exception is slow
        return None
    try:
        raw = load(annotations[ANNOTATION])
    except NotJSONError:
        return None
    if not isinstance(raw, dict):
        return None
    return InjectionStatus(
        *(
            _parse_names(raw.get(key))
            for key in ("initContainers", "containers", "volumes", "imagePullSecrets")
        )
    )


def _null_if_empty(names: tuple[str, ...]) -> JSON:
    return [*names] or None


def _parse_names(value: JSON) -> tuple[str, ...]:
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()
