"""Errors of an injection: those of the pod author, and those of the operator."""

from podgraft.base.diagnostics import Diagnostic
from podgraft.golang.texttemplate import ExecError

_EXPLAINED = "; to see the cause, run podgraft explain"
# A denial can quote values of these: the pod author wrote them for podgraft to read.
_UNREDACTED_PREFIXES = ("annotation ", "label ")


class InjectionError(Exception):
    """Base class of the errors of an injection; never raised itself."""


class UserError(InjectionError):
    """The pod cannot be injected; the message states what the pod author can change."""


class OperatorError(InjectionError):
    """Configuration, template, or values fail for this pod; only the operator can fix them."""


class UndecodableError(OperatorError):
    """kube-apiserver cannot decode the object after the mutation."""


class PolicyDenialError(InjectionError):
    """A mutating policy denies the request, with the status code of kube-apiserver."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class PrivilegeError(OperatorError):
    """A mutation adds privileges that the policy does not list; ``redacted`` has no values."""

    def __init__(self, text: str, redacted: str) -> None:
        super().__init__(text)
        self.redacted = redacted


def redact(error: Exception) -> str:
    """Return the text of an error without values of the pod.

    The error of a template can quote a value, and Kubernetes copies webhook messages to events and
    to the log of kube-apiserver. Such a text has the location and the expression only.
    """
    if isinstance(error, PrivilegeError):
        return error.redacted
    text, cause = str(error), error.__cause__
    if (
        isinstance(cause, ExecError)
        and cause.may_quote_data
        and not text.startswith(_UNREDACTED_PREFIXES)
    ):
        return text.removesuffix(f": {cause.reason}") + _EXPLAINED
    return text


class InvalidDocumentsError(OperatorError):
    """The documents of the injector do not compile; ``errors`` has all of their errors.

    ``warnings`` are diagnostics that alone would not prevent loading.
    """

    def __init__(
        self, errors: tuple[Diagnostic, ...], warnings: tuple[Diagnostic, ...] = ()
    ) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = errors
        self.warnings = warnings
