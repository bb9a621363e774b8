"""Warnings about a bundle and a policy that compile, but are probably not intended.

The function does not need this module: only ``podgraft check``, ``podgraft push``, ``inject``,
``explain``, and ``register.py`` import it.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import list_at, objects_at, string_at
from podgraft.core.policy import PROTECTED_SUBRESOURCES, Policy
from podgraft.kube import yaml

from . import api_rules, cluster_ids, manifests, retired_registries, served_versions
from .compiler import Bundle
from .manifests import Manifest, Manifests

_DEFAULT_REVISION = "default"
_REVISION_LABEL = "istio.io/rev"
_CONFIG_MAP_PREFIX = "istio-sidecar-injector-"  # before the revision


def find_warnings(
    bundle: Bundle, files: Mapping[str, bytes], policy: Policy, document: str, file: str
) -> Iterator[Diagnostic]:
    """Return the warnings about a compiled bundle, its files, and the policy.

    ``document`` is the text of the policy, and ``file`` is its name in messages. The
    warnings that compilation found come first.
    """
    for diagnostic in bundle.warnings:
        if diagnostic.is_warning:
            # The compiler does not know the file of the policy, and names the policy by its kind.
            yield (
                replace(diagnostic, document=file)
                if diagnostic.document == "policy"
                else diagnostic
            )
    parsed = manifests.parse_manifests(files)
    yield from _find_other_revisions(parsed, policy)
    yield from _find_protected_subresources(parsed)
    yield from served_versions.find_warnings(parsed, policy)
    yield from api_rules.find_errors(parsed)
    yield from retired_registries.find_warnings(parsed)
    yield from retired_registries.find_document_warnings(file, yaml.load_document(document) or {})
    yield from cluster_ids.find_policy_warnings(bundle, policy, file)


def _find_protected_subresources(manifests: Manifests) -> Iterator[Diagnostic]:
    """Yield a warning for each overlay for resize or ephemeralcontainers, which stay unchanged."""
    for manifest in manifests.of_kind("Overlay"):
        rules = objects_at(manifest.object, "spec", "matchConstraints", "resourceRules")
        for index, rule in enumerate(rules):
            for name in list_at(rule, "resources"):
                if name in {f"pods/{each}" for each in PROTECTED_SUBRESOURCES}:
                    yield manifest.make_warning(
                        f"/spec/matchConstraints/resourceRules/{index}",
                        f"podgraft does not change {name}",
                        f"remove {name} from resources",
                    )


def _find_other_revisions(manifests: Manifests, policy: Policy) -> Iterator[Diagnostic]:
    """Yield a warning for each injector ConfigMap of another revision than the policy's.

    istiod reads its revision from its environment. For podgraft, the policy sets it.
    """
    expected = policy.revision or _DEFAULT_REVISION
    for manifest in manifests.of_kind("ConfigMap"):
        path, revision = _find_revision(manifest) if "config" in manifest.data else ("", "")
        if revision and revision != expected:
            problem = (
                f'belongs to revision "{revision}", but pods get {_REVISION_LABEL}: {expected}'
            )
            remedy = f'set "revision: {revision}" in the policy'
            yield manifest.make_warning(path, problem, remedy)


def _find_revision(manifest: Manifest) -> tuple[str, str]:
    """Return the path and the revision that the label, the values, or the name sets."""
    label = string_at(manifest.metadata, "labels", _REVISION_LABEL)
    if label:
        return "/metadata/labels/istio.io~1rev", label
    values_revision = _find_values_revision(manifest)
    if values_revision:
        return "/data/values/revision", values_revision
    if not manifest.name.startswith(_CONFIG_MAP_PREFIX):
        return "/metadata/name", ""
    return "/metadata/name", manifest.name.removeprefix(_CONFIG_MAP_PREFIX)


def _find_values_revision(manifest: Manifest) -> str:
    text = manifest.data.get("values")
    try:
        values = yaml.load(text, strict=False) if isinstance(text, str) else None
    except yaml.NotYAMLError:
        return ""
    revision = values.get("revision") if isinstance(values, dict) else None
    return revision if isinstance(revision, str) else ""
