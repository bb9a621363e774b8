"""The Go types of types.go and the functions of probes.go, told to the engine.

Whatever is here must be the same there: the recorded answers came from those.
"""

from collections.abc import Callable
from functools import cache
from typing import NoReturn

from podgraft.golang import reflect as go
from podgraft.golang.fmt.sprintf import sprint, sprintf
from podgraft.golang.reflect import Field, GoType, Method, Value
from podgraft.golang.reflect.constructors import COMPLEX64, UINTPTR
from podgraft.golang.reflect.values import COMPLEX128
from podgraft.golang.texttemplate import Function, FunctionError


def _struct(name: str, fields: dict[str, GoType], embedded: tuple[str, ...] = ()) -> GoType:
    made = go.struct_type(name)
    made.fields = tuple(
        Field(field, type_, json=field, embedded=field in embedded)
        for field, type_ in fields.items()
    )
    return made


@cache
def array_of(length: int, elem: GoType) -> GoType:
    """The type ``[length]elem``; always the same object. No value of podgraft has such a type."""
    name = f"[{length}]{elem.name}"
    array = GoType(name, go.Kind.ARRAY, elem=elem, length=length, literal=True)
    array.convert = lambda raw: (
        raw if type(raw) is go.Slice else go.Slice(array, raw or [None] * length)
    )
    return array


def interface_type(name: str, methods: tuple[str, ...]) -> GoType:
    """An interface type; a value with all of ``methods`` implements it."""
    return GoType(name, go.Kind.INTERFACE, methods={each: Method(str) for each in methods})


def _dereference(struct: Value) -> Value:
    """What a pointer points to; Go panics for nil."""
    if struct is None:
        raise go.PanicError("runtime error: invalid memory address or nil pointer dereference")
    return struct


WORD = go.scalar_type("main.Word", go.Kind.STRING)
FLAG = go.scalar_type("main.Flag", go.Kind.BOOL)
RATIO = go.scalar_type("main.Ratio", go.Kind.FLOAT32)
LABELS = go.named_type("main.Labels", go.STRING_MAP)
PATH = go.named_type("main.Path", go.STRINGS)
STRINGER = interface_type("fmt.Stringer", ("String",))

LEVEL = go.scalar_type("main.Level", go.Kind.INT32)


def _level_string(level: Value) -> str:
    return f"LEVEL_{int(level)}"


def _level_above(level: Value, other: Value) -> bool:
    return level > other


LEVEL.methods = {
    "String": Method(_level_string, result=go.STRING),
    "Above": Method(_level_above, (LEVEL,), result=go.BOOL),
}

SIZE = _struct("main.Size", {"Bytes": go.INT64})


def _size_string(size: Value) -> str:
    return f"{_dereference(size).field('Bytes')}B"


SIZE.methods = {"String": Method(_size_string, pointer=True, result=go.STRING)}

FAULT = _struct("main.Fault", {"Reason": go.STRING})


def _fault_error(fault: Value) -> str:
    return f"fault: {fault.field('Reason')}"


FAULT.methods = {"Error": Method(_fault_error, result=go.STRING)}

SYNTAX = _struct("main.Syntax", {"Text": go.STRING})


def _go_string(syntax: Value) -> str:
    return f"syntax({syntax.field('Text')})"


SYNTAX.methods = {"GoString": Method(_go_string, result=go.STRING)}

ANGRY = _struct("main.Angry", {"Reason": go.STRING})


def _angry_string(angry: Value) -> NoReturn:
    raise go.PanicError(angry.field("Reason"))


ANGRY.methods = {"String": Method(_angry_string, result=go.STRING)}

POINT = _struct("main.Point", {"X": go.INT, "Y": go.INT})
BOX = _struct("main.Box", {"V": go.ANY})
BASE = _struct("main.Base", {"ID": go.STRING, "Kind": go.STRING})
EXTRA = _struct("main.Extra", {"Note": go.STRING, "Kind": go.STRING})


def _base_title(base: Value) -> str:
    return f"base {base.field('ID')}"


def _extra_remark(extra: Value) -> str:
    return f"extra {_dereference(extra).field('Note')}"


BASE.methods = {"Title": Method(_base_title, result=go.STRING)}
EXTRA.methods = {"Remark": Method(_extra_remark, pointer=True, result=go.STRING)}

THING = go.struct_type("main.Thing")
THINGS = go.pointer_to(THING)
THING.fields = (
    Field("Base", BASE, json="Base", embedded=True),
    Field("Extra", go.pointer_to(EXTRA), json="Extra", embedded=True),
    *(
        Field(name, type_, json=name)
        for name, type_ in {
            "Name": go.STRING,
            "Count": go.INT,
            "Small": go.INT8,
            "Big": go.UINT64,
            "Part": go.FLOAT64,
            "On": go.BOOL,
            "Word": WORD,
            "Level": LEVEL,
            "Size": SIZE,
            "SizePtr": go.pointer_to(SIZE),
            "Point": POINT,
            "Any": go.ANY,
            "Tags": go.STRINGS,
            "Points": go.slice_of(POINT),
            "Things": go.slice_of(THINGS),
            "Labels": go.STRING_MAP,
            "Sizes": go.map_of(go.STRING, SIZE),
            "Next": THINGS,
            "secret": go.INT,
        }.items()
    ),
)


