"""Mutation of a request: policies × bindings × parameters, as kube-apiserver invokes them.

Source: k8s.io/apiserver 0.37, pkg/admission/plugin/policy (generic/policy_dispatcher.go,
mutating/dispatcher.go and reinvocationcontext.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at, string_at
from podgraft.base.trace import Trace
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.cel import (
    CONDITIONS_BUDGET,
    POLICY_BUDGET,
    Budget,
    CostExceededError,
    EvaluationError,
    ReviewLimitError,
    Value,
)
from podgraft.kube.matching.conditions import (
    Condition,
    ConditionError,
    condition_variables,
    find_false,
)
from podgraft.kube.matching.go_values import OBJECTS, GoValues
from podgraft.kube.matching.index import ConstraintIndex
from podgraft.kube.matching.params import ParamError, ParamIndex
from podgraft.kube.structured import Schema, release_schema
from podgraft.kube.validation.variables import Activation

from .documents import MutatingBinding, MutatingPolicy, MutationExpression, PatchType
from .errors import MutationDeniedError, MutationError
from .object_state import ObjectState
from .recording import MutationRecorder
from .values import to_apply_configuration, to_operations


@dataclass(frozen=True, slots=True, kw_only=True)
class MutatingPolicySet:
    """All mutating policies of a bundle, in the order of their names, with their bindings."""

    policies: tuple[MutatingPolicy, ...]
    bindings: Mapping[str, Sequence[MutatingBinding]]
    params: ParamIndex = field(default_factory=lambda: ParamIndex.build(()))
    namespaces: Mapping[str, Object] = field(default_factory=dict[str, Object])
    schema: Schema = field(default_factory=release_schema)
    _index: ConstraintIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the policies by what they can match."""
        index = ConstraintIndex(policy.constraints for policy in self.policies)
        object.__setattr__(self, "_index", index)

    @property
    def has_conditions(self) -> bool:
        """Whether a policy has match conditions, which can fail in the second pass."""
        return any(policy.conditions for policy in self.policies)

    def start(
        self, request: AdmissionRequest, trace: Trace | None = None, budget: int = POLICY_BUDGET
    ) -> MutationReview:
        """Start the review of a request; ``trace`` records a step for each policy and binding.

        ``budget`` is the cost of all mutations; Kubernetes has it for each. A request that exceeds
        it is denied, regardless of the failurePolicy.
        """
        return MutationReview(self, request, MutationRecorder(trace), Budget(budget))

    def find_policies(self, request: AdmissionRequest) -> Iterator[MutatingPolicy]:
        """The policies that can match a request, in their order."""
        return (self.policies[number] for number in self._index.find(request, self.namespaces))


class InvocationKey(NamedTuple):
    """What identifies an invocation in both passes: a policy, a binding, and a parameter."""

    policy: str
    binding: str
    param: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Invocation:
    """A policy that matches a request, with a binding and one of its parameters."""

    policy: MutatingPolicy
    binding: MutatingBinding
    param: JSON = None

    @property
    def key(self) -> InvocationKey:
        """The identity of the invocation."""
        names = None
        if isinstance(self.param, dict):
            metadata = object_at(self.param, "metadata")
            names = string_at(metadata, "namespace"), string_at(metadata, "name")
        return InvocationKey(self.policy.name, self.binding.name, names)


class _Failure(NamedTuple):
    """A failed condition, mutation, or search for parameters."""

    policy: MutatingPolicy
    binding: MutatingBinding
    message: str

    def __str__(self) -> str:
        return (
            f"policy '{self.policy.name}' with binding '{self.binding.name}' denied request: "
            f"{self.message}"
        )


