"""The error of a bundle, with all of its diagnostics."""

from collections.abc import Sequence

from podgraft.base.diagnostics import Diagnostic


class BundleError(Exception):
    """The bundle does not compile; the active version is not replaced.

    ``warnings`` are diagnostics that alone would not prevent loading.
    """

    def __init__(self, errors: Sequence[Diagnostic], warnings: Sequence[Diagnostic] = ()) -> None:
        super().__init__("bundle: " + ". ".join(map(str, errors)))
        self.errors = tuple(errors)
        self.warnings = tuple(warnings)
