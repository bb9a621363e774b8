"""What Parameter Store accepts as a value.

A write fails for any other value, and a push would have uploaded the bundle before. So the checks
of a policy, and every write of a command, use this module.
"""

import re
from collections.abc import Iterator

from podgraft.base.diagnostics import Diagnostic

# The limits on a value, in bytes, by tier.
STANDARD_BYTES = 4096
ADVANCED_BYTES = 8192

# Parameter Store reads them as a reference to another parameter, also in a comment.
_REFERENCE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def find_references(name: str, text: str) -> Iterator[Diagnostic]:
    """Return a problem for each ``{{…}}``, with its line."""
    for reference in _REFERENCE.finditer(text):
        line = text.count("\n", 0, reference.start()) + 1
        yield Diagnostic(
            f"line {line}: contains {{{{…}}}}, which Parameter Store rejects in a value",
            "remove one brace of each pair",
            document=name,
        )
