"""What a bundle and the rules of its policy read of an object, in steps.

The analysis of a template parses it, which takes up to some ten milliseconds. ``iterate_reads``
yields after each document, so a caller with a deadline can continue later. Only the census and
previews need this module.
"""

from collections.abc import Iterator
from itertools import chain

from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import object_at
from podgraft.golang.reflect import GoType
from podgraft.kube import POD
from podgraft.kube.matching.reads import find_policy_reads, find_selector_reads

from .appmesh import AppMeshMutator
from .compiler import Bundle
from .components import Mutator, Validator
from .istio import IstioMutator
from .mutation import PolicyMutator
from .overlays import OverlayMutator
from .validation import PolicyValidator

# What the engine reads apart from templates, selectors, and rules: keys of labels and annotations.
# A pattern ends with "*".
ENGINE_KEYS = (
    "*.istio.io/*",
    "app",
    "app.kubernetes.io/name",
    "app.kubernetes.io/version",
    "appmesh.k8s.aws/*",
    "container.apparmor.security.beta.kubernetes.io/*",
    "deploymentconfig",
    "istio.io/*",
    "kubectl.kubernetes.io/default-container",
    "kubectl.kubernetes.io/default-logs-container",
    "prometheus.io/*",
    "rollouts-pod-template-hash",
    "pod-template-hash",
    "version",
)


def iterate_reads(bundle: Bundle) -> Iterator[tuple[FieldRead, ...]]:
    """Yield the reads of one document after the other, for pods."""
    yield tuple(_find_rule_reads(bundle))
    mutators = (*bundle.pod_mutators, *bundle.object_mutators)
    for mutator in {id(mutator): mutator for mutator in mutators}.values():
        yield from _find_mutator_reads(mutator, bundle, POD)
    for validator in bundle.validators:
        yield from _find_validator_reads(validator)


def find_reads(bundle: Bundle, route: str, type_: GoType | None = POD) -> tuple[FieldRead, ...]:
    """Return all reads of a bundle on a route, without those of the rules for injection.

    ``type_`` is the Go type of the objects, None for kinds without one.
    """
    mutators = {"inject": bundle.pod_mutators, "mutate": bundle.object_mutators}.get(route, ())
    validators = bundle.validators if route == "validate" else ()
    steps = chain(
        *(_find_mutator_reads(mutator, bundle, type_) for mutator in mutators),
        *map(_find_validator_reads, validators),
    )
    return tuple(dict.fromkeys(chain.from_iterable(steps)))


def find_rule_reads(bundle: Bundle) -> tuple[FieldRead, ...]:
    """Return the reads of the rules for which pods to inject."""
    return tuple(dict.fromkeys(_find_rule_reads(bundle)))


def _find_rule_reads(bundle: Bundle) -> Iterator[FieldRead]:
    for key, selectors in (
        ("neverInjectSelector", bundle.rules.never),
        ("alwaysInjectSelector", bundle.rules.always),
    ):
        for selector in selectors or ():
            yield from find_selector_reads(selector, key)


def _find_mutator_reads(
    mutator: Mutator, bundle: Bundle, type_: GoType | None
) -> Iterator[tuple[FieldRead, ...]]:
    match mutator:
        case IstioMutator(injector=injector):
            yield tuple(_find_proxy_config_reads(bundle))
            for name in injector.templates:
                yield injector.find_reads(name)
        case OverlayMutator(overlays=overlays):
            for overlay in overlays.overlays:
                yield overlay.find_reads(type_)
        case AppMeshMutator(meshes=meshes):
            yield tuple(
                FieldRead(f"mesh {mesh.document}", ("metadata", "labels", key))
                for mesh in meshes.meshes
                for key in (mesh.node_label, *getattr(mesh.selector, "labels", ()))
            )
        case PolicyMutator():
            yield from _find_policy_reads(mutator)
        case _:
            raise TypeError(f"unsupported mutator: {type(mutator).__name__}")


def _find_policy_reads(mutator: PolicyMutator) -> Iterator[tuple[FieldRead, ...]]:
    policies = mutator.policies
    for policy in policies.policies:
        programs = {f'mutation of policy "{policy.name}"': [m.program for m in policy.mutations]}
        bindings = policies.bindings.get(policy.name, ())
        yield (*find_policy_reads(f'policy "{policy.name}"', policy, bindings, programs),)


def _find_proxy_config_reads(bundle: Bundle) -> Iterator[FieldRead]:
    """Yield the labels that ProxyConfig resources select."""
    for manifest in bundle.manifests.of_kind("ProxyConfig"):
        for key in object_at(manifest.object, "spec", "selector", "matchLabels"):
            yield FieldRead(f"ProxyConfig {manifest.name}", ("metadata", "labels", key))


def _find_validator_reads(validator: Validator) -> Iterator[tuple[FieldRead, ...]]:
    if not isinstance(validator, PolicyValidator):
        raise TypeError(f"unsupported validator: {type(validator).__name__}")
    rules = validator.rules
    for policy in rules.policies:
        source = f'rule "{policy.name}"'
        programs = [each.program for each in (*policy.validations, *policy.audit)]
        messages = [each.message_program for each in policy.validations]
        programs += [each for each in messages if each is not None]
        bindings = rules.bindings.get(policy.name, ())
        yield (*find_policy_reads(source, policy, bindings, {source: programs}),)
