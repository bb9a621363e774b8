"""The size limits of the results of one function call.

The engine limits the output of a rendering. These limits prevent a single call (``repeat``,
``until``, or ``replace``) from using all memory before anything is printed.
"""

from podgraft.golang.texttemplate.errors import LimitExceededError
from podgraft.golang.texttemplate.limits import Limits

MAX_TEXT_BYTES = Limits().output_bytes  # a longer text could not be printed
MAX_ELEMENTS = Limits().steps  # a range over a longer list could not end


def check_text_size(size: int) -> None:
    """Raise ``LimitExceededError`` for a text longer than ``MAX_TEXT_BYTES``."""
    if size > MAX_TEXT_BYTES:
        raise LimitExceededError(
            f"a text of {size} bytes is longer than the limit, {MAX_TEXT_BYTES}"
        )


def check_element_count(count: int) -> None:
    """Raise ``LimitExceededError`` for a list longer than ``MAX_ELEMENTS``."""
    if count > MAX_ELEMENTS:
        raise LimitExceededError(
            f"a list of {count} elements is longer than the limit, {MAX_ELEMENTS}"
        )
