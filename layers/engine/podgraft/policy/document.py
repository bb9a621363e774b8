"""The policy document: whether to inject, and which bundle (design §1.2 and §7).

Every key overrides what the bundle's own configuration says; ``None`` is a key that is not said.
"""

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TypeVar

from podgraft import kubeyaml
from podgraft.identifiers import CLUSTER_REMEDY, is_cluster
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import selectors
from podgraft.records import dataclass

from .errors import Fault, PolicyError
from .reading import Keys, Notes, Spot, flag, selector, shown, text, text_map, texts
from .rules import InjectValues, PolicyWord, Rules

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What istiod knew from its surroundings and a template cannot find out."""

    native_sidecars: bool | None = None
    platform: str | None = None
    compliance_policy: str | None = None
    legacy_fsgroup_injection: bool | None = None
    rewrite_tcp_probes: bool | None = None
    env: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy document that validates.

    ``clusters`` holds each cluster's whole policy, its overrides applied key by key.
    ``tolerated`` are faults that ``policy push`` refuses and that do not stop a running function:
    a selector that selects nothing, a ``policy`` that injects nothing.
    """

    bundle: str | None = None
    policy: str | None = None
    never: tuple[selectors.Selector, ...] | None = None
    always: tuple[selectors.Selector, ...] | None = None
    ignored_namespaces: frozenset[str] | None = None
    default_templates: tuple[str, ...] | None = None
    injected_annotations: Mapping[str, str] | None = None
    inject_values: InjectValues | None = None
    revision: str | None = None
    istio_release: str | None = None
    features: Features = Features()
    clusters: Mapping[str, "Policy"] = field(default_factory=dict[str, "Policy"])
    tolerated: tuple[Fault, ...] = ()

    def for_cluster(self, cluster: str | None) -> "Policy":
        """The policy that holds for one cluster."""
        return self if cluster is None else self.clusters.get(cluster, self)

    def compiles_as(self, other: "Policy") -> bool:
        """Whether both ask the same of a bundle, their rules apart: it is compiled once then."""
        return _asked(self) == _asked(other)

    def over(self, rules: Rules) -> Rules:
        """The rules of the bundle's own configuration, with what this policy says instead."""
        return Rules(
            policy=_first(self.policy, rules.policy),
            never=_first(self.never, rules.never),
            always=_first(self.always, rules.always),
            ignored_namespaces=_first(self.ignored_namespaces, rules.ignored_namespaces),
            inject_values=_first(self.inject_values, rules.inject_values),
            label_mark=rules.label_mark,
        )


def _asked(policy: Policy) -> tuple[object, ...]:
    return (
        policy.bundle,
        policy.default_templates,
        policy.injected_annotations,
        policy.revision,
        policy.istio_release,
        policy.features,
    )


def _first(said: T | None, otherwise: T) -> T:
    return otherwise if said is None else said


def parse(document: str) -> Policy:
    """Read a policy document, YAML or JSON; an empty one says nothing.

    Raises ``PolicyError`` with every fault there is.
    """
    notes = Notes()
    try:
        read = kubeyaml.load(document)
    except kubeyaml.NotYAMLError as error:
        raise PolicyError([Fault("", f"not YAML: {error}", "correct that line")]) from error
    policy = _document(Spot({} if read is None else read, "", notes))
    if notes.faults:
        raise PolicyError(notes.faults, notes.tolerated, policy)
    return replace(policy, tolerated=tuple(notes.tolerated))


def _document(spot: Spot) -> Policy:
    keys = Keys(spot)
    policy = _policy(keys)
    overrides = keys.read("clusters", Spot.entries) or {}
    keys.close()
    for name, override in overrides.items():
        if not is_cluster(name):
            override.tolerate(f"got {shown(name)}, which no cluster can prove", CLUSTER_REMEDY)
    clusters = {name: _cluster(spot.value, override) for name, override in overrides.items()}
    return replace(policy, clusters=clusters)


