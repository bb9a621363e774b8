"""What an overlay's template sees: the object, as raw JSON and as Go's types where they are known.

``.Object`` is the whole object; ``.ObjectMeta`` its metadata and ``.Spec`` its spec as Go structs
(``.Spec.Containers``, ``.Spec.Template.Spec``), or ``.Spec`` as raw JSON for kinds without known Go
types; ``.Namespace`` the request's namespace; ``.Values`` the overlay's own values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from podgraft import kube, sprig
from podgraft.go.json.marshal import marshal
from podgraft.go.reflect import ANY, ANY_MAP, STRING, Field, GoType, Struct, Value, struct_type
from podgraft.go.reflect.taint import Address, PlaceholderRegistry
from podgraft.go.reflect.tainted_values import taint_json
from podgraft.injectors.masking import Masker
from podgraft.injectors.plain_text import holds_harmless
from podgraft.injectors.yaml_function import to_yaml
from podgraft.jsonvalue import Object, load, object_at
from podgraft.texttemplate import Propagation, Function, SyntaxRisk, Serializer


# The kinds whose Go types are known, and the API group they are in.
def _to_yaml(value: Value) -> str:
    """Helm's: as sigs.k8s.io/yaml prints it, without the last line break."""
    return to_yaml(value).removesuffix("\n")


def _tree(_: str, value: Value) -> Value:
    return load(marshal(value))


def _functions() -> Mapping[str, Function]:
    """Sprig's functions, and Helm's ``toYaml``."""
    functions = dict(sprig.functions())
    functions["toYaml"] = Function(
        _to_yaml,
        (ANY,),
        result=STRING,
        propagation=Propagation.SERIALIZES,
        syntax_risk=SyntaxRisk.NONE,
        serializer=Serializer(_tree, _to_yaml),
    )
    return functions


FUNCTIONS = _functions()


@dataclass(frozen=True, slots=True)
class OverlayData:
    """What a template is rendered with."""

    object: Object
    namespace: str
    values: Object

    def to_struct(self) -> Value:
        """The data as a Go struct."""
        return Struct(
            data_type(kube.object_type(self.object)),
            {
                "Object": self.object,
                "ObjectMeta": self.object.get("metadata"),
                "Spec": self.object.get("spec"),
                "Namespace": self.namespace,
                "Values": self.values,
            },
        )

    def copy_for_mutation(self) -> OverlayData:
        """The same for a template that may change it."""
        kept, values = sprig.deep_copy(self.object), sprig.deep_copy(self.values)
        return replace(self, object=kept, values=values)

    def is_harmless(self) -> bool:
        """Whether no text of the object is YAML syntax anywhere."""
        return holds_harmless(self.object)

    def tainted(self, slots: PlaceholderRegistry) -> OverlayData:
        """The same with taint on all that the object's author wrote."""
        members = {key: taint_json(slots, value, (None, key)) for key, value in self.object.items()}
        keys = {key: slots.taint_string(key, (None, key)) for key in sorted(members)}
        return replace(self, object={keys[key]: value for key, value in members.items()})

    def mask(self, masking: Masker) -> OverlayData:
        """The same with what could be syntax masked; the very same where nothing could."""
        masked = masking.mask(self.object)
        if masked is self.object or not isinstance(masked, dict):
            return self
        return replace(self, object=masked)

    def keys(self) -> Sequence[Address]:
        """The places of the object's annotations and labels."""
        metadata = object_at(self.object, "metadata")
        return [
            (((None, "metadata"), kind), key)
            for kind in ("annotations", "labels")
            for key in object_at(metadata, kind)
        ]

    def with_keys(self, kept: Sequence[Address]) -> OverlayData:
        """The same with these of its annotations and labels alone."""
        metadata = object_at(self.object, "metadata")
        maps: Object = {
            kind: {
                key: value
                for key, value in entries.items()
                if (((None, "metadata"), kind), key) in kept
            }
            for kind in ("annotations", "labels")
            if (entries := object_at(metadata, kind))
        }
        return replace(self, object={**self.object, "metadata": {**metadata, **maps}})


@cache
def data_type(object_type: GoType | None) -> GoType:
    """The type of the data for objects of a type."""
    made = struct_type("overlay.Data")
    made.fields = (
        Field("Object", ANY_MAP, "Object"),
        Field("ObjectMeta", kube.OBJECT_META, "ObjectMeta"),
        Field("Spec", _spec_type(object_type), "Spec"),
        Field("Namespace", STRING, "Namespace"),
        Field("Values", ANY_MAP, "Values"),
    )
    return made


def _spec_type(object_type: GoType | None) -> GoType:
    path = object_type.field_path("Spec") if object_type else None
    return path[-1].type if path else ANY
