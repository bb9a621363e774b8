"""A bundle's manifests and a policy, compiled into what answers reviews."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from podgraft.injectors.istio import Injector as IstioInjector
from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass
from podgraft.policy import InjectionRules, Policy

from . import appmesh, overlays, validation
from . import istio as istio_part
from .components import Component, ComponentCompiler, Mutator, Validator
from .digest import compute_digest
from .errors import BundleError, Diagnostic
from .manifests import IGNORE, Manifests, parse_manifests

# In the order in which they work on an object.
COMPONENTS: tuple[ComponentCompiler, ...] = (
    istio_part.compile_istio,
    appmesh.compile_appmesh,
    overlays.compile_overlays,
    validation.compile_policies,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A compiled bundle: nothing in it changes, and it needs nothing from outside.

    ``pods`` work on /inject, ``objects`` on /mutate, ``judges`` on /validate. ``rules`` are its
    ``own_rules`` with the policy's over them. ``istio`` is for those who want to know more than
    what became of a pod. ``tolerated`` are faults that ``policy push`` refuses and that do not
    stop a running function. ``manifests`` are what it was compiled from, for a trial of it.
    """

    digest: str
    base_rules: InjectionRules
    rules: InjectionRules
    pod_mutators: tuple[Mutator, ...]
    object_mutators: tuple[Mutator, ...]
    validators: tuple[Validator, ...]
    namespaces: Mapping[str, Object]
    istio: IstioInjector | None
    warnings: tuple[Diagnostic, ...]
    manifests: Manifests = Manifests(())

    def with_policy(self, policy: Policy) -> "Bundle":
        """The same bundle by the rules of a policy that ``compiles_as`` the one it was made for."""
        return replace(self, rules=policy.apply_to(self.base_rules))


def compile_(files: Mapping[str, bytes], policy: Policy, *, parse_lazily: bool = False) -> Bundle:
    """Compile manifests by relative path; raises ``BundleError`` with every fault there is.

    ``deferred``, for a bundle that was checked before: templates are parsed when they are first
    used. One that does not parse fails the reviews that need it, as the operator's fault.
    """
    manifests = parse_manifests(files)
    parts = [part(manifests, policy, deferred=parse_lazily) for part in COMPONENTS]
    faults = [*manifests.errors, *chain.from_iterable(part.errors for part in parts)]
    if not faults:
        faults.extend(_find_unused_config_maps(manifests, parts))
    tolerated = tuple(chain.from_iterable(part.warnings for part in parts))
    if faults:
        raise BundleError(faults, tolerated)
    own = next((part.rules for part in parts if part.rules is not None), InjectionRules())
    return Bundle(
        digest=compute_digest(files),
        base_rules=own,
        rules=policy.apply_to(own),
        pod_mutators=tuple(chain.from_iterable(part.pods for part in parts)),
        object_mutators=tuple(chain.from_iterable(part.objects for part in parts)),
        validators=tuple(chain.from_iterable(part.validators for part in parts)),
        namespaces=manifests.namespaces,
        istio=next((part.istio for part in parts if part.istio is not None), None),
        warnings=tolerated,
        manifests=manifests,
    )


def _find_unused_config_maps(
    manifests: Manifests, parts: Sequence[Component]
) -> Iterator[Diagnostic]:
    """ConfigMaps that served no part: a misspelt key would otherwise go unnoticed."""
    used = {id(manifest) for part in parts for manifest in part.used_manifests}
    for manifest in manifests.of_kind("ConfigMap"):
        if id(manifest) not in used:
            keys = ", ".join(manifest.data) or "nothing"
            yield manifest.make_diagnostic(
                "/data",
                f"holds {keys}, which serves nothing in this bundle",
                f"use config and values, or mesh, or let a Mesh or paramRef name it, "
                f'or annotate it with {IGNORE}: "true"',
            )
