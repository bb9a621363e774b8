"""A place in the object, for the operations of a JSON Patch."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli.register import cel
from podgraft.core.injectors.overlay.paths import child_type
from podgraft.golang.reflect import Field, GoType
from podgraft.kube.patch import pointer

from .literals import RESERVED
from .tree import Member


class Place(Struct, frozen=True):
    """A place in the object.

    ``path`` are the parts of the JSON Pointer as expressions, ``current`` is the value there in
    CEL, ``fields`` are the names without indexes, ``owner`` is the name of its type in CEL, and
    ``depth`` is the number of lists around it.
    """

    path: tuple[str, ...]
    current: str
    fields: tuple[str, ...]
    owner: str
    type: GoType | None
    depth: int = 0

    def select(self, member: Member, own: Field | None) -> Place:
        """The place of a key, for the field *own*, if it is one."""
        name, key = member.name, member.key_text
        is_plain = _is_plain(member, own)
        parts = ("'/'", f"jsonpatch.escapeKey({key})")
        if name is not None:
            parts = (cel.string_literal(f"/{pointer.escape(name)}"),)
        return Place(
            (*self.path, *parts),
            f"{self.current}.{name}" if is_plain else f"{self.current}[{key}]",
            (*self.fields, name or "*"),
            f"{self.owner}.{name}" if self.owner and is_plain else "",
            child_type(own, self.type),
            self.depth,
        )

    def has(self, member: Member, own: Field | None) -> str:
        """Whether the value has a key, for the field *own*, if it is one."""
        if _is_plain(member, own):
            return f"has({self.current}.{member.name})"
        return f"{member.key_text} in {self.current}"

    def select_element(self, variable: str, index: str, type_: GoType | None) -> Place:
        """The place of an element of a list, of which *variable* has the value."""
        path = (*self.path, "'/'", f"string({index})")
        return replace(self, path=path, current=variable, type=type_, depth=self.depth + 1)

    def add(self, value: str, *suffix: str) -> str:
        """The operation that sets the value, or inserts it at an index."""
        return f"JSONPatch{{op: 'add', path: {concatenate((*self.path, *suffix))}, value: {value}}}"


def _is_plain(member: Member, own: Field | None) -> bool:
    """Whether CEL can select a key as a field."""
    return own is not None and member.name not in RESERVED


def concatenate(parts: Sequence[str]) -> str:
    """A concatenation in which adjacent literals are one."""
    joined: list[str] = []
    for part in parts:
        if joined and joined[-1].endswith("'") and part.startswith("'"):
            joined[-1] = joined[-1][:-1] + part[1:]
        else:
            joined.append(part)
    return " + ".join(joined)
