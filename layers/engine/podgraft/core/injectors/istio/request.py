"""One injection: its request and its result."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.mutation import Mutation
from podgraft.golang.texttemplate import DEFAULT_LIMITS, Limits
from podgraft.kube.patch import Operation
from podgraft.kube.workload_owner import WorkloadRef

from .status import InjectionStatus


class Mode(StrEnum):
    """Istio's two modes, which differ in who reads the pod's own proxy configuration."""

    WEBHOOK = "webhook"
    KUBE_INJECT = "kube-inject"


class InjectionRequest(Struct, frozen=True, kw_only=True):
    """The input of an injection in addition to the pod.

    ``namespace`` is that of the admission request, for a pod without one. ``environment`` comes
    from the URL. ``workload`` is the owner of a template that kube-inject injects; without it, the
    pod's owner references define the workload. If ``is_validated``, the caller has checked that the
    pod decodes. ``limits`` bound each rendering.
    """

    namespace: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    mode: Mode = Mode.WEBHOOK
    workload: WorkloadRef | None = None
    is_validated: bool = False
    limits: Limits = DEFAULT_LIMITS


class Injection(Struct, frozen=True, kw_only=True):
    """An injected pod.

    ``base`` is the pod before the injection, with what Istio adds before it computes its patch (the
    namespace). ``operations`` are the patch of legacy injection, which is not a difference.
    ``added`` are the names of what the templates add; ``is_empty`` is whether they add nothing.
    The objects are shared: do not change them.
    """

    base: Object
    pod: Object
    operations: tuple[Operation, ...] | None = None
    templates: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    image: str = ""
    added: InjectionStatus = InjectionStatus()
    is_empty: bool = False

    @property
    def mutation(self) -> Mutation:
        """The injection as a mutation. An injected pod has changed, even if it is equal."""
        is_legacy = self.operations is not None
        return Mutation(
            object=self.pod,
            patch_base=self.pod if is_legacy else self.base,
            is_changed=True,
            warnings=self.warnings,
            operations=self.operations or (),
        )

    @property
    def patch(self) -> tuple[Operation, ...]:
        """The JSON Patch from ``base`` to ``pod``."""
        return self.mutation.patch
