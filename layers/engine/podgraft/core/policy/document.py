"""The policy document: whether to inject, and which bundle.

Each key overrides the bundle's configuration; ``None`` means that the key is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from operator import attrgetter
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.base.diagnostics import Diagnostic
from podgraft.kube import selectors
from podgraft.kube.patch.pointer import escape

from .allows import Allows
from .census import Census
from .rollout import Rollout
from .rules import InjectionRules, InjectValueSyntax

# The fields that clusters, groups, and candidates can override, and their keys.
_OVERRIDABLE: Mapping[str, str] = {
    "bundle": "bundle",
    "policy": "policy",
    "never": "neverInjectSelector",
    "always": "alwaysInjectSelector",
    "ignored_namespaces": "ignoredNamespaces",
    "default_templates": "defaultTemplates",
    "injected_annotations": "injectedAnnotations",
    "inject_values": "injectValues",
    "revision": "revision",
    "istio_release": "istioRelease",
    "kubernetes_minor": "kubernetesRelease",
    "features": "features",
    "allows": "allows",
    "census": "census",
}
# The fields that override the rules of a bundle, and those that a compiled bundle depends on.
_RULES = ("policy", "never", "always", "ignored_namespaces", "inject_values")
_bundle_inputs = attrgetter(
    *("bundle", "default_templates", "injected_annotations", "revision"),
    *("istio_release", "kubernetes_minor", "features"),
)
_FEATURES: Mapping[str, str] = {
    "native_sidecars": "nativeSidecars",
    "platform": "platform",
    "compliance_policy": "compliancePolicy",
    "legacy_fsgroup_injection": "legacyFSGroupInjection",
    "rewrite_tcp_probes": "rewriteTCPProbes",
    "env": "env",
}


class Features(Struct, frozen=True, kw_only=True):
    """The settings that istiod reads from its environment, and that templates cannot determine."""

    native_sidecars: bool | None = None
    platform: str | None = None
    compliance_policy: str | None = None
    legacy_fsgroup_injection: bool | None = None
    rewrite_tcp_probes: bool | None = None
    env: Mapping[str, str] | None = None


class Policy(Struct, frozen=True, kw_only=True):
    """A valid policy document.

    ``overrides`` are the keys of single clusters. The registry of callers can add groups to those
    that name a cluster as a member.
    ``allows`` are the privileges that injection can add; without it, podgraft does not check them.
    ``warnings`` are errors that a push rejects, and that do not stop a running function: a
    selector that selects nothing, or a ``policy`` that injects nothing. ``census`` is None if no
    workload is recorded. ``rollout`` is None and
    ``rollout_errors`` is not empty if the document has an invalid rollout.
    """

    bundle: str | None = None
    policy: str | None = None
    never: tuple[selectors.Selector, ...] | None = None
    always: tuple[selectors.Selector, ...] | None = None
    ignored_namespaces: frozenset[str] | None = None
    default_templates: tuple[str, ...] | None = None
    injected_annotations: Mapping[str, str] | None = None
    inject_values: InjectValueSyntax | None = None
    revision: str | None = None
    istio_release: str | None = None
    kubernetes_minor: int | None = None
    features: Features = Features()
    allows: Allows | None = None
    census: Census | None = None
    overrides: Mapping[str, Policy] = field(default_factory=dict[str, "Policy"])
    groups: Mapping[str, Group] = field(default_factory=dict[str, "Group"])
    warnings: tuple[Diagnostic, ...] = ()
    rollout: Rollout | None = None
    rollout_errors: tuple[Diagnostic, ...] = ()

    def for_cluster(self, cluster: str | None, registered: Iterable[str] = ()) -> Policy:
        """The policy of one cluster; *registered* are its groups in the registry of callers."""
        groups = self.find_groups(cluster, registered)
        has_own = bool(groups) or cluster in self.overrides
        return self.resolve(groups, cluster) if has_own else self

    @property
    def clusters(self) -> Mapping[str, Policy]:
        """The complete policy of each cluster with overrides, without groups of the registry."""
        return {name: self.for_cluster(name) for name in self.overrides}

    def find_groups(self, cluster: str | None, registered: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the groups of a cluster in the order in which they apply.

        A group of the registry that the policy does not have has no effect. Without a proven
        cluster, there is none.
        """
        groups = self.groups
        if not groups or cluster is None:
            return ()
        names = {name for name in registered if name in groups}
        names.update(name for name, group in groups.items() if group.contains(cluster))
        return tuple(sorted(names, key=lambda name: (groups[name].order, name)))

    def resolve(self, groups: Iterable[str], cluster: str | None) -> Policy:
        """Return the policy with the overrides of groups, and then of a cluster."""
        resolved = Policy(**{name: getattr(self, name) for name in _OVERRIDABLE})
        for name in groups:
            resolved = overlay(resolved, self.groups[name].override)
        own = None if cluster is None else self.overrides.get(cluster)
        return resolved if own is None else overlay(resolved, own)

    def variants(self) -> Iterator[tuple[str, Policy]]:
        """Yield each configuration of the document with its JSON Pointer, the common one first.

        They are those of each group by itself, and of each cluster with overrides.
        """
        yield "", self
        for name in self.groups:
            yield f"/groups/{name}", self.resolve((name,), None)
        for name, own in self.clusters.items():
            yield f"/clusters/{escape(name)}", own

    @property
    def digests(self) -> tuple[str, ...]:
        """All bundles that the document names: of stable, of its clusters, and of a candidate.

        Without duplicates, those of stable first. Commands that delete bundles must keep them all.
        """
        variants = [each for _, each in self.variants()]
        if self.rollout is not None:
            variants += [each for _, each in self.rollout.candidate.variants()]
        return tuple(dict.fromkeys(each.bundle for each in variants if each.bundle))

    def find_origins(self, cluster: str, registered: Iterable[str] = ()) -> Mapping[str, str]:
        """Return where each key comes from that a group or the cluster sets.

        >>> Policy(overrides={"a": Policy(revision="x")}).find_origins("a")
        {'revision': 'cluster a'}
        """
        origins: dict[str, str] = {}
        layers = [
            (f"group {name}", self.groups[name].override)
            for name in self.find_groups(cluster, registered)
        ]
        if cluster in self.overrides:
            layers.append((f"cluster {cluster}", self.overrides[cluster]))
        for origin, override in layers:
            origins.update(dict.fromkeys(override.own_keys, origin))
        return origins

    @property
    def own_keys(self) -> Mapping[str, object]:
        """The values of the keys that overrides set; those of ``features`` one by one."""
        own, features = _read_fields(self, _OVERRIDABLE), _read_fields(self.features, _FEATURES)
        own.pop("features", None)
        return {
            **{_OVERRIDABLE[name]: value for name, value in own.items()},
            **{f"features.{_FEATURES[name]}": value for name, value in features.items()},
        }

    def shares_bundle_with(self, other: Policy) -> bool:
        """Whether both policies can share one compiled bundle: they differ only in their rules."""
        return _bundle_inputs(self) == _bundle_inputs(other)

    def renders_like(self, other: Policy) -> bool:
        """Whether a trial of a bundle has the same result with both policies."""
        return self.shares_bundle_with(other) and self.allows == other.allows

    def apply_to(self, rules: InjectionRules) -> InjectionRules:
        """Apply the policy to the rules of the bundle's configuration."""
        return replace(rules, **_read_fields(self, _RULES))


class Group(Struct, frozen=True, kw_only=True):
    """Overrides that several clusters share; a higher ``order`` wins.

    ``members`` are ids of clusters, in which ``*`` is any text.
    """

    name: str
    order: int = 0
    members: tuple[str, ...] = ()
    override: Policy = Policy()

    def contains(self, cluster: str) -> bool:
        """Whether ``members`` names a cluster; takes linear time.

        >>> [Group(name="ring", members=("prod-*-0",)).contains(id_) for id_ in ("prod-eu-0", "a")]
        [True, False]
        """
        return any(fnmatchcase(cluster, member) for member in self.members)


def overlay(policy: Policy, override: Policy) -> Policy:
    """Return the policy with each key that *override* has; ``features`` are applied by key."""
    features = replace(policy.features, **_read_fields(override.features, _FEATURES))
    return replace(policy, **{**_read_fields(override, _OVERRIDABLE), "features": features})


def _read_fields(settings: Policy | Features, names: Iterable[str]) -> dict[str, Any]:
    """The values of the fields that are set."""
    values = ((name, getattr(settings, name)) for name in names)
    return {name: value for name, value in values if value is not None}
