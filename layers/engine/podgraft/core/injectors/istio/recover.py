"""Recovery of the original pod from an injected pod: what the injection recorded in the pod."""

from collections.abc import Mapping
from dataclasses import dataclass

from podgraft.base.jsonvalue import JSON, Object, load_object, object_at, objects_at, string_at

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
    """The additions of an injection, and the original values that the sidecar contains.

    ``probers`` are the original probes by the path that replaced them. ``scrape`` has the original
    Prometheus annotations, or None if the sidecar has none.
    """

    status: InjectionStatus
    revision: str
    overrides: Overrides
    sidecar: Object
    probers: Mapping[str, JSON]
    scrape: Object | None

    @property
    def is_gateway(self) -> bool:
        """Whether the proxy is a gateway, not a sidecar of an application."""
        args = self.sidecar.get("args")
        return isinstance(args, list) and "router" in args

    def sidecar_env(self, name: str) -> str:
        """The value of an environment variable of the sidecar."""
        return _env_value(self.sidecar, name)


def recover_injection(pod: Object) -> InjectionRecord | None:
    """Return the record of the injection, or None for a pod that is not injected."""
    annotations = pod_annotations(pod)
    injection_status = status.parse_status(annotations)
    if injection_status is None:
        injection_status = _recover_legacy_status(object_at(pod, "spec"))
    if injection_status is None:
        return None
    all_containers = [*containers(pod), *containers(pod, INIT_CONTAINERS)]
    sidecar = find_by_name(all_containers, PROXY) or {}
    return InjectionRecord(
        status=injection_status,
        revision=string_at(load_object(annotations.get(status.ANNOTATION, "")) or {}, "revision"),
        overrides=_restore_overrides(overrides.parse_overrides(annotations)),
        sidecar=sidecar,
        probers=load_object(_env_value(sidecar, probes.ENV)) or {},
        scrape=load_object(_env_value(sidecar, prometheus.ENV)),
    )


def _recover_legacy_status(spec: Object) -> InjectionStatus | None:
    """Return the status of versions that write none, if all three kinds of objects are present."""
    volumes = objects_at(spec, "volumes")
    evidence = (
        find_by_name(objects_at(spec, INIT_CONTAINERS), INIT) is not None,
        find_by_name(objects_at(spec, CONTAINERS), PROXY) is not None,
        any(find_by_name(volumes, name) is not None for name in LEGACY.volumes),
    )
    return LEGACY if all(evidence) else None


def _restore_overrides(recorded: Overrides) -> Overrides:
    """Return the user's containers in their original lists and form.

    Istio records the user's version of a native sidecar as an init container, but users write it as
    a container. A user's own native sidecar has ``restartPolicy``.
    """
    init_containers = recorded.get(INIT_CONTAINERS, ())
    moved = [each for each in init_containers if _is_moved(each)]
    others = [each for each in init_containers if not _is_moved(each)]
    return {
        CONTAINERS: [*map(_restore_container, (*recorded.get(CONTAINERS, ()), *moved))],
        INIT_CONTAINERS: [*map(_restore_container, others)],
    }


def _is_moved(container: Object) -> bool:
    return container.get("name") == PROXY and "restartPolicy" not in container


def _restore_container(container: Object) -> Object:
    """Add the image ``auto``, which the annotation omits, and remove Go's empty resources."""
    defaults: Object = {"name": container.get("name"), "image": overrides.AUTO}
    complete = defaults | container
    return {key: value for key, value in complete.items() if value or key != "resources"}


def _env_value(sidecar: Object, name: str) -> str:
    return string_at(find_env(sidecar, name) or {}, "value")
