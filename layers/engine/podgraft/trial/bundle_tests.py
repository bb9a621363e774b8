"""The objects of the bundle's own folder ``tests/``, each as a review would change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from podgraft import kube, policy
from podgraft.bundle import Bundle, Diagnostic, Manifest, Mutator
from podgraft.injectors import redact
from podgraft.jsonvalue import Object
from podgraft.matching import constraints
from podgraft.policy import Skip
from podgraft.review_context import ReviewContext

from .outcome import Failure, attempt
from .probes import Probe
from .report import Report


def steps(bundle: Bundle, report: Report) -> Iterator[None]:
    """Try every object of the folder; each step is one of them."""
    for manifest in bundle.manifests.probes:
        for failure in _failures(bundle, manifest):
            report.error(_fault(manifest, failure))
        yield


def _failures(bundle: Bundle, manifest: Manifest) -> list[Failure]:
    """What is wrong with the result; nothing for a pod that the policy does not inject."""
    probe = Probe(name=f"{manifest.kind} {manifest.name}", object=manifest.object)
    mutators = bundle.object_mutators
    if manifest.kind == "Pod":
        try:
            kube.check(kube.POD, manifest.object)
        except kube.DecodeError as error:
            return [Failure(probe=probe, error=error)]
        if isinstance(policy.decide(bundle.rules, manifest.object, probe.namespace), Skip):
            return []
        mutators = bundle.pod_mutators
    return attempt(lambda before, context: _change(mutators, before, context), probe)


def _change(mutators: tuple[Mutator, ...], before: Object, context: ReviewContext) -> Object:
    request = constraints.make_create_request(before, context.namespace)
    context = replace(context, request=request)
    after = before
    for mutator in mutators:
        after = mutator(after, context).object
    return after


def _fault(manifest: Manifest, failure: Failure) -> Diagnostic:
    if failure.flaw is not None:
        return manifest.make_diagnostic(
            "", f"the result {failure.flaw.problem}", failure.flaw.remedy
        )
    # The object's author wrote it: its values must not reach a log.
    text = redact(failure.error) if failure.error is not None else ""
    return manifest.make_diagnostic(
        "", f"a review of it fails: {text}", "correct the template or the object"
    )
