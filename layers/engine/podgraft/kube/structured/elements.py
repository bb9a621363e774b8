"""The identity of list elements: the keys of an element, or its value in a set.

Source: structured-merge-diff v6, typed/helpers.go and fieldpath/element.go.
"""

from collections.abc import Hashable
from typing import NamedTuple

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON
from podgraft.golang.strconv.quote import quote

from .schema import ListType, Schema


class ElementError(Exception):
    """An element without an identity."""


class ElementKey(NamedTuple):
    """An identity, and its text in a path: ``[name="web"]`` or ``[="a"]``."""

    identity: Hashable
    text: str


def find_key(schema: Schema, type_: ListType, element: JSON) -> ElementKey:
    """The identity of an element of a set or of a list with keys; raises ``ElementError``."""
    if type_.keys:
        return _find_map_key(schema, type_, type_.keys, element)
    match element:
        case dict():
            raise ElementError("associative list without keys has an element that's a map type")
        case list():
            raise ElementError("not supported: associative list with lists as elements")
        case None:
            raise ElementError(
                "associative list without keys has an element that's an explicit null"
            )
        case _:
            return ElementKey(_identity(element), f"[={_text(element)}]")


def _find_map_key(
    schema: Schema, type_: ListType, keys: tuple[str, ...], element: JSON
) -> ElementKey:
    if element is None:
        raise ElementError("associative list with keys may not have a null element")
    if not isinstance(element, dict):
        raise ElementError("associative list with keys may not have non-map elements")
    fields: list[tuple[str, JSON]] = []
    for key in keys:
        if key in element:
            fields.append((key, element[key]))
            continue
        struct = schema.resolve(type_.element).map
        field = struct.fields.get(key) if struct is not None else None
        if field is not None and field.default is not None:
            fields.append((key, field.default))
    if not fields:
        names = " ".join(quote(key) for key in keys)
        raise ElementError(
            f"associative list with keys has an element that omits all key fields [{names}] "
            "(and doesn't have default values for any key fields)"
        )
    fields.sort(key=lambda field: field[0])
    text = ",".join(f"{name}={_text(value)}" for name, value in fields)
    return ElementKey(tuple((name, _identity(value)) for name, value in fields), f"[{text}]")


def _identity(value: JSON) -> Hashable:
    """Numbers compare by value; other types never equal each other."""
    match value:
        case bool() | str() | None:
            return (type(value).__name__, value)
        case int() | float():
            return ("number", value)
        case _:
            return ("structure", jsonvalue.dump(value))


def _text(value: JSON) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return quote(value)
        case int() | float():
            return str(value)
        case list():
            return f"[{','.join(map(_text, value))}]"
        case dict():
            return f"{{{';'.join(f'{key}={_text(value[key])}' for key in sorted(value))}}}"
