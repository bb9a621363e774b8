"""The fields of a Kubernetes type that keys of raw JSON set, as encoding/json finds them."""

from podgraft.golang import strings
from podgraft.golang.reflect import Field, GoType
from podgraft.golang.reflect.fields import fields_by_any_key


def find_field(struct: GoType, key: str) -> Field | None:
    """The field that a key of raw JSON sets, in any case; a directive sets none."""
    fields = fields_by_any_key(struct)
    return fields.get(key) or (None if key.startswith("$") else fields.get(strings.fold_name(key)))
