"""The keys of a policy document, with the overrides for clusters and without the rollout."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.identifiers import CLUSTER_REMEDY, GROUP_REMEDY, is_cluster, is_group
from podgraft.kube import selectors
from podgraft.kube.document_reader import (
    Cursor,
    Diagnostics,
    MappingReader,
    format_value,
    make_integer_parser,
    make_list_parser,
    make_map_parser,
    make_text_parser,
    parse_bool,
    parse_selector,
    parse_string,
    parse_string_map,
    parse_strings,
)
from podgraft.kube.types import NEWEST

from .allows import parse_allows
from .census import parse_census
from .document import Features, Group, Policy
from .rules import DefaultPolicy, InjectValueSyntax

MAX_GROUPS = 100
MAX_MEMBERS = 100  # of one group
_MAX_ORDER = 1_000_000


def parse_document(cursor: Cursor) -> Policy:
    """Parse a document with its overrides for clusters, and without its rollout."""
    keys = MappingReader(cursor)
    policy = parse_policy(keys)
    groups = keys.read_key("groups", parse_groups) or {}
    overrides = keys.read_key("clusters", _parse_overrides) or {}
    keys.read_key("rollout", lambda _: None)
    keys.check_unknown_keys()
    return replace(policy, overrides=overrides, groups=groups)


def parse_override(cursor: Cursor) -> Policy:
    """Parse the keys of a cluster or a candidate."""
    return _read_override(MappingReader(cursor))


def _read_override(keys: MappingReader) -> Policy:
    override = parse_policy(keys)
    keys.check_unknown_keys()
    return override


def check_cluster_name(name: str, cursor: Cursor) -> None:
    """Warn of an id that no cluster can prove."""
    if not is_cluster(name):
        cursor.add_warning(f"got {format_value(name)}, which no cluster can prove", CLUSTER_REMEDY)


_parse_overrides = make_map_parser(parse_override, check_cluster_name)


def parse_groups(cursor: Cursor) -> Mapping[str, Group]:
    """Parse the groups of clusters."""
    entries = cursor.entries()
    if entries is None:
        return {}
    if len(entries) > MAX_GROUPS:
        cursor.add_error(f"got {len(entries)} groups", f"use at most {MAX_GROUPS}")
    return {name: _parse_group(name, entry) for name, entry in entries.items()}


def _parse_group(name: str, cursor: Cursor) -> Group:
    if not is_group(name):
        cursor.add_error("invalid name of a group", GROUP_REMEDY)
    keys = MappingReader(cursor)
    order = keys.read_key("order", _parse_order) or 0
    members = keys.read_key("members", _parse_members) or ()
    return Group(name=name, order=order, members=members, override=_read_override(keys))


_parse_order = make_integer_parser(
    0, _MAX_ORDER, f"use an integer from 0 to {_MAX_ORDER}; the keys of a higher one win"
)


def _parse_members(cursor: Cursor) -> tuple[str, ...] | None:
    members = parse_strings(cursor)
    if members is None:
        return None
    if len(members) > MAX_MEMBERS:
        remedy = f"use at most {MAX_MEMBERS}, or assign the clusters in the registry"
        return cursor.add_error(f"got {len(members)} members", remedy)
    for index, member in enumerate(members):
        # An id of a cluster, with * for any text.
        if not is_cluster(member.replace("*", "_")):
            cursor.child(index, member).refuse(f"use * for any text; {CLUSTER_REMEDY}")
    return members


def apply_overrides(document: JSON, override: JSON) -> JSON:
    """Apply the keys of *override* to the document; ``features`` are applied by key."""
    if not isinstance(document, dict) or not isinstance(override, dict):
        return document
    overrides: Object = {key: value for key, value in override.items() if value is not None}
    if "features" in overrides:
        overrides["features"] = apply_overrides(
            document.get("features") or {}, overrides["features"]
        )
    return {**document, **overrides}


def parse_policy(keys: MappingReader) -> Policy:
    """Parse the keys that clusters and candidates can override."""
    return Policy(
        bundle=keys.read_key("bundle", _parse_digest),
        policy=keys.read_key("policy", _parse_injection_policy),
        never=keys.read_key("neverInjectSelector", _parse_selectors),
        always=keys.read_key("alwaysInjectSelector", _parse_selectors),
        ignored_namespaces=keys.read_key("ignoredNamespaces", _namespaces),
        default_templates=keys.read_key("defaultTemplates", parse_strings),
        injected_annotations=keys.read_key("injectedAnnotations", parse_string_map),
        inject_values=keys.read_choice("injectValues", InjectValueSyntax),
        revision=keys.read_key("revision", parse_string),
        istio_release=keys.read_key("istioRelease", _parse_release),
        kubernetes_minor=keys.read_key("kubernetesRelease", _parse_kubernetes_minor),
        features=keys.read_key("features", _parse_features) or Features(),
        allows=keys.read_key("allows", parse_allows),
        census=keys.read_key("census", parse_census),
    )


def _parse_kubernetes_minor(cursor: Cursor) -> int | None:
    """The minor of a release: 34 for "1.34" and "v1.34.2"."""
    text = parse_string(cursor)
    if text is None:
        return None
    match = re.fullmatch(r"v?1\.([0-9]{1,3})(\.[0-9]{1,3})?", text)
    if match is None:
        return cursor.refuse('use the release of the clusters, such as "1.34"')
    minor = int(match[1])
    if minor > NEWEST:
        problem = f"Kubernetes 1.{minor} is newer than podgraft, which follows 1.{NEWEST}"
        cursor.warn(problem, "update podgraft")
    return minor


def _parse_features(cursor: Cursor) -> Features:
    keys = MappingReader(cursor)
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


def _parse_lenient_selector(cursor: Cursor) -> selectors.Selector | None:
    """Parse a LabelSelector; as in Istio, skip an invalid one with a warning."""
    if not isinstance(cursor.value, dict):
        return parse_selector(cursor)
    local_diagnostics = Diagnostics()
    selector = parse_selector(replace(cursor, diagnostics=local_diagnostics))
    for diagnostic in local_diagnostics.errors:
        problem = f"{diagnostic.problem}; the selector selects nothing"
        cursor.diagnostics.warnings.append(replace(diagnostic, problem=problem))
    return selector


_parse_selectors = make_list_parser(_parse_lenient_selector)
_parse_digest = make_text_parser(
    re.compile("sha256:[0-9a-f]{64}").fullmatch, "use sha256: and 64 hexadecimal digits"
)


def _parse_injection_policy(cursor: Cursor) -> str | None:
    if isinstance(cursor.value, bool):  # YAML reads on and off as booleans
        return cursor.refuse("use enabled or disabled, without quotes")
    if parse_string(cursor) is not None and cursor.value not in set(DefaultPolicy):
        cursor.add_warning(
            f"got {format_value(cursor.value)}, which injects nothing", "use enabled or disabled"
        )
    return cursor.value if isinstance(cursor.value, str) else None


def _namespaces(cursor: Cursor) -> frozenset[str] | None:
    names = parse_strings(cursor)
    return None if names is None else frozenset(names)


RELEASE_REMEDY = (
    'use MAJOR.MINOR or MAJOR.MINOR.PATCH in quotes, such as "1.30.3", or HEAD for the master '
    "branch"
)


def is_release(text: str) -> bool:
    """Whether a policy or an option can name a release of Istio in this way.

    The text can have an image variant or a vendor's suffix, as an image tag has. HEAD is the
    newest behavior. Which behavior a release has is the subject of ``injectors/istio``.
    """
    return re.fullmatch(_RELEASE, text) is not None


_RELEASE = r"v?[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?(-[0-9A-Za-z][0-9A-Za-z._-]{0,127})?|HEAD"
_parse_release = make_text_parser(is_release, RELEASE_REMEDY)
