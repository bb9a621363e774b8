"""Trials: a compiled bundle renders probe objects before it is in force.

``check_bundle`` runs a complete trial, for the command line. ``try_bundle`` runs it step by step,
for a review that can only wait for a part of it. A trial uses the code that serves reviews, with
lower limits for templates. Pure: the caller checks the deadline.
"""

from collections.abc import Iterator

from podgraft.core.bundle import Bundle
from podgraft.core.policy import Policy

from . import bundle_tests, istio
from .report import OnChange, Report

__all__ = ["Report", "check_bundle", "try_bundle"]


def check_bundle(bundle: Bundle, policy: Policy, on_change: OnChange | None = None) -> Report:
    """Run a complete trial of a bundle under the policy that it was compiled for.

    ``on_change`` receives each probe object before and after its rendering.
    """
    report = Report(str, policy.allows, on_change)
    for _ in try_bundle(bundle, policy, report):
        pass
    return report


def try_bundle(bundle: Bundle, policy: Policy, report: Report) -> Iterator[None]:
    """Run a trial, whose errors are in the report; each step is about one rendering.

    The steps that affect most pods are first. A trial imports only what the bundle needs.
    """
    yield from istio.try_templates(bundle, policy, report)
    manifests = bundle.manifests
    if manifests.of_kind("Mesh"):
        from . import meshes

        yield from meshes.try_meshes(bundle, report)
    if manifests.of_kind("MutatingAdmissionPolicy"):
        from . import mutating_policies

        yield from mutating_policies.try_policies(bundle, report)
    if manifests.of_kind("Overlay"):
        from . import overlays

        yield from overlays.try_overlays(bundle, report)
    if manifests.probes:
        yield from bundle_tests.try_objects(bundle, report)
