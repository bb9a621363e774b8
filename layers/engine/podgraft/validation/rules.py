"""Judging a request: policies × bindings × parameters, as kube-apiserver goes through them.

Source: apiserver 0.37, pkg/admission/plugin/policy/validating (dispatcher.go, validator.go).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podgraft import jsonvalue
from podgraft.admission import AdmissionRequest
from podgraft.cel import (
    EXPRESSION_BUDGET,
    POLICY_BUDGET,
    CostExceededError,
    EvaluationError,
    Meter,
    Program,
    Value,
)
from podgraft.jsonvalue import JSON, Object
from podgraft.matching.conditions import Condition, ConditionError, condition_variables, find_false

from .bindings import Binding, ConfigMapIndex, ValidationAction
from .policies import ValidatingPolicy, Validation
from .result import Denial, ValidationResult
from .variables import Activation

if TYPE_CHECKING:
    from podgraft.matching.constraints import Mismatch
    from podgraft.trace import Effect, Trace

# apiserver/pkg/apis/cel: MaxEvaluatedMessageExpressionSizeBytes; dispatcher.go: the other two.
_MAX_MESSAGE_BYTES = 5 * 1024
_MAX_AUDIT_BYTES = 10 * 1024
_MAX_FAILURES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """All policies of a bundle, with their bindings by the policy's name.

    ``budget`` is Kubernetes' for one policy and binding, here for a whole review: Python takes
    about four times as long for a unit of cost.
    """

    policies: tuple[ValidatingPolicy, ...]
    bindings: Mapping[str, Sequence[Binding]] = field(default_factory=dict[str, Sequence[Binding]])
    config_maps: ConfigMapIndex = field(default_factory=lambda: ConfigMapIndex.build(()))
    namespaces: Mapping[str, Object] = field(default_factory=dict[str, Object])
    budget: int = POLICY_BUDGET

    def validate(self, request: AdmissionRequest, trace: Trace | None = None) -> ValidationResult:
        """What the rules say about one request; ``trace`` records a step for each policy."""
        record = _ResultBuilder(self.budget, trace)
        for policy in self.policies:
            mismatch = policy.constraints.mismatch(request, self.namespaces)
            if mismatch is None:
                for binding in self._bindings(policy):
                    self._apply_binding(policy, binding, request, record)
            else:
                record.mismatched(policy, None, mismatch)
        return record.build()

    def _bindings(self, policy: ValidatingPolicy) -> Sequence[Binding]:
        return self.bindings.get(policy.name) or [Binding(policy=policy.name)]

    def _apply_binding(
        self,
        policy: ValidatingPolicy,
        binding: Binding,
        request: AdmissionRequest,
        record: _ResultBuilder,
    ) -> None:
        where = binding.constraints
        mismatch = None if where is None else where.mismatch(request, self.namespaces)
        if mismatch is not None:
            record.mismatched(policy, binding, mismatch)
            return
        params = self._params(policy, binding, request)
        if not params:
            record.without_params(policy, binding)
        if not params and binding.params is not None and binding.params.required:
            refused = Denial(
                "no params found for policy binding with `Deny` parameterNotFoundAction"
            )
            record.add_denial(policy, binding, refused)
        for each in params:
            activation = Activation(
                condition_variables(request, self.namespaces, each), policy.variables
            )
            _PolicyEvaluation(policy, binding, activation, record).evaluate()

    def _params(
        self, policy: ValidatingPolicy, binding: Binding, request: AdmissionRequest
    ) -> Sequence[JSON]:
        """The parameters to judge with, one after the other; one null where none are wanted."""
        if not policy.wants_params or binding.params is None:
            return [None]
        return binding.params.find(self.config_maps, request.namespace)


@dataclass(slots=True)
class _ResultBuilder:
    """What has come up so far, and what is left of the review's budget."""

    remaining: int
    trace: Trace | None = None
    denials: dict[str, list[Denial]] = field(default_factory=dict[str, list[Denial]])
    warnings: list[str] = field(default_factory=list[str])
    audit: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    failures: list[JSON] = field(default_factory=list[JSON])

    def add_denial(
        self, policy: ValidatingPolicy, binding: Binding, denial: Denial, index: int = 0
    ) -> None:
        """A rule is broken: each action of the binding tells so in its own place."""
        bound = f" with binding '{binding.name}'" if binding.name else ""
        who = f"ValidatingAdmissionPolicy '{policy.name}'{bound}"
        if self.trace is not None:
            self.trace.add(_rule(policy, binding), *_observe(binding, denial))
        for action in sorted(binding.actions):
            match action:
                case ValidationAction.DENY:
                    self.denials.setdefault(who, []).append(denial)
                case ValidationAction.WARN:
                    self.warnings.append(f"Validation failed for {who}: {denial.message}")
                case ValidationAction.AUDIT:
                    self.failures.append(_failure_annotation(policy, binding, denial, index))

    def mismatched(
        self, policy: ValidatingPolicy, binding: Binding | None, mismatch: Mismatch
    ) -> None:
        """A policy or binding is not for the request."""
        if self.trace is not None:
            observed = f"does not match: {mismatch.key}: {mismatch.observed}"
            self.trace.add(_rule(policy, binding), observed)

    def without_params(self, policy: ValidatingPolicy, binding: Binding) -> None:
        """A binding finds no parameters: the rules are not evaluated."""
        if self.trace is not None and binding.params is not None and not binding.params.required:
            self.trace.add(_rule(policy, binding), "is not evaluated: no parameters found")

    def evaluated(
        self, policy: ValidatingPolicy, binding: Binding, false: Condition | None
    ) -> None:
        """A policy is evaluated; ``false`` is the condition that keeps it from the request."""
        if self.trace is not None and false is not None:
            observed = f"does not match: matchConditions: {false.name} is false"
            self.trace.add(_rule(policy, binding), observed)
        elif self.trace is not None:
            count = len(policy.validations)
            self.trace.add(_rule(policy, binding), f"matches; validations: {count}")

    def add_annotation(self, policy: ValidatingPolicy, key: str, value: str) -> None:
        """An audit annotation; the same value is told once."""
        told = self.audit.setdefault(f"{policy.name}.{key}", [])
        if value not in told:
            told.append(value)

    def build(self) -> ValidationResult:
        """All of it; what one policy denies is one denial, with the reason of its first rule."""
        denials = [
            Denial(
                f"{who} denied request: {'; '.join(each.message for each in own)}", own[0].reason
            )
            for who, own in self.denials.items()
        ]
        audit = {key: ", ".join(told) for key, told in self.audit.items()}
        if self.failures:
            audit["validation_failure"] = jsonvalue.dump(self.failures[:_MAX_FAILURES])
        return ValidationResult(denials=tuple(denials), warnings=tuple(self.warnings), audit=audit)


