"""What a bundle and the rules of its policy read of an object, in steps.

The analysis of a template parses it, which takes up to some ten milliseconds. ``iterate_reads``
yields after each document, so a caller with a deadline can continue later. Only the census and
previews need this module.
"""

from collections.abc import Iterator
from itertools import chain

from podgraft.base.field_reads import FieldRead
from podgraft.golang.reflect import GoType
from podgraft.kube import POD
from podgraft.kube.matching.reads import find_selector_reads

from .compiler import Bundle

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
        yield from mutator.find_reads(POD)
    for validator in bundle.validators:
        yield from validator.find_reads()


def find_reads(bundle: Bundle, route: str, type_: GoType | None = POD) -> tuple[FieldRead, ...]:
    """Return all reads of a bundle on a route, without those of the rules for injection.

    ``type_`` is the Go type of the objects, None for kinds without one.
    """
    mutators = {"inject": bundle.pod_mutators, "mutate": bundle.object_mutators}.get(route, ())
    validators = bundle.validators if route == "validate" else ()
    steps = chain(
        *(mutator.find_reads(type_) for mutator in mutators),
        *(validator.find_reads() for validator in validators),
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
