"""The Go types of types.go and the functions of probes.go, told to the engine.

Whatever is here must be the same there: the recorded answers came from those.
"""

from typing import NoReturn

from podgraft import govalue as go
from podgraft.gotemplate import Function, FunctionError
from podgraft.gotemplate.printing import sprint, sprintf
from podgraft.govalue import Field, GoType, Method, Value


def _angry(angry: Value) -> NoReturn:
    raise FunctionError(angry.field("Reason"))


def _fail(*_: Value) -> NoReturn:
    raise FunctionError("told to fail")


def _fails(value: Value) -> NoReturn:
    raise FunctionError(f"no {sprint(value)}")


def _struct(name: str, fields: dict[str, GoType], methods: dict[str, Method]) -> GoType:
    made = go.struct(name, methods)
    made.fields = tuple(Field(field, type_, json=field) for field, type_ in fields.items())
    return made


WORD = go.text("main.Word")
FLAG = go.boolean("main.Flag")
RATIO = go.number("main.Ratio", go.Kind.FLOAT32)
LABELS = go.named("main.Labels", go.STRING_MAP)
PATH = go.named("main.Path", go.STRINGS)
STRINGER = go.interface("fmt.Stringer", ("String",))
LEVEL = go.number("main.Level", go.Kind.INT32)
LEVEL.methods = {
    "String": Method(lambda level: f"LEVEL_{int(level)}", result=go.STRING),
    "Above": Method(lambda level, other: level > other, (LEVEL,), result=go.BOOL),
}
SIZE = _struct(
    "main.Size",
    {"Bytes": go.INT64},
    {"String": Method(lambda s: f"{_pointed(s).field('Bytes')}B", pointer=True, result=go.STRING)},
)
FAULT = _struct(
    "main.Fault",
    {"Reason": go.STRING},
    {"Error": Method(lambda fault: f"fault: {fault.field('Reason')}", result=go.STRING)},
)
SYNTAX = _struct(
    "main.Syntax",
    {"Text": go.STRING},
    {"GoString": Method(lambda syntax: f"syntax({syntax.field('Text')})", result=go.STRING)},
)
ANGRY = _struct(
    "main.Angry", {"Reason": go.STRING}, {"String": Method(_angry, result=go.STRING)}
)
POINT = _struct("main.Point", {"X": go.INT, "Y": go.INT}, {})
BASE = _struct(
    "main.Base",
    {"ID": go.STRING, "Kind": go.STRING},
    {"Title": Method(lambda base: f"base {base.field('ID')}", result=go.STRING)},
)
EXTRA = _struct(
    "main.Extra",
    {"Note": go.STRING, "Kind": go.STRING},
    {"Remark": Method(lambda e: f"extra {_pointed(e).field('Note')}", pointer=True)},
)
THING = go.struct("main.Thing")
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
THING.methods = {
    "Greet": Method(lambda t, who: f"{t.field('Name')} greets {who}", (go.STRING,)),
    "Sum": Method(lambda _, first, *rest: first + sum(rest), (go.INT,), go.INT8),
    "Echo": Method(lambda _, value: value, (go.ANY,), result=go.ANY),
    "Fail": Method(_fail, result=go.STRING),
    "Nothing": Method(lambda _: None, result=go.ANY),
    "Self": Method(lambda thing: go.Pointer(THINGS, thing), result=THINGS),
    "GetName": Method(lambda t: t.field("Name") if t else "", pointer=True, result=go.STRING),
    "GetNext": Method(
        lambda t: t.field("Next") if t else THINGS.convert(None), pointer=True, result=THINGS
    ),
}

TYPES: dict[str, GoType] = {
    made.name: made
    for made in (
        go.ANY, go.BOOL, go.INT, go.INT8, go.INT16, go.INT32, go.INT64, go.UINT, go.UINT8,
        go.UINT16, go.UINT32, go.UINT64, go.UINTPTR, go.FLOAT32, go.FLOAT64, go.COMPLEX64,
        go.COMPLEX128, go.STRING, WORD, FLAG, LEVEL, RATIO, LABELS, PATH, SIZE, FAULT, SYNTAX,
        ANGRY, POINT, BASE, EXTRA, THING,
    )
}  # fmt: skip


def _pointed(struct: Value) -> Value:
    if struct is None:
        raise go.PanicError("runtime error: invalid memory address or nil pointer dereference")
    return struct


def _shown(format_: str, *parameters: GoType) -> Function:
    def call(*values: Value) -> str:
        return sprintf(format_, values * (format_.count("%") // len(values)))

    return Function(call, parameters, result=go.STRING)


PROBES = {
    "takesAny": _shown("%T:%v", go.ANY),
    "takesString": _shown("%q", go.STRING),
    "takesBool": _shown("%v", go.BOOL),
    "takesInt": _shown("%v", go.INT),
    "takesInt8": _shown("%v", go.INT8),
    "takesInt64": _shown("%v", go.INT64),
    "takesUint": _shown("%v", go.UINT),
    "takesUint8": _shown("%v", go.UINT8),
    "takesFloat32": _shown("%v", go.FLOAT32),
    "takesFloat64": _shown("%v", go.FLOAT64),
    "takesComplex": _shown("%v", go.COMPLEX128),
    "takesWord": _shown("%T:%v", WORD),
    "takesLevel": _shown("%T:%v", LEVEL),
    "takesMap": _shown("%#v", go.ANY_MAP),
    "takesStringMap": _shown("%#v", go.STRING_MAP),
    "takesLabels": _shown("%v", LABELS),
    "takesList": _shown("%#v", go.ANY_SLICE),
    "takesStrings": _shown("%#v", go.STRINGS),
    "takesThing": Function(lambda t: t.field("Name"), (THING,), result=go.STRING),
    "takesThingPtr": Function(
        lambda p: p.target.field("Name") if p else "", (THINGS,), result=go.STRING
    ),
    "takesSizePtr": Function(lambda p: sprint(bool(p)), (go.pointer_to(SIZE),), result=go.STRING),
    "takesStringer": _shown("%v", STRINGER),
    "takesTwo": Function(sprint, (go.STRING, go.INT), result=go.STRING),
    "takesMany": Function(
        lambda a, *rest: sprint(a, list(rest)), (go.STRING,), go.INT, go.STRING
    ),
    "takesAnys": Function(lambda *v: sprintf("%v", (list(v),)), (), go.ANY, go.STRING),
    "givesNil": Function(lambda: None),
    "givesAny": Function(lambda: "any"),
    "givesMap": Function(lambda: {"k": "v", "n": None}, result=go.ANY_MAP),
    "givesInt8": Function(lambda: go.INT8.convert(-8), result=go.INT8),
    "givesNilMap": Function(lambda: go.ANY_MAP.convert(None), result=go.ANY_MAP),
    "givesThing": Function(
        lambda: THINGS.convert({"Name": "given", "Count": 3}), result=THINGS
    ),
    "givesLevel": Function(lambda: LEVEL.convert(2), result=LEVEL),
    "fails": Function(_fails, (go.ANY,), result=go.STRING),
}
