"""resource.Quantity and v1.ResourceList as templates see them."""

from collections.abc import Callable

from podgraft.govalue import (
    BOOL,
    FLOAT64,
    INT,
    INT64,
    STRING,
    UINT8,
    Field,
    GoType,
    Kind,
    Map,
    Method,
    Pointer,
    Struct,
    Value,
    carrying,
    map_of,
    named,
    number,
    pointer_to,
    slice_of,
    struct,
    text,
)

from .quantity import Format, Quantity, of

_SCALE = number("resource.Scale", Kind.INT32)
_FORMAT = text("resource.Format")
_INT64_AMOUNT = struct("resource.int64Amount")
_INT64_AMOUNT.fields = (Field("value", INT64, "value"), Field("scale", _SCALE, "scale"))
_DEC = pointer_to(struct("inf.Dec"))
_DEC_AMOUNT = struct("resource.infDecAmount")
_DEC_AMOUNT.fields = (Field("Dec", _DEC, "Dec", embedded=True),)

QUANTITY = struct("resource.Quantity")
QUANTITY.fields = (
    Field("i", _INT64_AMOUNT, "i"),
    Field("d", _DEC_AMOUNT, "d"),
    Field("s", STRING, "s"),
    Field("Format", _FORMAT, "Format", embedded=True),
)


def view(quantity: Quantity) -> Struct:
    """A quantity as a Go struct (Go's inf.Dec, of numbers too long for it, is not shown)."""
    amount = {"value": quantity.unscaled, "scale": quantity.exponent}
    return Struct(QUANTITY, {"i": amount, "s": quantity.spelling, "Format": quantity.format.value})


def quantity_of(viewed: Struct) -> Quantity:
    """The quantity under its Go struct."""
    amount, raw = viewed.raw.get("i", {}), viewed.raw
    format_ = Format(raw.get("Format", ""))
    return Quantity(amount.get("value", 0), amount.get("scale", 0), format_, raw.get("s", ""))


def _convert(raw: Value) -> Value:
    if raw is None:
        return view(Quantity())
    return raw if type(raw) is Struct else view(of(raw))


def _getter(call: Callable[[Quantity], Value], result: GoType, *, pointer: bool = True) -> Method:
    def get(viewed: Struct) -> Value:
        return result.convert(call(quantity_of(viewed)))

    return Method(get, pointer=pointer, result=result)


def _text(viewed: Struct | None) -> str:
    return "<nil>" if viewed is None else str(quantity_of(viewed))


def _compared(viewed: Struct, other: Struct) -> int:
    return quantity_of(viewed).compare(quantity_of(other))


def _compared_int64(viewed: Struct, other: int) -> int:
    return quantity_of(viewed).compare(Quantity(other))


def _equal(viewed: Struct, other: Struct) -> bool:
    return _compared(viewed, other) == 0


def _scaled_value(viewed: Struct, scale: int) -> Value:
    return INT64.convert(quantity_of(viewed).scaled_value(scale))


QUANTITY.convert = carrying(_convert)
QUANTITY.methods = {
    "AsApproximateFloat64": _getter(Quantity.approximate, FLOAT64),
    "Cmp": Method(_compared, (QUANTITY,), pointer=True, result=INT),
    "CmpInt64": Method(_compared_int64, (INT64,), pointer=True, result=INT),
    "DeepCopy": _getter(view, QUANTITY, pointer=False),
    "Equal": Method(_equal, (QUANTITY,), result=BOOL),
    "IsZero": _getter(lambda q: q.sign == 0, BOOL),
    "MarshalJSON": _getter(lambda q: [*f'"{q}"'.encode()], slice_of(UINT8), pointer=False),
    "MilliValue": _getter(Quantity.milli_value, INT64),
    "ScaledValue": Method(_scaled_value, (_SCALE,), pointer=True, result=INT64),
    "Sign": _getter(lambda q: q.sign, INT),
    "String": Method(_text, pointer=True, result=STRING),
    "Value": _getter(Quantity.value, INT64),
}

RESOURCE_NAME = text("v1.ResourceName", {"String": Method(str, result=STRING)})
_POINTER = pointer_to(QUANTITY)
_GETTERS = {
    "Cpu": ("cpu", Format.DECIMAL),
    "Memory": ("memory", Format.BINARY),
    "Pods": ("pods", Format.DECIMAL),
    "Storage": ("storage", Format.BINARY),
    "StorageEphemeral": ("ephemeral-storage", Format.BINARY),
}


def _listed(resources: Map, name: str, missing: str) -> Pointer:
    """A pointer to the quantity of that name, or else to a zero one."""
    if name in resources:
        return Pointer(_POINTER, resources.get(name))
    return Pointer(_POINTER, view(Quantity(format=Format(missing))))


def _resource(name: str, missing: Format) -> Method:
    def get(resources: Map) -> Pointer:
        return _listed(resources, name, missing)

    return Method(get, result=_POINTER)


# In Go these are methods of *ResourceList; every ResourceList that a template can reach has an
# address, and govalue knows addresses of structs alone.
RESOURCE_LIST = named(
    "v1.ResourceList",
    map_of(RESOURCE_NAME, QUANTITY),
    {
        "Name": Method(_listed, (RESOURCE_NAME, _FORMAT), result=_POINTER),
        **{method: _resource(*facts) for method, facts in _GETTERS.items()},
    },
)
