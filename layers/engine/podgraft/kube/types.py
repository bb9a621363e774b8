"""Kubernetes' Go types, by name and Kubernetes release."""

from collections.abc import Iterator, Mapping
from functools import cache
from threading import RLock

from podgraft.go.reflect import (
    BOOL,
    INT32,
    INT64,
    STRING,
    Field,
    GoType,
    Kind,
    Method,
    Struct,
    Value,
    map_of,
    pointer_to,
    slice_of,
    string_type,
)

from .json_codecs import FIELDS_V1, INT_OR_STRING
from .metav1_time import TIME
from .quantities import QUANTITY, RESOURCE_LIST, RESOURCE_NAME
from .structs import SCALARS, STRUCTS

NEWEST = 37

_SPECIAL = {
    "FieldsV1": FIELDS_V1,
    "ResourceList": RESOURCE_LIST,
    "ResourceName": RESOURCE_NAME,
    "Time": TIME,
    "bool": BOOL,
    "int32": INT32,
    "int64": INT64,
    "intstr.IntOrString": INT_OR_STRING,
    "resource.Quantity": QUANTITY,
    "string": STRING,
}

# Types are compared by identity: two threads must not make the same one twice.
_MAKING = RLock()


class _LazyStruct(GoType):
    """A struct type that reads its fields from the table when they are first asked for.

    There are some two hundred types, of which a request touches a few dozen.
    """

    __slots__ = ("_known", "_row")

    def __init__(self, row: str, known: "KubeTypes") -> None:
        super().__init__(_go_name(row), Kind.STRUCT, self._to_struct)
        self._row = row
        self._known = known
        del self.fields

    def __getattr__(self, name: str) -> tuple[Field, ...]:
        """Only asked for what has no value: ``fields``, once."""
        if name != "fields":
            raise AttributeError(name)
        with _MAKING:
            self.fields = self._known.fields(self._row)
        return self.fields

    def _to_struct(self, raw: Value) -> Struct:
        return raw if type(raw) is Struct else Struct(self, raw or {})


class KubeTypes(Mapping[str, GoType]):
    """The types that Kubernetes 1.``minor`` has, by Go's name without the package where that is v1.

    The fields of releases before 1.10 are those of 1.10. A type is made when it is asked for.
    """

    def __init__(self, minor: int) -> None:
        self.minor = minor
        self._made: dict[str, GoType] = dict(_SPECIAL)

    def __getitem__(self, name: str) -> GoType:
        with _MAKING:
            return self._made.get(name) or self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter((*_SPECIAL, *SCALARS, *STRUCTS))

    def __len__(self) -> int:
        return len(_SPECIAL) + len(SCALARS) + len(STRUCTS)

    def _make(self, name: str) -> GoType:
        made = self._made[name] = _LazyStruct(name, self) if name in STRUCTS else _scalar(name)
        if name == "ObjectMeta":
            made.methods = {f"Get{field.name}": _accessor_method(field) for field in made.fields}
        return made

    def fields(self, struct: str) -> tuple[Field, ...]:
        """The fields of a struct that this release has."""
        lines = STRUCTS[struct].split("\n")[1:-1]
        return tuple(field for field in map(self._field, lines) if field is not None)

    def _field(self, line: str) -> Field | None:
        """The field that a line of the table describes, where this release has it."""
        name, type_, tag, *more = line.split(" ")
        facts = dict(fact.split("=") for fact in more)
        if not int(facts.get("since", 0)) <= self.minor <= int(facts.get("until", NEWEST)):
            return None
        json, *options = tag.split(",")
        return Field(
            name,
            self._resolve_type(type_),
            json,
            omitempty="omitempty" in options,
            omitzero="omitzero" in options,
            embedded="embedded" in options,
            merge_key=facts.get("key", ""),
            patch_strategy=tuple(facts["patch"].split(",")) if "patch" in facts else (),
        )

    def _resolve_type(self, spelled: str) -> GoType:
        if spelled.startswith("*"):
            return pointer_to(self._resolve_type(spelled[1:]))
        if spelled.startswith("[]"):
            return slice_of(self._resolve_type(spelled[2:]))
        if spelled.startswith("map["):
            key, elem = spelled[4:].split("]", 1)
            return map_of(self._resolve_type(key), self._resolve_type(elem))
        return self[spelled]


def types(minor: int = NEWEST) -> KubeTypes:
    """The types of Kubernetes 1.``minor``; of the newest known one where that is newer."""
    with _MAKING:
        return _release(min(minor, NEWEST))


@cache
def _release(minor: int) -> KubeTypes:
    return KubeTypes(minor)


@cache
def _scalar(name: str) -> GoType:
    if name not in SCALARS:
        raise KeyError(name)
    return string_type(_go_name(name))


def _go_name(name: str) -> str:
    return name if "." in name else f"v1.{name}"


def _accessor_method(field: Field) -> Method:
    """metav1.Object's accessor of a field."""

    def get(meta: Struct) -> Value:
        return meta.get(field)

    return Method(get, pointer=True, result=field.type)


TYPES = types()
POD = TYPES["Pod"]
POD_SPEC = TYPES["PodSpec"]
POD_TEMPLATE = TYPES["PodTemplateSpec"]
CONTAINER = TYPES["Container"]
OBJECT_META = TYPES["ObjectMeta"]
NAMESPACE = TYPES["Namespace"]
LABEL_SELECTOR = TYPES["LabelSelector"]
