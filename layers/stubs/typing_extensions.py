"""Stub of typing_extensions: Python 3.11 has the required names in ``typing``."""

import typing


def __getattr__(name: str) -> object:
    return getattr(typing, name)
