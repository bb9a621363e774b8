"""The method String of Kubernetes' structs, as gogo/protobuf generates it (generated.pb.go).

``{{ .Spec.SecurityContext }}`` prints ``&PodSecurityContext{SELinuxOptions:nil,RunAsUser:*5,…}``.
"""

from podgraft.golang.fmt.sprintf import format_default
from podgraft.golang.fmtsort import sort_items
from podgraft.golang.reflect import Field, GoType, Kind, Pointer, Struct, Value

# The types of package meta/v1. Types of package core/v1 print them with their package.
_META = frozenset(
    ("FieldsV1", "LabelSelector", "LabelSelectorRequirement", "ManagedFieldsEntry", "ObjectMeta")
) | {"OwnerReference", "Time", "TypeMeta"}


def print_struct(struct: Struct | None) -> str:
    """Return ``&Name{Field:value,…}``, or ``nil`` for a nil pointer."""
    if struct is None:
        return "nil"
    name = _bare_name(struct.type)
    fields = sorted(struct.type.fields, key=lambda field: field.print_order)
    members = (f"{field.name}:{_print_field(struct, field)}," for field in fields)
    return f"&{name}{{{''.join(members)}}}"


def _print_field(struct: Struct, field: Field) -> str:
    value, type_ = struct.get(field), field.type
    match type_.kind:
        case Kind.POINTER if type_.elem and type_.elem.kind is Kind.STRUCT:
            return _qualify(struct.type, type_.elem, _print_message(struct.type, value))
        case Kind.POINTER:
            return f"*{format_default(value.target)}" if value else "nil"
        case Kind.STRUCT:
            return _print_value(struct.type, value)
        case Kind.SLICE if type_.elem and type_.elem.kind is Kind.STRUCT:
            elements = (f"{_print_value(struct.type, element)}," for element in value)
            return f"[]{_qualified_name(struct.type, type_.elem)}{{{''.join(elements)}}}"
        case Kind.MAP:
            name = type_.name if type_.literal else _bare_name(type_)
            entries = (
                f"{format_default(key)}: {format_default(each)}," for key, each in sort_items(value)
            )
            return f"{name}{{{''.join(entries)}}}"
        case _:
            return format_default(value)


def _print_message(outer: GoType, pointer: Pointer) -> str:
    """A pointer to a struct: its String, and for a type of another package the format of %v."""
    target = pointer.type.elem
    if target is not None and not _has_generated_string(outer, target):
        return format_default(pointer)
    return print_struct(pointer.target)


def _print_value(outer: GoType, struct: Value) -> str:
    """A struct that is no pointer, without the ampersand of its String."""
    if not _has_generated_string(outer, struct.type):
        return _qualify(outer, struct.type, format_default(struct)).replace("&", "", 1)
    return print_struct(struct).replace("&", "", 1)


def _has_generated_string(outer: GoType, inner: GoType) -> bool:
    """Whether the struct calls String of the inner one; it prints all others with %v."""
    return not _is_external(outer, inner) and _bare_name(inner) not in ("FieldsV1", "Time")


def _qualify(outer: GoType, inner: GoType, text: str) -> str:
    return text.replace(_bare_name(inner), _qualified_name(outer, inner), 1)


def _qualified_name(outer: GoType, inner: GoType) -> str:
    return inner.name if _is_external(outer, inner) else _bare_name(inner)


def _is_external(outer: GoType, inner: GoType) -> bool:
    """Whether a type is of another package than the struct that contains it."""
    if not inner.name.startswith("v1."):
        return True
    return (_bare_name(outer) in _META) != (_bare_name(inner) in _META)


def _bare_name(type_: GoType) -> str:
    return type_.name.rpartition(".")[2]
