"""A bundle's manifests and a policy, compiled into what answers reviews."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from podgraft.injection.istio import Injector as IstioInjector
from podgraft.jsonvalue import Object
from podgraft.policy import Policy, Rules
from podgraft.records import dataclass

from . import appmesh_part, istio_part, overlay_part, rules_part
from .digest import compute_digest
from .errors import BundleError, Fault
from .manifests import IGNORE, Manifests, read
from .parts import Compile, Graft, Judge, Part

# In the order in which they work on an object.
PARTS: tuple[Compile, ...] = (
    istio_part.part,
    appmesh_part.part,
    overlay_part.part,
    rules_part.part,
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
    own_rules: Rules
    rules: Rules
    pods: tuple[Graft, ...]
    objects: tuple[Graft, ...]
    judges: tuple[Judge, ...]
    namespaces: Mapping[str, Object]
    istio: IstioInjector | None
    tolerated: tuple[Fault, ...]
    manifests: Manifests = Manifests(())

    def under(self, policy: Policy) -> "Bundle":
        """The same bundle by the rules of a policy that ``compiles_as`` the one it was made for."""
        return replace(self, rules=policy.over(self.own_rules))


def compile_(files: Mapping[str, bytes], policy: Policy, *, deferred: bool = False) -> Bundle:
    """Compile manifests by relative path; raises ``BundleError`` with every fault there is.

    ``deferred``, for a bundle that was checked before: templates are parsed when they are first
    used. One that does not parse fails the reviews that need it, as the operator's fault.
    """
    manifests = read(files)
    parts = [part(manifests, policy, deferred=deferred) for part in PARTS]
    faults = [*manifests.faults, *chain.from_iterable(part.faults for part in parts)]
    if not faults:
        faults.extend(_useless(manifests, parts))
    tolerated = tuple(chain.from_iterable(part.tolerated for part in parts))
    if faults:
        raise BundleError(faults, tolerated)
    own = next((part.rules for part in parts if part.rules is not None), Rules())
    return Bundle(
        digest=compute_digest(files),
        own_rules=own,
        rules=policy.over(own),
        pods=tuple(chain.from_iterable(part.pods for part in parts)),
        objects=tuple(chain.from_iterable(part.objects for part in parts)),
        judges=tuple(chain.from_iterable(part.judges for part in parts)),
        namespaces=manifests.namespaces,
        istio=next((part.istio for part in parts if part.istio is not None), None),
        tolerated=tolerated,
        manifests=manifests,
    )


def _useless(manifests: Manifests, parts: Sequence[Part]) -> Iterator[Fault]:
    """ConfigMaps that served no part: a misspelt key would otherwise go unnoticed."""
    used = {id(manifest) for part in parts for manifest in part.used}
    for manifest in manifests.of("ConfigMap"):
        if id(manifest) not in used:
            keys = ", ".join(manifest.data) or "nothing"
            yield manifest.fault(
                "/data",
                f"holds {keys}, which serves nothing in this bundle",
                f"use config and values, or mesh, or let a Mesh or paramRef name it, "
                f'or annotate it with {IGNORE}: "true"',
            )
