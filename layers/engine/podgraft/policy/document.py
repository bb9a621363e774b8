"""The policy document: whether to inject, and which bundle (design §1.2 and §7).

Every key overrides what the bundle's own configuration says; ``None`` is a key that is not said.
"""

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TypeVar

from podgraft import yaml
from podgraft.document_reader import (
    Cursor,
    Diagnostics,
    MappingReader,
    format_value,
    parse_bool,
    parse_selector,
    parse_string,
    parse_string_map,
    parse_strings,
)
from podgraft.identifiers import CLUSTER_REMEDY, is_cluster
from podgraft.jsonvalue import JSON, Object
from podgraft.kube import selectors
from podgraft.lazy_dataclass import dataclass

from .errors import Diagnostic, PolicyError
from .rules import DefaultPolicy, InjectionRules, InjectValueSyntax

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
    inject_values: InjectValueSyntax | None = None
    revision: str | None = None
    istio_release: str | None = None
    features: Features = Features()
    clusters: Mapping[str, "Policy"] = field(default_factory=dict[str, "Policy"])
    warnings: tuple[Diagnostic, ...] = ()

    def for_cluster(self, cluster: str | None) -> "Policy":
        """The policy that holds for one cluster."""
        return self if cluster is None else self.clusters.get(cluster, self)

    def shares_bundle_with(self, other: "Policy") -> bool:
        """Whether both ask the same of a bundle, their rules apart: it is compiled once then."""
        return _bundle_inputs(self) == _bundle_inputs(other)

    def apply_to(self, rules: InjectionRules) -> InjectionRules:
        """The rules of the bundle's own configuration, with what this policy says instead."""
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
        policy.features,
    )


def _first_not_none(value: T | None, default: T) -> T:
    return default if value is None else value


def parse(document: str) -> Policy:
    """Read a policy document, YAML or JSON; an empty one says nothing.

    Raises ``PolicyError`` with every fault there is.
    """
    notes = Diagnostics()
    try:
        read = yaml.load(document)
    except yaml.NotYAMLError as error:
        raise PolicyError(
            [Diagnostic(problem=f"not YAML: {error}", remedy="correct that line")]
        ) from error
    policy = _parse_document(Cursor({} if read is None else read, "", notes))
    if notes.errors:
        raise PolicyError(notes.errors, notes.warnings, policy)
    return replace(policy, warnings=tuple(notes.warnings))


def _parse_document(spot: Cursor) -> Policy:
    keys = MappingReader(spot)
    policy = _parse_policy(keys)
    overrides = keys.read_key("clusters", Cursor.entries) or {}
    keys.check_unknown_keys()
    for name, override in overrides.items():
        if not is_cluster(name):
            override.add_warning(
                f"got {format_value(name)}, which no cluster can prove", CLUSTER_REMEDY
            )
    clusters = {name: _parse_cluster(spot.value, override) for name, override in overrides.items()}
    return replace(policy, clusters=clusters)


def _parse_cluster(document: JSON, override: Cursor) -> Policy:
    """Read the overrides where they stand, for their faults, then in the whole document."""
    keys = MappingReader(override)
    _parse_policy(keys)
    keys.check_unknown_keys()
    return _parse_policy(
        MappingReader(Cursor(_apply_overrides(document, override.value), "", Diagnostics()))
    )


def _apply_overrides(document: JSON, override: JSON) -> JSON:
    """The document with the keys of *override* in place; ``features`` key by key."""
    if not isinstance(document, dict) or not isinstance(override, dict):
        return document
    said: Object = {key: value for key, value in override.items() if value is not None}
    if "features" in said:
        said["features"] = _apply_overrides(document.get("features") or {}, said["features"])
    return {**document, **said}


def _parse_policy(keys: MappingReader) -> Policy:
    return Policy(
        bundle=keys.read_key("bundle", _digest),
        policy=keys.read_key("policy", _parse_injection_policy),
        never=keys.read_key("neverInjectSelector", selector_list),
        always=keys.read_key("alwaysInjectSelector", selector_list),
        ignored_namespaces=keys.read_key("ignoredNamespaces", _namespaces),
        default_templates=keys.read_key("defaultTemplates", parse_strings),
        injected_annotations=keys.read_key("injectedAnnotations", parse_string_map),
        inject_values=keys.read_key("injectValues", _inject_values),
        revision=keys.read_key("revision", parse_string),
        istio_release=keys.read_key("istioRelease", _release),
        features=keys.read_key("features", _parse_features) or Features(),
    )


def _parse_features(spot: Cursor) -> Features:
    keys = MappingReader(spot)
    features = Features(
        native_sidecars=keys.read_key("nativeSidecars", parse_bool),
        platform=keys.read_key("platform", parse_string),
        compliance_policy=keys.read_key("compliancePolicy", parse_string),
        legacy_fsgroup_injection=keys.read_key("legacyFSGroupInjection", parse_bool),
        rewrite_tcp_probes=keys.read_key("rewriteTCPProbes", parse_bool),
        env=keys.read_key("env", parse_string_map),
    )
    keys.check_unknown_keys()
    return features


def selector_list(spot: Cursor) -> tuple[selectors.Selector, ...] | None:
    """A list of LabelSelectors; those that are not valid are noted and left out, as in Istio."""
    items = spot.items()
    if items is None:
        return None
    return tuple(read for read in map(_selector, items) if read is not None)


def _selector(spot: Cursor) -> selectors.Selector | None:
    if not isinstance(spot.value, dict):
        return parse_selector(spot)
    aside = Diagnostics()
    read = parse_selector(replace(spot, diagnostics=aside))
    for fault in aside.errors:
        problem = f"{fault.problem}, so that the selector selects nothing"
        spot.diagnostics.warnings.append(replace(fault, problem=problem))
    return read


def _digest(spot: Cursor) -> str | None:
    if isinstance(spot.value, str) and re.fullmatch(r"sha256:[0-9a-f]{64}", spot.value):
        return spot.value
    return spot.add_error(
        f"got {format_value(spot.value)}", "use sha256: and 64 hexadecimal digits"
    )


def _parse_injection_policy(spot: Cursor) -> str | None:
    if parse_string(spot) is not None and spot.value not in set(DefaultPolicy):
        spot.add_warning(
            f"got {format_value(spot.value)}, which injects nothing", "use enabled or disabled"
        )
    return spot.value if isinstance(spot.value, str) else None


def _namespaces(spot: Cursor) -> frozenset[str] | None:
    names = parse_strings(spot)
    return None if names is None else frozenset(names)


def _inject_values(spot: Cursor) -> InjectValueSyntax | None:
    if spot.value in set(InjectValueSyntax):
        return InjectValueSyntax(spot.value)
    return spot.add_error(f"got {format_value(spot.value)}", "use yaml or strict")


def _release(spot: Cursor) -> str | None:
    if isinstance(spot.value, str) and re.fullmatch(_RELEASE, spot.value):
        return spot.value
    remedy = 'use MAJOR.MINOR or MAJOR.MINOR.PATCH in quotes, such as "1.30.3"'
    return spot.add_error(f"got {format_value(spot.value)}", remedy)


# With an image variant or a vendor's suffix, as in an image tag; HEAD is the newest behavior.
_RELEASE = r"[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?(-[0-9A-Za-z][0-9A-Za-z._-]{0,127})?|HEAD"
