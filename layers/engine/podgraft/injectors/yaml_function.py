"""``toYaml``, a function of Istio's templates and of overlays."""

from marshal import dumps

from podgraft import yaml
from podgraft.go.json.marshal import marshal
from podgraft.go.reflect import Value
from podgraft.jsonvalue import load
from podgraft.lru import LRUCache


def to_yaml(value: Value) -> str:
    """Return YAML with sorted keys and a final newline.

    Small results are cached: most values come from the operator, and are the same for all pods.
    """
    try:
        key = dumps(value, 0)
    except ValueError:  # a view
        return yaml.dump(load(marshal(value)))
    text = _yaml_cache.get(key)
    if text is None:
        text = yaml.dump(load(marshal(value)))
        if len(key) <= _MAX_CACHED_BYTES:
            _yaml_cache[key] = text
    return text


_yaml_cache: LRUCache[bytes, str] = LRUCache(limit=256)
_MAX_CACHED_BYTES = 8192
