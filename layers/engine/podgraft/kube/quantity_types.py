"""resource.Quantity and v1.ResourceList for templates."""

from collections.abc import Callable
from functools import partial

from podgraft.golang.reflect import (
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
    map_of,
    named_type,
    pointer_to,
    propagate_taint,
    refused_methods,
    scalar_type,
    slice_of,
    struct_type,
)

from .quantity import Format, Quantity, from_json

_SCALE = scalar_type("resource.Scale", Kind.INT32)
_FORMAT = scalar_type("resource.Format", Kind.STRING)
_INT64_AMOUNT = struct_type("resource.int64Amount")
_INT64_AMOUNT.fields = (Field("value", INT64, "value"), Field("scale", _SCALE, "scale"))
_DEC = pointer_to(struct_type("inf.Dec"))
_DEC_AMOUNT = struct_type("resource.infDecAmount")
_DEC_AMOUNT.fields = (Field("Dec", _DEC, "Dec", embedded=True),)

QUANTITY = struct_type("resource.Quantity")
QUANTITY.fields = (
    Field("i", _INT64_AMOUNT, "i"),
    Field("d", _DEC_AMOUNT, "d"),
    Field("s", STRING, "s"),
    Field("Format", _FORMAT, "Format", embedded=True),
)


def quantity_to_struct(quantity: Quantity) -> Struct:
    """Convert a quantity to a Go struct, without Go's inf.Dec for large numbers."""
    amount = {"value": quantity.unscaled, "scale": quantity.exponent}
    return Struct(QUANTITY, {"i": amount, "s": quantity.spelling, "Format": quantity.format.value})


def quantity_of(viewed: Struct) -> Quantity:
    """The quantity of a Go struct."""
    amount, raw = viewed.raw.get("i", {}), viewed.raw
    format_ = Format(raw.get("Format", ""))
    return Quantity(amount.get("value", 0), amount.get("scale", 0), format_, raw.get("s", ""))


def _convert(raw: Value) -> Value:
    if raw is None:
        return quantity_to_struct(Quantity())
    return raw if type(raw) is Struct else quantity_to_struct(from_json(raw))


def _getter_method(
    call: Callable[[Quantity], Value], result: GoType, *, pointer: bool = True
) -> Method:
    def get(viewed: Struct) -> Value:
        return result.convert(call(quantity_of(viewed)))

    return Method(get, pointer=pointer, result=result)


def _text(viewed: Struct | None) -> str:
    return "<nil>" if viewed is None else str(quantity_of(viewed))


def _compare(viewed: Struct, other: Struct) -> int:
    return quantity_of(viewed).compare(quantity_of(other))


def _compare_int64(viewed: Struct, other: int) -> int:
    return quantity_of(viewed).compare(Quantity(other))


def _equal(viewed: Struct, other: Struct) -> bool:
    return _compare(viewed, other) == 0


def _scaled_value(viewed: Struct, scale: int) -> Value:
    return INT64.convert(quantity_of(viewed).scaled_value(scale))


# Methods that serialize a value, or describe its type.
SERIALIZATION = "Marshal MarshalTo MarshalToSizedBuffer OpenAPIModelName Size Unmarshal"
CODECS = (
    f"{SERIALIZATION} MarshalCBOR OpenAPISchemaFormat OpenAPISchemaType OpenAPIV3OneOfTypes "
    "UnmarshalCBOR UnmarshalJSON"
)
# Methods that change the quantity, or return a number of another package.
_CHANGES = "AsDec AsFloat64Slow Mul RoundUp ToDec ToUnstructured"

QUANTITY.convert = propagate_taint(_convert)
QUANTITY.methods = {
    "AsApproximateFloat64": _getter_method(Quantity.approximate, FLOAT64),
    "Cmp": Method(_compare, (QUANTITY,), pointer=True, result=INT),
    "CmpInt64": Method(_compare_int64, (INT64,), pointer=True, result=INT),
    "DeepCopy": _getter_method(quantity_to_struct, QUANTITY, pointer=False),
    "Equal": Method(_equal, (QUANTITY,), result=BOOL),
    "IsZero": _getter_method(lambda q: q.sign == 0, BOOL),
    "MarshalJSON": _getter_method(lambda q: [*f'"{q}"'.encode()], slice_of(UINT8), pointer=False),
    "MilliValue": _getter_method(Quantity.milli_value, INT64),
    "ScaledValue": Method(_scaled_value, (_SCALE,), pointer=True, result=INT64),
    "Sign": _getter_method(lambda q: q.sign, INT),
    "String": Method(_text, pointer=True, result=STRING),
    "Value": _getter_method(Quantity.value, INT64),
    **refused_methods("resource.Quantity", f"{CODECS} {_CHANGES}"),
}

RESOURCE_NAME = scalar_type("v1.ResourceName", Kind.STRING, {"String": Method(str, result=STRING)})
_POINTER = pointer_to(QUANTITY)
_GETTERS = {
    "Cpu": ("cpu", Format.DECIMAL),
    "Memory": ("memory", Format.BINARY),
    "Pods": ("pods", Format.DECIMAL),
    "Storage": ("storage", Format.BINARY),
    "StorageEphemeral": ("ephemeral-storage", Format.BINARY),
}


def _find_quantity(resources: Map, name: str, missing: str) -> Pointer:
    """A pointer to the quantity ``name``, or to a zero quantity."""
    if name in resources:
        return Pointer(_POINTER, resources.get(name))
    return Pointer(_POINTER, quantity_to_struct(Quantity(format=Format(missing))))


def _copy_resources(resources: Map) -> Map:
    return resources


# In Go, these are methods of *ResourceList. Each ResourceList of a template is addressable, but
# ``go/reflect`` supports only addressable structs.
RESOURCE_LIST = named_type(
    "v1.ResourceList",
    map_of(RESOURCE_NAME, QUANTITY),
    {
        "DeepCopy": Method(_copy_resources),
        "Name": Method(_find_quantity, (RESOURCE_NAME, _FORMAT), result=_POINTER),
        **{
            method: Method(partial(_find_quantity, name=name, missing=missing), result=_POINTER)
            for method, (name, missing) in _GETTERS.items()
        },
    },
)
