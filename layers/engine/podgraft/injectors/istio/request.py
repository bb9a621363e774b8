"""One injection: what is asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from podgraft.jsonvalue import Object
from podgraft.kube.workload_owner import WorkloadRef
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import Operation, diff


class Mode(StrEnum):
    """Istio's two ways in: they differ in who sees the pod's own proxy configuration."""

    WEBHOOK = "webhook"
    KUBE_INJECT = "kube-inject"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRequest:
    """What comes beside the pod.

    ``namespace`` is the admission request's: it stands in for a pod without one. ``environment``
    comes from the URL. ``workload`` is said by whoever injects a workload's template by hand;
    not said, it is read from the pod's owner references. A pod that is ``checked`` is known to
    decode as one.
    """

    namespace: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    mode: Mode = Mode.WEBHOOK
    workload: WorkloadRef | None = None
    is_validated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """An injected pod.

    ``base`` is the pod that was given, with what Istio fills in before it looks (the namespace).
    ``operations`` are the patch where the release made it by a fixed scheme, not as a difference.
    Nobody may change the objects: they are shared.
    """

    base: Object
    pod: Object
    operations: tuple[Operation, ...] | None = None
    templates: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    image: str = ""
    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    image_pull_secrets: tuple[str, ...] = ()

    @property
    def patch(self) -> tuple[Operation, ...]:
        """The JSON Patch from ``base`` to ``pod``."""
        return tuple(diff(self.base, self.pod)) if self.operations is None else self.operations
