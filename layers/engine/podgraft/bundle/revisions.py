"""The revision of istiod that a bundle was taken from, compared with the policy.

istiod knows its revision from its environment, so that the policy sets it. A forgotten one gives
every pod the label ``istio.io/rev: default``. Only ``lint.py`` uses this module.
"""

from collections.abc import Iterator

from podgraft import yaml
from podgraft.diagnostics import Diagnostic, Severity
from podgraft.policy import Policy

from .manifests import Manifest, Manifests

DEFAULT = "default"

_NAME = "istio-sidecar-injector-"
_LABEL = "istio.io/rev"


def warnings(manifests: Manifests, policy: Policy) -> Iterator[Diagnostic]:
    """Return a warning for an injector ConfigMap of another revision than the policy's."""
    expected = policy.revision or DEFAULT
    for manifest in manifests.of_kind("ConfigMap"):
        path, revision = _revision(manifest) if "config" in manifest.data else ("", "")
        if revision and revision != expected:
            problem = f'belongs to revision "{revision}", but pods get {_LABEL}: {expected}'
            remedy = f'set "revision: {revision}" in the policy'
            yield Diagnostic(
                document=manifest.file,
                pointer=manifest.path + path,
                problem=problem,
                remedy=remedy,
                severity=Severity.WARNING,
            )


def _revision(manifest: Manifest) -> tuple[str, str]:
    """Return the revision and where it is: in the label, the values, or the name."""
    labels = manifest.metadata.get("labels")
    label = labels.get(_LABEL) if isinstance(labels, dict) else None
    if isinstance(label, str) and label:
        return "/metadata/labels/istio.io~1rev", label
    of_values = _of_values(manifest)
    if of_values:
        return "/data/values/revision", of_values
    name = manifest.name
    return "/metadata/name", name.removeprefix(_NAME) if name.startswith(_NAME) else ""


def _of_values(manifest: Manifest) -> str:
    text = manifest.data.get("values")
    try:
        values = yaml.load(text, strict=False) if isinstance(text, str) else None
    except yaml.NotYAMLError:
        return ""
    revision = values.get("revision") if isinstance(values, dict) else None
    return revision if isinstance(revision, str) else ""
