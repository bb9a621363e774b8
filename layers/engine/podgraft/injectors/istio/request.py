"""The request for an injection, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from podgraft.jsonvalue import Object
from podgraft.kube.workload_owner import WorkloadRef
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import Operation, diff


class Mode(StrEnum):
    """The two modes of Istio's injection; they merge the proxy configuration differently."""

    WEBHOOK = "webhook"
    KUBE_INJECT = "kube-inject"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRequest:
    """The request for the injection of a pod.

    ``namespace`` is that of the admission request, for a pod without a namespace. ``environment``
    comes from the URL path. ``workload`` is the owner of the pod, for injection into files; without
    it, the owner references of the pod determine the workload. ``is_validated`` states that the pod
    decodes into its Go type.
    """

    namespace: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    mode: Mode = Mode.WEBHOOK
    workload: WorkloadRef | None = None
    is_validated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """An injected pod.

    ``base`` is the received pod, with the namespace that Istio sets first. ``operations`` is the
    patch of a release with legacy injection; other releases compute the difference. Callers must
    not change the objects, because they are shared.
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
