"""The template function ``protoToJSON``, which accepts mesh messages only."""

from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.istio.config import proxyconfig
from podgraft.core.injectors.istio.config.durations import format_protobuf
from podgraft.core.injectors.istio.config.protojson import DURATION, PROXY_CONFIG, STRUCT, Message
from podgraft.core.injectors.istio.data.mesh_types import WRAPPED, duration_to_nanoseconds
from podgraft.golang.errors import FunctionError
from podgraft.golang.fmt import sprintf
from podgraft.golang.json import plain
from podgraft.golang.reflect import Pointer, Struct, Value


def proto_to_json(defaults: Message, message: Value) -> str:
    """Return compact protojson; a ProxyConfig without the values of the built-in defaults."""
    if message is None:
        return "{}"
    elem = message.type.elem if isinstance(message, Pointer) else None
    if elem is None or elem.member("ProtoReflect") is None:
        raise FunctionError(f"{sprintf.sprint(message)} is no protobuf message")
    target: Struct | None = message.target
    if target is None:
        return "{}"
    if elem.name == PROXY_CONFIG:
        return proxyconfig.to_json(defaults, target.raw)
    return plain.encode(_message_value(target))


def _message_value(message: Struct) -> JSON:
    """The JSON form of a message: of a well-known message, a single value."""
    name, raw = message.type.name, message.raw
    if name == DURATION:
        return format_protobuf(duration_to_nanoseconds(message))
    if name == STRUCT:
        return raw["fields"]
    if name in WRAPPED:
        value = message.field("Value")
        return str(value) if WRAPPED[name].endswith("64") else value
    return raw
