"""Validation of a request: policies × bindings × parameters, in kube-apiserver's order.

Source: apiserver 0.37, pkg/admission/plugin/policy/validating (dispatcher.go, validator.go).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.trace import Effect, Trace
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.cel import (
    EXPRESSION_BUDGET,
    NEWEST,
    POLICY_BUDGET,
    CostExceededError,
    EvaluationError,
    Meter,
    Program,
    Value,
)
from podgraft.kube.matching.conditions import (
    Condition,
    ConditionError,
    condition_variables,
    find_false,
)
from podgraft.kube.matching.constraints import Mismatch
from podgraft.kube.matching.go_values import GoValues
from podgraft.kube.matching.index import ConstraintIndex
from podgraft.kube.matching.params import ParamError, ParamIndex
from podgraft.kube.structured import release_schema

from .bindings import Binding, ValidationAction
from .policies import ValidatingPolicy, Validation
from .result import FailedValidation, ValidationResult
from .variables import Activation

# apiserver/pkg/apis/cel: MaxEvaluatedMessageExpressionSizeBytes; dispatcher.go: the other two.
_MAX_MESSAGE_BYTES = 5 * 1024
_MAX_AUDIT_BYTES = 10 * 1024
_MAX_FAILURES = 50

# The steps of the trace, and how they start for a policy that is not evaluated.
RULE = "rule "  # the name of the step
MISMATCH = "does not match: "
NO_PARAMETERS = "is not evaluated: "


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """All policies of a bundle, with their bindings by the name of the policy.

    ``budget`` is Kubernetes' budget for one policy and binding. Here, it is the budget of a
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
        """Validate a request; ``trace`` records a step for each policy."""
        if trace is not None:
            return self._validate_traced(request, trace)
        builder = _ResultBuilder(self.budget)
        for number in self._index.find(request, self.namespaces):
            policy = self.policies[number]
            if policy.constraints.matches(request, self.namespaces):
                bindings = self._bindings(policy)
                index = self._binding_indexes[policy.name]
                for position in index.find(request, self.namespaces):
                    self._apply_binding(policy, bindings[position], request, builder)
        return builder.build()

    def _validate_traced(self, request: AdmissionRequest, trace: Trace) -> ValidationResult:
        """The same; the trace gets a step for each policy and binding of the bundle."""
        builder = _ResultBuilder(self.budget, trace)
        for policy in self.policies:
            mismatch = policy.constraints.mismatch(request, self.namespaces)
            if mismatch is None:
                for binding in self._bindings(policy):
                    self._apply_binding(policy, binding, request, builder)
            else:
                builder.record_mismatch(policy, None, mismatch)
        return builder.build()

    def _bindings(self, policy: ValidatingPolicy) -> Sequence[Binding]:
        return self.bindings.get(policy.name) or [Binding(policy=policy.name)]

    def _apply_binding(
        self,
        policy: ValidatingPolicy,
        binding: Binding,
        request: AdmissionRequest,
        builder: _ResultBuilder,
    ) -> None:
        scope = binding.constraints
        mismatch = None if scope is None else scope.mismatch(request, self.namespaces)
        if mismatch is not None:
            builder.record_mismatch(policy, binding, mismatch)
            return
        try:
            params = self._params(policy, binding, request)
        except ParamError as error:
            builder.add_failure(policy, binding, f"failed to configure binding: {error}")
            return
        if not params:
            builder.record_missing_params(policy, binding)
        if not params and binding.params is not None and binding.params.is_required:
            denial = FailedValidation(
                "no params found for policy binding with `Deny` parameterNotFoundAction"
            )
            builder.add_denial(policy, binding, denial)
        for param in params:
            variables = condition_variables(request, self.namespaces, param)
            go_values = GoValues(variables, True, partial(release_schema, self.release))
            activation = Activation(variables, policy.variables, go_values)
            _PolicyEvaluation(policy, binding, activation, builder).evaluate()

    def _params(
        self, policy: ValidatingPolicy, binding: Binding, request: AdmissionRequest
    ) -> Sequence[JSON]:
        """Return the parameters to validate with; a single null for a policy without parameters."""
        if policy.param_kind is None or binding.params is None:
            return [None]
        return self.params.find(policy.param_kind, binding.params, request.namespace)


