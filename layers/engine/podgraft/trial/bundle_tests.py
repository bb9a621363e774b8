"""The objects of the bundle's own folder ``tests/``, each as a review would change it."""

from __future__ import annotations

from collections.abc import Iterator

from podgraft import kube, policy
from podgraft.bundle import Bundle, Diagnostic, Manifest, MutationContext, Mutator
from podgraft.injectors import redact
from podgraft.jsonvalue import Object
from podgraft.matching import constraints
from podgraft.policy import Skip

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
    grafts = bundle.object_mutators
    if manifest.kind == "Pod":
        try:
            kube.check(kube.POD, manifest.object)
        except kube.DecodeError as error:
            return [Failure(probe=probe, error=error)]
        if isinstance(policy.decide(bundle.rules, manifest.object, probe.namespace), Skip):
            return []
        grafts = bundle.pod_mutators
    return attempt(lambda before, call: _change(grafts, before, call), probe)


def _change(grafts: tuple[Mutator, ...], before: Object, call: MutationContext) -> Object:
    request = constraints.make_create_request(before, call.namespace)
    after = before
    for graft in grafts:
        after = graft(after, MutationContext(namespace=call.namespace, request=request)).object
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
