"""Stands for typing_extensions: what is asked of it here is in Python 3.11's own ``typing``."""

import typing


def __getattr__(name: str) -> object:
    return getattr(typing, name)
