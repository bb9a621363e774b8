"""The template data of overlays: the object as raw JSON, and as Go types for kinds that have them.

``.Object`` is the complete object. ``.ObjectMeta`` is its metadata, and ``.Spec`` its spec, as Go
structs (``.Spec.Containers``, ``.Spec.Template.Spec``); for kinds without a Go type, ``.Spec`` is
raw JSON. ``.Namespace`` is the namespace of the request, ``.NamespaceMeta`` its metadata in the
bundle, and ``.Values`` the values of the overlay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.yaml_function import read_tree, to_yaml
from podgraft.golang import sprig
from podgraft.golang.reflect import ANY, ANY_MAP, STRING, Field, GoType, Struct, Value, struct_type
from podgraft.golang.reflect.taint import Address
from podgraft.golang.texttemplate import Function, Propagation, Serializer, SyntaxRisk

from .quantity_functions import QUANTITY_FUNCTIONS


def _to_yaml(value: Value) -> str:
    """Format YAML as Helm does: as sigs.k8s.io/yaml prints it, without the last newline."""
    return to_yaml(value).removesuffix("\n")


def _make_functions() -> Mapping[str, Function]:
    """Return sprig's functions, Helm's ``toYaml``, and those of quantities."""
    functions = {**sprig.functions(), **QUANTITY_FUNCTIONS}
    functions["toYaml"] = Function(
        _to_yaml,
        (ANY,),
        result=STRING,
        propagation=Propagation.SERIALIZES,
        syntax_risk=SyntaxRisk.NONE,
        serializer=Serializer(read_tree, _to_yaml),
    )
    return functions


FUNCTIONS = _make_functions()


@dataclass(frozen=True, slots=True)
class OverlayData:
    """The template data for one object."""

    object: Object
    namespace: str
    namespace_meta: JSON
    values: Object

    def to_struct(self) -> Value:
        """Convert the data to a Go struct."""
        return Struct(
            data_type(kube.object_type(self.object)),
            {
                "Object": self.object,
                "ObjectMeta": self.object.get("metadata"),
                "Spec": self.object.get("spec"),
                "Namespace": self.namespace,
                "NamespaceMeta": self.namespace_meta,
                "Values": self.values,
            },
        )

    def copy_for_mutation(self) -> OverlayData:
        """Return a deep copy for a template that can change its data."""
        copied_object, values = sprig.deep_copy(self.object), sprig.deep_copy(self.values)
        return replace(self, object=copied_object, values=values)

    def metadata_keys(self) -> Sequence[Address]:
        """The paths of the object's annotations and labels."""
        return [
            (((None, "metadata"), kind), key)
            for kind in ("annotations", "labels")
            for key in object_at(self.object, "metadata", kind)
        ]

    def with_metadata_keys(self, paths: Sequence[Address]) -> OverlayData:
        """Return the data with only these annotations and labels."""
        metadata = object_at(self.object, "metadata")
        retained = frozenset(paths)  # a pod can have thousands of keys
        maps: Object = {
            kind: {
                key: value
                for key, value in entries.items()
                if (((None, "metadata"), kind), key) in retained
            }
            for kind in ("annotations", "labels")
            if (entries := object_at(metadata, kind))
        }
        return replace(self, object={**self.object, "metadata": {**metadata, **maps}})


@cache
def data_type(object_type: GoType | None) -> GoType:
    """The Go type of the data for objects of a type."""
    go_type = struct_type("overlay.Data")
    go_type.fields = (
        Field("Object", ANY_MAP, "Object"),
        Field("ObjectMeta", kube.OBJECT_META, "ObjectMeta"),
        Field("Spec", _spec_type(object_type), "Spec"),
        Field("Namespace", STRING, "Namespace"),
        Field("NamespaceMeta", kube.OBJECT_META, "NamespaceMeta"),
        Field("Values", ANY_MAP, "Values"),
    )
    return go_type


def _spec_type(object_type: GoType | None) -> GoType:
    path = object_type.field_path("Spec") if object_type else None
    return path[-1].type if path else ANY
