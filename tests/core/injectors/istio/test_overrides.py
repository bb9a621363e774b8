"""Containers that users wrote under injected names."""

from __future__ import annotations

import json

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import releases, status
from podgraft.core.injectors.istio.pod_builder import PodBuilder, containers, pod_annotations
from podgraft.core.injectors.istio.postprocess import overrides

from .pods import container, pod

NEWEST = releases.newest()
TEMPLATE = pod(
    container("istio-proxy", image="hub/proxy", args=["proxy"], env=[{"name": "A", "value": "t"}]),
    init=(container("istio-init", image="hub/init"),),
)
NATIVE = pod(init=(container("istio-proxy", image="hub/proxy", restartPolicy="Always"),))


def _reapply(original: Object, template: Object = TEMPLATE, minor: int = 32) -> Object:
    """The original under the template, with the user's containers on top."""
    merged = _merge(original, template)
    return overrides.reapply_overrides(
        releases.profile(minor), original, pod_annotations(original), template, merged
    )


def _merge(original: Object, template: Object) -> Object:
    from podgraft import kube
    from podgraft.kube.patch import strategic

    merged = strategic.merge(original, {"spec": template["spec"]}, kube.POD)
    assert isinstance(merged, dict)
    return merged


def _annotation(injected: Object) -> JSON:
    metadata = injected["metadata"]
    assert isinstance(metadata, dict)
    annotations = metadata.get("annotations", {})
    assert isinstance(annotations, dict)
    text = annotations.get(overrides.ANNOTATION)
    return None if text is None else json.loads(str(text))


def test_the_users_fields_take_precedence_and_are_recorded() -> None:
    mine = container("istio-proxy", image="auto", args=["mine"], env=[{"name": "A", "value": "m"}])

    injected = _reapply(pod(container("app"), mine))

    proxy = next(each for each in containers(injected) if each["name"] == "istio-proxy")
    assert proxy["image"] == "hub/proxy"
    assert proxy["args"] == ["mine"]
    assert proxy["env"] == [{"name": "A", "value": "m"}]
    kept = {"name": "istio-proxy", "args": ["mine"], "env": [{"name": "A", "value": "m"}]}
    assert _annotation(injected) == {"containers": [{**kept, "resources": {}}]}


def test_the_annotation_is_the_container_as_go_prints_it() -> None:
    mine = container("istio-proxy", env=[{"value": "<", "name": "A"}], image="x", unknown=1)
    injected = _reapply(pod(mine))

    metadata = injected["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["annotations"] == {
        overrides.ANNOTATION: '{"containers":[{"name":"istio-proxy","image":"x",'
        '"env":[{"name":"A","value":"\\u003c"}],"resources":{}}]}'
    }


def test_a_pod_without_overrides_is_not_changed() -> None:
    original = pod(container("app"))

    assert _reapply(original) == _merge(original, TEMPLATE)


STATUS = json.dumps({"containers": ["istio-proxy"], "initContainers": ["istio-init"]})


def test_an_injected_container_is_not_an_override() -> None:
    original = pod(
        container("istio-proxy", image="old", args=["old"]), annotations={status.ANNOTATION: STATUS}
    )

    (proxy,) = containers(_reapply(original))
    (older,) = containers(_reapply(original, minor=16))

    assert proxy["image"] == "hub/proxy"
    assert older["image"] == "old"


def test_a_recorded_override_is_applied_again() -> None:
    """If the status does not list the container, the recorded one applies, not the pod's."""
    kept = json.dumps({"containers": [{"name": "istio-proxy", "args": ["kept"]}]})
    original = pod(
        container("istio-proxy", args=["old"]),
        annotations={status.ANNOTATION: "{}", overrides.ANNOTATION: kept},
    )

    injected = _reapply(original)

    assert containers(injected)[0]["args"] == ["kept"]
    assert _annotation(injected) == json.loads(kept)


@pytest.mark.parametrize(("minor", "args"), [(18, None), (19, ["mine"])])
def test_a_container_overrides_a_native_sidecar(minor: int, args: JSON) -> None:
    original = pod(container("app"), container("istio-proxy", args=["mine"]))
    injected = _reapply(original, NATIVE, minor)

    (proxy,) = containers(injected, "initContainers")
    assert proxy.get("args") == args


