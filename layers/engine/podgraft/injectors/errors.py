"""Whose fault a failed injection is: the pod author's or the operator's."""

from __future__ import annotations

from podgraft.diagnostics import Diagnostic
from podgraft.texttemplate import ExecError

_EXPLAINED = "; podgraft explain says why"
# What a denial may show a value of, since whoever is denied wrote it for us to read.
_UNREDACTED_PREFIXES = ("annotation ", "label ")


class InjectionError(Exception):
    """Base of the two faults below; never raised itself."""


class UserError(InjectionError):
    """The pod cannot be injected as it is written; the message says what to change in it."""


class OperatorError(InjectionError):
    """Configuration, template or values fail for this pod; the pod's author can do nothing."""


def redact(error: Exception) -> str:
    """The error's text as it may leave this process: without values of the pod.

    A template's reason may quote one, and messages of webhooks end in events, and in the log of
    kube-apiserver: then the place and the expression are told without it.
    """
    text, cause = str(error), error.__cause__
    if (
        isinstance(cause, ExecError)
        and cause.may_quote_data
        and not text.startswith(_UNREDACTED_PREFIXES)
    ):
        return text.removesuffix(f": {cause.reason}") + _EXPLAINED
    return text


class InvalidDocumentsError(OperatorError):
    """The injector's documents do not compile; every fault found in them is here.

    ``warnings`` are what was found beside, and alone would have been tolerated.
    """

    def __init__(
        self, faults: tuple[Diagnostic, ...], warnings: tuple[Diagnostic, ...] = ()
    ) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.errors = faults
        self.warnings = warnings
