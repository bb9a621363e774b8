"""An object as lines of YAML, each with the JSON Pointer of the value that it shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON
from podgraft.kube import yaml
from podgraft.kube.patch import pointer

_CACHED = 4096


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and the JSON Pointer of its value; an inner line has the pointer of its string."""

    text: str
    pointer: str


def emit_lines(value: JSON) -> list[Line]:
    """The lines of a document; together they are valid YAML of the same value."""
    if isinstance(value, dict | list) and value:
        return list(_block(value, "", ""))
    return [Line(text, "") for text in _scalar_lines(value)]


def _block(value: JSON, path: str, indent: str) -> Iterator[Line]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _member(key, member, f"{path}/{pointer.escape(key)}", indent)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from _element(element, f"{path}/{index}", indent)


def _member(key: str, value: JSON, path: str, indent: str) -> Iterator[Line]:
    name = _key(key)
    if isinstance(value, dict | list) and value:
        yield Line(f"{indent}{name}:", path)
        yield from _block(value, path, indent if isinstance(value, list) else f"{indent}  ")
        return
    first, *others = _scalar_lines(value)
    yield Line(f"{indent}{name}: {first}", path)
    for text in others:
        yield Line(f"{indent}{text}" if text else "", path)


def _element(value: JSON, path: str, indent: str) -> Iterator[Line]:
    if isinstance(value, dict | list) and value:
        inner = iter(_block(value, path, f"{indent}  "))
        first = next(inner)
        yield Line(f"{indent}- {first.text[len(indent) + 2 :]}", first.pointer)
        yield from inner
        return
    first, *others = _scalar_lines(value)
    yield Line(f"{indent}- {first}", path)
    for text in others:
        yield Line(f"{indent}{text}" if text else "", path)


@lru_cache(_CACHED)
def _key(key: str) -> str:
    """The key as one line; a key of several lines, or a long one, as a JSON string."""
    line = yaml.dump({key: 0})
    return line.removesuffix(": 0\n") if line.count("\n") == 1 else jsonvalue.dump(key)


def _scalar_lines(value: JSON) -> list[str]:
    """The lines of a scalar or an empty value after a key; inner lines have their indent."""
    if isinstance(value, dict | list):
        return _print_lines(value)
    return [*_print_scalar(value)]


# An edit changes few lines of an object, and the page prints all of them again.
@lru_cache(_CACHED, typed=True)
def _print_scalar(value: str | float | bool | None) -> tuple[str, ...]:
    return tuple(_print_lines(value))


def _print_lines(value: JSON) -> list[str]:
    return yaml.dump({"k": value}).removeprefix("k: ").removesuffix("\n").split("\n")
