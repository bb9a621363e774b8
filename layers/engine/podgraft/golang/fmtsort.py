"""The order in which Go visits a map: by key (internal/fmtsort)."""

from math import isnan
from operator import itemgetter

from podgraft.golang.reflect import Bool, Kind, Map, Value, type_of


def sort_items(mapping: dict[str, Value] | Map) -> list[tuple[Value, Value]]:
    """Return the keys and elements of a map, in the order of the keys."""
    if isinstance(mapping, dict) and "".join(mapping).isascii():
        return sorted(mapping.items(), key=itemgetter(0))
    key = mapping.type.key if isinstance(mapping, Map) else None
    mixed = key is not None and key.kind is Kind.INTERFACE
    return sorted(mapping.items(), key=_typed_order if mixed else _value_order)


def byte_order_key(text: str) -> str:
    """The sort key with which Python orders strings by their bytes."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _value_order(item: tuple[Value, Value]) -> Value:
    """The sort key of a value: NaN is the smallest number; complex numbers sort by real part."""
    match item[0]:
        case str(key):
            return byte_order_key(key)
        case float(key):
            return (not isnan(key), key)
        case complex() as key:
            return (key.real, key.imag)
        case Bool() as key:
            return key.value
        case key:
            return key


def _typed_order(item: tuple[Value, Value]) -> Value:
    """The sort key of a key of an interface type. Go defines no order of types; this uses names."""
    key_type = type_of(item[0])
    return ("" if key_type is None else key_type.name, _value_order(item))
