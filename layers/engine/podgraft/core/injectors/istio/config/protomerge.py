"""Merge of protobuf messages (proto.Merge), with which Istio 1.13 to 1.17 merge ProxyConfig layers.

Messages are merged field by field, lists are appended, and maps are merged by key.

Hazard: a field with its zero value is absent from a message, so a zero cannot replace another
value. This also applies to the parts of a duration, which is a message of seconds and nanoseconds:
``5s`` over ``1.5s`` results in ``5.5s``. Releases with ``durations_replaced`` fixed this.
"""

from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.istio.config.durations import format_protobuf, split_protobuf
from podgraft.golang.time import SECOND

from . import protojson
from .protojson import DURATION, PROXY_CONFIG, STRUCT, Field, Message, Schema

_WRAPPERS = "wrapperspb."
_IMAGE = "v1alpha1.ProxyImage"


def merge_proxies(schema: Schema, base: Message, layer: Message) -> Message:
    """Merge ``layer`` over ``base`` (pilot/pkg/model, mergeWithPrecedence)."""
    merged = _merge(schema, PROXY_CONFIG, base, layer)
    if "concurrency" in layer:
        merged["concurrency"] = layer["concurrency"]
    return protojson.normalize(schema, PROXY_CONFIG, merged)


def _merge(schema: Schema, name: str, base: Message, layer: Message) -> Message:
    fields = [field for field in schema.type(name).fields if field.json in layer]
    oneof_members = {field.oneof: field.json for field in fields if field.oneof}
    replaced = {
        field.json
        for field in schema.type(name).fields
        if field.oneof in oneof_members and field.json != oneof_members[field.oneof]
    }
    merged: Message = {key: value for key, value in base.items() if key not in replaced}
    for field in fields:
        value = layer[field.json]
        old = merged.get(field.json)
        merged[field.json] = value if old is None else _merge_values(schema, field, old, value)
    return protojson.normalize(schema, name, merged)


def _merge_values(schema: Schema, field: Field, old: JSON, new: JSON) -> JSON:
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    if isinstance(old, dict) and isinstance(new, dict):
        if field.shape or field.type == STRUCT:
            return {key: (old | new)[key] for key in sorted(old | new)}
        if field.type == _IMAGE and schema.profile.image_replaced:
            return new
        return _merge(schema, field.type, old, new)
    if field.type == DURATION and not schema.profile.durations_replaced:
        return _merge_durations(old, new)
    return old if field.type.startswith(_WRAPPERS) and new in (False, 0, "0") else new


def _merge_durations(old: JSON, new: JSON) -> JSON:
    """Merge the fields of a duration, seconds and nanoseconds; a zero does not replace a field."""
    if not isinstance(old, str) or not isinstance(new, str):
        return new
    (old_seconds, old_nanos), (seconds, nanos) = map(split_protobuf, (old, new))
    return format_protobuf((seconds or old_seconds) * SECOND + (nanos or old_nanos))
