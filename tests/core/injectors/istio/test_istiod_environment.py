"""OpenShift's ids, image names, settings, and who a pod belongs to."""

from __future__ import annotations

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import Diagnostic
from podgraft.core.injectors.istio import releases, workloads
from podgraft.core.injectors.istio.config import config_map
from podgraft.core.injectors.istio.config.documents import IstiodEnvironment
from podgraft.core.injectors.istio.data import template_data
from podgraft.core.injectors.istio.postprocess import openshift

from .pods import container, pod

UID, GROUPS = "openshift.io/sa.scc.uid-range", "openshift.io/sa.scc.supplemental-groups"

IDS: tuple[tuple[dict[str, JSON], tuple[int, int]], ...] = (
    ({}, (1337, 1337)),
    ({UID: "1000620000/10000"}, (1000629999, 1000629999)),
    ({UID: "1000-2000", GROUPS: "5/2,9/9"}, (2000, 6)),
    ({UID: "1/1", GROUPS: ""}, (1, 1337)),
    ({UID: "1/1", GROUPS: "x"}, (1, 1337)),
    ({UID: "x", GROUPS: "7-8"}, (1337, 8)),
    ({UID: "4294967296/1"}, (1337, 1337)),
    # As Go 1.26 reads them, by a program of Istio's ParseBlock
    ({UID: "4294967295/2"}, (0, 0)),
    ({UID: "0/1", GROUPS: "0/0"}, (0, 4294967295)),
    ({UID: " 001000-1010 and more", GROUPS: "5/ 6"}, (1010, 10)),
    ({UID: "1/1", GROUPS: "5/6,none"}, (1, 1337)),
    ({UID: "5-10/3", GROUPS: "5/\n6"}, (1337, 1337)),
    ({UID: "5/99999999999999999999"}, (1337, 1337)),
)


@pytest.mark.parametrize(("annotations", "ids"), IDS)
def test_a_namespace_sets_the_ids_of_the_proxy(
    annotations: dict[str, JSON], ids: tuple[int, int]
) -> None:
    assert openshift.proxy_ids({"metadata": {"annotations": annotations}}) == ids


def test_an_unknown_namespace_sets_no_ids() -> None:
    assert openshift.proxy_ids(None) == (1337, 1337)


def _container_with_user(user: int | None, name: str = "app") -> Object:
    context: Object = {"privileged": False}
    if user is not None:
        context |= {"runAsUser": user, "runAsGroup": 9}
    return container(name, securityContext=context)


PROXY = "istio-proxy"
CLEARED: Object = {"privileged": False}
CLEARING: tuple[tuple[int, tuple[Object, ...], tuple[Object, ...], bool], ...] = (
    # minor, containers, init containers, whether the sidecar's ids are cleared
    (27, (_container_with_user(5), _container_with_user(5, PROXY)), (), True),
    (
        27,
        (_container_with_user(5), _container_with_user(6), _container_with_user(5, PROXY)),
        (),
        False,
    ),
    (27, (_container_with_user(5, PROXY), container("app")), (), False),
    (27, (_container_with_user(0, PROXY), container("app")), (), True),
    (
        27,
        (_container_with_user(5, PROXY), _container_with_user(5)),
        (_container_with_user(7),),
        False,
    ),
    (
        26,
        (_container_with_user(5, PROXY), _container_with_user(5)),
        (_container_with_user(7),),
        True,
    ),
    (
        26,
        (
            _container_with_user(5, PROXY),
            _container_with_user(5),
            _container_with_user(7, "istio-init"),
        ),
        (),
        True,
    ),
)


@pytest.mark.parametrize(("minor", "listed", "init", "cleared"), CLEARING)
def test_ids_that_openshift_set_in_the_sidecar_are_cleared(
    minor: int, listed: tuple[Object, ...], init: tuple[Object, ...], cleared: bool
) -> None:
    given = pod(*listed, init=init)
    after = openshift.clear_proxy_ids(releases.profile(minor), given)
    spec = after["spec"]
    assert isinstance(spec, dict)
    found = spec["containers"]
    assert isinstance(found, list)

    index = [each["name"] for each in listed].index(PROXY)
    assert found[index] == (
        listed[index] | {"securityContext": CLEARED} if cleared else listed[index]
    )
    assert (after is given) is not cleared


