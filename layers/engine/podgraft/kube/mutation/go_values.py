"""The values of an expression that kube-apiserver reads from structs of Go, without a copy.

It cannot write those to a patch. Since Kubernetes 1.37, ``request``, ``namespaceObject``, and
parameters of Kubernetes' kinds are such values. The object becomes one with the first match
condition of a request, whichever policy it belongs to.

Source: k8s.io/apiserver 0.37, pkg/cel/common/valuesschemalesstyped.go, and LazyObject of
pkg/admission/conversion.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from podgraft.kube.cel.values import Optional, Struct, Value, is_list, is_map
from podgraft.kube.matching.conditions import STRUCTS
from podgraft.kube.structured import Schema

FIRST_GO_VALUES = 37  # the first minor of Kubernetes that has them
_REQUEST = "kubernetes.AdmissionRequest"


@dataclass(frozen=True)
class GoValues:
    """The values of Go in the variables of an expression; ``with_objects`` includes objects."""

    schema: Schema
    variables: Mapping[str, Value]
    with_objects: bool

    def find(self, value: Value, *, in_struct: bool = False) -> str | None:
        """The type of a value of Go in a result, or ``None``.

        The fields of ``Object{…}`` can have such values, but not lists and maps of them.
        """
        match value:
            case Struct(fields=fields):
                found = (self.find(each, in_struct=True) for each in fields.values())
            case Optional(value=inner):
                return self.find(inner, in_struct=in_struct)
            case _ if is_list(value):
                found = map(self.find, value)
            case _ if is_map(value):
                found = map(self.find, value.values())
            case _:
                return None
        type_ = self._types.get(id(value))
        if type_ is not None:
            return None if in_struct else type_
        return next(filter(None, found), None)

    def is_literal(self, value: Value) -> bool:
        """Whether an expression made a list or map, instead of reading it from a variable."""
        return (is_list(value) or is_map(value)) and id(value) not in self._read

    @cached_property
    def _read(self) -> frozenset[int]:
        """The identity of each list and map in the variables."""
        found = set[int]()
        pending = [*self.variables.values()]
        while pending:
            value = pending.pop()
            if is_list(value) or is_map(value):
                found.add(id(value))
                pending += value.values() if is_map(value) else value
        return frozenset(found)

    @cached_property
    def _types(self) -> Mapping[int, str]:
        """The types by the identity of the values, which expressions do not copy."""
        return dict(self._find_all()) if self.schema.minor >= FIRST_GO_VALUES else {}

    def _find_all(self) -> Iterator[tuple[int, str]]:
        names = ("object", "oldObject") if self.with_objects else ()
        for name in (*names, "namespaceObject", "params"):
            yield from self._find_in_object(self.variables.get(name))
        yield from _find_in_request(self.variables.get("request"), _REQUEST)

    def _find_in_object(self, value: Value) -> Iterator[tuple[int, str]]:
        if not is_map(value):
            return
        # The Namespace of a request has neither.
        version, kind = value.get("apiVersion", "v1"), value.get("kind", "Namespace")
        ref = self.schema.find_kind(str(version), str(kind))
        if ref is not None and not self.schema.is_custom(ref):
            yield from self._find_in(value, ref)

    def _find_in(self, value: Value, ref: str) -> Iterator[tuple[int, str]]:
        ref = ref.lstrip("!+")
        atom = self.schema.resolve(ref)
        if is_list(value) and atom.list is not None:
            yield id(value), "'list(dyn)'"
            for element in value:
                yield from self._find_in(element, atom.list.element)
        elif is_map(value) and atom.map is not None and ref[0] in "@<":
            # Types that write JSON themselves, which have no fields here, are copies.
            is_struct = ref[0] == "@"
            name = ".".join(ref.rsplit(".", 2)[-2:])
            yield id(value), f"struct type {name}" if is_struct else "'map(dyn, dyn)'"
            for key, member in value.items():
                field = atom.map.fields.get(str(key))
                inner = field.type if field is not None else atom.map.element
                if inner:
                    yield from self._find_in(member, inner)


def _find_in_request(value: Value, type_: str) -> Iterator[tuple[int, str]]:
    if is_list(value):
        yield id(value), "'list(dyn)'"
    elif is_map(value):
        fields = STRUCTS.get(type_)
        name = f"struct type v1.{type_.rpartition('.')[2]}"
        yield id(value), "'map(dyn, dyn)'" if fields is None else name
        for key, inner in (fields or {}).items():
            if inner != "dyn":
                yield from _find_in_request(value.get(key), inner)