@dataclass(slots=True)
class _ResultBuilder:
    """The denials, warnings, and annotations so far, and the remaining budget of the review."""

    remaining: int
    trace: Trace | None = None
    denials: dict[str, list[FailedValidation]] = field(
        default_factory=dict[str, list[FailedValidation]]
    )
    warnings: list[str] = field(default_factory=list[str])
    audit: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    failures: list[JSON] = field(default_factory=list[JSON])

    def add_denial(
        self, policy: ValidatingPolicy, binding: Binding, denial: FailedValidation, index: int = 0
    ) -> None:
        """Add a failed validation to the output of each action of the binding."""
        suffix = f" with binding '{binding.name}'" if binding.name else ""
        origin = f"ValidatingAdmissionPolicy '{policy.name}'{suffix}"
        if self.trace is not None:
            self.trace.add(_rule_name(policy, binding), *_describe_denial(binding, denial))
        for action in sorted(binding.actions):
            match action:
                case ValidationAction.DENY:
                    self.denials.setdefault(origin, []).append(denial)
                case ValidationAction.WARN:
                    self.warnings.append(f"Validation failed for {origin}: {denial.message}")
                case ValidationAction.AUDIT:
                    self.failures.append(_failure_annotation(policy, binding, denial, index))

    def add_failure(
        self, policy: ValidatingPolicy, binding: Binding, message: str, index: int = 0
    ) -> None:
        """Add a failed evaluation; it denies the request unless failurePolicy is Ignore."""
        if policy.fails_closed:
            self.add_denial(policy, binding, FailedValidation(message), index)
        elif self.trace is not None:
            observed = f"is ignored, as failurePolicy sets: {message}"
            self.trace.add(_rule_name(policy, binding), observed)

    def record_mismatch(
        self, policy: ValidatingPolicy, binding: Binding | None, mismatch: Mismatch
    ) -> None:
        """Record a policy or binding that does not match the request."""
        if self.trace is not None:
            observed = f"{MISMATCH}{mismatch.describe()}"
            self.trace.add(_rule_name(policy, binding), observed)

    def record_missing_params(self, policy: ValidatingPolicy, binding: Binding) -> None:
        """Record a binding without parameters; its validations are not evaluated."""
        if self.trace is not None and binding.params is not None and not binding.params.is_required:
            self.trace.add(_rule_name(policy, binding), f"{NO_PARAMETERS}no parameters found")

    def record_evaluation(
        self, policy: ValidatingPolicy, binding: Binding, false_condition: Condition | None
    ) -> None:
        """Record an evaluation, or the match condition that excludes the request."""
        if self.trace is not None and false_condition is not None:
            observed = f"{MISMATCH}matchConditions: {false_condition.name} is false"
            self.trace.add(_rule_name(policy, binding), observed)
        elif self.trace is not None:
            count = len(policy.validations)
            self.trace.add(_rule_name(policy, binding), f"matches; validations: {count}")

    def add_annotation(self, policy: ValidatingPolicy, key: str, value: str) -> None:
        """Add an audit annotation, without duplicates."""
        values = self.audit.setdefault(f"{policy.name}.{key}", [])
        if value not in values:
            values.append(value)

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


def _rule_name(policy: ValidatingPolicy, binding: Binding | None) -> str:
    suffix = f", binding {binding.name}" if binding is not None and binding.name else ""
    return f"{RULE}{policy.name}{suffix}"


def _describe_denial(binding: Binding, denial: FailedValidation) -> tuple[str, Effect]:
    """Describe a denial by the actions of its binding, with the effect on the request."""
    actions = ", ".join(sorted(binding.actions))
    is_denied = ValidationAction.DENY in binding.actions
    return f"{actions}: {denial.message}", "denies" if is_denied else "passes"


def _failure_annotation(
    policy: ValidatingPolicy, binding: Binding, denial: FailedValidation, index: int
) -> JSON:
    return {
        "message": denial.message,
        "policy": policy.name,
        "binding": binding.name,
        "expressionIndex": index,
        "validationActions": [str(action) for action in sorted(binding.actions)],
    }


@dataclass(slots=True)
class _PolicyEvaluation:
    """The evaluation of one policy for one binding, one set of parameters, and one request."""

    policy: ValidatingPolicy
    binding: Binding
    activation: Activation
    record: _ResultBuilder

    def evaluate(self) -> None:
        """Evaluate validations, then annotations; failurePolicy handles an exceeded budget."""
        try:
            if not self._applies():
                return
            for index, validation in enumerate(self.policy.validations):
                self._evaluate_validation(index, validation)
            self._evaluate_annotations()
        except CostExceededError as error:
            self.record.add_failure(
                self.policy, self.binding, f"validation stopped early: it {error}"
            )

    def _applies(self) -> bool:
        try:
            false_condition = find_false(self.policy.conditions, self._evaluate_within_budget)
        except ConditionError as error:
            self.record.add_failure(self.policy, self.binding, str(error))
            return False
        self.record.record_evaluation(self.policy, self.binding, false_condition)
        return false_condition is None

    def _evaluate_validation(self, index: int, validation: Validation) -> None:
        try:
            is_valid = self._evaluate_within_budget(validation.program)
        except EvaluationError as error:
            text = validation.program.text.strip()
            self.record.add_failure(
                self.policy, self.binding, f"expression '{text}' resulted in error: {error}", index
            )
            return
        if not is_valid:
            denial = FailedValidation(self._denial_message(validation), validation.reason)
            self.record.add_denial(self.policy, self.binding, denial, index)

    def _denial_message(self, validation: Validation) -> str:
        """Return the line of messageExpression, or ``message``, or the failed expression."""
        message = (
            self._evaluate_message(validation.message_program) if validation.message_program else ""
        )
        return (
            message or validation.message or f"failed expression: {validation.program.text.strip()}"
        )

    def _evaluate_message(self, program: Program) -> str:
        try:
            value = self._evaluate_within_budget(program)
        except EvaluationError:
            return ""
        message = value.strip() if isinstance(value, str) else ""
        return "" if "\n" in message or len(message.encode()) > _MAX_MESSAGE_BYTES else message

    def _evaluate_annotations(self) -> None:
        for annotation in self.policy.audit:
            try:
                value = self._evaluate_within_budget(annotation.program)
            except EvaluationError as error:
                text = annotation.program.text.strip()
                self.record.add_failure(
                    self.policy, self.binding, f"expression '{text}' resulted in error: {error}"
                )
                continue
            value_text = value.strip() if isinstance(value, str) else ""
            if value_text:
                truncated = value_text.encode()[:_MAX_AUDIT_BYTES].decode(errors="ignore")
                self.record.add_annotation(self.policy, annotation.key, truncated)

    def _evaluate_within_budget(self, program: Program) -> Value:
        """Evaluate within the remaining budget of the review and the budget of an expression."""
        meter = Meter(min(EXPRESSION_BUDGET, self.record.remaining))
        try:
            return self.activation.evaluate(program, meter)
        finally:
            self.record.remaining -= meter.spent
