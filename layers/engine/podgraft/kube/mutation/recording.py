"""The steps of ``podgraft explain`` for mutating policies."""

from dataclasses import dataclass

from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Trace
from podgraft.kube.patch.kinds import find_changes

from .documents import MutatingBinding, MutatingPolicy

# The name of a step begins with this.
MUTATION = "mutation "
_MAX_CHANGES = 8


@dataclass(frozen=True, slots=True)
class MutationRecorder:
    """Records steps in a trace, if there is one. A step never contains a value of the object."""

    trace: Trace | None

    @property
    def is_on(self) -> bool:
        """Whether steps are recorded."""
        return self.trace is not None

    def record_unbound(self, policy: MutatingPolicy) -> None:
        """Record a policy without a binding, which does nothing."""
        self._add(policy, None, "has no MutatingAdmissionPolicyBinding")

    def record_mismatch(
        self, policy: MutatingPolicy, binding: MutatingBinding | None, mismatch: str
    ) -> None:
        """Record a policy or binding that does not match the request."""
        self._add(policy, binding, f"does not match: {mismatch}")

    def record_missing_params(self, policy: MutatingPolicy, binding: MutatingBinding) -> None:
        """Record a binding without parameters, which is not invoked."""
        self._add(policy, binding, "is not invoked: no parameters found")

    def record_failure(
        self, policy: MutatingPolicy, binding: MutatingBinding, message: str
    ) -> None:
        """Record a failure, and what failurePolicy makes of it."""
        if self.trace is None:
            return
        if policy.fails_closed:
            self.trace.add(_name(policy, binding), message, "denies")
        else:
            observed = f"is ignored, as failurePolicy sets: {message}"
            self.trace.add(_name(policy, binding), observed)

    def record_result(
        self,
        policy: MutatingPolicy,
        binding: MutatingBinding,
        before: Object,
        after: Object,
        *,
        is_second: bool,
    ) -> None:
        """Record what an invocation changed."""
        if self.trace is None:
            return
        matches = "is invoked again" if is_second else "matches"
        changes = find_changes(before, before, after)
        if not changes:
            self.trace.add(_name(policy, binding), f"{matches}, and changes nothing")
            return
        listed = "; ".join(changes[:_MAX_CHANGES])
        more = len(changes) - _MAX_CHANGES
        suffix = f"; {more} more" if more > 0 else ""
        self.trace.add(_name(policy, binding), f"{matches}: {listed}{suffix}", "changes")

    def _add(self, policy: MutatingPolicy, binding: MutatingBinding | None, observed: str) -> None:
        if self.trace is not None:
            self.trace.add(_name(policy, binding), observed)


def _name(policy: MutatingPolicy, binding: MutatingBinding | None) -> str:
    suffix = "" if binding is None else f", binding {binding.name}"
    return f"{MUTATION}{policy.name}{suffix}"
