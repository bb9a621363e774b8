"""The extent of values: an expression can make a value that contains another one many times.

``[x, x]`` in a loop or a chain of variables doubles a value that needs little memory, but a
function that reads all levels of it would not end. kube-apiserver has no limit for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from .errors import ReviewLimitError
from .values import Optional, Struct, Value, is_list, is_map, is_optional

# More than an object of 3 MiB, the most that kube-apiserver accepts, can have.
MAX_VALUES = 2_000_000
# All functions of one evaluation. kube-apiserver charges one unit for ``x in object.l``, whatever
# the length, so a loop over a list of 100,000 names would take an hour.
MAX_READ = 10_000_000
# Of a text that a function makes: ``replace`` costs the same whatever the result is.
MAX_CHARACTERS = 16_000_000
# Of one pattern in one text.
MAX_MATCHES = 100_000
# As many characters count as one more value.
_TEXT = 64
_CONTAINERS = frozenset[type[object]]({list, dict, Struct, Optional})


def check_text_read(values: Sequence[Value], read: int, *, weight: int = _TEXT) -> int:
    """Return *read* and the texts of a call, for which Kubernetes charges one unit.

    ``weight`` is what a function takes for 64 characters: one member for a copy.
    """
    characters = sum(len(value) for value in values if isinstance(value, str | bytes))
    return check_read(read, characters * weight // _TEXT)


def check_read(read: int, members: int) -> int:
    """Return the sum of what was read and of more *members*; raises ``ReviewLimitError``."""
    if read + members > MAX_READ:
        raise ReviewLimitError(f"reads values with more than {MAX_READ} members in total")
    return read + members


def check_extent(values: Sequence[Value], read: int) -> int:
    """Return *read*, the members that earlier calls read, and those of the values at all levels.

    Raises ``ReviewLimitError`` above ``MAX_VALUES`` members, and above ``MAX_READ`` of all calls.
    """
    for value in values:
        if value.__class__ in _CONTAINERS:
            members, _ = measure(values)
            if members > MAX_VALUES:
                raise ReviewLimitError(f"reads a value with more than {MAX_VALUES} members")
            return check_read(read, members)
    return read


def check_text(characters: int) -> None:
    """Raise ``ReviewLimitError`` for a text of more than ``MAX_CHARACTERS``."""
    if characters > MAX_CHARACTERS:
        raise ReviewLimitError(f"makes a text of more than {MAX_CHARACTERS} characters")


def measure(values: Iterable[Value]) -> tuple[int, int]:
    """Return the number of members at all levels, and the levels; it ends above ``MAX_VALUES``."""
    layer: Iterable[Value] = values
    count = levels = 0
    while count <= MAX_VALUES:
        layer = [*islice(_list_members(layer), MAX_VALUES + 1)]
        if not layer:
            break
        levels += 1
        characters = sum(len(member) for member in layer if member.__class__ is str)
        count += len(layer) + characters // _TEXT
    return count, levels


def _list_members(values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        if is_list(value):
            yield from value
        elif is_map(value):
            yield from value.values()
        elif isinstance(value, Struct):
            yield from value.fields.values()
        elif is_optional(value) and value.present:
            yield value.value
