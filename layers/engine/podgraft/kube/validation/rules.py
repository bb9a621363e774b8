"""Validation of a request: policies × bindings × parameters, in kube-apiserver's order.

Source: apiserver 0.37, pkg/admission/plugin/policy/validating (dispatcher.go, validator.go).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.trace import Effect, Trace
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.admission.validation_result import FailedValidation, ValidationResult
from podgraft.kube.cel import (
    CONDITIONS_BUDGET,
    POLICY_BUDGET,
    Budget,
    CostExceededError,
    EvaluationError,
    Program,
    ReviewLimitError,
    Value,
)
from podgraft.kube.matching.conditions import (
    Condition,
    ConditionError,
    condition_variables,
    find_false,
)
from podgraft.kube.matching.constraints import Mismatch
from podgraft.kube.matching.go_values import OBJECTS, GoValues
from podgraft.kube.matching.index import ConstraintIndex
from podgraft.kube.matching.params import ParamError, ParamIndex
from podgraft.kube.structured import release_schema
from podgraft.kube.types import NEWEST

from .bindings import Binding, ValidationAction
from .policies import ValidatingPolicy, Validation
from .variables import Activation

# apiserver/pkg/apis/cel: MaxEvaluatedMessageExpressionSizeBytes; dispatcher.go: the other two.
_MAX_MESSAGE_BYTES = 5 * 1024
_MAX_AUDIT_BYTES = 10 * 1024
_MAX_FAILURES = 50

# The steps of the trace, and how they start for a policy that is not evaluated.
RULE = "rule "  # the name of the step
MISMATCH = "does not match: "
NO_PARAMETERS = "is not evaluated: "

# kube-apiserver denies for an error of parameters or annotations, whatever the binding sets.
_Actions: TypeAlias = frozenset[ValidationAction]
_DENY: _Actions = frozenset({ValidationAction.DENY})
_NO_BINDING = Binding(policy="")  # of a policy that does not match


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """All policies of a bundle, with their bindings by the name of the policy.

    ``budget`` is Kubernetes' budget for one policy and binding. Here, it is also the budget of a
    complete review, because Python needs about four times as long for a unit of cost.
    ``release`` is the minor release of Kubernetes whose values the expressions read.
    """

    policies: tuple[ValidatingPolicy, ...]
    bindings: Mapping[str, Sequence[Binding]] = field(default_factory=dict[str, Sequence[Binding]])
    params: ParamIndex = field(default_factory=lambda: ParamIndex.build(()))
    namespaces: Mapping[str, Object] = field(default_factory=dict[str, Object])
    budget: int = POLICY_BUDGET
    release: int = NEWEST
    _index: ConstraintIndex = field(init=False, repr=False, compare=False)
    _binding_indexes: Mapping[str, ConstraintIndex] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the policies, and the bindings of each, by what they can match."""
        index = ConstraintIndex(policy.constraints for policy in self.policies)
        binding_indexes = {
            policy.name: ConstraintIndex(binding.constraints for binding in self._bindings(policy))
            for policy in self.policies
        }
        object.__setattr__(self, "_index", index)
        object.__setattr__(self, "_binding_indexes", binding_indexes)

    def validate(self, request: AdmissionRequest, trace: Trace | None = None) -> ValidationResult:
        """Validate a request; ``trace`` records a step for each policy and binding."""
        builder = _ResultBuilder(Budget(self.budget), trace)
        numbers = self._index.find(request, self.namespaces)
        for number in numbers if trace is None else range(len(self.policies)):
            policy = self.policies[number]
            mismatch = policy.constraints.mismatch(request, self.namespaces)
            if mismatch is not None:
                _BindingEvaluation(builder, policy, _NO_BINDING).record_mismatch(mismatch)
                continue
            bindings = self._bindings(policy)
            positions = self._binding_indexes[policy.name].find(request, self.namespaces)
            for position in positions if trace is None else range(len(bindings)):
                evaluation = _BindingEvaluation(builder, policy, bindings[position])
                self._apply_binding(evaluation, request)
        return builder.build()

    def _bindings(self, policy: ValidatingPolicy) -> Sequence[Binding]:
        return self.bindings.get(policy.name) or [Binding(policy=policy.name)]

    def _apply_binding(self, evaluation: _BindingEvaluation, request: AdmissionRequest) -> None:
        policy, binding = evaluation.policy, evaluation.binding
        scope = binding.constraints
        mismatch = None if scope is None else scope.mismatch(request, self.namespaces)
        if mismatch is not None:
            evaluation.record_mismatch(mismatch)
            return
        try:
            params = self._params(policy, binding, request)
        except ParamError as error:
            evaluation.add_failure(f"failed to configure binding: {error}", actions=_DENY)
            return
        if not params:
            evaluation.record(f"{NO_PARAMETERS}no parameters found")
        for param in params:
            variables = condition_variables(request, self.namespaces, param)
            go_values = GoValues(variables, OBJECTS, partial(release_schema, self.release))
            evaluation.evaluate(Activation(variables, policy.variables, go_values))

    def _params(
        self, policy: ValidatingPolicy, binding: Binding, request: AdmissionRequest
    ) -> Sequence[JSON]:
        """Return the parameters to validate with; a single null for a policy without parameters."""
        if policy.param_kind is None or binding.params is None:
            return [None]
        return self.params.find(policy.param_kind, binding.params, request.namespace)


