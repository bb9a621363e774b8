"""Kubernetes' Go types, by name and Kubernetes release.

``types.json`` is the table, written by ``tools/generate/kube_types.py``: the named strings, and the
structs. A row of a struct is the Go name of a field, its type, its JSON name and options, other
tags, the first and last Kubernetes minor that has it so, and its position in the text of String if
the order differs. Types without a package are of v1.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from podgraft.base.jsonvalue import Object
from podgraft.base.tables import read_table
from podgraft.golang.reflect import (
    BOOL,
    INT32,
    INT64,
    STRING,
    TYPES_LOCK,
    Field,
    GoType,
    Kind,
    LazyStruct,
    Method,
    Struct,
    Value,
    map_of,
    pointer_to,
    refused_methods,
    scalar_type,
    slice_of,
)

from .go_strings import print_struct
from .json_codecs import FIELDS_V1, INT_OR_STRING
from .metav1_time import TIME
from .quantity_types import QUANTITY, RESOURCE_LIST, RESOURCE_NAME, SERIALIZATION

# The beta of 1.38 adds ``seccompProfile.oci`` and the function ``isMask`` of CEL, in which a
# comparison with NaN is no error, and a call with a failed argument is free. It requires Go 1.27.
NEWEST = 37

_TABLE: Mapping[str, Any] = read_table(__file__, "types.json")
SCALARS: frozenset[str] = frozenset(_TABLE["scalars"])
# The rows of each struct.
STRUCTS: Mapping[str, list[str]] = _TABLE["structs"]

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


class KubeTypes(Mapping[str, GoType]):
    """The types of Kubernetes 1.``minor``, by Go's name without the package v1.

    Releases before 1.10 have the fields of 1.10. A type is created on first use.
    """

    def __init__(self, minor: int) -> None:
        self.minor = minor
        self._cache: dict[str, GoType] = dict(_SPECIAL)

    def __getitem__(self, name: str) -> GoType:
        with TYPES_LOCK:
            if name not in self._cache:
                make = partial(self._make_members, name)
                self._cache[name] = (
                    LazyStruct(_go_name(name), make_members=make)
                    if name in STRUCTS
                    else _scalar(name)
                )
            return self._cache[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_SPECIAL, *SCALARS, *STRUCTS))

    def __len__(self) -> int:
        return len(_SPECIAL) + len(SCALARS) + len(STRUCTS)

    def _make_members(
        self, name: str, go_type: GoType
    ) -> tuple[tuple[Field, ...], Mapping[str, Method]]:
        found = map(self._field, STRUCTS[name])
        fields = tuple(field for field in found if field is not None)
        return fields, struct_methods(go_type) | _special_methods(name, go_type, fields)

    def _field(self, line: str) -> Field | None:
        """The field in a line of the table; ``None`` if this release does not have it."""
        name, type_, tag, *attributes = line.split(" ")
        options_by_name = dict(fact.split("=") for fact in attributes)
        if (
            not int(options_by_name.get("since", 0))
            <= self.minor
            <= int(options_by_name.get("until", NEWEST))
        ):
            return None
        json, *options = tag.split(",")
        return Field(
            name,
            self._resolve_type(type_),
            json,
            omitempty="omitempty" in options,
            omitzero="omitzero" in options,
            embedded="embedded" in options,
            merge_key=options_by_name.get("key", ""),
            patch_strategy=tuple(options_by_name["patch"].split(","))
            if "patch" in options_by_name
            else (),
            print_order=int(options_by_name.get("print", 0)),
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


# Methods that generated code adds to each struct. They serialize, or describe the type.
_REFUSED = f"{SERIALIZATION} SwaggerDoc"


def struct_methods(go_type: GoType) -> dict[str, Method]:
    """The methods that generated code adds to each struct."""
    methods = {"DeepCopy": _pointer_method(go_type), "String": Method(print_struct, pointer=True)}
    return methods | refused_methods(go_type.name, _REFUSED)


def _special_methods(name: str, go_type: GoType, fields: Iterable[Field]) -> dict[str, Method]:
    """The methods that Kubernetes declares for a struct."""
    match name:
        case "ObjectMeta":
            accessors = {f"Get{field.name}": _accessor_method(field) for field in fields}
            return accessors | {"GetObjectMeta": _pointer_method(go_type)}
        case "TypeMeta":
            refused = refused_methods(go_type.name, "DeepCopy GroupVersionKind")
            return refused | {"GetObjectKind": _pointer_method(go_type)}
        case "Toleration":
            return refused_methods(go_type.name, "MatchToleration ToleratesTaint")
        case _:
            return {}


def _pointer_method(go_type: GoType) -> Method:
    """A method that returns the pointer to its receiver, or to a copy of it."""

    def get(struct: Struct | None) -> Value:
        return pointer_to(go_type).convert(struct)

    return Method(get, pointer=True)


def types(minor: int = NEWEST) -> KubeTypes:
    """The types of Kubernetes 1.``minor``, at most the newest supported release."""
    with TYPES_LOCK:
        return _release(min(minor, NEWEST))


@cache
def _release(minor: int) -> KubeTypes:
    return KubeTypes(minor)


@cache
def _scalar(name: str) -> GoType:
    if name not in SCALARS:
        raise KeyError(name)
    return scalar_type(_go_name(name), Kind.STRING)


def _go_name(name: str) -> str:
    return name if "." in name else f"v1.{name}"


def _accessor_method(field: Field) -> Method:
    """metav1.Object's accessor of a field."""

    def get(meta: Struct) -> Value:
        return meta.get(field)

    return Method(get, pointer=True, result=field.type)


TYPES = types()
POD = TYPES["Pod"]
CONTAINER = TYPES["Container"]
OBJECT_META = TYPES["ObjectMeta"]
NAMESPACE = TYPES["Namespace"]
LABEL_SELECTOR = TYPES["LabelSelector"]


# The supported kinds, with their API groups.
API_GROUPS: Mapping[str, str] = {
    "CronJob": "batch",
    "DaemonSet": "apps",
    "Deployment": "apps",
    "Job": "batch",
    "Namespace": "",
    "Pod": "",
    "ReplicaSet": "apps",
    "ReplicationController": "",
    "StatefulSet": "apps",
}


def object_type(value: Object, minor: int = NEWEST) -> GoType | None:
    """The Go type of an object in Kubernetes 1.``minor``, if the kind is supported."""
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return types(minor)["Pod"] if kind in (None, "Pod") and "spec" in value else None
    group = version.rpartition("/")[0]
    return types(minor)[kind] if API_GROUPS.get(kind) == group else None
