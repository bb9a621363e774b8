"""The policy document: whether to inject, and which bundle.

Each key overrides the bundle's configuration; ``None`` means that the key is absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct, field

from podgraft.base.diagnostics import Diagnostic
from podgraft.kube import selectors

from .allows import Allows
from .census import Census
from .rules import InjectionRules, InjectValueSyntax

if TYPE_CHECKING:
    from .rollout import Rollout

T = TypeVar("T")


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

    ``clusters`` contains the complete policy of each cluster, with its overrides applied by key.
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
    clusters: Mapping[str, Policy] = field(default_factory=dict[str, "Policy"])
    warnings: tuple[Diagnostic, ...] = ()
    rollout: Rollout | None = None
    rollout_errors: tuple[Diagnostic, ...] = ()

    def for_cluster(self, cluster: str | None) -> Policy:
        """The policy of one cluster."""
        return self if cluster is None else self.clusters.get(cluster, self)

    def shares_bundle_with(self, other: Policy) -> bool:
        """Whether both policies can share one compiled bundle: they differ only in their rules."""
        return _bundle_inputs(self) == _bundle_inputs(other)

    def renders_like(self, other: Policy) -> bool:
        """Whether a trial of a bundle has the same result with both policies."""
        return self.shares_bundle_with(other) and self.allows == other.allows

    def apply_to(self, rules: InjectionRules) -> InjectionRules:
        """Apply the policy to the rules of the bundle's configuration."""
        return InjectionRules(
            policy=_first_not_none(self.policy, rules.policy),
            never=_first_not_none(self.never, rules.never),
            always=_first_not_none(self.always, rules.always),
            ignored_namespaces=_first_not_none(self.ignored_namespaces, rules.ignored_namespaces),
            inject_values=_first_not_none(self.inject_values, rules.inject_values),
            honors_label=rules.honors_label,
        )


def _bundle_inputs(policy: Policy) -> tuple[object, ...]:
    return (
        policy.bundle,
        policy.default_templates,
        policy.injected_annotations,
        policy.revision,
        policy.istio_release,
        policy.kubernetes_minor,
        policy.features,
    )


def _first_not_none(value: T | None, default: T) -> T:
    return default if value is None else value
