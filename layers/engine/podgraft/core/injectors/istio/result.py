"""The result of one injection."""

from msgspec import Struct

from podgraft.base.jsonvalue import Object, string_at
from podgraft.core.injectors.mutation import Mutation
from podgraft.kube.patch import Operation

from .pod_builder import INIT_CONTAINERS, PROXY, containers, find_by_name
from .status import InjectionStatus


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
    added: InjectionStatus = InjectionStatus()
    is_empty: bool = False

    @property
    def image(self) -> str:
        """The image of istio-proxy in the injected pod; empty without one."""
        all_containers = [*containers(self.pod), *containers(self.pod, INIT_CONTAINERS)]
        return string_at(find_by_name(all_containers, PROXY) or {}, "image")

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
