"""kube-inject: streams of YAML in and out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.injectors.istio import bundles
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.injectors.istio import Injector, kubeinject, yaml_stream
from podgraft.core.injectors.istio.kubeinject import coerce_to_string
from podgraft.core.injectors.istio.pod_builder import containers
from podgraft.kube import POD, yaml

SERVICE = "# a comment\napiVersion: v1\nkind: Service\nmetadata:   {name: x}\n"
DEPLOYMENT = """kind: Deployment
apiVersion: apps/v1
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        image: app
        env: [{name: PORT, value: 80}, {name: DEBUG, value: true}]
  future: {kept: 1.0}
"""
HOST = DEPLOYMENT.replace("    spec:\n", "    spec:\n      hostNetwork: true\n")
DECLINED = DEPLOYMENT.replace(
    "labels: {app: web}", "annotations: {sidecar.istio.io/inject: 'false'}"
)


def _inject(text: str, release: str | None = None) -> kubeinject.KubeInjectResult:
    return kubeinject.inject(bundles.sample(release), text)


def _documents(text: str) -> list[Object]:
    return [each for each in yaml.load_all(text) if isinstance(each, dict)]


def _pod_of(document: Object) -> Object:
    return object_at(object_at(document, "spec"), "template")


def _names(document: Object) -> list[JSON]:
    return [each["name"] for each in containers(_pod_of(document))]


def test_other_objects_are_copied_byte_for_byte() -> None:
    for text in (SERVICE, "# only a comment\n", "just text\n", "a: 'b'   # c\n"):
        assert _inject(text).text == f"{text}---\n"


def test_a_stream_retains_its_documents_and_their_order() -> None:
    result = _inject(f"{SERVICE}---\n{DEPLOYMENT}--- # again\n{SERVICE}")
    first, second, third = _documents(result.text)

    assert result.text.startswith(f"{SERVICE}---\n")
    assert result.text.endswith(f"---\n{SERVICE}---\n")
    assert (first["kind"], second["kind"], third["kind"]) == ("Service", "Deployment", "Service")
    assert _names(second) == ["app", "istio-proxy"]
    assert [*second] == ["kind", "apiVersion", "metadata", "spec"]


def test_a_document_without_a_final_newline_gets_one() -> None:
    assert _inject(SERVICE.rstrip("\n")).text == f"{SERVICE}---\n"


def test_numbers_become_strings_and_unknown_fields_are_preserved() -> None:
    (document,) = _documents(_inject(DEPLOYMENT).text)
    app = containers(_pod_of(document))[0]

    assert app["env"] == [{"name": "PORT", "value": "80"}, {"name": "DEBUG", "value": "true"}]
    assert object_at(document, "spec")["future"] == {"kept": 1}


def test_items_of_a_list_are_injected_one_by_one() -> None:
    service, deployment = (yaml.load(text) for text in (SERVICE, DEPLOYMENT))
    listed: Object = {"kind": "List", "apiVersion": "v1", "items": [service, deployment]}
    (document,) = _documents(_inject(yaml.dump(listed)).text)
    first, second = objects_at(document, "items")

    assert first == service
    assert _names(second) == ["app", "istio-proxy"]


def test_a_list_without_workloads_is_copied() -> None:
    text = "kind: List\napiVersion: v1\nitems: [ {kind: Service, apiVersion: v1} ]\n"

    assert _inject(text).text == f"{text}---\n"


def test_annotations_of_a_cron_job_are_set_on_its_job_template() -> None:
    """A peculiarity of Istio's."""
    text = """apiVersion: batch/v1
kind: CronJob
metadata: {name: c}
spec:
  jobTemplate:
    spec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: app}]}}}
"""
    (document,) = _documents(_inject(text).text)
    job = object_at(object_at(document, "spec"), "jobTemplate")
    template = object_at(object_at(job, "spec"), "template")

    assert "sidecar.istio.io/status" in object_at(object_at(job, "metadata"), "annotations")
    assert object_at(template, "metadata") == {"labels": {"a": "b"}}