def _rule(policy: ValidatingPolicy, binding: Binding | None) -> str:
    bound = f", binding {binding.name}" if binding is not None and binding.name else ""
    return f"rule {policy.name}{bound}"


def _observe(binding: Binding, denial: Denial) -> tuple[str, Effect]:
    """A broken rule in the words and by the effect of its binding's actions."""
    actions = ", ".join(sorted(binding.actions))
    is_denied = ValidationAction.DENY in binding.actions
    return f"{actions}: {denial.message}", "denies" if is_denied else "passes"


def _failure_annotation(
    policy: ValidatingPolicy, binding: Binding, denial: Denial, index: int
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
    """One policy, one binding, one set of parameters, one request."""

    policy: ValidatingPolicy
    binding: Binding
    activation: Activation
    record: _ResultBuilder

    def evaluate(self) -> None:
        """Validations, then annotations; a budget that runs out ends it by the failurePolicy."""
        try:
            if not self._applies():
                return
            for index, validation in enumerate(self.policy.validations):
                self._evaluate_validation(index, validation)
            self._evaluate_annotations()
        except CostExceededError as error:
            self._record_error(f"validation ended before its end: it {error}")

    def _applies(self) -> bool:
        try:
            false = find_false(self.policy.conditions, self._evaluate_within_budget)
        except ConditionError as error:
            self._record_error(str(error))
            return False
        self.record.evaluated(self.policy, self.binding, false)
        return false is None

    def _evaluate_validation(self, index: int, validation: Validation) -> None:
        try:
            holds = self._evaluate_within_budget(validation.program)
            if type(holds) is not bool:
                raise EvaluationError("must evaluate to bool")  # noqa: TRY301 - as one that failed
        except EvaluationError as error:
            text = validation.program.text.strip()
            self._record_error(f"expression '{text}' resulted in error: {error}", index)
            return
        if not holds:
            denial = Denial(self._denial_message(validation), validation.reason)
            self.record.add_denial(self.policy, self.binding, denial, index)

    def _denial_message(self, validation: Validation) -> str:
        """``messageExpression`` where it gives one good line, else ``message``, else the rule."""
        told = (
            self._evaluate_message(validation.message_program) if validation.message_program else ""
        )
        return told or validation.message or f"failed expression: {validation.program.text.strip()}"

    def _evaluate_message(self, program: Program) -> str:
        try:
            value = self._evaluate_within_budget(program)
        except EvaluationError:
            return ""
        told = value.strip() if isinstance(value, str) else ""
        return "" if "\n" in told or len(told.encode()) > _MAX_MESSAGE_BYTES else told

    def _evaluate_annotations(self) -> None:
        for annotation in self.policy.audit:
            try:
                value = self._evaluate_within_budget(annotation.program)
            except EvaluationError as error:
                text = annotation.program.text.strip()
                self._record_error(f"expression '{text}' resulted in error: {error}")
                continue
            told = value.strip() if isinstance(value, str) else ""
            if told:
                cut = told.encode()[:_MAX_AUDIT_BYTES].decode(errors="ignore")
                self.record.add_annotation(self.policy, annotation.key, cut)

    def _evaluate_within_budget(self, program: Program) -> Value:
        """Evaluate within what is left of the review's budget, and within the expression's own."""
        meter = Meter(min(EXPRESSION_BUDGET, self.record.remaining))
        try:
            return self.activation.evaluate(program, meter)
        finally:
            self.record.remaining -= meter.spent

    def _record_error(self, message: str, index: int = 0) -> None:
        """What cannot be evaluated refuses, unless the policy says ``failurePolicy: Ignore``."""
        if self.policy.fails_closed:
            self.record.add_denial(self.policy, self.binding, Denial(message), index)
        elif self.record.trace is not None:
            observed = f"is ignored, as failurePolicy sets: {message}"
            self.record.trace.add(_rule(self.policy, self.binding), observed)
