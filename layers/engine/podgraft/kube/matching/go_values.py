"""The values of an expression that kube-apiserver reads from structs of Go, without a copy.

It cannot write those to a patch, and compares them more strictly. Since Kubernetes 1.37,
``request``, ``namespaceObject``, and parameters of Kubernetes' kinds are such values. In mutations,
an object is one that no expression read before the first match condition of the request, whichever
policy that belongs to.

Source: k8s.io/apiserver 0.37, pkg/cel/common/valuesschemalesstyped.go, and LazyObject of
pkg/admission/conversion.go.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from podgraft.kube.cel.equality import GoTypes, equal
from podgraft.kube.cel.values import Optional, Struct, Value, is_list, is_map
from podgraft.kube.errors import QuantityError
from podgraft.kube.quantity import parse
from podgraft.kube.structured import Schema

from .conditions import STRUCTS

OBJECTS = ("object", "oldObject")
FIRST_GO_VALUES = 37  # the first minor of Kubernetes that has them
_STRUCT = "struct type"
_FREE = "<*"  # a map of anything
_REQUEST = "kubernetes.AdmissionRequest"


@dataclass(frozen=True)
class GoValues(GoTypes):
    """The values of Go in the variables of an expression; ``objects`` names those that are.

    They are found when an expression first does what depends on them.
    """

    variables: Mapping[str, Value]
    objects: Collection[str]
    find_schema: Callable[[], Schema]
    _joined: dict[int, list[Value]] = field(default_factory=dict[int, list[Value]])

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

    def type_of(self, value: Value) -> str | None:
        """The type of a value of Go, or ``None`` for what an expression made."""
        return self._types.get(id(value)) if is_list(value) or is_map(value) else None

    def same_struct(self, left: Value, right: Value) -> bool | None:
        """Whether two structs are equal, quantities by their value; ``None`` if one is none."""
        types = self._types.get(id(left), ""), self._types.get(id(right), "")
        if not all(type_.startswith(_STRUCT) for type_ in types):
            return None
        return types[0] == types[1] and self._same_content(left, right)

    def _same_content(self, left: Value, right: Value) -> bool:
        if is_map(left) and is_map(right):
            is_same = left.keys() == right.keys()
            return is_same and all(self._same_content(left[key], right[key]) for key in left)
        if is_list(left) and is_list(right):
            return len(left) == len(right) and all(map(self._same_content, left, right))
        return equal(left, right) or _is_same_quantity(left, right)

    def join(self, left: list[Value], right: list[Value]) -> list[Value]:
        """``left + right``; of two lists of which none is empty, a list that is converted deep."""
        if not (left or self.type_of(left)):
            return right
        joined = left + right
        if left and right and not self.type_of(left):
            self._joined[id(joined)] = joined
        return joined

    def is_joined(self, value: Value) -> bool:
        """Whether ``+`` made a list whose elements Kubernetes converts with all their content."""
        return id(value) in self._joined and self._schema.minor >= FIRST_GO_VALUES

    def is_literal(self, value: Value) -> bool:
        """Whether an expression made a list or map, instead of reading it from a variable."""
        return (is_list(value) or is_map(value)) and id(value) not in self._read

    def is_nil_slice(self, value: list[Value]) -> bool:
        """Whether a list is nil in Kubernetes: an empty one; since 1.37, also one that it read."""
        return not value and (self._schema.minor >= FIRST_GO_VALUES or self.is_literal(value))

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
        return dict(self._find_all()) if self._schema.minor >= FIRST_GO_VALUES else {}

    @cached_property
    def _schema(self) -> Schema:
        return self.find_schema()

    def _find_all(self) -> Iterator[tuple[int, str]]:
        for name in (*self.objects, "namespaceObject", "params"):
            yield from self._find_in_object(self.variables.get(name))
        yield from _find_in_request(self.variables.get("request"), _REQUEST)

    def _find_in_object(self, value: Value) -> Iterator[tuple[int, str]]:
        if not is_map(value):
            return
        # The Namespace of a request has neither.
        version, kind = value.get("apiVersion", "v1"), value.get("kind", "Namespace")
        ref = self._schema.find_kind(str(version), str(kind))
        if ref is not None and not self._schema.is_custom(ref):
            yield from self._find_in(value, ref)

    def _find_in(self, value: Value, ref: str) -> Iterator[tuple[int, str]]:
        ref = ref.lstrip("!+")
        atom = self._schema.resolve(ref)
        if is_list(value) and atom.list is not None:
            yield id(value), "'list(dyn)'"
            for element in value:
                yield from self._find_in(element, atom.list.element)
        elif is_map(value) and atom.map is not None and ref != _FREE:
            # Types that write JSON themselves, such as fieldsV1, are copies.
            is_struct = ref[0] == "@"
            name = ".".join(ref.rsplit(".", 2)[-2:])
            yield id(value), f"{_STRUCT} {name}" if is_struct else "'map(dyn, dyn)'"
            for key, member in value.items():
                field = atom.map.fields.get(str(key))
                inner = field.type if field is not None else atom.map.element
                if inner:
                    yield from self._find_in(member, inner)


def _is_same_quantity(left: Value, right: Value) -> bool:
    """Whether two texts are one quantity with different suffixes."""
    try:
        return (
            isinstance(left, str)
            and isinstance(right, str)
            and not parse(left).compare(parse(right))
        )
    except QuantityError:
        return False


def _find_in_request(value: Value, type_: str) -> Iterator[tuple[int, str]]:
    if is_list(value):
        yield id(value), "'list(dyn)'"
    elif is_map(value):
        fields = STRUCTS.get(type_)
        name = f"{_STRUCT} v1.{type_.rpartition('.')[2]}"
        yield id(value), "'map(dyn, dyn)'" if fields is None else name
        for key, inner in (fields or {}).items():
            if inner != "dyn":
                yield from _find_in_request(value.get(key), inner)
