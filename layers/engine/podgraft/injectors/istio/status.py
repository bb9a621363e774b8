"""The annotation ``sidecar.istio.io/status``: what an injection added, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from podgraft.jsonvalue import JSON, NotJSONError, Object, load, names_at, object_at
from podgraft.lazy_dataclass import dataclass

from . import gojson
from .releases import Profile

ANNOTATION = "sidecar.istio.io/status"
DEFAULT_REVISION = "default"


@dataclass(frozen=True, slots=True)
class InjectionStatus:
    """The names of what the templates hold, in their order."""

    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    image_pull_secrets: tuple[str, ...] = ()


# What versions that wrote no status had injected.
LEGACY = InjectionStatus(
    init_containers=("istio-init", "enable-core-dump"),
    containers=("istio-proxy",),
    volumes=("istio-certs", "istio-envoy"),
)


def make_status(template: Mapping[str, JSON]) -> InjectionStatus:
    """The status for a template pod."""
    spec = object_at(template, "spec")
    return InjectionStatus(
        *[
            tuple(names_at(spec, key))
            for key in ("initContainers", "containers", "volumes", "imagePullSecrets")
        ]
    )


def to_json(profile: Profile, status: InjectionStatus, revision: str, version: str = "") -> str:
    """The annotation's text; lists without a name print as ``null``."""
    return _legacy_text(
        status,
        (revision or DEFAULT_REVISION) if profile.status_revision else None,
        version if profile.status_version else None,
    )


@lru_cache(maxsize=256)
def _legacy_text(status: InjectionStatus, revision: str | None, version: str | None) -> str:
    shown: Object = {} if version is None else {"version": version}
    shown |= {
        "initContainers": _null_if_empty(status.init_containers),
        "containers": _null_if_empty(status.containers),
        "volumes": _null_if_empty(status.volumes),
        "imagePullSecrets": _null_if_empty(status.image_pull_secrets),
    }
    if revision is not None:
        shown["revision"] = revision
    return gojson.encode(shown)


def parse_status(annotations: Mapping[str, str]) -> InjectionStatus | None:
    """What an earlier injection wrote; ``None`` where there is no readable status."""
    if ANNOTATION not in annotations:  # nearly always, and an error takes its time
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
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
