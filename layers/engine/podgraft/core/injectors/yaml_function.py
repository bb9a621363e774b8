"""``toYaml``, a function of Istio's templates and of overlays."""

from marshal import dumps

from podgraft.base.jsonvalue import load
from podgraft.base.lru import LRUCache
from podgraft.golang.json.marshal import marshal
from podgraft.golang.reflect import Value
from podgraft.kube import yaml


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
