"""The taint propagation and the syntax risk of Istio's own template functions, by name."""

from collections.abc import Mapping

from msgspec.structs import replace

from podgraft.base.jsonvalue import load
from podgraft.core.injectors.yaml_function import read_tree, to_yaml
from podgraft.golang.json.marshal import marshal
from podgraft.golang.reflect import Value
from podgraft.golang.texttemplate import Function, Propagation, Serializer, SyntaxRisk

_SELECTS = (
    *("annotation", "env", "excludeInterfaces", "kubevirtInterfaces", "mergeMaps", "omit"),
    *("omitNil", "strdict", "valueOrDefault"),
)
_TESTS = ("contains", "isset")
# No function makes YAML syntax of plain text; ``directory`` returns a part that ends with a slash.
_DERIVES = (
    *("appendMultusNetwork", "applicationPorts", "directory", "excludeInboundPort"),
    *("formatDuration", "fromJSON", "includeInboundPorts", "otelResourceAttributes", "toLower"),
)


def _tree_of_json(result: str, *_: Value) -> Value:
    return load(result)


_JSON = Serializer(_tree_of_json, marshal)
_SERIALIZERS = {
    **dict.fromkeys(("protoToJSON", "structToJSON", "toJSON", "toJson", "toJsonMap"), _JSON),
    "toYaml": Serializer(read_tree, to_yaml),
}
FLOWS: Mapping[str, Propagation] = {
    **dict.fromkeys(_SELECTS, Propagation.SELECTS),
    **dict.fromkeys(_TESTS, Propagation.TESTS),
    **dict.fromkeys(_DERIVES, Propagation.DERIVES),
    **dict.fromkeys(_SERIALIZERS, Propagation.SERIALIZES),
    "indent": Propagation.CARRIES,
}


def classify_function(name: str, function: Function) -> Function:
    """The function with its propagation and its syntax risk."""
    return replace(
        function,
        propagation=FLOWS.get(name),
        syntax_risk=SyntaxRisk.NONE if name in FLOWS else None,
        serializer=_SERIALIZERS.get(name),
    )
