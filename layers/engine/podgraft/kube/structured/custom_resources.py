"""The types and defaults of custom resources, from their CustomResourceDefinition.

Source: apiextensions-apiserver 0.37 (schema/defaulting, controller/openapi/builder) and
kube-openapi's schemaconv.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at

from .schema import DEDUCED, MapField, MapType, Ref, Schema

KIND = "CustomResourceDefinition"
_METADATA: Ref = "@meta.v1.ObjectMeta"
_NUMBERS = {"integer": "n", "number": "n", "boolean": "b"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomKind:
    """A kind of a CustomResourceDefinition; ``schemas`` has the schema of each version."""

    group: str
    kind: str
    plural: str
    is_namespaced: bool
    schemas: Mapping[str, Object]

    def fill_defaults(self, value: Object) -> Object:
        """An object of the kind with the defaults of its version."""
        version = string_at(value, "apiVersion").rpartition("/")[2]
        schema = self.schemas.get(version)
        completed = value if schema is None else _fill_defaults(schema, value)
        return completed if isinstance(completed, dict) else value


def parse_definition(definition: Object) -> CustomKind:
    """The kind of a CustomResourceDefinition."""
    spec = object_at(definition, "spec")
    return CustomKind(
        group=string_at(spec, "group"),
        kind=string_at(spec, "names", "kind"),
        plural=string_at(spec, "names", "plural"),
        is_namespaced=spec.get("scope") != "Cluster",
        schemas={
            string_at(version, "name"): object_at(version, "schema", "openAPIV3Schema")
            for version in objects_at(spec, "versions")
        },
    )


def _fill_defaults(schema: Object, value: JSON) -> JSON:
    match value:
        case dict():
            properties = object_at(schema, "properties")
            completed: Object = dict(value)
            for key, child in properties.items():
                if not isinstance(child, dict):
                    continue
                if completed.get(key) is None and child.get("default") is not None:
                    completed[key] = jsonvalue.copy(child["default"])
                if key in completed:
                    completed[key] = _fill_defaults(child, completed[key])
            others = schema.get("additionalProperties")
            if isinstance(others, dict):
                for key in completed.keys() - properties.keys():
                    completed[key] = _fill_defaults(others, completed[key])
            return completed
        case list():
            items = schema.get("items")
            if not isinstance(items, dict):
                return value
            return [_fill_defaults(items, each) for each in value]
        case _:
            return value


def make_schema(minor: int, kinds: Iterable[CustomKind]) -> Schema:
    """The types of a release with those of custom resources."""
    builder = _Builder()
    refs: dict[str, Ref] = {}
    defaulters: dict[Ref, Callable[[Object], Object]] = {}
    for kind in kinds:
        for version, schema in kind.schemas.items():
            name = f"{kind.group}/{version} {kind.kind}"
            refs[name] = builder.add_root(name, schema)
            defaulters[refs[name]] = kind.fill_defaults
    return Schema(minor, builder.structs, refs, defaulters)


@dataclass(slots=True)
class _Builder:
    """The structs of custom resources, by their kind and path."""

    structs: dict[str, MapType] = field(default_factory=dict[str, MapType])

    def add_root(self, name: str, schema: Object) -> Ref:
        """Add the struct of a kind; its metadata has the type of all kinds."""
        self._spell(schema, name, preserves_unknown=False)
        struct = self.structs.get(name) or MapType({}, DEDUCED)
        head = {"apiVersion": MapField("s"), "kind": MapField("s"), "metadata": MapField(_METADATA)}
        self.structs[name] = MapType({**struct.fields, **head}, struct.element, struct.is_atomic)
        return f"@{name}"

    def _spell(self, schema: Object, path: str, *, preserves_unknown: bool) -> Ref:
        preserves_unknown |= schema.get("x-kubernetes-preserve-unknown-fields") is True
        if schema.get("x-kubernetes-int-or-string") is True:
            return DEDUCED
        match schema.get("type"):
            case "object":
                return self._spell_object(schema, path, preserves_unknown=preserves_unknown)
            case "array":
                items = object_at(schema, "items")
                element = self._spell(items, f"{path}[]", preserves_unknown=preserves_unknown)
                return f"{_list_mark(schema)}{element}"
            case "string":
                return "s" if schema.get("format", "") in ("", "byte") else "u"
            case str() as other if other in _NUMBERS:
                return _NUMBERS[other]
            case _:
                return DEDUCED

    def _spell_object(self, schema: Object, path: str, *, preserves_unknown: bool) -> Ref:
        mark = "!" if schema.get("x-kubernetes-map-type") == "atomic" else ""
        properties, others = object_at(schema, "properties"), schema.get("additionalProperties")
        if isinstance(others, dict) and not properties:
            return (
                f"{mark}<{self._spell(others, f'{path}{{}}', preserves_unknown=preserves_unknown)}"
            )
        if not properties:
            return f"{mark}<{DEDUCED}"
        fields = dict(self._fields(properties, path, preserves_unknown=preserves_unknown))
        element = DEDUCED if preserves_unknown or others is True else None
        self.structs[path] = MapType(fields, element, is_atomic=bool(mark))
        return f"@{path}"

    def _fields(
        self, properties: Object, path: str, *, preserves_unknown: bool
    ) -> Iterator[tuple[str, MapField]]:
        for key, child in properties.items():
            if isinstance(child, dict):
                ref = self._spell(child, f"{path}.{key}", preserves_unknown=preserves_unknown)
                yield key, MapField(ref, child.get("default"))


def _list_mark(schema: Object) -> str:
    match schema.get("x-kubernetes-list-type"):
        case "map":
            keys = schema.get("x-kubernetes-list-map-keys")
            return f"{{{','.join(map(str, keys))}}}" if isinstance(keys, list) else "["
        case "set":
            return "{}"
        case _:
            return "["
