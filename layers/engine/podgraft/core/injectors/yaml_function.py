"""``toYaml``, a function of Istio's templates and of overlays."""

from podgraft.base.jsonvalue import load
from podgraft.golang.json.marshal import marshal
from podgraft.golang.reflect import Value
from podgraft.kube import yaml


def to_yaml(value: Value) -> str:
    """Return YAML with sorted keys and a final newline."""
    return yaml.dump(load(marshal(value)))


def read_tree(_: str, value: Value) -> Value:
    """Return the tree that ``to_yaml`` writes: it is read from the argument, not from the YAML."""
    return load(marshal(value))
