"""The trial of mutating policies: each policy for objects of every kind that it names.

A policy is tried in the namespaces of its parameters. If its conditions match no probe, it is tried
without them, so that the report has the privileges that it adds. Failures are warnings: Kubernetes
accepts such a policy.
"""

import dataclasses
from collections.abc import Generator, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.core.bundle import Bundle, Manifest, PolicyMutator
from podgraft.core.review_context import ReviewContext
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.mutation import MutatingPolicy

from .candidates import Candidate, make_candidates
from .outcome import Outcome
from .probes import with_namespace
from .report import Report

KIND = "MutatingAdmissionPolicy"
_MUTATIONS = "/spec/mutations"
_CORRECT = "correct the mutations, or test optional fields with has()"
_NO_PARAMETER = "failed to configure binding"
_ADD_PARAMETER = "add the parameter to the bundle, or correct the paramRef of the binding"


def try_policies(bundle: Bundle, report: Report) -> Iterator[None]:
    """Apply every policy that has a binding to probes; each step is about one object."""
    manifests = {manifest.name: manifest for manifest in bundle.manifests.of_kind(KIND)}
    for mutator in bundle.object_mutators:
        if isinstance(mutator, PolicyMutator):
            for policy in mutator.policies.policies:
                if mutator.policies.bindings.get(policy.name):
                    yield from _PolicyTrial(mutator, policy, manifests[policy.name], report).run()


class _PolicyTrial(Struct):
    """The trial of one policy; ``changes`` states that it has changed a probe."""

    mutator: PolicyMutator
    policy: MutatingPolicy
    manifest: Manifest
    report: Report
    changes: bool = False

    def run(self) -> Iterator[None]:
        schema = self.mutator.policies.schema
        for kind, candidates in make_candidates(self.policy.constraints, self.manifest).items():
            known = [
                placed
                for each in candidates
                if schema.find_kind(str(each.probe.object.get("apiVersion")), each.probe.kind)
                for placed in self._place(each)
            ]
            self.changes = False
            outcome = yield from self._try(known, self.policy)
            if not self.changes and not outcome.errors and self.policy.conditions:
                yield from self._try(known, dataclasses.replace(self.policy, conditions=()))
            if outcome.fails_everywhere:
                text = self.report.describe(outcome.errors[0].error)
                problem = f"denies every probe {kind}: {text}"
                self._warn(problem, _ADD_PARAMETER if _NO_PARAMETER in text else _CORRECT)
            for each in outcome.first_flaws:
                self._warn(each.problem, each.flaw.remedy)

    def _place(self, candidate: Candidate) -> Iterator[Candidate]:
        """The object in each namespace that has parameters, or in its own."""
        kind, params = self.policy.param_kind, self.mutator.policies.params.by_name
        names = () if kind is None else params.get(kind.group_kind, ())
        namespaces = {namespace for namespace, _ in names if namespace}
        for namespace in sorted(namespaces or {candidate.probe.namespace}):
            probe = with_namespace(candidate.probe, namespace)
            raw: Object = {**candidate.request.raw, "namespace": probe.namespace}
            request = replace(candidate.request, namespace=probe.namespace, raw=raw)
            yield replace(candidate, probe=probe, request=request)

    def _try(
        self, candidates: Sequence[Candidate], policy: MutatingPolicy
    ) -> Generator[None, None, Outcome]:
        mutator = replace(
            self.mutator, policies=dataclasses.replace(self.mutator.policies, policies=(policy,))
        )
        outcome = Outcome()
        for candidate in candidates:

            def change(
                before: Object,
                context: ReviewContext,
                request: AdmissionRequest = candidate.request,
            ) -> Object:
                after = mutator(before, replace(context, request=request))
                self.changes = self.changes or after.is_changed
                return after.object

            outcome.add(self.report.observe(change, self.manifest, _MUTATIONS), candidate.probe)
            yield
        return outcome

    def _warn(self, problem: str, remedy: str) -> None:
        self.report.add_warning(self.manifest.make_diagnostic(_MUTATIONS, problem, remedy))