def test_a_native_sidecars_ids_are_cleared_since_1_27() -> None:
    given = pod(_container_with_user(5), init=(_container_with_user(5, PROXY),))

    assert openshift.clear_proxy_ids(releases.profile(26), given) is given
    assert openshift.clear_proxy_ids(releases.profile(27), given) is not given


TAGS = (
    ("1.12-debug", "distroless", "1.12-distroless"),
    ("1.11.2-asm.17-distroless", "default", "1.11.2-asm.17"),
    ("1.12-this-is-unusual-tag", "", "1.12-this-is-unusual-tag"),
    ("1.12", "debug", "1.12-debug"),
    ("1.12-debug-distroless", "default", "1.12-debug"),
)


@pytest.mark.parametrize(("tag", "kind", "expected"), TAGS)
def test_an_image_type_is_the_suffix_of_the_tag(tag: str, kind: str, expected: str) -> None:
    assert template_data.make_tag(tag, kind) == expected


IMAGES: tuple[tuple[int, str, Object, str | None, str], ...] = (
    # minor, variant, ProxyConfig, annotation, tag
    (31, "debug", {}, None, "1-debug"),
    (31, "debug", {"image": {}}, None, "1-debug"),
    (30, "debug", {"image": {}}, None, "1"),
    (30, "debug", {"image": {"imageType": "distroless"}}, None, "1-distroless"),
    (30, "debug", {"image": {"imageType": "distroless"}}, "", "1"),
    (30, "debug", {}, "x", "1-x"),
    (21, "debug", {}, None, "1"),
)


@pytest.mark.parametrize(("minor", "variant", "proxy", "said", "tag"), IMAGES)
def test_the_proxys_image(
    minor: int, variant: str, proxy: Object, said: str | None, tag: str
) -> None:
    text = f'{{"global": {{"hub": "h", "tag": "1", "variant": "{variant}"}}}}'
    values = config_map.parse_values(text, [])
    annotations = {} if said is None else {template_data.TYPE_ANNOTATION: said}

    assert (
        template_data.proxy_image(releases.profile(minor), values, proxy, annotations)
        == f"h/proxyv2:{tag}"
    )


def test_the_init_image_has_its_own_name() -> None:
    text = '{"global": {"hub": "h", "tag": 11, "variant": "debug", "proxy_init": {"image": "i"}}}'
    values = config_map.parse_values(text, [])

    assert template_data.proxy_init_image(values, {}) == "h/i:11-debug"
    assert (
        template_data.proxy_init_image(values, {template_data.TYPE_ANNOTATION: "default"})
        == "h/i:11"
    )


NUMBERS = (("11", "11"), ("1.12", "1.12"), ("1.10", "1.1"), ('"1.10"', "1.10"), ("null", ""))


@pytest.mark.parametrize(("tag", "text"), NUMBERS)
def test_a_tag_can_be_a_number(tag: str, text: str) -> None:
    assert config_map.parse_values(f"global: {{tag: {tag}}}", []).tag == text


def test_templates_read_numbers_as_floats() -> None:
    raw = config_map.parse_values("{a: 1, b: [2, {c: 3}], d: true}", []).raw

    assert raw == {"a": 1.0, "b": [2.0, {"c": 3.0}], "d": True}
    assert type(raw["a"]) is float


def test_keys_of_the_configuration_are_not_case_sensitive() -> None:
    faults: list[Diagnostic] = []
    config = config_map.parse_config(
        "Policy: enabled\nTEMPLATES: {a: x}\naliases: {b: [a, c]}\nunknown: 1\ntemplate: old",
        faults,
    )

    assert (config.policy, dict(config.templates), dict(config.aliases)) == (
        "enabled", {"a": "x"}, {"b": ("a", "c")},
    )  # fmt: skip
    assert (config.default_templates, config.template, faults) == (("sidecar",), "old", [])


def test_all_errors_of_a_configuration_are_reported() -> None:
    faults: list[Diagnostic] = []
    config_map.parse_config(
        "policy: 5\ntemplates: {a: []}\naliases: {b: x}\ndefaultTemplates: z", faults
    )
    config_map.parse_values("global: {hub: 1, proxy: [], proxy_init: {image: {}}}", faults)

    assert [str(fault) for fault in faults] == [
        "config /policy: expected a string, got a number; put it in quotes",
        (
            "config /defaultTemplates: expected a list, got a string; "
            "write - before each element, or [] for none"
        ),
        "config /templates/a: expected a string, got a list; write a string",
        (
            "config /aliases/b: expected a list, got a string; "
            "write - before each element, or [] for none"
        ),
        "values /global/hub: expected a string, got a number; put it in quotes",
        (
            "values /global/proxy: expected a mapping, got a list; "
            "write key: value, one a line, or {} for none"
        ),
        "values /global/proxy_init/image: expected a string, got a mapping; write a string",
    ]