SIDECAR = "      - {name: istio-proxy, image: proxy}\n"
INJECTED_BEFORE = DEPLOYMENT.replace("  future:", f"{SIDECAR}  future:").replace(
    "labels: {app: web}", "annotations: {sidecar.istio.io/status: '{}'}"
)
ROLLOUT = DEPLOYMENT.replace("apps/v1", "argoproj.io/v1alpha1").replace("Deployment", "Rollout")

SKIPPED = (
    # release, text, warning
    ("1.16", INJECTED_BEFORE, 'Deployment "shop/web" has injected "istio-proxy" sidecar already'),
    (
        "1.30",
        ROLLOUT,
        'Rollout "shop/web" is of a kind that Istio does not inject into files',
    ),
    ("1.30", HOST, 'Deployment "shop/web" has host networking enabled'),
    ("1.30", HOST.replace(", namespace: shop", ""), 'Deployment "web" has host networking enabled'),
    ("1.8", HOST, '"web" has host networking enabled'),
    ("1.30", DECLINED, 'Deployment "shop/web" has sidecar injection disabled'),
)


@pytest.mark.parametrize(("release", "text", "warning"), SKIPPED)
def test_a_skipped_workload_is_a_warning_with_its_reason(
    release: str, text: str, warning: str
) -> None:
    injector = (
        bundles.sample(release) if release != "1.8" else bundles.legacy_injector("containers: []")
    )
    result = kubeinject.inject(injector, text)

    assert result.text == f"{text}---\n"
    assert result.warnings == (f"===> Skipping injection because {warning}",)
    assert (result.injected, result.workloads) == (0, 1)


GROUPS = ("extensions/v1beta1", "apps/v1beta1", "apps/v1beta2", "apps/v1", "example.com/v3")


@pytest.mark.parametrize("api_version", GROUPS)
@pytest.mark.parametrize("release", ["1.0", "1.8", "1.13", "1.30"])
def test_istio_selects_workloads_by_kind_only(release: str, api_version: str) -> None:
    """pkg/kube/inject/initializer.go: each kind is registered without a version as well."""
    injector = (
        bundles.legacy_injector("containers: [{name: istio-proxy}]", release=release)
        if release in {"1.0", "1.8"}
        else bundles.template_injector("spec: {containers: [{name: istio-proxy}]}", release=release)
    )
    result = kubeinject.inject(injector, DEPLOYMENT.replace("apps/v1", api_version))

    assert (result.injected, result.workloads) == (1, 1)
    assert _names(_documents(result.text)[0]) == ["app", "istio-proxy"]
    assert f"apiVersion: {api_version}\n" in result.text


def test_workloads_are_counted() -> None:
    result = _inject(f"{SERVICE}---\n{DEPLOYMENT}---\n{HOST}---\n{ROLLOUT}")

    assert (result.injected, result.workloads, len(result.warnings)) == (1, 3, 2)


EMPTY = (
    # release, template, how the release injects
    ("1.0", "volumes: []", bundles.legacy_injector),
    ("1.8", "", bundles.legacy_injector),
    ("1.30", "", bundles.template_injector),
    ("1.30", "spec: {}", bundles.template_injector),
)


@pytest.mark.parametrize(("release", "template", "make"), EMPTY)
def test_a_status_without_an_addition_is_never_written(
    release: str, template: str, make: Callable[..., Injector]
) -> None:
    injector = make(template, release=release)
    with pytest.raises(OperatorError) as caught:
        kubeinject.inject(injector, DEPLOYMENT)

    assert 'Deployment "shop/web": the templates (' in str(caught.value)
    assert f"add nothing as Istio {injector.profile.release} renders them" in str(caught.value)


def test_templates_can_add_labels_and_annotations_alone() -> None:
    template = "metadata: {labels: {a: b}, annotations: {c: d}}"
    result = kubeinject.inject(bundles.template_injector(template), DEPLOYMENT)

    metadata = object_at(_pod_of(_documents(result.text)[0]), "metadata")
    assert object_at(metadata, "labels")["a"] == "b"
    assert object_at(metadata, "annotations")["c"] == "d"
    assert "sidecar.istio.io/status" in object_at(metadata, "annotations")


