"""What an overlay's template sees: the object, as raw JSON and as Go's types where they are known.

``.Object`` is the whole object; ``.ObjectMeta`` its metadata and ``.Spec`` its spec as Go structs
(``.Spec.Containers``, ``.Spec.Template.Spec``), or ``.Spec`` as raw JSON for kinds without known Go
types; ``.Namespace`` the request's namespace; ``.Values`` the overlay's own values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from podgraft import kube
from podgraft.gotemplate import Function, sprig
from podgraft.govalue import ANY, ANY_MAP, STRING, Field, GoType, Struct, Value, struct
from podgraft.jsonvalue import Object

from .istio.functions import to_yaml
from .masks import Masking, transparent

# The kinds whose Go types are known, and the API group they are in.
_KINDS: Mapping[str, str] = {
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

# Functions that take text apart on purpose: they see the real text, not its mask.
_DECODERS = ("fromJson", "mustFromJson", "split", "splitList", "splitn", "regexSplit")


def _to_yaml(value: Value) -> str:
    """Helm's: as sigs.k8s.io/yaml prints it, without the last line break."""
    return to_yaml(value).removesuffix("\n")


def _functions() -> Mapping[str, Function]:
    """Sprig's functions, and Helm's ``toYaml``."""
    functions = dict(sprig.functions())
    functions["toYaml"] = Function(_to_yaml, (ANY,), result=STRING)
    for name in _DECODERS:
        functions[name] = transparent(functions[name])
    return functions


FUNCTIONS = _functions()


def type_of(value: Object) -> GoType | None:
    """The Go type of an object, where it is known."""
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return kube.POD if kind in {None, "Pod"} and "spec" in value else None
    group = version.rpartition("/")[0]
    return kube.TYPES[kind] if _KINDS.get(kind) == group else None


@dataclass(frozen=True, slots=True)
class Data:
    """What a template is rendered with."""

    object: Object
    namespace: str
    values: Object

    def value(self) -> Value:
        """The data as a Go struct."""
        return Struct(
            data_type(type_of(self.object)),
            {
                "Object": self.object,
                "ObjectMeta": self.object.get("metadata"),
                "Spec": self.object.get("spec"),
                "Namespace": self.namespace,
                "Values": self.values,
            },
        )

    def copied(self) -> Data:
        """The same for a template that may change it."""
        kept, values = sprig.deep_copy(self.object), sprig.deep_copy(self.values)
        return replace(self, object=kept, values=values)

    def masked(self, masking: Masking) -> Data:
        """The same with what could be syntax masked; the very same where nothing could."""
        masked = masking.of(self.object)
        if masked is self.object or not isinstance(masked, dict):
            return self
        return replace(self, object=masked)


@cache
def data_type(object_type: GoType | None) -> GoType:
    """The type of the data for objects of a type."""
    made = struct("overlay.Data")
    made.fields = (
        Field("Object", ANY_MAP, "Object"),
        Field("ObjectMeta", kube.OBJECT_META, "ObjectMeta"),
        Field("Spec", _spec_type(object_type), "Spec"),
        Field("Namespace", STRING, "Namespace"),
        Field("Values", ANY_MAP, "Values"),
    )
    return made


def _spec_type(object_type: GoType | None) -> GoType:
    path = object_type.selector("Spec") if object_type else None
    return path[-1].type if path else ANY
