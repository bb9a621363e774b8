"""What an injection left in a pod that tells what the pod was before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from podgraft.jsonvalue import JSON, NotJSONError, Object, load, object_at, objects_at, string_at

from . import status
from .pod_builder import (
    CONTAINERS,
    INIT,
    INIT_CONTAINERS,
    PROXY,
    containers,
    find_by_name,
    find_env,
    pod_annotations,
)
from .postprocess import overrides, probes, prometheus
from .postprocess.overrides import Overrides
from .status import LEGACY, InjectionStatus

PROXY_GROUP = 1337  # releases up to 1.18 let it read the proxy's token


@dataclass(frozen=True, slots=True)
class InjectionRecord:
    """What was added, and what the sidecar was told of the pod's own.

    ``probers`` are the pod's own probes by the path they were redirected to; ``scrape`` is what its
    annotations said to Prometheus, ``None`` where the sidecar was told nothing.
    """

    status: InjectionStatus
    revision: str
    overrides: Overrides
    sidecar: Object
    probers: Mapping[str, JSON]
    scrape: Object | None

    @property
    def is_gateway(self) -> bool:
        """Whether the proxy is a gateway's, not an application's."""
        args = self.sidecar.get("args")
        return isinstance(args, list) and "router" in args

    def sidecar_env(self, name: str) -> str:
        """The value of one of the sidecar's environment variables."""
        return _env_value(self.sidecar, name)


def recover_injection(pod: Object) -> InjectionRecord | None:
    """The traces in a pod; ``None`` where it was not injected."""
    annotations = pod_annotations(pod)
    injected = status.parse_status(annotations)
    if injected is None:
        injected = _recover_legacy_status(object_at(pod, "spec"))
    if injected is None:
        return None
    listed = [*containers(pod), *containers(pod, INIT_CONTAINERS)]
    sidecar = find_by_name(listed, PROXY) or {}
    return InjectionRecord(
        status=injected,
        revision=string_at(_object(annotations.get(status.ANNOTATION, "")) or {}, "revision"),
        overrides=_restore_overrides(overrides.parse_overrides(annotations)),
        sidecar=sidecar,
        probers=_object(_env_value(sidecar, probes.ENV)) or {},
        scrape=_object(_env_value(sidecar, prometheus.ENV)),
    )


def _recover_legacy_status(spec: Object) -> InjectionStatus | None:
    """What versions without a status injected: they are told by all three of their kinds."""
    volumes = objects_at(spec, "volumes")
    signs = (
        find_by_name(objects_at(spec, INIT_CONTAINERS), INIT) is not None,
        find_by_name(objects_at(spec, CONTAINERS), PROXY) is not None,
        any(find_by_name(volumes, name) is not None for name in LEGACY.volumes),
    )
    return LEGACY if all(signs) else None


def _restore_overrides(kept: Overrides) -> Overrides:
    """The user's containers where they stood, as they were written.

    A native sidecar's user version is kept among the init containers, though people write it among
    the containers; an init container of that name that runs on would say so itself.
    """
    moved = [each for each in kept.init_containers if _is_moved(each)]
    stayed = [each for each in kept.init_containers if not _is_moved(each)]
    return Overrides(
        [_restore_container(each) for each in (*kept.containers, *moved)],
        [_restore_container(each) for each in stayed],
    )


def _is_moved(container: Object) -> bool:
    return container.get("name") == PROXY and "restartPolicy" not in container


def _restore_container(container: Object) -> Object:
    """Only the image ``auto`` is left out when containers are kept; empty resources are Go's."""
    named_first: Object = {"name": container.get("name"), "image": overrides.AUTO}
    whole = named_first | container
    return {key: each for key, each in whole.items() if each or key != "resources"}


def _env_value(sidecar: Object, name: str) -> str:
    return string_at(find_env(sidecar, name) or {}, "value")


def _object(text: str) -> Object | None:
    try:
        found = load(text)
    except NotJSONError:
        return None
    return found if isinstance(found, dict) else None