def test_1_0_also_injects_pods_with_disabled_injection() -> None:
    injector = bundles.legacy_injector("containers: [{name: istio-proxy}]", release="1.0")
    text = DECLINED.replace("apps/v1", "extensions/v1beta1")

    assert _names(_documents(kubeinject.inject(injector, text).text)[0]) == ["app", "istio-proxy"]


INJECTED = (("1.16", False), ("1.17", True))


@pytest.mark.parametrize(("release", "again"), INJECTED)
def test_an_injected_pod_is_injected_again_since_1_17(release: str, again: bool) -> None:
    template = "spec: {containers: [{name: istio-proxy, image: new}]}"
    injector = bundles.template_injector(template, release=release)
    once = kubeinject.inject(injector, DEPLOYMENT).text.replace("image: new", "image: old")

    assert ("image: new" in kubeinject.inject(injector, once).text) is again


def test_a_missing_default_template_is_reported() -> None:
    text = "{apiVersion: v1, kind: ReplicationController, metadata: {name: r, namespace: no}}"

    with pytest.raises(UserError) as caught:
        _inject(text)

    expected = 'ReplicationController "false/r": spec.template is required value'
    assert str(caught.value) == expected  # YAML's no is false, and then text


def test_a_bare_pods_owner_is_looked_up_since_1_21() -> None:
    template = (
        "metadata: {annotations: {owner: '{{ .TypeMeta.Kind }}'}}\n"
        "spec: {containers: [{name: istio-proxy}]}"
    )
    text = """apiVersion: v1
kind: Pod
metadata:
  generateName: a-
  name: a-1
  ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: a, uid: u, controller: true}]
spec: {containers: [{name: app}]}
"""
    for release, owner in (("1.20", "Pod"), ("1.21", "DaemonSet")):
        result = kubeinject.inject(bundles.template_injector(template, release=release), text)
        assert f"owner: {owner}" in result.text


@given(st.lists(st.sampled_from([SERVICE, "a: 1\n", "# c\n", "- x\n"]), min_size=1, max_size=4))
def test_a_stream_that_nothing_changes_is_copied(parts: list[str]) -> None:
    assert yaml_stream.rewrite_objects("---\n".join(parts), lambda each: each) == "".join(
        f"{part}---\n" for part in parts
    )


TEXTS: tuple[tuple[JSON, JSON], ...] = (
    ({"metadata": {"annotations": {"a": True, "b": 1.5, "c": "x"}}},
     {"metadata": {"annotations": {"a": "true", "b": "1.5", "c": "x"}}}),
    ({"spec": {"volumes": [{"name": 1, "hostPath": {"path": 2}}], "priority": 3}},
     {"spec": {"volumes": [{"name": "1", "hostPath": {"path": "2"}}], "priority": 3}}),
    ({"spec": {"nodeSelector": {"a": False}, "hostNetwork": True, "unknown": 5}},
     {"spec": {"nodeSelector": {"a": "false"}, "hostNetwork": True, "unknown": 5}}),
    ({"spec": {"containers": [{"args": [1, "a", None]}]}},
     {"spec": {"containers": [{"args": ["1", "a", None]}]}}),
)  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), TEXTS)
def test_values_become_strings_if_kubernetes_expects_strings(value: JSON, expected: JSON) -> None:
    assert coerce_to_string(POD, value) == expected
    assert coerce_to_string(POD, expected) == expected


@pytest.mark.parametrize(("release", "is_refused"), [("1.12", False), ("1.13", True)])
def test_a_skipped_workload_with_an_invalid_proxy_config(release: str, is_refused: bool) -> None:
    text = DECLINED.replace(
        "{sidecar.istio.io/inject:", "{proxy.istio.io/config: '[', sidecar.istio.io/inject:"
    )
    assert "proxy.istio.io/config" in text
    if is_refused:
        with pytest.raises(UserError, match="could not parse proxy config: "):
            kubeinject.inject(bundles.sample(release), text)
    else:
        assert kubeinject.inject(bundles.sample(release), text).injected == 0