BAD = ("x", "[]", '{"containers": 5}', '{"containers": [{"name": 5}]}')


@pytest.mark.parametrize("text", BAD)
def test_an_invalid_overrides_annotation_is_a_user_error(text: str) -> None:
    original = pod(container("app"), annotations={overrides.ANNOTATION: text})

    with pytest.raises(UserError, match=r"annotation proxy\.istio\.io/overrides: "):
        _reapply(original)


def test_templates_read_the_users_container_again() -> None:
    kept = {"containers": [container("istio-proxy", args=["mine"]), container("app")]}
    shown = overrides.reinsert_containers(pod(container("app", image="x")), kept)

    assert containers(shown) == [
        container("app", image="x"), container("istio-proxy", args=["mine"])
    ]  # fmt: skip


def _security(**ids: int) -> Object:
    return container("istio-proxy", securityContext={**ids})


USERS: tuple[tuple[Object, str, str | None, Object, Object], ...] = (
    # the user's sidecar, init container, TPROXY by, sidecar after, init after
    (_security(runAsUser=5), "istio-init", None, {"runAsUser": 5},
     {"args": ["-u", "5", "-u", "2"]}),
    (_security(runAsUser=5, runAsGroup=6), "istio-validation", None,
     {"runAsUser": 5, "runAsGroup": 6},
     {"args": ["-u", "5", "-u", "2"], "securityContext": {"runAsUser": 5, "runAsGroup": 6}}),
    (_security(runAsGroup=6), "istio-validation", None, {"runAsGroup": 6},
     {"securityContext": {"runAsGroup": 6}}),
    (_security(runAsUser=0), "istio-init", None, {"runAsUser": 0}, {}),
    (_security(runAsUser=5), "istio-validation", "config", {"runAsUser": 0},
     {"args": ["-u", "5", "-u", "2"]}),
    (_security(runAsUser=5), "istio-init", "annotation", {"runAsUser": 0},
     {"args": ["-u", "5", "-u", "2"]}),
    (_security(), "istio-init", None, {}, {}),
    (_security(runAsGroup=6), "istio-init", "config", {"runAsGroup": 6}, {}),
    (_security(runAsUser=5), "other", None, {"runAsUser": 5}, {}),
)  # fmt: skip


@pytest.mark.parametrize(("mine", "init", "tproxy", "sidecar", "changed"), USERS)
def test_the_init_container_gets_the_user_id(
    mine: Object, init: str, tproxy: str | None, sidecar: Object, changed: Object
) -> None:
    args: list[JSON] = ["-u", "1337", "-u", "2"]
    annotations: dict[str, JSON] = (
        {overrides.INTERCEPTION_MODE: "TPROXY"} if tproxy == "annotation" else {}
    )
    original = pod(mine, init=(container(init, args=args),), annotations=annotations)
    draft = PodBuilder.from_pod(original)
    proxy: Object = {"interceptionMode": "TPROXY"} if tproxy == "config" else {}

    overrides.adjust_init_user(NEWEST, original, draft, lambda: proxy)

    assert draft.containers[0]["securityContext"] == sidecar
    assert draft.init_containers[0] == {"name": init, "args": args} | changed


def test_arguments_without_a_user_stay_and_a_missing_sidecar_is_ignored() -> None:
    init = container("istio-init", args=["a", "-u"])
    original = pod(_security(runAsUser=5))
    draft = PodBuilder.from_pod(pod(container("app"), init=(init,)))

    overrides.adjust_init_user(NEWEST, original, draft, lambda: {"interceptionMode": "TPROXY"})

    assert draft.init_containers == [init]
    assert draft.containers == [container("app")]


def test_a_container_without_a_name_is_not_an_error() -> None:
    """A template that prints null as a name removes the name of the merged container."""
    merged = pod({"image": "app"}, container("istio-proxy", image="hub/proxy"))
    mine = container("istio-proxy", image="auto", args=["mine"])

    injected = overrides.reapply_overrides(
        releases.profile(32), pod(container("app"), mine), {}, TEMPLATE, merged
    )

    assert [each["name"] for each in containers(injected)] == ["", "istio-proxy"]
