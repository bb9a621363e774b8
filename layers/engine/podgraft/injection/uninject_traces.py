"""What an injection left in a pod that tells what the pod was before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from podgraft.jsonvalue import JSON, NotJSONError, Object, load, object_at, objects_at, text_at

from .istio import overrides, probes, prometheus, status
from .istio.draft import (
    CONTAINERS,
    INIT,
    INIT_CONTAINERS,
    PROXY,
    annotations_of,
    containers,
    env_of,
    named,
)
from .istio.overrides import Overrides
from .istio.specpatch import LEGACY
from .istio.status import Status

PROXY_GROUP = 1337  # releases up to 1.18 let it read the proxy's token


@dataclass(frozen=True, slots=True)
class Traces:
    """What was added, and what the sidecar was told of the pod's own.

    ``probers`` are the pod's own probes by the path they were redirected to; ``scrape`` is what its
    annotations said to Prometheus, ``None`` where the sidecar was told nothing.
    """

    status: Status
    revision: str
    kept: Overrides
    sidecar: Object
    probers: Mapping[str, JSON]
    scrape: Object | None

    @property
    def is_gateway(self) -> bool:
        """Whether the proxy is a gateway's, not an application's."""
        args = self.sidecar.get("args")
        return isinstance(args, list) and "router" in args

    def told(self, name: str) -> str:
        """The value of one of the sidecar's environment variables."""
        return _value(self.sidecar, name)


def of_pod(pod: Object) -> Traces | None:
    """The traces in a pod; ``None`` where it was not injected."""
    annotations = annotations_of(pod)
    injected = status.read(annotations)
    if injected is None:
        injected = _legacy(object_at(pod, "spec"))
    if injected is None:
        return None
    listed = [*containers(pod), *containers(pod, INIT_CONTAINERS)]
    sidecar = named(listed, PROXY) or {}
    return Traces(
        status=injected,
        revision=text_at(_object(annotations.get(status.ANNOTATION, "")) or {}, "revision"),
        kept=_placed(overrides.read(annotations)),
        sidecar=sidecar,
        probers=_object(_value(sidecar, probes.ENV)) or {},
        scrape=_object(_value(sidecar, prometheus.ENV)),
    )


def _legacy(spec: Object) -> Status | None:
    """What versions without a status injected: they are told by all three of their kinds."""
    volumes = objects_at(spec, "volumes")
    signs = (
        named(objects_at(spec, INIT_CONTAINERS), INIT) is not None,
        named(objects_at(spec, CONTAINERS), PROXY) is not None,
        any(named(volumes, name) is not None for name in LEGACY.volumes),
    )
    return LEGACY if all(signs) else None


def _placed(kept: Overrides) -> Overrides:
    """The user's containers where they stood, as they were written.

    A native sidecar's user version is kept among the init containers, though people write it among
    the containers; an init container of that name that runs on would say so itself.
    """
    moved = [each for each in kept.init_containers if _is_moved(each)]
    stayed = [each for each in kept.init_containers if not _is_moved(each)]
    return Overrides(
        [_as_written(each) for each in (*kept.containers, *moved)],
        [_as_written(each) for each in stayed],
    )


def _is_moved(container: Object) -> bool:
    return container.get("name") == PROXY and "restartPolicy" not in container


def _as_written(container: Object) -> Object:
    """Only the image ``auto`` is left out when containers are kept; empty resources are Go's."""
    named_first: Object = {"name": container.get("name"), "image": overrides.AUTO}
    whole = named_first | container
    return {key: each for key, each in whole.items() if each or key != "resources"}


def _value(sidecar: Object, name: str) -> str:
    return text_at(env_of(sidecar, name) or {}, "value")


def _object(text: str) -> Object | None:
    try:
        found = load(text)
    except NotJSONError:
        return None
    return found if isinstance(found, dict) else None
