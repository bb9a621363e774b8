"""The steps of ``podgraft explain`` for mutating policies."""

from dataclasses import dataclass

from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Effect, Trace
from podgraft.kube.patch.kinds import find_changes

from .documents import MutatingBinding, MutatingPolicy

# The name of a step begins with this.
MUTATION = "mutation "
_MAX_CHANGES = 8


@dataclass(frozen=True, slots=True)
class MutationRecorder:
    """Records steps in a trace, if there is one. A step never contains a value of the object."""

    trace: Trace | None

    def record(
        self,
        policy: MutatingPolicy,
        binding: MutatingBinding | None,
        observed: str,
        effect: Effect = "passes",
    ) -> None:
        """Record a step of a policy, or of one of its bindings."""
        if self.trace is not None:
            suffix = "" if binding is None else f", binding {binding.name}"
            self.trace.add(f"{MUTATION}{policy.name}{suffix}", observed, effect)

    def record_failure(
        self, policy: MutatingPolicy, binding: MutatingBinding, message: str
    ) -> None:
        """Record a failure, and what failurePolicy makes of it."""
        if policy.fails_closed:
            self.record(policy, binding, message, "denies")
        else:
            self.record(policy, binding, f"is ignored, as failurePolicy sets: {message}")

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
            self.record(policy, binding, f"{matches}, and changes nothing")
            return
        listed = "; ".join(changes[:_MAX_CHANGES])
        more = len(changes) - _MAX_CHANGES
        suffix = f"; {more} more" if more > 0 else ""
        self.record(policy, binding, f"{matches}: {listed}{suffix}", "changes")
