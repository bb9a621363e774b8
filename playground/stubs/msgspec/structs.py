"""Replacement for msgspec.structs."""

from typing import Any


def replace(struct: Any, **changes: Any) -> Any:
    """Return a copy with changed fields."""
    members = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return type(struct)(**(members | changes))
