"""The revision of istiod that a bundle comes from, compared with the policy.

istiod reads its revision from its environment. For podgraft, the policy sets it; without it, every
pod gets the label ``istio.io/rev: default``. Only ``lint.py`` uses this module.
"""

from collections.abc import Iterator

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import object_at, string_at
from podgraft.core.policy import Policy
from podgraft.kube import yaml

from .manifests import Manifest, Manifests

DEFAULT = "default"

_NAME = "istio-sidecar-injector-"
_LABEL = "istio.io/rev"


def find_warnings(manifests: Manifests, policy: Policy) -> Iterator[Diagnostic]:
    """Return a warning for each injector ConfigMap of another revision than the policy's."""
    expected = policy.revision or DEFAULT
    for manifest in manifests.of_kind("ConfigMap"):
        path, revision = _find_revision(manifest) if "config" in manifest.data else ("", "")
        if revision and revision != expected:
            problem = f'belongs to revision "{revision}", but pods get {_LABEL}: {expected}'
            remedy = f'set "revision: {revision}" in the policy'
            yield manifest.make_warning(path, problem, remedy)


def _find_revision(manifest: Manifest) -> tuple[str, str]:
    """Return the path and the revision that the label, the values, or the name sets."""
    label = string_at(object_at(manifest.metadata, "labels"), _LABEL)
    if label:
        return "/metadata/labels/istio.io~1rev", label
    values_revision = _find_values_revision(manifest)
    if values_revision:
        return "/data/values/revision", values_revision
    name = manifest.name
    return "/metadata/name", name.removeprefix(_NAME) if name.startswith(_NAME) else ""


def _find_values_revision(manifest: Manifest) -> str:
    text = manifest.data.get("values")
    try:
        values = yaml.load(text, strict=False) if isinstance(text, str) else None
    except yaml.NotYAMLError:
        return ""
    revision = values.get("revision") if isinstance(values, dict) else None
    return revision if isinstance(revision, str) else ""
