"""The fields of a Kubernetes type that keys of raw JSON set, as encoding/json finds them."""

from collections.abc import Mapping
from typing import TypeVar

from podgraft.golang import strings
from podgraft.golang.reflect import Field, GoType
from podgraft.golang.reflect.fields import fields_by_any_key

T = TypeVar("T")


def find_field(struct: GoType, key: str) -> Field | None:
    """The field that a key of raw JSON sets, as ``decode_overlay`` finds it."""
    return find_by_name(fields_by_any_key(struct), key)


def find_by_name(members: Mapping[str, T], key: str) -> T | None:
    """The member of an exact name, or of a name that ignores case; directives have no member."""
    return members.get(key) or (
        None if key.startswith("$") else members.get(strings.fold_name(key))
    )
