"""The calls of each of sprig's functions that Go answers."""

from collections.abc import Iterator

from podgraft.golang import sprig
from podgraft.golang.reflect import ANY, ANY_MAP, BOOL, FLOAT64, INT, STRING
from podgraft.golang.texttemplate import Function

from . import dates, numbers, patterns, text, typed, values, web
from .builders import Questions, template, typed_template

FAMILIES: dict[str, Questions] = {
    "text": text.QUESTIONS,
    "values": values.QUESTIONS,
    "numbers": numbers.QUESTIONS,
    "casts": numbers.CASTS,
    "patterns": patterns.QUESTIONS,
    "web": web.QUESTIONS,
    "dates": dates.QUESTIONS,
}

_FITTING = {ANY: "0", BOOL: "true", FLOAT64: "1.5", INT: "1", STRING: '"1"'}
_WRONG = {"nil": ANY_MAP, "1": INT, '"text"': STRING, "true": BOOL, ".missing": ANY, "(list)": ANY}


def templates(family: str) -> Iterator[str]:
    """The family's questions as templates."""
    for name, arguments in FAMILIES[family].items():
        yield from (template(name, each) for each in arguments)


def cast_templates() -> Iterator[str]:
    """The questions that releases of cast answer differently."""
    for name, arguments in numbers.CASTS.items():
        yield from (template(name, each) for each in arguments)


def typed_templates() -> Iterator[str]:
    """The questions about typed data as templates."""
    for name, arguments in typed.QUESTIONS.items():
        yield from (typed_template(name, each) for each in arguments)


def misuse_templates() -> Iterator[str]:
    """Calls of every function with an argument too few, one too many, and each of a wrong type."""
    for name, function in sprig.functions().items():
        if not function.unsupported_reason:
            yield from (f"{{{{ {name} {arguments} }}}}" for arguments in _misuse_function(function))


def _misuse_function(function: Function) -> Iterator[str]:
    types = [*function.parameters, *filter(None, (function.variadic,))]
    fitting = [_FITTING.get(type_, "(dict)") for type_ in types]
    if function.parameters:
        yield " ".join(fitting[: len(function.parameters) - 1])
    if function.variadic is None:
        yield " ".join([*fitting, "1"])
    for index, type_ in enumerate(types):
        for wrong, fits in _WRONG.items():
            if type_ not in (ANY, fits):
                yield " ".join([*fitting[:index], wrong, *fitting[index + 1 :]])