def test_a_text_that_is_not_a_mapping_is_an_error() -> None:
    faults: list[Diagnostic] = []
    config = config_map.parse_config("a: [", faults)
    config_map.parse_values("sidecarInjectorWebhook: {rewriteAppHTTPProbe: 1}", faults)

    assert (config.templates, len(faults)) == ({}, 2)
    assert str(faults[1]) == (
        "values /sidecarInjectorWebhook/rewriteAppHTTPProbe: expected true or false, got a number; "
        "write true or false, without quotes"
    )


def test_an_alias_can_be_empty() -> None:
    assert config_map.parse_config("aliases: {a: null}", []).aliases == {"a": ()}


def test_switches_are_the_environment_of_templates() -> None:
    around = IstiodEnvironment(
        native_sidecars=True, platform="openshift", env={"X": "y", "PLATFORM": "other"}
    )

    assert around.environment() == {
        "ENABLE_NATIVE_SIDECARS": "true", "PLATFORM": "openshift", "X": "y",
    }  # fmt: skip


def _pod_with_owner(kind: str, name: str, **labels: str) -> Object:
    owner: Object = {"apiVersion": "x/v1", "kind": kind, "name": name, "controller": True}
    named: Object = {"name": "p", "namespace": "ns", "generateName": "p-", "labels": {**labels}}
    return {"metadata": {**named, "ownerReferences": [owner]}}


OWNERS: tuple[tuple[str, Object, str], ...] = (
    # release, pod, kind, apiVersion and name
    ("1.32", _pod_with_owner("ReplicaSet", "a-f", **{"pod-template-hash": "f"}),
     "Deployment x/v1 a"),
    ("1.8", _pod_with_owner("ReplicaSet", "a-f", **{"pod-template-hash": "f"}),
     "Deployment x/v1 a"),
    ("1.22", _pod_with_owner("ReplicaSet", "a-f", **{"rollouts-pod-template-hash": "f"}),
     "Rollout v1alpha1 a"),
    ("1.21", _pod_with_owner("ReplicaSet", "a-f", **{"rollouts-pod-template-hash": "f"}),
     "ReplicaSet x/v1 a-f"),
    ("1.22", _pod_with_owner("Job", "a-12345678"), "CronJob batch/v1 a"),
    ("1.21", _pod_with_owner("Job", "a-12345678"), "CronJob batch/v1beta1 a"),
    ("1.12.1", _pod_with_owner("Job", "a-12345678"), "CronJob batch/v1beta1 a"),
    ("1.12.0", _pod_with_owner("Job", "a-12345678"), "Job x/v1 a-12345678"),
    ("1.11.5", _pod_with_owner("Job", "a-12345678"), "CronJob batch/v1beta1 a"),
    ("1.11.4", _pod_with_owner("Job", "a-12345678"), "Job x/v1 a-12345678"),
    ("1.10.6", _pod_with_owner("Job", "a-12345678"), "CronJob batch/v1beta1 a"),
    ("1.9", _pod_with_owner("Job", "a-12345678"), "Job x/v1 a-12345678"),
    ("1.8", _pod_with_owner("Job", "a-1234567890"), "CronJob batch/v1beta1 a"),
    ("1.12.1", _pod_with_owner("ReplicationController", "a-1", deploymentconfig="a"),
     "DeploymentConfig x/v1 a"),
    ("1.12.0", _pod_with_owner("ReplicationController", "a-1", deploymentconfig="a"),
     "ReplicationController x/v1 a-1"),
    ("1.32", {"metadata": {"name": "p"}}, "Pod v1 p"),
)  # fmt: skip


@pytest.mark.parametrize(("release", "given", "expected"), OWNERS)
def test_each_release_finds_the_owner_by_its_rules(
    release: str, given: Object, expected: str
) -> None:
    found = workloads.workload_of(releases.parse_release(release), given)

    assert f"{found.kind} {found.api_version} {found.name}" == expected
