"""The difference between classic and native sidecars: what Istio's templates render in each mode.

Pods, policies, and clusters can switch the mode. A template that patches a container of another
template must write to the list that contains it in this mode.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import Object, objects_at, string_at
from podgraft.core.bundle import Bundle
from podgraft.core.injectors.errors import InjectionError
from podgraft.core.policy import Policy
from podgraft.core.review_context import ReviewContext

from .istio import Target, Variant, find_targets, make_variants
from .outcome import LIMITS

_LISTS = ("initContainers", "containers")


class ModeDifference(Struct, frozen=True, kw_only=True):
    """A container that is in another list if native sidecars are switched."""

    template: str
    container: str
    is_native: bool
    list_name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]

    def __str__(self) -> str:
        mode = "on" if self.is_native else "off"
        changes = [
            f"{verb} {', '.join(keys)}"
            for verb, keys in (("adds", self.added), ("removes", self.removed))
            if keys
        ]
        suffix = f" ({'; '.join(changes)})" if changes else ""
        return (
            f"{self.template}: with native sidecars {mode}, {self.container} is in "
            f"{self.list_name}{suffix}"
        )


def find_mode_differences(bundle: Bundle, policy: Policy) -> Iterator[ModeDifference]:
    """Render all templates in both modes for a pod, and return the containers that move.

    A container that moves likewise with the default templates is not repeated. Templates that fail
    in a mode are errors or warnings of the trial, and have no result here.
    """
    if bundle.istio is None:
        return
    variants = [*make_variants(bundle, policy)]
    for variant in variants[1:]:
        reported: list[ModeDifference] = []
        for target in find_targets(bundle.istio):
            before, after = (_render(each, target) for each in (variants[0], variant))
            if before is None or after is None:
                continue
            for difference in _compare(target, variant, before, after):
                if not any(
                    replace(difference, template=each.template) == each for each in reported
                ):
                    reported.append(difference)
                    yield difference


def _render(variant: Variant, target: Target) -> Mapping[str, tuple[str, Object]] | None:
    """The containers of the injected pod by name, each with its list; ``None`` if it fails."""
    probe = next(iter(target.make_probes_over_defaults() if target.name else target.make_probes()))
    context = ReviewContext(namespace=probe.namespace, limits=LIMITS)
    try:
        pod = variant.mutate(probe.object, context)
    except (InjectionError, kube.DecodeError):
        return None
    return {
        string_at(container, "name"): (name, container)
        for name in _LISTS
        for container in objects_at(pod, "spec", name)
    }


def _compare(
    target: Target,
    variant: Variant,
    before: Mapping[str, tuple[str, Object]],
    after: Mapping[str, tuple[str, Object]],
) -> Iterator[ModeDifference]:
    for name, (list_name, container) in after.items():
        old_list, old_container = before.get(name, (list_name, container))
        if old_list != list_name:
            yield ModeDifference(
                template=target.label,
                container=name,
                is_native=variant.injector.config.native_sidecars,
                list_name=list_name,
                added=tuple(key for key in container if key not in old_container),
                removed=tuple(key for key in old_container if key not in container),
            )
