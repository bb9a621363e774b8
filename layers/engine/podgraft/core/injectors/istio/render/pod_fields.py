"""The fields of a Kubernetes type that keys of raw JSON set, as encoding/json finds them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from podgraft.golang import strings
from podgraft.golang.reflect import Field, GoType

T = TypeVar("T")


def find_field(struct: GoType, key: str) -> Field | None:
    """The field that a key of raw JSON sets, as ``decode_overlay`` finds it."""
    return find_by_name(fields_by_name(struct), key)


def find_by_name(members: Mapping[str, T], key: str) -> T | None:
    """The member of an exact name, or of a name that ignores case; directives have no member."""
    return members.get(key) or (
        None if key.startswith("$") else members.get(strings.fold_name(key))
    )


@cache
def fields_by_name(type_: GoType) -> Mapping[str, Field]:
    """The fields by JSON name, and by lowercase name if no JSON name matches, as encoding/json."""
    flat: dict[str, Field] = {}
    for field in type_.fields:
        flat.update(fields_by_name(field.type) if field.inline else {field.json: field})
    return {name.lower(): field for name, field in flat.items()} | flat
