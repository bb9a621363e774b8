"""The objects in the folder ``tests/`` of the bundle, each changed as in a review."""

from collections.abc import Iterator

from msgspec.structs import replace

from podgraft import kube
from podgraft.base.jsonvalue import Object
from podgraft.core import policy
from podgraft.core.bundle import Bundle, Manifest, apply_mutators
from podgraft.core.injectors.errors import redact
from podgraft.core.review_context import ReviewContext
from podgraft.kube.matching import constraints
from podgraft.kube.privileges import Privilege

from .flaws import Flaw
from .outcome import Failure, try_probe
from .probes import Probe
from .report import Report


def try_objects(bundle: Bundle, report: Report) -> Iterator[None]:
    """Mutate every object of the folder; each step is one object."""
    for manifest in bundle.manifests.probes:
        result = _try_object(bundle, manifest, report)
        if isinstance(result, Failure):
            # The values of the object can be secrets, and must not reach a log.
            problem = f"the review of the object fails: {redact(result.error)}"
            remedy = "correct the template or the object"
            report.add_error(manifest.make_diagnostic("", problem, remedy))
        else:
            for flaw in result:
                problem = f"the result {flaw.problem}"
                report.add_error(manifest.make_diagnostic("", problem, flaw.remedy))
        yield


def _try_object(bundle: Bundle, manifest: Manifest, report: Report) -> Failure | list[Flaw]:
    """Return the flaws of the result; none for a pod that the policy does not inject."""
    probe = Probe(name=f"{manifest.kind} {manifest.name}", object=manifest.object)
    mutators = bundle.object_mutators
    if manifest.kind == "Pod":
        try:
            kube.check(kube.POD, manifest.object)
        except kube.DecodeError as error:
            return Failure(probe=probe, error=error)
        if not policy.decide(bundle.rules, manifest.object, probe.namespace).injects:
            return []
        mutators = bundle.pod_mutators

    def change(before: Object, context: ReviewContext) -> Object:
        request = constraints.make_create_request(before, context.namespace)
        return apply_mutators(mutators, before, replace(context, request=request)).object

    # The values of the object can be secrets, and must not reach a log.
    return try_probe(report.observe(change, manifest, "", Privilege.redact), probe)
