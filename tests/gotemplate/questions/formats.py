"""printf: every verb with every value, every verb with every flag, and formats gone wrong."""

import json
from random import Random
from typing import Any


def _typed(type_: str, value: object) -> dict[str, object]:
    return {"$type": type_, "value": value}


# Where a value lives differs between Go and here, so that no row may print it.
VALUES: tuple[Any, ...] = (
    # Numbers
    *(True, False, 0, 1, -1, 42, 65, 255, 128512, 1114112, 0xD800, 2**63 - 1, -(2**63)),
    *(
        _typed("uint64", 2**64 - 1),
        _typed("uint8", 200),
        _typed("int8", -128),
        _typed("uintptr", 5),
    ),
    *(0.0, 1.0, -1.5, 3.14159, 1e6, 1e21, 123456789.0, 1e-5, 1.5e-300, 0.1, 100000.0),
    *(_typed("float64", "NaN"), _typed("float64", "+Inf"), _typed("float64", "-Inf")),
    *(_typed("float64", "-0"), _typed("float32", 0.1), _typed("float32", 16777216.0)),
    *(_typed("float32", 1e-45), _typed("complex128", [1.5, -2]), _typed("complex64", [0.1, 1e10])),
    # Strings
    *("", "a", "hello", "héllo", "日本", 'a"b\\c\n\t', "`x`", "\u200b\u00a0"),
    *(_typed("string", {"hex": "ff61fe"}), _typed("main.Word", "word")),
    # Nil and collections
    *(None, [], [1, "a", None, 2.5], {}, {"b": 1, "a": "x"}, {"n": None, "l": [1]}),
    *(_typed("[]string", ["x", "y z"]), _typed("[]int", [1, 2]), _typed("[]string", None)),
    *(_typed("[]uint8", [1, 2, 255, 65]), _typed("[]uint8", None), _typed("[2]uint8", [104, 105])),
    *(_typed("[3]int", [1, 2, 3]), _typed("[][]uint8", [[1], [104]]), _typed("[]main.Word", ["a"])),
    *(_typed("map[string]int", {"z": 1, "y": 2}), _typed("map[string]string", None)),
    *(_typed("map[int]bool", [[2, True], [1, False]]), _typed("map[string]interface {}", None)),
    *(_typed("map[float64]int", [[2.5, 1], ["NaN", 2], ["-Inf", 3]]), _typed("main.Path", None)),
    *(_typed("map[main.Word]int", [["b", 1], ["a", 2]]), _typed("main.Labels", {"a": "b"})),
    # Structs and pointers to them
    *(_typed("main.Point", {"X": 1, "Y": -2}), _typed("*main.Point", {"X": 1})),
    *(_typed("*main.Point", None), _typed("*[]int", [5]), _typed("*map[string]int", {"a": 1})),
    _typed("main.Thing", {"Name": "n", "Tags": ["t"], "Any": 1, "Level": 2, "Size": {"Bytes": 1}}),
    # Values that print themselves
    *(_typed("main.Level", 3), _typed("*main.Level", None), _typed("main.Size", {"Bytes": 3})),
    *(_typed("*main.Size", {"Bytes": 3}), _typed("main.Fault", {"Reason": "r"})),
    *(_typed("*main.Fault", None), _typed("main.Syntax", {"Text": "t"})),
    *(_typed("main.Angry", {"Reason": "boo"}), _typed("*main.Angry", None)),
    *(_typed("[]main.Level", [1, 2]), _typed("map[string]main.Level", {"a": 1})),
    *(
        _typed("[]main.Fault", [{"Reason": "x"}]),
        _typed("main.Flag", True),
        _typed("main.Ratio", 0.1),
    ),
)
VERBS = "vTdsqxXobOcUtpeEfFgGwzé"
FLAGS = (
    *("", "+", "-", "#", "0", " ", "5", "-5", "05", "+5", "+05", "10.3", ".2", ".0", "-10.2"),
    *("+#", "# ", "#5", "+.3", "020.5", "-010", "# 12", "020", "0-9", "+0#12.4"),
)
# What the verbs and flags are tried on that differ most.
_TELLING: tuple[Any, ...] = (
    *(42, 3.14159, "héllo", _typed("uint8", 200), [-1, None], _typed("main.Point", {"X": 1})),
    *(_typed("complex128", [1e21, -2]), _typed("[]uint8", [1, 255])),
)
_PIECES = (
    *(
        "%",
        "%d",
        "%s",
        "%v",
        "[1]",
        "[2]",
        "[3]",
        "[0]",
        "[9]",
        "[",
        "]",
        "[x]",
        "[]",
        "*",
        ".",
        "0",
    ),
    *(
        "5",
        "3",
        "12",
        "-",
        "+",
        "#",
        " ",
        "d",
        "s",
        "v",
        "q",
        "x",
        "t",
        "T",
        "a",
        "é",
        "%%",
        "1000001",
    ),
    *("99999999", "[1000001]", "!", "w", "[2]*", "%[1]", "%[2]*.[1]*f", "f", "g", "\0"),
)
_MIXED: tuple[Any, ...] = (
    *(True, 1, -2, 5, 12, 1.5, "abc", None, _typed("int8", 3), _typed("main.Level", 2), 2000000),
    *([1], {"a": 1}, _typed("uint64", 2**64 - 1), _typed("main.Point", {"X": 1})),
)
_FREAKS = 600
_NO_BYTES = (("%#v", _typed("[]uint8", None)), ("%#d", _typed("[]uint8", None)))
_ZEROS = tuple((format_, 0.0) for format_ in ("%#g", "%#.3g", "%#f", "%#.0e", "%#x", "%#v", "%+#g"))


def rows() -> list[tuple[str, dict[str, Any]]]:
    """Templates, each with its data."""
    plain = [(f"%{verb}", value) for verb in VERBS for value in VALUES]
    flagged = [(f"%{f}{verb}", v) for verb in VERBS for f in FLAGS for v in _TELLING]
    one = [
        ("{{printf .f .v}}", {"f": f, "v": v})
        for f, v in (*plain, *flagged, *_ZEROS, *_NO_BYTES)
        if _portable(f, v)
    ]
    powers = [("{{.v}}", {"v": _typed("float32", 2.0**n)}) for n in range(-149, 128)]
    return [*one, *powers, *_freaks(Random(0))]  # noqa: S311 - to be the same each time


def _portable(format_: str, value: Any) -> bool:
    """Whether the output says nothing of addresses."""
    pointed = isinstance(value, dict) and '"$type": "*' in json.dumps(value)
    numeric = format_[-1] in "pxXdobO" or "#" in format_
    return format_[-1] != "p" and not (pointed and numeric)


def _freaks(random: Random) -> list[tuple[str, dict[str, Any]]]:
    """Formats thrown together, with up to three arguments."""
    found: list[tuple[str, dict[str, Any]]] = []
    for _ in range(_FREAKS):
        format_ = "".join(random.choices(_PIECES, k=random.randint(1, 9)))
        names = "abc"[: random.randint(0, 3)]
        data = {"f": format_} | {name: random.choice(_MIXED) for name in names}
        found.append((f"{{{{printf .f{''.join(f' .{name}' for name in names)}}}}}", data))
    return found
