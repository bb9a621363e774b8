"""How questions are written down: a function's name, and lists of arguments as template text."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import TypeAlias

# Argument lists by function. One that begins with an action is a whole template.
Questions: TypeAlias = Mapping[str, tuple[str, ...]]


def table_lines(table: str) -> tuple[str, ...]:
    """The lines of a table, each an argument list."""
    return tuple(line.strip() for line in table.strip().splitlines())


def repeat_for_functions(names: str, arguments: Iterable[str]) -> Questions:
    """The same argument lists for several functions."""
    given = tuple(arguments)
    return dict.fromkeys(names.split(), given)


def combine_choices(*choices: Iterable[str]) -> tuple[str, ...]:
    """All argument lists that take one of each choice."""
    return tuple(map(" ".join, product(*choices)))


def template(name: str, arguments: str) -> str:
    """A template that shows the type, the text and the JSON of what the function gives."""
    if arguments.startswith("{{"):
        return arguments
    return f'{{{{ $x := {name} {arguments} }}}}{{{{ printf "%T %v" $x $x }}}} {{{{ toJson $x }}}}'


def typed_template(name: str, arguments: str) -> str:
    """As ``template`` without the text, which for pointers is an address."""
    return f"{{{{ $x := {name} {arguments} }}}}{{{{ typeOf $x }}}} {{{{ toJson $x }}}}"


def methods(value: str, other: str, names: Iterable[str]) -> tuple[str, ...]:
    """Templates that call methods of a value; ``$u`` is another one, for those that compare."""
    return tuple(
        f"{{{{ $t := {value} }}}}{{{{ $u := {other} }}}}"
        f'{{{{ $x := $t.{name} }}}}{{{{ printf "%T %v" $x $x }}}}'
        for name in names
    )
