"""Stub of PyYAML: the names that the libyaml binding needs, without the Python parser."""

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