def _cluster(document: JSON, override: Spot) -> Policy:
    """Read the overrides where they stand, for their faults, then in the whole document."""
    keys = Keys(override)
    _policy(keys)
    keys.close()
    return _policy(Keys(Spot(_overridden(document, override.value), "", Notes())))


def _overridden(document: JSON, override: JSON) -> JSON:
    """The document with the keys of *override* in place; ``features`` key by key."""
    if not isinstance(document, dict) or not isinstance(override, dict):
        return document
    said: Object = {key: value for key, value in override.items() if value is not None}
    if "features" in said:
        said["features"] = _overridden(document.get("features") or {}, said["features"])
    return {**document, **said}


def _policy(keys: Keys) -> Policy:
    return Policy(
        bundle=keys.read("bundle", _digest),
        policy=keys.read("policy", _word),
        never=keys.read("neverInjectSelector", selector_list),
        always=keys.read("alwaysInjectSelector", selector_list),
        ignored_namespaces=keys.read("ignoredNamespaces", _namespaces),
        default_templates=keys.read("defaultTemplates", texts),
        injected_annotations=keys.read("injectedAnnotations", text_map),
        inject_values=keys.read("injectValues", _inject_values),
        revision=keys.read("revision", text),
        istio_release=keys.read("istioRelease", _release),
        features=keys.read("features", _features) or Features(),
    )


def _features(spot: Spot) -> Features:
    keys = Keys(spot)
    features = Features(
        native_sidecars=keys.read("nativeSidecars", flag),
        platform=keys.read("platform", text),
        compliance_policy=keys.read("compliancePolicy", text),
        legacy_fsgroup_injection=keys.read("legacyFSGroupInjection", flag),
        rewrite_tcp_probes=keys.read("rewriteTCPProbes", flag),
        env=keys.read("env", text_map),
    )
    keys.close()
    return features


def selector_list(spot: Spot) -> tuple[selectors.Selector, ...] | None:
    """A list of LabelSelectors; those that are not valid are noted and left out, as in Istio."""
    items = spot.items()
    if items is None:
        return None
    return tuple(read for read in map(_selector, items) if read is not None)


def _selector(spot: Spot) -> selectors.Selector | None:
    if not isinstance(spot.value, dict):
        return selector(spot)
    aside = Notes()
    read = selector(replace(spot, notes=aside))
    for fault in aside.faults:
        problem = f"{fault.problem}, so that the selector selects nothing"
        spot.notes.tolerated.append(replace(fault, problem=problem))
    return read


def _digest(spot: Spot) -> str | None:
    if isinstance(spot.value, str) and re.fullmatch(r"sha256:[0-9a-f]{64}", spot.value):
        return spot.value
    return spot.fault(f"got {shown(spot.value)}", "use sha256: and 64 hexadecimal digits")


def _word(spot: Spot) -> str | None:
    if text(spot) is not None and spot.value not in set(PolicyWord):
        spot.tolerate(f"got {shown(spot.value)}, which injects nothing", "use enabled or disabled")
    return spot.value if isinstance(spot.value, str) else None


def _namespaces(spot: Spot) -> frozenset[str] | None:
    names = texts(spot)
    return None if names is None else frozenset(names)


def _inject_values(spot: Spot) -> InjectValues | None:
    if spot.value in set(InjectValues):
        return InjectValues(spot.value)
    return spot.fault(f"got {shown(spot.value)}", "use yaml or strict")


def _release(spot: Spot) -> str | None:
    if isinstance(spot.value, str) and re.fullmatch(_RELEASE, spot.value):
        return spot.value
    remedy = 'use MAJOR.MINOR or MAJOR.MINOR.PATCH in quotes, such as "1.30.3"'
    return spot.fault(f"got {shown(spot.value)}", remedy)


# With an image variant or a vendor's suffix, as in an image tag; HEAD is the newest behavior.
_RELEASE = r"[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?(-[0-9A-Za-z][0-9A-Za-z._-]{0,127})?|HEAD"
