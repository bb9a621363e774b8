"""The annotation with a proxy's configuration, with only the texts that are no secrets.

The parser of injection reads it, so both spellings of a field, aliases, and merge keys have the
same meaning. Numbers, booleans, enumerations, durations, and the addresses on the allow list
remain. Every other text is redacted: an operator can put a password into each of them.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, dump

from . import proxyconfig
from .protojson import DURATION, ENUMS, MESSAGES, PROXY_CONFIG, Field, Message, MessageError, Schema

Redact: TypeAlias = Callable[[str], str]

# The messages with texts that are recorded: addresses, paths, and names of the mesh.
_RECORDED: Mapping[str, frozenset[str]] = {
    PROXY_CONFIG: frozenset(
        {
            *("configPath", "binaryPath", "customConfigFile", "proxyBootstrapTemplatePath"),
            *("serviceCluster", "discoveryAddress", "zipkinAddress", "statsdUdpAddress"),
            *("envoyMetricsServiceAddress", "availabilityZone"),
        }
    ),
    "v1alpha1.Tracing_Zipkin": frozenset({"address"}),
    "v1alpha1.Tracing_Lightstep": frozenset({"address"}),
    "v1alpha1.Tracing_Datadog": frozenset({"address"}),
    "v1alpha1.Tracing_OpenCensusAgent": frozenset({"address"}),
    "v1alpha1.RemoteService": frozenset({"address"}),
    "v1beta1.ProxyImage": frozenset({"imageType"}),
}
# No user information, query, or spaces.
_RECORDED_TEXT = re.compile(r"[A-Za-z0-9._:/\[\]-]{1,253}")


def redact_proxy_config(schema: Schema, text: str, redact: Redact, redact_key: Redact) -> str:
    """Return the annotation as JSON with redacted texts and keys of maps.

    An invalid text is redacted completely. Fields that the release does not have are left out,
    because injection ignores them.
    """
    try:
        layer = proxyconfig.parse_layer(schema, text)
    except MessageError:
        return redact(text)
    return dump(_MessageRedactor(schema, redact, redact_key).redact_message(PROXY_CONFIG, layer))


class _MessageRedactor(Struct, frozen=True):
    """Redacts the texts of messages."""

    schema: Schema
    redact: Redact
    redact_key: Redact

    def redact_message(self, name: str, message: Message) -> Message:
        """Return the message with the texts on the allow list."""
        type_, recorded = self.schema.type(name), _RECORDED.get(name, frozenset[str]())
        return {
            key: self._redact_field(type_.by_key[key], value, is_recorded=key in recorded)
            for key, value in message.items()
        }

    def _redact_field(self, field: Field, value: JSON, *, is_recorded: bool) -> JSON:
        redact = partial(self._redact_value, field.type, is_recorded=is_recorded)
        if field.shape and isinstance(value, list):
            return [*map(redact, value)]
        if field.shape and isinstance(value, dict):
            return {self.redact_key(key): redact(each) for key, each in value.items()}
        return redact(value)

    def _redact_value(self, type_: str, value: JSON, *, is_recorded: bool = False) -> JSON:
        match value:
            case dict() if type_ in MESSAGES:
                return self.redact_message(type_, value)
            case dict():  # without a schema
                return {self.redact_key(key): self._redact_value("", value[key]) for key in value}
            case list():
                return [self._redact_value("", element) for element in value]
            case str() if value and type_ not in ENUMS and type_ != DURATION:
                is_recorded = is_recorded and _RECORDED_TEXT.fullmatch(value) is not None
                return value if is_recorded else self.redact(value)
            case _:
                return value
