"""Volumes in annotations: a list names each volume itself, and a map by its keys."""

from __future__ import annotations

import pytest

from oracle.istio.known_differences import TEMPLATE
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.core.injectors.errors import UserError
from podgraft.core.review_context import ReviewContext

from . import bundles
from .pods import container, pod

ACCEPTED: tuple[tuple[str, list[Object]], ...] = (
    ("[]", []),
    ('{"v":{"emptyDir":{}}}', [{"name": "v", "emptyDir": {}}]),
    ('[{"name":"v","emptyDir":{}}]', [{"name": "v", "emptyDir": {}}]),
    ('[{"emptyDir":{}}]', [{"name": "0", "emptyDir": {}}]),
    (
        '[{"emptyDir":{},"name":"a"},{"name":"b"}]',
        [{"name": "a", "emptyDir": {}}, {"name": "b"}],
    ),
)
REJECTED = (
    '{"v":{"name":"w","emptyDir":{}}}',  # replaces a key of the template
    '[{"name":null,"emptyDir":{}}]',
    '[{"name":5,"emptyDir":{}}]',
    '[{"name":{"a":"b"}}]',
    '[{"name":["b"]}]',
    '[{"name":"v","$patch":"delete"}]',
    '[{"name":"v","<<":{"emptyDir":{}}}]',
    '["name: v"]',
)


def _inject(text: str) -> list[Object]:
    injector = bundles.template_injector(TEMPLATE, values='{"global": {}}', release="1.30.3")
    annotations: dict[str, JSON] = {"sidecar.istio.io/userVolume": text}
    request = ReviewContext(namespace="ns")
    done = injector.inject(pod(container("app"), annotations=annotations), request)
    return objects_at(object_at(done.pod, "spec"), "volumes")[1:]


@pytest.mark.parametrize(("text", "volumes"), ACCEPTED)
def test_the_own_name_of_a_volume_replaces_its_position(text: str, volumes: list[Object]) -> None:
    assert _inject(text) == volumes


@pytest.mark.parametrize("text", REJECTED)
def test_other_keys_and_values_cannot_change_the_structure(text: str) -> None:
    with pytest.raises(UserError, match=r"annotation sidecar\.istio\.io/userVolume: "):
        _inject(text)