@dataclass(slots=True)
class MutationReview:
    """The mutations of one request: a first pass, and a second one for reinvoked policies."""

    policies: MutatingPolicySet
    request: AdmissionRequest
    recorder: MutationRecorder
    budget: Budget
    is_dirty: bool = False
    tested_conditions: bool = False
    go_objects: dict[str, bool] = field(default_factory=dict[str, bool])
    last_output: Object = field(default_factory=dict[str, JSON])
    failures: list[_Failure] = field(default_factory=list[_Failure])
    invoked: set[InvocationKey] = field(default_factory=set[InvocationKey])
    reinvoked: set[InvocationKey] = field(default_factory=set[InvocationKey])

    def admit(self, before: Object) -> Object:
        """The object after the first pass; raises ``MutationDeniedError``."""
        return self._run(before, is_second=False)

    def readmit(self, before: Object) -> Object:
        """The object after the second pass, which follows all other mutations of the request."""
        if not self.is_dirty and jsonvalue.equal(before, self.last_output):
            return before
        if not jsonvalue.equal(before, self.last_output):
            self._require_reinvocation()
        if not self.reinvoked and not self.policies.has_conditions:
            return before
        return self._run(before, is_second=True)

    def _run(self, before: Object, *, is_second: bool) -> Object:
        self.failures.clear()
        request = replace(self.request, object=before)
        invocations = [*self._find_invocations(request, is_second=is_second)]
        if not invocations and not self.failures:
            self.last_output = before
            return before
        state = ObjectState.start(self.policies.schema, before)
        self.is_dirty = self.tested_conditions = False
        self.go_objects.clear()
        for invocation in invocations:
            if not self._matches(invocation, state, is_second=is_second):
                continue
            if is_second and invocation.key not in self.reinvoked:
                continue
            after = self._invoke(invocation, state, is_second=is_second)
            if not jsonvalue.equal(state.visible, after.visible):
                self._require_reinvocation()
            state = after
            if invocation.policy.is_reinvoked:
                self.invoked.add(invocation.key)
        if self.is_dirty:
            self._require_reinvocation()
        self._deny()
        self.last_output = state.plain
        return state.plain

    def _require_reinvocation(self) -> None:
        """Mark the policies that ran so far for the second pass."""
        self.reinvoked |= self.invoked
        self.invoked = set()

    def _deny(self) -> None:
        """Deny the request for the first failure whose failurePolicy is Fail."""
        for failure in self.failures:
            if failure.policy.fails_closed:
                raise MutationDeniedError(str(failure))

    def _find_invocations(
        self, request: AdmissionRequest, *, is_second: bool
    ) -> Iterator[Invocation]:
        """The invocations for a request, which all match the object before the pass."""
        policies = self.policies
        recorder = self.recorder if not is_second else MutationRecorder(None)
        candidates = policies.policies if recorder.trace else policies.find_policies(request)
        for policy in candidates:
            bindings = policies.bindings.get(policy.name, ())
            if not bindings:
                recorder.record(policy, None, "has no MutatingAdmissionPolicyBinding")
                continue
            mismatch = policy.constraints.mismatch(request, policies.namespaces)
            if mismatch is not None:
                recorder.record(policy, None, f"does not match: {mismatch.describe()}")
                continue
            for binding in bindings:
                scope = binding.constraints
                mismatch = None if scope is None else scope.mismatch(request, policies.namespaces)
                if mismatch is not None:
                    recorder.record(policy, binding, f"does not match: {mismatch.describe()}")
                    continue
                yield from self._find_params(policy, binding, request, recorder)

    def _find_params(
        self,
        policy: MutatingPolicy,
        binding: MutatingBinding,
        request: AdmissionRequest,
        recorder: MutationRecorder,
    ) -> Iterator[Invocation]:
        """The invocations of a binding: one for each parameter."""
        if policy.param_kind is None or binding.params is None:
            yield Invocation(policy, binding)
            return
        try:
            params = self.policies.params.find(policy.param_kind, binding.params, request.namespace)
        except ParamError as error:
            message = f"failed to configure binding: {error}"
            self.failures.append(_Failure(policy, binding, message))
            recorder.record_failure(policy, binding, message)
            return
        if not params:
            recorder.record(policy, binding, "is not invoked: no parameters found")
        yield from (Invocation(policy, binding, param) for param in params)

    def _matches(self, invocation: Invocation, state: ObjectState, *, is_second: bool) -> bool:
        """Whether all match conditions are true for the object so far."""
        policy, binding = invocation.policy, invocation.binding
        try:
            false_condition = self._find_false_condition(invocation, state)
        except (ConditionError, CostExceededError) as error:
            message = error.original if isinstance(error, ConditionError) else str(error)
            self.failures.append(_Failure(policy, binding, message))
            self.recorder.record_failure(policy, binding, str(error))
            return False
        except ReviewLimitError as error:
            raise MutationDeniedError(f"matching stopped early: it {error}") from error
        if false_condition is not None and not is_second:
            observed = f"does not match: matchConditions: {false_condition.name} is false"
            self.recorder.record(policy, binding, observed)
        return false_condition is None

    def _find_false_condition(self, invocation: Invocation, state: ObjectState) -> Condition | None:
        if not invocation.policy.conditions:
            return None
        self.tested_conditions = True
        # kube-apiserver gives match conditions no Namespace.
        variables = {**self._variables(invocation, state), "namespaceObject": None}
        go_values = self._find_go_values(variables)
        activation = Activation(variables, invocation.policy.variables, go_values)
        budget = Budget(CONDITIONS_BUDGET, self.budget)
        return find_false(invocation.policy.conditions, partial(activation.evaluate, budget=budget))

    def _variables(self, invocation: Invocation, state: ObjectState) -> dict[str, Value]:
        request = replace(self.request, object=state.visible)
        return condition_variables(request, self.policies.namespaces, invocation.param)

    def _find_go_values(self, variables: dict[str, Value]) -> GoValues:
        """The values of Go; an object is read as the first expression since its change reads it."""
        for name in OBJECTS:
            self.go_objects.setdefault(name, self.tested_conditions)
        objects = [name for name in OBJECTS if self.go_objects[name]]
        return GoValues(variables, objects, lambda: self.policies.schema)

    def _invoke(
        self, invocation: Invocation, state: ObjectState, *, is_second: bool
    ) -> ObjectState:
        """The state after all mutations of an invocation; one that fails does not stop the rest."""
        policy, binding = invocation.policy, invocation.binding
        before = state
        is_failed = False
        for number, mutation in enumerate(policy.mutations):
            try:
                state = self._mutate(mutation, invocation, state)
                self.is_dirty = True
                self.go_objects.pop("object", None)
            except MutationError as error:
                is_failed = True
                self.failures.append(_Failure(policy, binding, str(error)))
                self.recorder.record_failure(policy, binding, f"mutations[{number}]: {error}")
        if not is_failed or before is not state:
            self.recorder.record_result(
                policy, binding, before.visible, state.visible, is_second=is_second
            )
        return state

    def _mutate(
        self, mutation: MutationExpression, invocation: Invocation, state: ObjectState
    ) -> ObjectState:
        """The state after one mutation; raises ``MutationError``."""
        variables = self._variables(invocation, state)
        go_values = self._find_go_values(variables)
        activation = Activation(variables, invocation.policy.variables, go_values)
        value = self._evaluate(mutation, activation)
        if mutation.patch_type is PatchType.APPLY_CONFIGURATION:
            return state.apply_configuration(to_apply_configuration(value, go_values))
        return state.apply_operations(to_operations(value, go_values))

    def _evaluate(self, mutation: MutationExpression, activation: Activation) -> Value:
        """Evaluate within the budgets of the mutation and of the review."""
        try:
            return activation.evaluate(mutation.program, Budget(POLICY_BUDGET, self.budget))
        except EvaluationError as error:
            text = f"expression '{mutation.program.text}' resulted in error: {error}"
            raise MutationError(text) from error
        except CostExceededError as error:
            raise MutationError(f"mutation stopped early: it {error}") from error
        except ReviewLimitError as error:
            raise MutationDeniedError(f"mutation stopped early: it {error}") from error
