"""Compilation of a bundle: its manifests and a policy to mutators and validators."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.istio import Injector as IstioInjector
from podgraft.core.policy import InjectionRules, Policy
from podgraft.core.policy.allows import Allows
from podgraft.core.review_context import ReviewContext

from . import appmesh, mutation, overlays, validation
from . import istio as istio_component
from .components import Component, ComponentCompiler, Mutator, Validator
from .digest import compute_digest
from .errors import BundleError, Diagnostic
from .manifests import IGNORE, Manifests, parse_manifests

T = TypeVar("T")

# In the order in which they mutate an object.
COMPONENTS: tuple[ComponentCompiler, ...] = (
    mutation.compile_policies,
    istio_component.compile_istio,
    appmesh.compile_appmesh,
    overlays.compile_overlays,
    validation.compile_policies,
)


class Bundle(Struct, frozen=True, kw_only=True):
    """A compiled bundle: an immutable value that needs nothing from outside.

    ``pod_mutators`` run on /inject, ``object_mutators`` on /mutate, ``validators`` on /validate.
    ``rules`` are ``base_rules`` with the policy applied. ``allows`` are the privileges that
    mutators can add; with None, they are not checked. ``istio`` is the Istio injector by itself,
    if there is one. ``warnings`` are problems that ``podgraft push`` refuses and that do not stop a
    running function. ``manifests`` are the source of the bundle, for its trial; a bundle that is
    parsed lazily has no trial and does not retain them.
    """

    digest: str
    base_rules: InjectionRules
    rules: InjectionRules
    allows: "Allows | None" = None
    pod_mutators: tuple[Mutator, ...]
    object_mutators: tuple[Mutator, ...]
    validators: tuple[Validator, ...]
    namespaces: Mapping[str, Object]
    istio: IstioInjector | None
    warnings: tuple[Diagnostic, ...]
    manifests: Manifests = Manifests(())

    def parse_environment(self, context: ReviewContext) -> ReviewContext:
        """The context with the proxy's variables in the URL, by the release of the injector."""
        if self.istio is None or not context.url_path:
            return context
        environment = self.istio.parse_environment(context.url_path)
        return replace(context, environment=environment)

    def with_policy(self, policy: Policy) -> "Bundle":
        """The bundle with rules and privileges of a policy that ``shares_bundle_with`` its own."""
        return replace(self, rules=policy.apply_to(self.base_rules), allows=policy.allows)


def compile_(files: Mapping[str, bytes], policy: Policy, *, parse_lazily: bool = False) -> Bundle:
    """Compile manifests by relative path; raises ``BundleError`` with all errors.

    ``parse_lazily`` is for a bundle that has been checked before: the first review that needs a
    template parses it. If it does not parse, the review fails with ``OperatorError``.
    """
    manifests = parse_manifests(files)
    components = [compile_(manifests, policy, deferred=parse_lazily) for compile_ in COMPONENTS]
    errors = [*manifests.errors, *_join(component.errors for component in components)]
    if not errors:
        errors.extend(_find_unused_config_maps(manifests, components))
    warnings = _join(component.warnings for component in components)
    if errors:
        raise BundleError(errors, warnings)
    rules = (component.rules for component in components if component.rules is not None)
    injectors = (component.istio for component in components if component.istio is not None)
    base_rules = next(rules, InjectionRules())
    return Bundle(
        digest=compute_digest(files),
        base_rules=base_rules,
        rules=policy.apply_to(base_rules),
        allows=policy.allows,
        pod_mutators=_join(component.pods for component in components),
        object_mutators=_join(component.objects for component in components),
        validators=_join(component.validators for component in components),
        namespaces=manifests.namespaces,
        istio=next(injectors, None),
        warnings=warnings,
        manifests=Manifests(()) if parse_lazily else manifests,
    )


def _join(tuples: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(tuples))


def _find_unused_config_maps(
    manifests: Manifests, components: Sequence[Component]
) -> Iterator[Diagnostic]:
    """ConfigMaps that no component reads, such as one with a misspelled key.

    In manifests without errors, a kind's namespaces and names are unique.
    """
    used = {
        (manifest.kind, manifest.namespace, manifest.name)
        for component in components
        for manifest in component.used_manifests
    }
    for manifest in manifests.of_kind("ConfigMap"):
        if (manifest.kind, manifest.namespace, manifest.name) not in used:
            keys = ", ".join(manifest.data) or "nothing"
            yield manifest.make_diagnostic(
                "/data",
                f"holds {keys}, which serves nothing in this bundle",
                f"use config and values, or mesh, or let a Mesh or paramRef name it, "
                f'or annotate it with {IGNORE}: "true"',
            )