def _greet(thing: Value, who: str) -> str:
    return f"{thing.field('Name')} greets {who}"


def _sum(_: Value, first: int, *rest: int) -> int:
    return first + sum(rest)


def _echo(_: Value, value: Value) -> Value:
    return value


def _fail(_: Value) -> NoReturn:
    raise FunctionError("told to fail")


def _no_result(_: Value) -> None:
    return None


def _self(thing: Value) -> Value:
    return go.Pointer(THINGS, thing)


def _get_name(thing: Value) -> str:
    return thing.field("Name") if thing else ""


def _get_next(thing: Value) -> Value:
    return thing.field("Next") if thing else THINGS.convert(None)


THING.methods = {
    "Greet": Method(_greet, (go.STRING,), result=go.STRING),
    "Sum": Method(_sum, (go.INT,), go.INT8, result=go.INT),
    "Echo": Method(_echo, (go.ANY,), result=go.ANY),
    "Fail": Method(_fail, result=go.STRING),
    "Nothing": Method(_no_result, result=go.ANY),
    "Self": Method(_self, result=THINGS),
    "GetName": Method(_get_name, pointer=True, result=go.STRING),
    "GetNext": Method(_get_next, pointer=True, result=THINGS),
}

_PREDECLARED = (
    *(go.ANY, go.BOOL, go.INT, go.INT8, go.INT16, go.INT32, go.INT64),
    *(go.UINT, go.UINT8, go.UINT16, go.UINT32, go.UINT64, UINTPTR),
    *(go.FLOAT32, go.FLOAT64, COMPLEX64, COMPLEX128, go.STRING),
)
_OWN = (
    *(WORD, FLAG, LEVEL, RATIO, LABELS, PATH, SIZE, FAULT, SYNTAX, ANGRY),
    *(POINT, BOX, BASE, EXTRA, THING),
)
TYPES: dict[str, GoType] = {made.name: made for made in (*_PREDECLARED, *_OWN)}


def _format_function(format_: str, parameter: GoType) -> Function:
    """A function that shows its argument."""

    def show(value: Value) -> str:
        return sprintf(format_, (value,) * format_.count("%"))

    return Function(show, (parameter,), result=go.STRING)


def _result_function(result: GoType, make: Callable[[], Value]) -> Function:
    return Function(make, result=result)


def _takes_many(first: str, *rest: int) -> str:
    return sprint(first, list(rest))


def _takes_anys(*values: Value) -> str:
    return sprintf("%v", (list(values),))


def _takes_size_pointer(pointer: Value) -> str:
    return sprint(bool(pointer))


def _takes_thing(thing: Value) -> str:
    return thing.field("Name")


def _takes_thing_pointer(pointer: Value) -> str:
    return _get_name(pointer.target)


def _fails(value: Value) -> NoReturn:
    raise FunctionError(f"no {sprint(value)}")


PROBES = {
    "takesAny": _format_function("%T:%v", go.ANY),
    "takesString": _format_function("%q", go.STRING),
    "takesBool": _format_function("%v", go.BOOL),
    "takesInt": _format_function("%v", go.INT),
    "takesInt8": _format_function("%v", go.INT8),
    "takesInt64": _format_function("%v", go.INT64),
    "takesUint": _format_function("%v", go.UINT),
    "takesUint8": _format_function("%v", go.UINT8),
    "takesFloat32": _format_function("%v", go.FLOAT32),
    "takesFloat64": _format_function("%v", go.FLOAT64),
    "takesComplex": _format_function("%v", COMPLEX128),
    "takesWord": _format_function("%T:%v", WORD),
    "takesLevel": _format_function("%T:%v", LEVEL),
    "takesMap": _format_function("%#v", go.ANY_MAP),
    "takesStringMap": _format_function("%#v", go.STRING_MAP),
    "takesLabels": _format_function("%v", LABELS),
    "takesList": _format_function("%#v", go.ANY_SLICE),
    "takesStrings": _format_function("%#v", go.STRINGS),
    "takesThing": Function(_takes_thing, (THING,), result=go.STRING),
    "takesThingPtr": Function(_takes_thing_pointer, (THINGS,), result=go.STRING),
    "takesSizePtr": Function(_takes_size_pointer, (go.pointer_to(SIZE),), result=go.STRING),
    "takesStringer": _format_function("%v", STRINGER),
    "takesTwo": Function(sprint, (go.STRING, go.INT), result=go.STRING),
    "takesMany": Function(_takes_many, (go.STRING,), go.INT, go.STRING),
    "takesAnys": Function(_takes_anys, (), go.ANY, go.STRING),
    "givesNil": _result_function(go.ANY, lambda: None),
    "givesAny": _result_function(go.ANY, lambda: "any"),
    "givesMap": _result_function(go.ANY_MAP, lambda: {"k": "v", "n": None}),
    "givesInt8": _result_function(go.INT8, lambda: go.INT8.convert(-8)),
    "givesNilMap": _result_function(go.ANY_MAP, lambda: go.ANY_MAP.convert(None)),
    "givesThing": _result_function(THINGS, lambda: THINGS.convert({"Name": "given", "Count": 3})),
    "givesLevel": _result_function(LEVEL, lambda: LEVEL.convert(2)),
    "fails": Function(_fails, (go.ANY,), result=go.STRING),
}
