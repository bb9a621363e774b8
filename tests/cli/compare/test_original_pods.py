"""The pod before injection, restored from a live pod."""

from typing import Any

import pytest

from podgraft.cli.compare.original_pods import make_request_pod, restore_originals
from podgraft.cli.live.api_errors import ApiError, ForbiddenError

ENV = [{"name": "ISTIO_META_APP_CONTAINERS", "value": "app"}]
STATUS = '{"containers":["istio-proxy"],"revision":"default"}'
LIVE: Any = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "web-6d4-abcde",
        "generateName": "web-6d4-",
        "namespace": "shop",
        "uid": "u",
        "resourceVersion": "7",
        "labels": {"app": "web", "controller-revision-hash": "h", "added": "later"},
        "annotations": {"sidecar.istio.io/status": STATUS},
    },
    "spec": {
        "nodeName": "node-1",
        "ephemeralContainers": [{"name": "debug"}],
        "containers": [
            {"name": "app", "image": "a:1"},
            {"name": "istio-proxy", "image": "p:1", "env": ENV},
            {"name": "later", "image": "l:1"},
        ],
    },
    "status": {"phase": "Running"},
}
TEMPLATE: Any = {
    "metadata": {"labels": {"app": "web"}, "annotations": {"a": "1"}},
    "spec": {"containers": [{"name": "app", "image": "a:0"}]},
}
CONTROLLER: Any = {"apiVersion": "apps/v1", "kind": "DaemonSet", "spec": {"template": TEMPLATE}}


def find_controller(_: Any) -> Any:
    return CONTROLLER


def names(pod: Any) -> list[str]:
    return [container["name"] for container in pod["spec"]["containers"]]


def test_the_request_has_no_fields_of_the_server() -> None:
    pod: Any = make_request_pod(LIVE)
    assert set(pod["metadata"]) == {"generateName", "namespace", "labels", "annotations"}
    assert set(pod["spec"]) == {"containers"}
    assert "status" not in pod


def test_the_candidates_in_their_order() -> None:
    restored, without_later, template = restore_originals(
        LIVE, find_controller, template_first=False
    )
    assert names(restored.pod) == ["app", "later"]
    assert names(restored.live) == ["app", "istio-proxy", "later"]
    assert names(without_later.pod) == ["app"]
    assert names(without_later.live) == ["app", "istio-proxy"]
    pod: Any = template.pod
    assert template.is_template
    assert pod["metadata"]["labels"] == {"app": "web", "controller-revision-hash": "h"}
    assert pod["metadata"]["annotations"] == {"a": "1"}
    assert pod["spec"] == TEMPLATE["spec"]


def test_the_template_is_first_for_injections_without_a_record() -> None:
    first, last = restore_originals(LIVE, find_controller, template_first=True)
    assert (first.is_template, last.is_template) == (True, False)


def forbid(_: Any) -> Any:
    raise ForbiddenError("forbidden")


def find_nothing(_: Any) -> Any:
    return None


def find_other_kind(_: Any) -> Any:
    return {"apiVersion": "v1", "kind": "Node"}


@pytest.mark.parametrize("find", [forbid, find_nothing, find_other_kind])
def test_a_controller_that_is_not_readable_is_omitted(find: Any) -> None:
    candidates = [*restore_originals(LIVE, find, template_first=False)]
    assert not any(candidate.is_template for candidate in candidates)


def test_other_errors_are_reported() -> None:
    def fail(_: Any) -> Any:
        raise ApiError("unreachable")

    with pytest.raises(ApiError, match="unreachable"):
        list(restore_originals(LIVE, fail, template_first=False))
