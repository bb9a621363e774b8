"""How large a value one function call may make.

A rendering's output is bounded by the engine; these bounds keep a single call (``repeat``,
``until``, ``replace`` of many by long) from filling the memory before anything is printed.
"""

from podgraft.texttemplate.errors import LimitExceededError
from podgraft.texttemplate.limits import Limits

MAX_TEXT_BYTES = Limits().output_bytes  # no longer text could be printed
MAX_ELEMENTS = Limits().steps  # no longer list could be ranged over


def check_text_size(size: int) -> None:
    """Raise ``ExcessError`` for a text longer than ``MAX_TEXT_BYTES``."""
    if size > MAX_TEXT_BYTES:
        raise LimitExceededError(
            f"a text of {size} bytes is longer than the limit, {MAX_TEXT_BYTES}"
        )


def check_element_count(count: int) -> None:
    """Raise ``ExcessError`` for a list longer than ``MAX_ELEMENTS``."""
    if count > MAX_ELEMENTS:
        raise LimitExceededError(
            f"a list of {count} elements is longer than the limit, {MAX_ELEMENTS}"
        )
