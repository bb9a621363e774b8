"""How the fields of a kind merge: the types of structured merge, by Kubernetes release.

The types of Kubernetes' kinds are in ``fields.json``, and those of custom resources come from their
CustomResourceDefinition. The rules are those of kube-openapi's ``schemaconv``.

A row of ``fields.json`` is the name of a field, its type, and the first and last Kubernetes minor
that has it so. A type is s for a string, n for a number, b for a boolean, u for any scalar, * for
anything, ? for anything as one value, @X for a struct, <T for a map, [T for a list as one value,
{}T for a set, and {a,b}T for a list by its keys. ! in front of a struct or a map is one value, and
+ its fields. ~ and a default follow the type of a key. A row of ``kinds`` is an API version, a
kind, and its type.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.tables import read_table
from podgraft.kube.types import NEWEST

# A type as ``fields.json`` spells it; ``Schema.resolve`` parses it.
Ref: TypeAlias = str

_TABLE: Mapping[str, Any] = read_table(__file__, "fields.json")
DEDUCED: Ref = "*"
UNTYPED: Ref = "?"
OLDEST = 28


@dataclass(frozen=True, slots=True)
class ListType:
    """A list: one value if ``keys`` is ``None``, a set if it is empty, else a list by its keys."""

    element: Ref
    keys: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class MapField:
    """The type of a field, and its default if it is the key of a list."""

    type: Ref
    default: JSON = None


@dataclass(frozen=True, slots=True)
class MapType:
    """A struct or a map: its fields, the type of other keys, and whether it is one value."""

    fields: Mapping[str, MapField]
    element: Ref | None
    is_atomic: bool = False


class Atom(NamedTuple):
    """The forms that a value can have: a scalar (s, n, b, or u), a list, and a map."""

    scalar: str = ""
    list: ListType | None = None
    map: MapType | None = None


_UNTYPED = Atom("u", ListType(UNTYPED), MapType({}, UNTYPED, is_atomic=True))
_DEDUCED = Atom("u", ListType(UNTYPED), MapType({}, DEDUCED))


class Schema:
    """The types of one release, and those of custom resources."""

    __slots__ = ("_custom", "_defaulters", "_kinds", "_resolved", "minor")

    def __init__(
        self,
        minor: int,
        custom: Mapping[str, MapType] | None = None,
        kinds: Mapping[str, Ref] | None = None,
        defaulters: Mapping[Ref, Callable[[Object], Object]] | None = None,
    ) -> None:
        """Types of Kubernetes 1.*minor*.

        *custom* are more structs by name, and *defaulters* set the defaults of custom resources.
        """
        self.minor = min(max(minor, OLDEST), NEWEST)
        self._custom = custom or {}
        self._defaulters = defaulters or {}
        self._kinds = {**_release_kinds(self.minor), **(kinds or {})}
        self._resolved: dict[Ref, Atom] = {DEDUCED: _DEDUCED, UNTYPED: _UNTYPED}

    def find_kind(self, api_version: str, kind: str) -> Ref | None:
        """The type of the objects of a kind, if the release has the kind."""
        return self._kinds.get(f"{api_version} {kind}")

    def find_kinds(self, api_version: str) -> Mapping[str, Ref]:
        """The kinds of an API version, with their types."""
        prefix = f"{api_version} "
        return {
            name.removeprefix(prefix): ref
            for name, ref in self._kinds.items()
            if name.startswith(prefix)
        }

    def is_custom(self, ref: Ref) -> bool:
        """Whether a type comes from a CustomResourceDefinition."""
        return ref in self._defaulters

    def set_custom_defaults(self, ref: Ref, value: Object) -> Object:
        """A custom resource with its defaults."""
        return self._defaulters[ref](value)

    def resolve(self, ref: Ref) -> Atom:
        """The type that a reference spells."""
        atom = self._resolved.get(ref)
        if atom is None:
            atom = self._resolved[ref] = self._parse(ref)
        return atom

    def _parse(self, ref: Ref) -> Atom:
        match ref[0]:
            case "@":
                return Atom(map=self._struct(ref[1:]))
            case "!" | "+":
                atom = self.resolve(ref[1:])
                assert atom.map is not None  # noqa: S101 - the generator marks only maps
                return Atom(map=MapType(atom.map.fields, atom.map.element, ref[0] == "!"))
            case "<":
                return Atom(map=MapType({}, ref[1:]))
            case "[":
                return Atom(list=ListType(ref[1:]))
            case "{":
                keys, _, element = ref[1:].partition("}")
                return Atom(list=ListType(element, tuple(keys.split(",")) if keys else ()))
            case _:
                return Atom(scalar=ref)

    def _struct(self, name: str) -> MapType:
        custom = self._custom.get(name)
        if custom is not None:
            return custom
        rows = dict(_rows(_TABLE["structs"][name], self.minor))
        is_atomic = rows.pop("!", None) is not None
        fields = {key: _parse_field(spelled) for key, spelled in rows.items()}
        return MapType(fields, None, is_atomic)


def _parse_field(spelled: str) -> MapField:
    ref, _, default = spelled.partition("~")
    return MapField(ref, jsonvalue.load(default.encode()) if default else None)


def _rows(lines: Sequence[str], minor: int) -> list[tuple[str, str]]:
    """The keys and values of a table that a release has."""
    rows: list[tuple[str, str]] = []
    for line in lines:
        key, *words = line.split(" ")
        bounds = {word[:5]: int(word[6:]) for word in words if word[:6] in {"since=", "until="}}
        if bounds.get("since", 0) <= minor <= bounds.get("until", NEWEST):
            rows.append((key, " ".join(word for word in words if word[:6] not in _BOUNDS)))
    return rows


_BOUNDS = {"since=", "until="}


@cache
def _release_kinds(minor: int) -> Mapping[str, Ref]:
    """The type of each kind of a release, by API version and kind."""
    kinds: dict[str, Ref] = {}
    for version, words in _rows(_TABLE["kinds"], minor):
        kind, _, struct = words.partition(" ")
        kinds[f"{version} {kind}"] = f"@{struct}"
    return kinds


@cache
def release_schema(minor: int = NEWEST) -> Schema:
    """The types of Kubernetes 1.*minor* without custom resources."""
    return Schema(minor)
