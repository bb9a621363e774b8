"""``toYaml``, which Istio's templates and overlays share."""

from marshal import dumps

from podgraft import yaml
from podgraft.go.json.marshal import marshal
from podgraft.go.reflect import Value
from podgraft.jsonvalue import load
from podgraft.lru import LRUCache


def to_yaml(value: Value) -> str:
    """YAML with sorted keys, the final newline kept.

    Most values are the operator's, the same for all pods.
    """
    try:
        key = dumps(value, 0)
    except ValueError:  # a view
        return yaml.dump(load(marshal(value)))
    text = _YAML.get(key)
    if text is None:
        text = yaml.dump(load(marshal(value)))
        if len(key) <= _LARGEST:
            _YAML[key] = text
    return text


_YAML: LRUCache[bytes, str] = LRUCache(limit=256)
_LARGEST = 8192
