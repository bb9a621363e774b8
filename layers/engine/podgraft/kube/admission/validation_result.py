"""The result of validating a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

# metav1.StatusReason of a validation, and its HTTP status code
# (apiserver/pkg/admission/plugin/policy/validating/policy_decision.go, reasonToCode).
REASONS: Mapping[str, HTTPStatus] = {
    "Invalid": HTTPStatus.UNPROCESSABLE_ENTITY,
    "Forbidden": HTTPStatus.FORBIDDEN,
    "Unauthorized": HTTPStatus.UNAUTHORIZED,
    "RequestEntityTooLarge": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}


@dataclass(frozen=True, slots=True)
class FailedValidation:
    """One failed validation: the message for the user, and Kubernetes' reason."""

    message: str
    reason: str = "Invalid"

    @property
    def code(self) -> HTTPStatus:
        """The HTTP status code of the reason."""
        return REASONS[self.reason]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationResult:
    """The result for a request, which is allowed if there are no denials."""

    denials: tuple[FailedValidation, ...] = ()
    warnings: tuple[str, ...] = ()
    audit: Mapping[str, str] = field(default_factory=dict[str, str])
