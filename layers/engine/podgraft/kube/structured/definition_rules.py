"""CustomResourceDefinitions that the API of Kubernetes refuses: their names, types, and defaults.

Source: apiextensions-apiserver 0.37, pkg/apis/apiextensions/validation and pkg/apiserver/schema
(structural schemas). Constraints on values, such as patterns and rules in CEL, are not checked.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from podgraft.base.jsonvalue import JSON, Object, list_at, object_at, objects_at, string_at

from .validation import describe

_Path: TypeAlias = tuple[str | int, ...]
_LIST_TYPE, _MAP_TYPE = "x-kubernetes-list-type", "x-kubernetes-map-type"
_KEYS, _UNKNOWN = "x-kubernetes-list-map-keys", "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING, _EMBEDDED = "x-kubernetes-int-or-string", "x-kubernetes-embedded-resource"
# What a value of a type is in Python.
_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
_UNSUPPORTED = (
    *("$ref", "id", "additionalItems", "patternProperties", "definitions", "dependencies"),
    "uniqueItems",
)
# The type that a key requires.
_REQUIRED_TYPES = {_LIST_TYPE: "array", _MAP_TYPE: "object", _EMBEDDED: "object"}
_CHOICES = {_LIST_TYPE: ("atomic", "set", "map"), _MAP_TYPE: ("atomic", "granular")}
# Where a schema restricts values, but does not define their types.
_JUNCTIONS = ("allOf", "anyOf", "oneOf", "not")
_EITHER = [{"type": "integer"}, {"type": "string"}]
_DEFINING = (
    *("type", "default", "additionalProperties", "nullable", "title", "description"),
    *(_LIST_TYPE, _MAP_TYPE, _KEYS, _UNKNOWN, _INT_OR_STRING, _EMBEDDED),
)


class DefinitionError(NamedTuple):
    """The path in the definition, the problem, and the remedy."""

    path: _Path
    problem: str
    remedy: str


def find_errors(definition: Object) -> Iterator[DefinitionError]:
    """Yield what kube-apiserver refuses."""
    spec = object_at(definition, "spec")
    names, group = object_at(spec, "names"), string_at(spec, "group")
    for key in ("plural", "kind"):
        if not string_at(names, key):
            yield DefinitionError(("spec", "names", key), "is missing", "add it")
    if "." not in group:
        yield DefinitionError(("spec", "group"), "has no dot", "use a DNS name that you own")
    name = f"{string_at(names, 'plural')}.{group}"
    if string_at(definition, "metadata", "name") != name:
        yield DefinitionError(("metadata", "name"), "must be PLURAL.GROUP", f'use "{name}"')
    if spec.get("scope") not in ("Cluster", "Namespaced"):
        yield DefinitionError(("spec", "scope"), "is invalid", "use Cluster or Namespaced")
    if spec.get("preserveUnknownFields"):
        path = ("spec", "preserveUnknownFields")
        yield DefinitionError(path, "must be false", f"set {_UNKNOWN} in the schema")
    yield from _check_versions(objects_at(spec, "versions"))


def _check_versions(versions: Sequence[Object]) -> Iterator[DefinitionError]:
    path = ("spec", "versions")
    names = [string_at(version, "name") for version in versions]
    if len(set(names)) < len(names):
        yield DefinitionError(path, "has a name twice", "give each version another name")
    if sum(version.get("storage") is True for version in versions) != 1:
        problem = "must have one version with storage: true"
        yield DefinitionError(path, problem, "set storage in one version")
    for index, version in enumerate(versions):
        place = (*path, index, "schema", "openAPIV3Schema")
        schema = object_at(version, "schema").get("openAPIV3Schema")
        if isinstance(schema, dict):
            yield from _check_root(schema, place)
        else:
            yield DefinitionError(place, "is missing", "define the fields of the kind")


def _check_root(schema: Object, path: _Path) -> Iterator[DefinitionError]:
    if schema.get("type", "object") != "object":
        yield DefinitionError((*path, "type"), "must be object", "use type: object")
    if schema.get("nullable"):
        yield DefinitionError((*path, "nullable"), "must be false", "remove it")
    if "additionalProperties" in schema:
        yield DefinitionError(
            (*path, "additionalProperties"), "is not allowed here", "define properties"
        )
    fields = object_at(schema, "properties", "metadata", "properties")
    if fields.keys() - {"name", "generateName"}:
        problem = "defines other fields than name and generateName"
        yield DefinitionError((*path, "properties", "metadata"), problem, "remove the others")
    for key, type_ in (("apiVersion", "string"), ("kind", "string"), ("metadata", "object")):
        place, child = (*path, "properties", key), object_at(schema, "properties", key)
        if child.get("type", type_) != type_:
            yield DefinitionError((*place, "type"), f"must be {type_}", f"use {type_}")
        for nested, _ in _list_defaults(child, place):
            yield DefinitionError(nested, "is not allowed in metadata", "remove it")
    yield from _check_schema(schema, path)
    for place, child in _list_defaults(schema, path):
        yield from _check_value(child, child["default"], place)


def _check_schema(schema: Object, path: _Path) -> Iterator[DefinitionError]:
    yield from _check_type(schema, path)
    yield from _check_keywords(schema, path)
    yield from _check_list(schema, path)
    for place, nested in _list_nested(schema, path):
        yield from _check_nested(nested, place)
    for place, child in _list_children(schema, path):
        yield from _check_schema(child, place)


def _check_keywords(schema: Object, path: _Path) -> Iterator[DefinitionError]:
    for key in _UNSUPPORTED:
        if schema.get(key):
            yield DefinitionError((*path, key), "is unsupported", "remove it")
    for key, choices in _CHOICES.items():
        if schema.get(key, choices[0]) not in choices:
            problem = f"got {describe(schema[key])}"
            yield DefinitionError((*path, key), problem, f"use {' or '.join(choices)}")
    if schema.get(_UNKNOWN, True) is not True:
        yield DefinitionError((*path, _UNKNOWN), "must be true", "remove it")
    if schema.get(_UNKNOWN) and schema.get(_INT_OR_STRING):
        problem = f"excludes {_INT_OR_STRING}"
        yield DefinitionError((*path, _UNKNOWN), problem, "remove one of the two")
    properties, others = object_at(schema, "properties"), schema.get("additionalProperties")
    if properties and others not in (None, True):
        problem = "excludes properties"
        yield DefinitionError((*path, "additionalProperties"), problem, "remove one of the two")
    if schema.get(_EMBEDDED) and not properties and not schema.get(_UNKNOWN):
        yield DefinitionError((*path, "properties"), "is missing", f"add it, or {_UNKNOWN}: true")


def _list_children(schema: Object, path: _Path) -> Iterator[tuple[_Path, Object]]:
    for key, child in object_at(schema, "properties").items():
        if isinstance(child, dict):
            yield (*path, "properties", key), child
    for key in ("items", "additionalProperties"):
        child = schema.get(key)
        if isinstance(child, dict):
            yield (*path, key), child


def _list_nested(schema: Object, path: _Path) -> Iterator[tuple[_Path, Object]]:
    """The schemas in ``allOf`` and the like, without those of an integer or a string."""
    for key in _JUNCTIONS:
        nested = schema.get(key)
        if isinstance(nested, dict):
            yield (*path, key), nested
        elif not (key == "anyOf" and nested == _EITHER):
            for index, each in enumerate(objects_at(schema, key)):
                yield (*path, key, index), each


def _check_type(schema: Object, path: _Path) -> Iterator[DefinitionError]:
    type_ = schema.get("type")
    required = [key for key in _REQUIRED_TYPES if schema.get(key)]
    if type_ in (None, ""):
        if required or not (schema.get(_INT_OR_STRING) or schema.get(_UNKNOWN)):
            remedy = f"use {', '.join(_TYPES)}"
            yield DefinitionError((*path, "type"), "is missing", remedy)
    elif not isinstance(type_, str) or type_ not in _TYPES:
        problem, remedy = f"got {describe(type_)}", f"use {', '.join(_TYPES)}"
        yield DefinitionError((*path, "type"), problem, remedy)
    for key in required:
        if type_ and type_ != _REQUIRED_TYPES[key]:
            problem = f"must be {_REQUIRED_TYPES[key]} with {key}"
            yield DefinitionError((*path, "type"), problem, f"correct the type, or remove {key}")
    if type_ == "array" and not isinstance(schema.get("items"), dict):
        problem = "must be one schema" if "items" in schema else "is missing"
        yield DefinitionError((*path, "items"), problem, "define the elements")


def _check_list(schema: Object, path: _Path) -> Iterator[DefinitionError]:
    kind, keys, items = schema.get(_LIST_TYPE), list_at(schema, _KEYS), object_at(schema, "items")
    if keys and kind != "map":
        yield DefinitionError((*path, _LIST_TYPE), f"must be map with {_KEYS}", "use map")
    if kind in ("map", "set") and items.get("nullable"):
        problem = f"must be false in a list of type {kind}"
        yield DefinitionError((*path, "items", "nullable"), problem, "remove it")
    if kind == "set":
        marks = {"array": (_LIST_TYPE, "atomic"), "object": (_MAP_TYPE, "granular")}
        mark, default = marks.get(string_at(items, "type"), ("", "atomic"))
        if items.get(mark, default) != "atomic":
            yield DefinitionError((*path, "items", mark), "must be atomic in a set", "use atomic")
    if kind != "map":
        return
    if not keys:
        remedy = "name the fields that identify an element"
        yield DefinitionError((*path, _KEYS), "is missing", remedy)
    if len(set(map(str, keys))) < len(keys):
        yield DefinitionError((*path, _KEYS), "has a name twice", "remove one of the two")
    if items.get("type") not in ("object", None, ""):
        problem = "must be object in a list of type map"
        yield DefinitionError((*path, "items", "type"), problem, "use object")
    else:
        yield from _check_keys(items, [*map(str, keys)], path)


def _check_keys(items: Object, keys: Sequence[str], path: _Path) -> Iterator[DefinitionError]:
    properties, required = object_at(items, "properties"), list_at(items, "required")
    for key in keys:
        field = properties.get(key)
        place = (*path, "items", "properties", key)
        if not isinstance(field, dict):
            problem, remedy = f'got "{key}", which no element has', "name properties of items"
            yield DefinitionError((*path, _KEYS), problem, remedy)
            continue
        if field.get("type") in ("array", "object"):
            yield DefinitionError((*place, "type"), "must be a scalar: it is a key", "use string")
        if field.get("nullable"):
            yield DefinitionError((*place, "nullable"), "must be false: it is a key", "remove it")
        if key not in required and field.get("default") is None:
            problem = "is missing, and the key is optional"
            yield DefinitionError((*place, "default"), problem, f"add {key} to required")


def _check_nested(schema: Object, path: _Path) -> Iterator[DefinitionError]:
    """Check a schema in ``allOf`` and the like: it defines no types."""
    for key in _DEFINING:
        if schema.get(key):
            problem, remedy = "is not allowed in allOf, anyOf, oneOf, and not", "move it outside"
            yield DefinitionError((*path, key), problem, remedy)
    for place, child in _list_nested(schema, path):
        yield from _check_nested(child, place)
    for place, child in _list_children(schema, path):
        if place[-1] != "additionalProperties":
            yield from _check_nested(child, place)


def _check_value(schema: Object, value: JSON, path: _Path) -> Iterator[DefinitionError]:
    """Check a default: it has its type, and no other fields."""
    type_ = string_at(schema, "type")
    types = _TYPES.get(type_)
    if types is None or (value is None and schema.get("nullable")):
        return
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        problem = f"must be of type {type_}, got {describe(value)}"
        yield DefinitionError(path, problem, "correct the default")
    elif schema.get("enum") is not None and value not in list_at(schema, "enum"):
        yield DefinitionError(path, "has a value that enum excludes", "correct the default")
    elif isinstance(value, dict):
        yield from _check_members(schema, value, path)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from _check_value(object_at(schema, "items"), element, (*path, index))


def _check_members(schema: Object, value: Object, path: _Path) -> Iterator[DefinitionError]:
    properties, others = object_at(schema, "properties"), schema.get("additionalProperties")
    for key in map(str, list_at(schema, "required")):
        if key not in value:
            yield DefinitionError((*path, key), "is missing, and required", "add the field")
    for key, member in value.items():
        child = properties.get(key, others)
        if isinstance(child, dict):
            yield from _check_value(child, member, (*path, key))
        elif child is not True and not schema.get(_UNKNOWN):
            problem = f"has {key}, which the schema does not define"
            yield DefinitionError(path, problem, "define or remove the field")


def _list_defaults(schema: Object, path: _Path) -> Iterator[tuple[_Path, Object]]:
    """The schemas with a default; kube-apiserver does not check those of additionalProperties."""
    if schema.get("default") is not None:
        yield (*path, "default"), schema
    for place, child in _list_children(schema, path):
        if place[-1] != "additionalProperties":
            yield from _list_defaults(child, place)
