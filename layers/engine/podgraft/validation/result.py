"""What rules say about a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

# metav1.StatusReason of a validation, and the code that goes with it
# (apiserver/pkg/admission/plugin/policy/validating/policy_decision.go, reasonToCode).
REASONS: Mapping[str, HTTPStatus] = {
    "Invalid": HTTPStatus.UNPROCESSABLE_ENTITY,
    "Forbidden": HTTPStatus.FORBIDDEN,
    "Unauthorized": HTTPStatus.UNAUTHORIZED,
    "RequestEntityTooLarge": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}


@dataclass(frozen=True, slots=True)
class Denial:
    """One rule that is broken: the words for the user, and Kubernetes' reason."""

    message: str
    reason: str = "Invalid"

    @property
    def code(self) -> HTTPStatus:
        """The HTTP status that goes with the reason."""
        return REASONS[self.reason]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationResult:
    """What the rules say about a request; without denials it passes."""

    denials: tuple[Denial, ...] = ()
    warnings: tuple[str, ...] = ()
    audit: Mapping[str, str] = field(default_factory=dict[str, str])