@dataclass(slots=True)
class _ResultBuilder:
    """The denials, warnings, and annotations so far, and the budget of the review."""

    budget: Budget
    trace: Trace | None = None
    denials: dict[str, list[FailedValidation]] = field(
        default_factory=dict[str, list[FailedValidation]]
    )
    warnings: list[str] = field(default_factory=list[str])
    audit: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    failures: list[JSON] = field(default_factory=list[JSON])

    def build(self) -> ValidationResult:
        """Build the result: one denial for each policy, with the reason of its first denial."""
        denials = [
            FailedValidation(
                f"{origin} denied request: {'; '.join(denial.message for denial in of_policy)}",
                of_policy[0].reason,
            )
            for origin, of_policy in self.denials.items()
        ]
        audit = {key: ", ".join(values) for key, values in self.audit.items()}
        if self.failures:
            audit["validation_failure"] = jsonvalue.dump(self.failures[:_MAX_FAILURES])
        return ValidationResult(denials=tuple(denials), warnings=tuple(self.warnings), audit=audit)


@dataclass(slots=True)
class _BindingEvaluation:
    """The evaluation of one policy for one binding and one request."""

    builder: _ResultBuilder
    policy: ValidatingPolicy
    binding: Binding

    def evaluate(self, activation: Activation) -> None:
        """Evaluate validations, then annotations; failurePolicy handles an exceeded budget."""
        budget = Budget(POLICY_BUDGET, self.builder.budget)
        evaluate = partial(activation.evaluate, budget=budget)
        try:
            if not self._applies(activation):
                return
            for index, validation in enumerate(self.policy.validations):
                self._evaluate_validation(evaluate, index, validation)
            self._evaluate_annotations(evaluate)
        except CostExceededError as error:
            self.add_failure(f"validation stopped early: it {error}")
        except ReviewLimitError as error:
            self.add_denial(FailedValidation(f"validation stopped early: it {error}"))

    def add_denial(
        self, denial: FailedValidation, index: int = 0, actions: _Actions | None = None
    ) -> None:
        """Add a failed validation to the output of each action, by default of the binding."""
        binding, builder = self.binding, self.builder
        suffix = f" with binding '{binding.name}'" if binding.name else ""
        origin = f"ValidatingAdmissionPolicy '{self.policy.name}'{suffix}"
        chosen = sorted(binding.actions if actions is None else actions)
        is_denied = ValidationAction.DENY in chosen
        self.record(f"{', '.join(chosen)}: {denial.message}", "denies" if is_denied else "passes")
        for action in chosen:
            match action:
                case ValidationAction.DENY:
                    builder.denials.setdefault(origin, []).append(denial)
                case ValidationAction.WARN:
                    builder.warnings.append(f"Validation failed for {origin}: {denial.message}")
                case ValidationAction.AUDIT:
                    builder.failures.append(self._failure_annotation(denial, index))

    def _failure_annotation(self, denial: FailedValidation, index: int) -> JSON:
        return {
            "message": denial.message,
            "policy": self.policy.name,
            "binding": self.binding.name,
            "expressionIndex": index,
            "validationActions": [str(action) for action in sorted(self.binding.actions)],
        }

    def add_failure(self, message: str, index: int = 0, actions: _Actions | None = None) -> None:
        """Add a failed evaluation, as a failed validation unless failurePolicy is Ignore."""
        if self.policy.fails_closed:
            # An error can quote 3 MiB of the object, in each of 50 annotations.
            self.add_denial(FailedValidation(_cut(message, _MAX_MESSAGE_BYTES)), index, actions)
        else:
            self.record(f"is ignored, as failurePolicy sets: {message}")

    def record_mismatch(self, mismatch: Mismatch) -> None:
        """Record that the policy or the binding does not match the request."""
        if self.builder.trace is not None:
            self.record(f"{MISMATCH}{mismatch.describe()}")

    def record(self, observed: str, effect: Effect = "passes") -> None:
        """Record a step of the trace."""
        if self.builder.trace is not None:
            suffix = f", binding {self.binding.name}" if self.binding.name else ""
            self.builder.trace.add(f"{RULE}{self.policy.name}{suffix}", observed, effect)

    def _applies(self, activation: Activation) -> bool:
        try:
            false_condition = self._find_false_condition(activation)
        except ConditionError as error:
            self.add_failure(error.original)
            return False
        if false_condition is not None:
            self.record(f"{MISMATCH}matchConditions: {false_condition.name} is false")
            return False
        self.record(f"matches; validations: {len(self.policy.validations)}")
        return True

    def _find_false_condition(self, activation: Activation) -> Condition | None:
        if not self.policy.conditions:
            return None
        # kube-apiserver gives match conditions no Namespace.
        values = Activation({**activation, "namespaceObject": None}, (), activation.go)
        budget = Budget(CONDITIONS_BUDGET, self.builder.budget)
        return find_false(self.policy.conditions, partial(values.evaluate, budget=budget))

    def _evaluate_validation(self, evaluate: _Evaluate, index: int, validation: Validation) -> None:
        text = validation.program.text.strip()
        try:
            is_valid = evaluate(validation.program)
        except EvaluationError as error:
            self.add_failure(f"expression '{text}' resulted in error: {error}", index)
            return
        if not is_valid:
            program = validation.message_program
            message = _evaluate_message(program, evaluate) if program else ""
            message = message or validation.message or f"failed expression: {text}"
            self.add_denial(FailedValidation(message, validation.reason), index)

    def _evaluate_annotations(self, evaluate: _Evaluate) -> None:
        for annotation in self.policy.audit:
            try:
                value = evaluate(annotation.program)
            except EvaluationError as error:
                text = annotation.program.text.strip()
                message = f"expression '{text}' resulted in error: {error}"
                self.add_failure(message, actions=_DENY)
                continue
            value_text = value.strip() if isinstance(value, str) else ""
            truncated = _cut(value_text, _MAX_AUDIT_BYTES)
            if truncated:
                values = self.builder.audit.setdefault(f"{self.policy.name}.{annotation.key}", {})
                values[truncated] = None


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


_Evaluate: TypeAlias = Callable[[Program], Value]


def _evaluate_message(program: Program, evaluate: _Evaluate) -> str:
    """Return the line of messageExpression; empty if it fails or is no short line."""
    try:
        value = evaluate(program)
    except EvaluationError:
        return ""
    message = value.strip() if isinstance(value, str) else ""
    return "" if "\n" in message or len(message.encode()) > _MAX_MESSAGE_BYTES else message
