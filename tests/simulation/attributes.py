"""Attributes of the program that have another value during a run."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def replace_attributes(replaced: Sequence[tuple[Any, str, Any]]) -> Generator[None]:
    """Set attributes, by owner, name, and value, and restore them."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    try:
        for owner, name, value in replaced:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
