"""Whether a value has its type, and which parts of a patch are merged as one value.

Source: structured-merge-diff v6, typed/validate.go, and k8s.io/apiserver 0.37,
pkg/admission/plugin/policy/mutating/patch/smd.go (findAtomics).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import type_of
from podgraft.golang.strconv.quote import quote

from .elements import ElementError, find_key
from .errors import FieldError
from .schema import DEDUCED, Atom, ListType, MapType, Ref, Schema


def deduce(atom: Atom, value: JSON) -> Atom:
    """The form of a type that a value has; all forms if it has none of them."""
    match value:
        case dict() if atom.map is not None:
            return Atom(map=atom.map)
        case list() if atom.list is not None:
            return Atom(list=atom.list)
        case bool() | int() | float() | str() if atom.scalar:
            return Atom(scalar=atom.scalar)
        case _:
            return atom


@dataclass(frozen=True, slots=True)
class Validator:
    """Checks values against types.

    ``is_live`` allows repeated elements, and fields of newer releases, which a patch cannot have.
    With ``names_keys``, a path names elements by their keys, otherwise by their index.
    """

    schema: Schema
    is_live: bool = False
    names_keys: bool = True

    def check(self, value: JSON, ref: Ref) -> Iterator[FieldError]:
        """Yield what is wrong with a value."""
        atom = deduce(self.schema.resolve(ref), value)
        if atom.map is not None:
            yield from self._check_map(value, atom.map)
        elif atom.scalar:
            yield from check_scalar(atom.scalar, value)
        elif atom.list is not None:
            yield from self._check_list(value, atom.list)

    def _check_map(self, value: JSON, type_: MapType) -> Iterator[FieldError]:
        if value is None:
            return
        if not isinstance(value, dict):
            yield FieldError("", f"expected map, got {describe(value)}")
            return
        for key in sorted(value):
            field = type_.fields.get(key)
            element = type_.element if field is None else field.type
            if element is None and self.is_live:
                element = DEDUCED
            if element is None:
                yield FieldError(f".{key}", "field not declared in schema")
                return
            for error in self.check(value[key], element):
                yield error.with_prefix(f".{key}")

    def _check_list(self, value: JSON, type_: ListType) -> Iterator[FieldError]:
        if value is None:
            return
        if not isinstance(value, list):
            yield FieldError("", f"expected list, got {describe(value)}")
            return
        identities = set[object]()
        for index, element in enumerate(value):
            path = f"[{index}]"
            if type_.keys is not None:
                try:
                    key = find_key(self.schema, type_, element)
                except ElementError as error:
                    yield FieldError("", f"element {index}: {error}")
                    return
                path = key.text if self.names_keys else path
                if key.identity in identities and not self.is_live:
                    yield FieldError("", f"duplicate entries for key {path}")
                identities.add(key.identity)
            for error in self.check(element, type_.element):
                yield error.with_prefix(path)


_NUMBERS = (int, float)


def check_scalar(scalar: str, value: JSON) -> Iterator[FieldError]:
    """Yield the error of a value that is not the scalar."""
    match scalar, value:
        case _, None:
            pass
        case "n", int() | float() if not isinstance(value, bool):
            pass
        case "s", str():
            pass
        case "b", bool():
            pass
        case "u", bool() | int() | float() | str():
            pass
        case "n", _:
            yield FieldError("", f"expected numeric (int or float), got {type_of(value)}")
        case "s", _:
            yield FieldError("", f"expected string, got {describe(value)}")
        case "b", _:
            yield FieldError("", f"expected boolean, got {describe(value)}")
        case _:
            yield FieldError("", f"expected any scalar, got {describe(value)}")


def describe(value: JSON) -> str:
    """A value in a message, without the content of lists and maps."""
    match value:
        case str():
            return quote(value)
        case bool():
            return "true" if value else "false"
        case dict():
            return "a map"
        case list():
            return "a list"
        case _:
            return str(value)


def find_atomics(schema: Schema, value: JSON, ref: Ref, path: str = "") -> Iterator[str]:
    """Yield the paths of lists, maps, and structs that the original replaces as one value."""
    atom = schema.resolve(ref)
    if isinstance(value, dict) and atom.map is not None:
        if atom.map.is_atomic:
            yield path
        for key in sorted(value):
            field = atom.map.fields.get(key)
            if field is not None:
                yield from find_atomics(schema, value[key], field.type, f"{path}.{key}")
    if isinstance(value, list) and atom.list is not None:
        if atom.list.keys is None:
            yield path
        for index, element in enumerate(value):
            yield from find_atomics(schema, element, atom.list.element, f"{path}[{index}]")
