"""Random templates over one value: a field of every shape, and no number too high to count to.

Most are well formed and go wrong, if at all, while they run; some are damaged text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any


def _typed_json(type_: str, value: object) -> dict[str, object]:
    return {"$type": type_, "value": value}


_THING = {
    "Name": "thing",
    "Count": 3,
    "Small": -8,
    "Big": 12,
    "Part": 2.5,
    "On": True,
    "Word": "word",
    "Level": 2,
    "Size": {"Bytes": 7},
    "SizePtr": {"Bytes": 9},
    "Point": {"X": 1, "Y": 2},
    "Any": {"k": "v", "n": None},
    "Tags": ["x", "y"],
    "Points": [{"X": 1}, {"Y": 2}],
    "Things": [{"Name": "inner"}, None],
    "Labels": {"app": "web"},
    "Sizes": {"s": {"Bytes": 1}},
    "Base": {"ID": "id", "Kind": "kind"},
    "Next": {"Name": "next", "Extra": {"Note": "note"}},
}

DATA: dict[str, Any] = {
    "t": True,
    "f": False,
    "i": 5,
    "z": 0,
    "neg": -3,
    "fl": 1.5,
    "big": 1500000.0,
    "s": "text",
    "e": "",
    "u": "é日",
    "null": None,
    "l": [1, "two", None, 3.5, [4]],
    "el": [],
    "m": {"a": 1, "b": "two", "null": None, "m": {"deep": {"x": "y"}}},
    "em": {},
    "i8": _typed_json("int8", -128),
    "u8": _typed_json("uint8", 9),
    "u64": _typed_json("uint64", 20),
    "i64": _typed_json("int64", 5),
    "f32": _typed_json("float32", 0.1),
    "c": _typed_json("complex128", [1, -2]),
    "ss": _typed_json("[]string", ["a", "b"]),
    "nss": _typed_json("[]string", None),
    "sm": _typed_json("map[string]string", {"app": "web", "x": ""}),
    "nsm": _typed_json("map[string]string", None),
    "im": _typed_json("map[int]string", [[2, "two"], [1, "one"]]),
    "am": _typed_json("map[string]int", {"a": 1}),
    "nm": _typed_json("map[string]interface {}", None),
    "xm": _typed_json("map[interface {}]int", [["b", 1], ["a", 2]]),
    "bm": _typed_json("map[bool]int", [[True, 1], [False, 0]]),
    "cm": _typed_json("map[complex128]int", [[[2, 1], 1], [[1, 2], 2], [[1, 1], 3]]),
    "fm": _typed_json("map[float64]string", [[1.5, "b"], [-1, "a"], ["NaN", "n"]]),
    "byteKeys": _typed_json("map[string]int", [[{"hex": "ff"}, 2], ["日", 1]]),
    "box": _typed_json("main.Box", {"V": 1}),
    "boxed": _typed_json("main.Box", {"V": "1"}),
    "list": _typed_json("main.Box", {"V": [1]}),
    "flags": _typed_json("map[main.Flag]int", [[True, 1], [False, 0]]),
    "by": _typed_json("[]uint8", [104, 105]),
    "ar": _typed_json("[3]int", [1, 2, 3]),
    "w": _typed_json("main.Word", "named"),
    "fg": _typed_json("main.Flag", True),
    "lv": _typed_json("main.Level", 2),
    "lvs": _typed_json("[]main.Level", [1, 2]),
    "lb": _typed_json("main.Labels", {"k": "v"}),
    "sz": _typed_json("main.Size", {"Bytes": 4}),
    "pt": _typed_json("main.Point", {"X": 1, "Y": 2}),
    "th": _typed_json("main.Thing", _THING),
    "pth": _typed_json("*main.Thing", _THING),
    "nth": _typed_json("*main.Thing", None),
    "ppt": _typed_json("**main.Point", {"X": 3}),
    "pi": _typed_json("*int", 6),
    "fault": _typed_json("main.Fault", {"Reason": "r"}),
}

_THING_NAMES = (
    *("Name", "Count", "Small", "Big", "Part", "On", "Word", "Level", "Size", "SizePtr", "Point"),
    *("Any", "Tags", "Points", "Things", "Labels", "Sizes", "Next", "ID", "Kind", "Note", "Base"),
    *("Extra", "secret", "Title", "Remark", "Greet", "Sum", "Echo", "Fail", "Nothing", "Self"),
    *("GetName", "GetNext", "String", "Above", "Bytes", "X", "Y", "nope"),
)
_BUILTINS = (
    *("and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "index", "slice", "len", "print"),
    *("printf", "println", "html", "js", "urlquery", "call"),
)
_PROBES = (
    *("takesAny", "takesString", "takesBool", "takesInt", "takesInt8", "takesInt64", "takesUint"),
    *("takesUint8", "takesFloat32", "takesFloat64", "takesComplex", "takesWord", "takesLevel"),
    *("takesMap", "takesStringMap", "takesLabels", "takesList", "takesStrings", "takesThing"),
    *("takesThingPtr", "takesSizePtr", "takesStringer", "takesTwo", "takesMany", "takesAnys"),
    *("givesNil", "givesAny", "givesMap", "givesInt8", "givesNilMap", "givesThing", "givesLevel"),
    "fails",
)
_CONSTANTS = (
    *("true", "false", "nil", "0", "1", "2", "-1", "3.5", "1e3", "0x10", "0b11", "0o17", "017"),
    *("1_000", "'a'", "'\\n'", "2i", "1+2i", "300", "18446744073709551615", "1e-3", "0x1p4"),
    *('""', '"a"', '"app"', '"two"', '"%d"', '"%v %s"', '"x\\ty"', "`raw`", '"\\xff"', '"é"'),
)
_FORMATS = ('"%d"', '"%s"', '"%v"', '"%q"', '"%T"', '"%05.1f|%v"', '"%[2]v %[1]v"', '"%x%%"')
# Operands by kind, and calls that such operands suit; A is anything at all.
_FITTING = {
    "S": (
        ".s",
        ".e",
        ".u",
        ".m.b",
        ".th.Name",
        ".sm.app",
        '"a"',
        "`raw`",
        "givesThing.Name",
        ".pth.Title",
    ),
    "I": (".i", ".z", ".neg", ".th.Count", "1", "0", "'a'", ".pth.Point.Y", "(len .s)"),
    "U": (".u8", ".u64", ".th.Big"),
    "F": (".fl", ".big", "2.5", ".th.Part"),
    "L": (
        ".l",
        ".el",
        ".ss",
        ".ar",
        ".th.Tags",
        ".th.Points",
        ".lvs",
        ".by",
        ".pth.Things",
        ".nss",
    ),
    "M": (".m", ".em", ".sm", ".am", ".lb", ".th.Labels", ".nsm", ".m.m", ".im", ".th.Sizes"),
    "T": (".th", ".pth", ".th.Next", ".pth.Self", "givesThing"),
    "A": (
        *(".t", ".f", ".i", ".s", ".fl", ".null", ".missing", ".l", ".m", ".sm", ".th.Name", ".lv"),
        *(".pth.Next.Name", ".th.Size", ".pt", ".c", ".w", ".fg", ".nth", ".ppt", ".pi", ".fault"),
        *(".m.null", ".m.missing.x", ".sz", "true", "nil", "1.5", "$", ".", ".th.Sizes", ".by"),
    ),
}
_CALLS = (
    *("print A A", "print S I", "printf `%v|%d` A I", "printf `%5.2f` F", "printf `%-6s|` S", "A"),
    *(
        "len L",
        "len M",
        "len S",
        "index .l I",
        "index .ss 1",
        "index .m S",
        "index .sm S",
        "A",
        "S",
    ),
    *("index .m `m` `deep`", "eq S S", "eq I I", "eq I U", "ne S S", "lt I I", "le F F", "gt S S"),
    *("ge U I", "eq S S S", "and A A", "or A A A", "and A S", "or S S", "not A", "slice S 0", "A"),
    *("slice .ss 1", "slice .l 1 2", "html A", "js S", "urlquery S I", "println A", "T.Greet S"),
    *("T.Sum 1 2 3", "T.Echo A", "T.GetNext.GetName", "T.Name", "T.Size", ".lv.Above .lv", "not A"),
    *(
        "takesAny A",
        "takesString S",
        "takesInt I",
        "takesFloat64 F",
        "takesMap .m",
        "takesAnys A A",
    ),
    *(
        "takesStringMap .sm",
        "takesMany S I I",
        "takesThing T",
        "takesThingPtr .pth",
        "takesLevel 2",
    ),
    *("eq A nil", "takesUint8 7", "takesInt8 -7", "takesWord `w`", "takesStringer .lv", "S", "I"),
)
# The same, with the last argument piped in.
_PIPES = (
    *("S | printf `%q`", "S | len", "L | len", "A | print", "A | printf `%v` | html", "A | not"),
    *("S | eq S", "I | lt I", "I | index .l", "S | takesString", "A | or A", "A | and A", "S | js"),
    *("A | takesAny", "I | takesInt | len", "A | T.Echo", "S | T.Greet", "A | or | print A"),
)
_DAMAGE = (
    *("{{", "}}", "{{end}}", "{{else}}", "(", ")", "|", ".", "$", '"', "'", "`", ":=", "=", ","),
    *("{{-", "-}}", "/*", "*/", "{{if}}", "{{range}}", "{{break}}", "é", "\n", " ", "1", "@"),
)


@dataclass(slots=True)
class Generator:
    """Makes templates with the choices of ``random``; most pipelines have sense, or fewer."""

    random: Random
    sense: float = 0.93
    variables: list[str] = field(default_factory=lambda: ["$"])
    ranges: int = 0
    defined: int = 0

    def template(self) -> str:
        """A whole template."""
        text = self._body(self.random.randint(1, 3))
        if self.random.random() < 0.15:
            text = f'{{{{define "d"}}}}{self._isolated_body()}{{{{end}}}}{text}'
            text += f'{{{{template "d" {self._operand()}}}}}'
        if self.random.random() < 0.05:
            text = self._damage(text)
        return text

    def _isolated_body(self) -> str:
        return Generator(self.random, self.sense)._body(2)

    def _damage(self, text: str) -> str:
        at = self.random.randint(0, len(text))
        cut = at + self.random.choice((0, 0, 1, 2, 5))
        return text[:at] + self.random.choice(_DAMAGE) + text[cut:]

    def _body(self, depth: int) -> str:
        known = len(self.variables)
        text = "".join(self._statement(depth) for _ in range(self.random.randint(1, 3)))
        if self.random.random() < 0.9:
            del self.variables[known:]
        return text

    def _statement(self, depth: int) -> str:
        kinds: list[Callable[[int], str]] = [self._text, self._action, self._action, self._action]
        if depth > 0:
            kinds += [self._if, self._with, self._range, self._declaration, self._assignment]
        if self.ranges:
            kinds += [self._exit]
        return self.random.choice(kinds)(depth)

    def _text(self, _: int) -> str:
        return self.random.choice(("x", " y ", "\n", "é", "  \n\t"))

    def _tag(self, inside: str) -> str:
        left = self.random.choice(("{{", "{{", "{{ ", "{{- "))
        right = self.random.choice(("}}", "}}", " }}", " -}}"))
        return left + inside + right

    def _action(self, depth: int) -> str:
        if self.random.random() < 0.04:
            return self._tag(f'block "b{self.random.randint(0, 9)}" {self._pipeline(1)}') + (
                self._isolated_body() + "{{end}}"
            )
        return self._tag(self._pipeline(depth))

    def _exit(self, _: int) -> str:
        return self._tag(self.random.choice(("break", "continue")))

    def _declaration(self, depth: int) -> str:
        return self._tag(self._declare_variable(self._pipeline(depth)))

    def _declare_variable(self, pipeline: str) -> str:
        name = f"${self.random.choice('abc')}"
        self.variables.append(name)
        return f"{name} := {pipeline}"

    def _assignment(self, depth: int) -> str:
        if len(self.variables) == 1:
            return self._declaration(depth)
        return self._tag(f"{self.random.choice(self.variables)} = {self._pipeline(depth)}")

    def _if(self, depth: int) -> str:
        return self._branch("if", depth)

    def _with(self, depth: int) -> str:
        return self._branch("with", depth)

    def _branch(self, word: str, depth: int) -> str:
        known = len(self.variables)
        pipeline = self._pipeline(depth)
        if self.random.random() < 0.2:
            pipeline = self._declare_variable(pipeline)
        text = self._tag(f"{word} {pipeline}") + self._body(depth - 1)
        chance = self.random.random()
        if chance < 0.15:
            text += self._tag(f"else {word} {self._pipeline(depth)}") + self._body(depth - 1)
        elif chance < 0.5:
            text += self._tag("else") + self._body(depth - 1)
        del self.variables[known:]
        return text + "{{end}}"

    def _range(self, depth: int) -> str:
        known = len(self.variables)
        if self.random.random() < self.sense:
            pipeline = self._fit(self.random.choice("LMLMI"))
        else:
            pipeline = self._pipeline(depth)
        chance = self.random.random()
        if chance < 0.3:
            pipeline = self._declare_variable(pipeline)
        elif chance < 0.6:
            self.variables.append("$i")
            pipeline = f"$i, {self._declare_variable(pipeline)}"
        elif chance < 0.7 and len(self.variables) > 1:
            pipeline = f"{self.variables[-1]} = {pipeline}"
        self.ranges += 1
        text = self._tag(f"range {pipeline}") + self._body(depth - 1)
        self.ranges -= 1
        if self.random.random() < 0.35:
            text += self._tag("else") + self._body(depth - 1)
        del self.variables[known:]
        return text + "{{end}}"

    def _valid_pipeline(self) -> str:
        """A pipeline that has a fair chance to succeed."""
        shape = self.random.choice(_CALLS if self.random.random() < 0.7 else _PIPES)
        return "".join(self._fit(part) for part in re.split(r"\b([SIUFLMTA])\b", shape))

    def _fit(self, part: str) -> str:
        if part == "A" and self.random.random() < 0.3:
            return self.random.choice(self.variables)
        if part == "A" and self.random.random() < 0.1:
            return f"({self._valid_pipeline()})"
        return self.random.choice(_FITTING[part]) if part in _FITTING else part

    def _pipeline(self, depth: int) -> str:
        if self.random.random() < self.sense:
            return self._valid_pipeline()
        count = self.random.choice((1, 1, 1, 2, 3))
        commands = [self._command(depth)]
        commands += [self._function(depth, 0, 2) for _ in range(count - 1)]
        if self.random.random() < 0.04:
            commands.append(self._operand())
        return self.random.choice((" | ", "|")).join(commands)

    def _command(self, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.45:
            return self._operand()
        if chance < 0.85:
            return self._function(depth, 1, 3)
        arguments = (self._argument(depth) for _ in range(self.random.randint(0, 2)))
        return " ".join((self._path(), *arguments))

    def _function(self, depth: int, least: int, most: int) -> str:
        name = self.random.choice(_BUILTINS if self.random.random() < 0.65 else _PROBES)
        if name == "printf" and self.random.random() < 0.8:
            name = f"printf {self.random.choice(_FORMATS)}"
        if name.startswith("gives"):
            least = most = 0
        arguments = (self._argument(depth) for _ in range(self.random.randint(least, most)))
        return " ".join((name, *arguments))

    def _argument(self, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.2 and depth > 0:
            inner = self._pipeline(depth - 1)
            if self.random.random() < 0.1:
                inner = self._declare_variable(inner)
            suffix = "." + self._name() if self.random.random() < 0.3 else ""
            return f"({inner}){suffix}"
        if chance < 0.23:
            return self.random.choice(("givesNil", "givesAny", "givesMap.k", "givesThing.Name"))
        return self._operand()

    def _operand(self) -> str:
        chance = self.random.random()
        if chance < 0.25:
            return self.random.choice(_CONSTANTS)
        if chance < 0.32:
            return "."
        return self._path()

    def _path(self) -> str:
        start = ""
        if self.random.random() < 0.3:
            start = self.random.choice(self.variables)
        steps = "".join(f".{self._name()}" for _ in range(self.random.choice((1, 1, 1, 2, 2, 3))))
        if start not in ("", "$") and self.random.random() < 0.6:
            return start
        return start + steps

    def _name(self) -> str:
        if self.random.random() < 0.7:
            return self.random.choice(tuple(DATA))
        if self.random.random() < 0.3:
            return self.random.choice(("a", "b", "m", "null", "app", "k", "deep", "missing"))
        return self.random.choice(_THING_NAMES)
