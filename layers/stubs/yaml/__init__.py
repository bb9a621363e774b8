"""Stands for PyYAML: what its binding of libyaml looks for; the parser in Python is left out."""

from . import (
    composer,
    constructor,
    emitter,
    error,
    events,
    nodes,
    parser,
    reader,
    representer,
    scanner,
    serializer,
    tokens,
)

__all__ = [
    "composer",
    "constructor",
    "emitter",
    "error",
    "events",
    "nodes",
    "parser",
    "reader",
    "representer",
    "scanner",
    "serializer",
    "tokens",
]
