"""The fields of a struct by their key in JSON, with those of embedded structs (encoding/json)."""

from collections.abc import Mapping
from functools import cache

from podgraft.golang import strings

from .types import Field, GoType, Kind


@cache
def fields_by_key(struct: GoType) -> Mapping[str, Field]:
    """Return the fields by JSON name; the fields of the struct precede those of embedded ones."""
    fields = {field.json: field for field in struct.fields if not field.inline}
    for field in struct.fields:
        if field.inline:
            type_ = field.type
            embedded = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
            fields = {**fields_by_key(embedded), **fields}
    return fields


@cache
def fields_by_any_key(struct: GoType) -> Mapping[str, Field]:
    """``fields_by_key``, and by the folded name, which any case of letters has."""
    fields = fields_by_key(struct)
    return {strings.fold_name(name): field for name, field in fields.items()} | {**fields}
