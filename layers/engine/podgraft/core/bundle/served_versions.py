"""Policies in an API version that no cluster serves, or that clusters can evaluate themselves.

The releases of the clusters are ``kubernetesRelease`` of the policy document, and of its clusters.
"""

from collections.abc import Iterator

from podgraft.base.diagnostics import Diagnostic
from podgraft.core.policy import Policy
from podgraft.kube.structured import release_schema
from podgraft.kube.structured.schema import OLDEST
from podgraft.kube.types import NEWEST

from .manifests import KINDS, Manifest, Manifests

_GROUP = "admissionregistration.k8s.io"
_MUTATING = "MutatingAdmissionPolicy"


def find_warnings(manifests: Manifests, policy: Policy) -> Iterator[Diagnostic]:
    """Return an error for each version that no release serves, and warnings of double changes."""
    found = {each.kubernetes_minor for _, each in policy.variants()}
    minors = sorted(minor for minor in found if minor is not None)
    if not minors:
        return
    for manifest in manifests.manifests:
        if manifest.group == _GROUP:
            yield from _check_version(manifest, minors)


def _check_version(manifest: Manifest, minors: list[int]) -> Iterator[Diagnostic]:
    if not any(is_served(manifest.api_version, manifest.kind, minor) for minor in minors):
        releases = ", ".join(f"1.{minor}" for minor in minors)
        yield manifest.make_diagnostic(
            "/apiVersion",
            f"Kubernetes {releases} does not serve {manifest.kind} in {manifest.api_version}",
            _find_remedy(manifest, minors),
        )
    elif manifest.kind == _MUTATING and any(
        is_served(f"{_GROUP}/v1", _MUTATING, minor) for minor in minors
    ):
        yield manifest.make_warning(
            "",
            f"Kubernetes evaluates {_MUTATING} {manifest.name} itself if it is applied",
            "apply it to the cluster, or keep it in the bundle, but not both",
        )


def is_served(api_version: str, kind: str, minor: int) -> bool:
    """Whether Kubernetes 1.``minor`` serves a kind in a version."""
    return release_schema(minor).find_kind(api_version, kind) is not None


def _find_remedy(manifest: Manifest, minors: list[int]) -> str:
    """The version that a release serves, and the releases that serve that of the document."""
    serving = [
        minor
        for minor in range(OLDEST, NEWEST + 1)
        if is_served(manifest.api_version, manifest.kind, minor)
    ]
    until = f" to 1.{serving[-1]}" if serving[-1] < NEWEST else " and later"
    which = f"1.{serving[0]}{until if len(serving) > 1 or serving[0] == NEWEST else ''}"
    for version in KINDS[manifest.kind]:
        if any(is_served(version, manifest.kind, minor) for minor in minors):
            return f"use {version}, or correct kubernetesRelease: {which} can serve it"
    return f"correct kubernetesRelease: {which} can serve it"
