"""Merge keys that Go prints and raw JSON can lack: the name of a variable without one is ``""``."""

from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType, Kind
from podgraft.kube.patch.strategic.schema import find_field

_ZEROS: dict[Kind, JSON] = {Kind.STRING: "", Kind.INT32: 0}


def fill_merge_keys(type_: GoType, value: JSON) -> JSON:
    """Return the value of a Kubernetes type with all merge keys that Go would print for it.

    Go omits a merge key with ``omitempty``, such as the name of a pull secret: this stays missing.
    """
    target = type_.elem if type_.kind is Kind.POINTER and type_.elem else type_
    if isinstance(value, dict) and target.kind is Kind.STRUCT:
        return {key: _fill_member(target, key, member) for key, member in value.items()}
    if isinstance(value, list) and target.elem is not None:
        element_type = target.elem
        return [fill_merge_keys(element_type, element) for element in value]
    return value


def _fill_member(struct: GoType, key: str, member: JSON) -> JSON:
    field = find_field(struct, key)
    if field is None:
        return member
    filled = fill_merge_keys(field.type, member)
    if not field.merge_key or not isinstance(filled, list) or field.type.elem is None:
        return filled
    key_field = find_field(field.type.elem, field.merge_key)
    if key_field is None or key_field.omitempty or key_field.type.kind not in _ZEROS:
        return filled
    zero: Object = {key_field.json: _ZEROS[key_field.type.kind]}
    return [zero | element if isinstance(element, dict) else element for element in filled]
