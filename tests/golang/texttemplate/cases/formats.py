"""printf: every verb with every value, every verb with every flag, and formats gone wrong."""

import json
from random import Random
from typing import Any


def _typed_json(type_: str, value: object) -> dict[str, object]:
    return {"$type": type_, "value": value}


# Where a value lives differs between Go and here, so that no row may print it.
VALUES: tuple[Any, ...] = (
    # Numbers
    *(True, False, 0, 1, -1, 42, 65, 255, 128512, 1114112, 0xD800, 2**63 - 1, -(2**63)),
    *(
        _typed_json("uint64", 2**64 - 1),
        _typed_json("uint8", 200),
        _typed_json("int8", -128),
        _typed_json("uintptr", 5),
    ),
    *(0.0, 1.0, -1.5, 3.14159, 1e6, 1e21, 123456789.0, 1e-5, 1.5e-300, 0.1, 100000.0),
    *(
        _typed_json("float64", "NaN"),
        _typed_json("float64", "+Inf"),
        _typed_json("float64", "-Inf"),
    ),
    *(
        _typed_json("float64", "-0"),
        _typed_json("float32", 0.1),
        _typed_json("float32", 16777216.0),
    ),
    *(
        _typed_json("float32", 1e-45),
        _typed_json("complex128", [1.5, -2]),
        _typed_json("complex64", [0.1, 1e10]),
    ),
    # Strings
    *("", "a", "hello", "héllo", "日本", 'a"b\\c\n\t', "`x`", "\u200b\u00a0"),
    *(_typed_json("string", {"hex": "ff61fe"}), _typed_json("main.Word", "word")),
    # Nil and collections
    *(None, [], [1, "a", None, 2.5], {}, {"b": 1, "a": "x"}, {"n": None, "l": [1]}),
    *(
        _typed_json("[]string", ["x", "y z"]),
        _typed_json("[]int", [1, 2]),
        _typed_json("[]string", None),
    ),
    *(
        _typed_json("[]uint8", [1, 2, 255, 65]),
        _typed_json("[]uint8", None),
        _typed_json("[2]uint8", [104, 105]),
    ),
    *(
        _typed_json("[3]int", [1, 2, 3]),
        _typed_json("[][]uint8", [[1], [104]]),
        _typed_json("[]main.Word", ["a"]),
    ),
    *(_typed_json("map[string]int", {"z": 1, "y": 2}), _typed_json("map[string]string", None)),
    *(
        _typed_json("map[int]bool", [[2, True], [1, False]]),
        _typed_json("map[string]interface {}", None),
    ),
    *(
        _typed_json("map[float64]int", [[2.5, 1], ["NaN", 2], ["-Inf", 3]]),
        _typed_json("main.Path", None),
    ),
    *(
        _typed_json("map[main.Word]int", [["b", 1], ["a", 2]]),
        _typed_json("main.Labels", {"a": "b"}),
    ),
    # Structs and pointers to them
    *(_typed_json("main.Point", {"X": 1, "Y": -2}), _typed_json("*main.Point", {"X": 1})),
    *(
        _typed_json("*main.Point", None),
        _typed_json("*[]int", [5]),
        _typed_json("*map[string]int", {"a": 1}),
    ),
    _typed_json(
        "main.Thing", {"Name": "n", "Tags": ["t"], "Any": 1, "Level": 2, "Size": {"Bytes": 1}}
    ),
    # Values that print themselves
    *(
        _typed_json("main.Level", 3),
        _typed_json("*main.Level", None),
        _typed_json("main.Size", {"Bytes": 3}),
    ),
    *(_typed_json("*main.Size", {"Bytes": 3}), _typed_json("main.Fault", {"Reason": "r"})),
    *(_typed_json("*main.Fault", None), _typed_json("main.Syntax", {"Text": "t"})),
    *(_typed_json("main.Angry", {"Reason": "boo"}), _typed_json("*main.Angry", None)),
    *(_typed_json("[]main.Level", [1, 2]), _typed_json("map[string]main.Level", {"a": 1})),
    *(
        _typed_json("[]main.Fault", [{"Reason": "x"}]),
        _typed_json("main.Flag", True),
        _typed_json("main.Ratio", 0.1),
    ),
)
VERBS = "vTdsqxXobOcUtpeEfFgGwzé"
FLAGS = (
    *("", "+", "-", "#", "0", " ", "5", "-5", "05", "+5", "+05", "10.3", ".2", ".0", "-10.2"),
    *("+#", "# ", "#5", "+.3", "020.5", "-010", "# 12", "020", "0-9", "+0#12.4"),
)
# What the verbs and flags are tried on that differ most.
_TELLING: tuple[Any, ...] = (
    *(
        42,
        3.14159,
        "héllo",
        _typed_json("uint8", 200),
        [-1, None],
        _typed_json("main.Point", {"X": 1}),
    ),
    *(_typed_json("complex128", [1e21, -2]), _typed_json("[]uint8", [1, 255])),
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
    *(
        True,
        1,
        -2,
        5,
        12,
        1.5,
        "abc",
        None,
        _typed_json("int8", 3),
        _typed_json("main.Level", 2),
        2000000,
    ),
    *([1], {"a": 1}, _typed_json("uint64", 2**64 - 1), _typed_json("main.Point", {"X": 1})),
)
_FREAKS = 600
_NO_BYTES = (("%#v", _typed_json("[]uint8", None)), ("%#d", _typed_json("[]uint8", None)))
_ZEROS = tuple((format_, 0.0) for format_ in ("%#g", "%#.3g", "%#f", "%#.0e", "%#x", "%#v", "%+#g"))


def make_rows() -> list[tuple[str, dict[str, Any]]]:
    """Templates, each with its data."""
    plain = [(f"%{verb}", value) for verb in VERBS for value in VALUES]
    flagged = [(f"%{f}{verb}", v) for verb in VERBS for f in FLAGS for v in _TELLING]
    one = [
        ("{{printf .f .v}}", {"f": f, "v": v})
        for f, v in (*plain, *flagged, *_ZEROS, *_NO_BYTES)
        if _is_portable(f, v)
    ]
    powers = [("{{.v}}", {"v": _typed_json("float32", 2.0**n)}) for n in range(-149, 128)]
    return [*one, *powers, *_random_formats(Random(0))]  # noqa: S311 - to be the same each time


def _is_portable(format_: str, value: Any) -> bool:
    """Whether the output says nothing of addresses."""
    pointed = isinstance(value, dict) and '"$type": "*' in json.dumps(value)
    numeric = format_[-1] in "pxXdobO" or "#" in format_
    return format_[-1] != "p" and not (pointed and numeric)


def _random_formats(random: Random) -> list[tuple[str, dict[str, Any]]]:
    """Formats thrown together, with up to three arguments."""
    found: list[tuple[str, dict[str, Any]]] = []
    for _ in range(_FREAKS):
        format_ = "".join(random.choices(_PIECES, k=random.randint(1, 9)))
        names = "abc"[: random.randint(0, 3)]
        data = {"f": format_} | {name: random.choice(_MIXED) for name in names}
        found.append((f"{{{{printf .f{''.join(f' .{name}' for name in names)}}}}}", data))
    return found
