"""One text of the mesh configuration gives what istiod makes of two ConfigMaps."""

from typing import Any

import pytest

from podgraft.cli.live.shared_mesh import merge_mesh_texts
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import mesh, protojson
from podgraft.core.injectors.istio.config.protojson import FieldError
from podgraft.kube import yaml

SHARED: Any = {
    "accessLogFile": "/dev/stdout",
    "ingress_class": "shared",
    "trustDomainAliases": ["b", "a"],
    "extensionProviders": [
        {"name": "log", "envoyFileAccessLog": {"path": "/a"}},
        {"name": "own", "prometheus": None},
    ],
    "defaultProviders": {"metrics": ["own"], "tracing": ["a"]},
    "defaultConfig": {
        "concurrency": 3,
        "tracingServiceName": "CANONICAL_NAME_ONLY",
        "proxyMetadata": {"A": "shared", "B": "shared"},
        "proxyHeaders": {"requestId": {"disabled": True}, "server": {"disabled": True}},
    },
}

OWN: Any = (
    {},
    {"accessLogFile": "", "ingressClass": "own"},
    {
        "trustDomainAliases": ["c"],
        "extensionProviders": [{"name": "own", "stackdriver": {"debug": True}}],
    },
    {"default_providers": {"accessLogging": ["log"]}},
    {"defaultConfig": {"concurrency": 0, "serviceCluster": "a"}},
    {"default_config": {"proxy_metadata": {"A": "own", "C": "own"}}},
    {"defaultConfig": {"proxyHeaders": {"server": {"value": "a"}}}},
    {"defaultConfig": {}},
)


@pytest.mark.parametrize("release", ["1.10.0", "1.13.5", "1.18.0", "1.24.2", "1.30.3"])
@pytest.mark.parametrize("own", OWN, ids=str)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_the_merged_text_gives_the_configuration_of_both(
    own: Any, release: str, is_reversed: bool
) -> None:
    profile = releases.parse_release(release)
    schema = protojson.schema(profile)
    texts = [yaml.dump(SHARED), yaml.dump(own)]
    shared, layer = reversed(texts) if is_reversed else texts
    errors: list[FieldError] = []
    expected = mesh.defaults(profile)
    for text in (shared, layer):
        expected = mesh.apply_mesh_config(schema, expected, text, errors)
    merged = merge_mesh_texts(shared, layer, profile)
    assert mesh.apply_mesh_config(schema, mesh.defaults(profile), merged, errors) == expected


def test_empty_texts() -> None:
    assert yaml.load(merge_mesh_texts("", "", releases.newest())) == {}


@pytest.mark.parametrize("text", ["- a", "a: [", "a"])
def test_a_text_without_fields_is_an_error(text: str) -> None:
    with pytest.raises(yaml.NotYAMLError):
        merge_mesh_texts("a: 1", text, releases.newest())
