"""The error for an invalid policy document, with all diagnostics."""

from collections.abc import Sequence

from podgraft.base.diagnostics import Diagnostic

from .document import Policy


class PolicyError(Exception):
    """The document is invalid; the current policy stays active.

    ``warnings`` alone do not stop a review. ``valid_part`` is the policy without the invalid keys,
    with which a bundle can be checked.
    """

    def __init__(
        self,
        faults: Sequence[Diagnostic],
        warnings: Sequence[Diagnostic] = (),
        valid_part: Policy | None = None,
    ) -> None:
        super().__init__("policy: " + ". ".join(map(str, faults)))
        self.errors = tuple(faults)
        self.warnings = tuple(warnings)
        self.valid_part = valid_part
