"""Random templates over sprig's functions: calls within calls, with right and wrong arguments."""

from collections.abc import Iterator
from random import Random

from podgraft.golang import sprig
from podgraft.golang.reflect import ANY, ANY_MAP, BOOL, FLOAT64, INT, STRING, GoType
from podgraft.golang.strconv.quote import quote
from podgraft.golang.time import TIME

from .cases import FAMILIES

DATA = {"s": "text", "n": 5, "f": 2.5, "m": {"a": 1, "b": {"c": "x"}}, "l": [1, "a", None]}

# Go's answer depends on the clock or on chance, or takes too much memory.
_EXCLUDED = {"keys", "values", "durationRound", "repeat", "indent", "nindent", "seq", "until"} | {
    *("untilStep", "date", "htmlDate", "dateInZone", "date_in_zone", "htmlDateInZone")
}
_FUNCTIONS = {
    name: function
    for name, function in sprig.functions().items()
    if not function.unsupported_reason and name not in _EXCLUDED
}
_ALPHABET = 'abcXYZ019 _-./,:;\n\t"\\<&$%*+?()[]{}|éß日😀İǆ\u00a0\u2028'
_FORMS = (
    "{{{{ {0} }}}}",
    "{{{{ {0} | printf `%v %T` }}}}",
    "{{{{ if {0} }}}}yes{{{{ else }}}}no{{{{ end }}}}",
    "{{{{ range $i, $x := {0} }}}}[{{{{ $i }}}}={{{{ $x }}}}]{{{{ else }}}}none{{{{ end }}}}",
    "{{{{ with {0} }}}}{{{{ . }}}}{{{{ end }}}}",
    "{{{{ $x := {0} }}}}{{{{ kindOf $x }}}} {{{{ typeOf $x }}}} {{{{ toJson $x }}}}",
)


def templates(seed: int) -> Iterator[str]:
    """Templates without end; the same ones for the same seed."""
    guesser = _TemplateGenerator(Random(seed))  # noqa: S311 - no secrets
    while True:
        yield guesser.template()


def make_template(random: Random) -> str:
    """One template with the choices of *random*."""
    return _TemplateGenerator(random).template()


class _TemplateGenerator:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._texts = [
            argument
            for questions in FAMILIES.values()
            for asked in questions.values()
            for argument in asked
            if argument and argument[0] in '"`' and argument.count(argument[0]) == len("``")
        ]

    def template(self) -> str:
        return self._random.choice(_FORMS).format(self._call(2))

    def _call(self, depth: int) -> str:
        name = self._random.choice([*_FUNCTIONS])
        function = _FUNCTIONS[name]
        types = [*function.parameters]
        if function.variadic is not None:
            types += [function.variadic] * self._random.randint(0, 3)
        arguments = [self._argument(type_, depth) for type_ in types]
        if self._random.random() < 0.05:
            arguments = arguments[:-1] or ["1"]
        if arguments and self._random.random() < 0.1:
            return f"{arguments[-1]} | {' '.join([name, *arguments[:-1]])}"
        return " ".join([name, *arguments])

    def _argument(self, type_: GoType, depth: int) -> str:
        if self._random.random() < 0.08:
            type_ = self._random.choice((ANY, ANY_MAP, BOOL, INT, STRING))
        if depth and self._random.random() < 0.15:
            return f"({self._call(depth - 1)})"
        if type_ is STRING:
            return self._text()
        if type_ is INT:
            return str(self._random.randint(-4, 12))
        if type_ is ANY_MAP:
            return self._dict(depth)
        if type_ is TIME:
            return '(toDate "2006-01-02" "2017-12-31")'
        return self._constant(type_) or self._any_value(depth)

    def _constant(self, type_: GoType) -> str:
        if type_ is BOOL:
            return self._random.choice(("true", "false"))
        return self._random.choice(("0.5", "1.0")) if type_ is FLOAT64 else ""

    def _text(self) -> str:
        if self._random.random() < 0.5:
            return self._random.choice(self._texts)
        return quote("".join(self._random.choices(_ALPHABET, k=self._random.randint(0, 9))))

    def _any_value(self, depth: int) -> str:
        return self._random.choice(
            (
                self._text,
                lambda: str(self._random.randint(-9, 99)),
                lambda: self._random.choice(("nil", "true", "1.5", "1e21", "'x'", "(int64 7)")),
                lambda: self._random.choice((".s", ".n", ".m", ".l", ".gone", ".m.b.c", ".")),
                lambda: self._dict(depth),
                lambda: self._list(depth),
                lambda: '(semver "1.2.3-rc.1")',
            )
        )()

    def _dict(self, depth: int) -> str:
        if not depth:
            return '(dict "a" 1)'
        pairs = (f'"{self._random.choice("abc")}" {self._any_value(depth - 1)}' for _ in range(2))
        return f"(dict {' '.join(pairs)})"

    def _list(self, depth: int) -> str:
        if not depth:
            return "(list 1 nil)"
        elements = (self._any_value(depth - 1) for _ in range(self._random.randint(0, 3)))
        return f"(list {' '.join(elements)})"
