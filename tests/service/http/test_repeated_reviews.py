"""No result of one request answers another: reviews of two pods that differ in one input.

A cache that forgets an input of its value fails here.
"""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from podgraft.core import bundle
from podgraft.core.review import REVIEWS
from podgraft.core.versions.snapshot import Store
from support.store_fixture import OTHER_TOKEN, TOKEN, admit, write, write_injector

from .conftest import ApplicationFixture, make_application

Pod = dict[str, Any]
# The trial of a version does not find what a template does for this annotation.
RARE = {"example.com/rare": "kf8s02"}


def make_rare(template: str) -> str:
    condition = 'eq (index .ObjectMeta.Annotations "example.com/rare") "kf8s02"'
    return f"{{{{ if {condition} }}}}\n{template}\n{{{{ end }}}}"


def make_config(template: str) -> Mapping[str, bytes]:
    """The bundle of one template of Istio's injector."""
    text = f"policy: enabled\ndefaultTemplates: [x]\ntemplates:\n  x: |\n{indent(template, 4)}"
    document = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: istio-sidecar-injector}\n"
        f"data:\n  values: '{{}}'\n  config: |\n{indent(text, 4)}"
    )
    return {"injector.yaml": document.encode()}


def indent(text: str, width: int) -> str:
    return "".join(f"{' ' * width}{line}\n" for line in text.splitlines())


def start(
    folder: Path, template: str, policy: str, files: Mapping[str, bytes] | None = None
) -> ApplicationFixture:
    admit(folder, "prod-eu", TOKEN)
    admit(folder, "staging", OTHER_TOKEN)
    bundle_files = {**make_config(template), **(files or {})}
    return make_application(write_injector(folder, policy=policy, files=bundle_files))


def make_pod(annotations: Mapping[str, str] | None = None, **spec: Any) -> Pod:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "labels": {"app": "web"},
            "annotations": dict(annotations or {}),
        },
        "spec": {"containers": [{"name": "app", "image": "nginx"}], **spec},
    }


def send(
    application: ApplicationFixture, pod: Pod, *, namespace: str = "shop", token: str = TOKEN
) -> tuple[int, Pod]:
    """The status, and the response of the review or the fault."""
    review = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "5fd4fd7c-1f0f-4b7c-9ff1-aaaaaaaaaaaa",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "operation": "CREATE",
            "namespace": namespace,
            "object": pod,
        },
    }
    body = json.dumps(review, separators=(",", ":")).encode()
    response = application.post(body, token=token)
    document: Pod = json.loads(response.data)
    return response.status_code, document.get("response", document)


def parse_patch(response: Pod) -> list[Any]:
    return json.loads(base64.b64decode(response["patch"]))


LISTS = ("containers", "initContainers", "ephemeralContainers")


@pytest.mark.parametrize("injected", LISTS[:2])
@pytest.mark.parametrize("own", LISTS)
def test_privileges_of_one_pod_are_not_those_of_the_next(
    tmp_path: Path, own: str, injected: str
) -> None:
    """The own container of the first pod has the name and the privileges of the injected one."""
    container = "{name: agent, image: a, securityContext: {privileged: true}}"
    template = make_rare(f"spec: {{{injected}: [{container}]}}")
    application = start(tmp_path, template, "allows: {registries: [docker.io]}")

    def make_owner(name: str) -> Pod:
        pod = make_pod(RARE)
        own_container = {"name": name, "image": "x", "securityContext": {"privileged": True}}
        pod["spec"].setdefault(own, []).append(own_container)
        return pod

    assert send(application, make_owner("agent"))[0] == 200
    for token in (TOKEN, OTHER_TOKEN):
        code, fault = send(application, make_owner("other"), token=token)
        assert code == 500
        assert "container agent is privileged" in fault["message"]


def test_the_image_of_a_volume_is_checked_for_each_pod(tmp_path: Path) -> None:
    template = make_rare('spec: {volumes: [{name: v, image: {reference: "evil.example/x:1"}}]}')
    application = start(tmp_path, template, "allows: {registries: [docker.io]}")

    def make_owner(reference: str) -> Pod:
        images = {"v": "docker.io/a", "w": reference}
        volumes = [{"name": name, "image": {"reference": each}} for name, each in images.items()]
        return make_pod(RARE, volumes=volumes)

    assert send(application, make_owner("evil.example/x:1"))[0] == 200
    code, fault = send(application, make_owner("docker.io/b"))
    assert code == 500
    assert "uses an image of a registry that is not listed" in fault["message"]


def test_a_volume_of_the_template_with_the_name_of_a_token_volume(tmp_path: Path) -> None:
    template = "spec: {volumes: [{name: kube-api-access-bbbbb, emptyDir: {}}]}"
    application = start(tmp_path, template, "{}")

    def make_replica(suffix: str) -> Pod:
        return make_pod(volumes=[{"name": f"kube-api-access-{suffix}", "projected": {}}])

    for suffix in ("aaaaa", "ccccc", "ddddd"):
        assert send(application, make_replica(suffix))[0] == 200
    _, response = send(application, make_replica("bbbbb"))
    paths = [operation["path"] for operation in parse_patch(response)]
    assert "/spec/volumes/0/emptyDir" in paths
    assert not {"/spec/volumes/1", "/spec/volumes/-"} & {*paths}


SELECTORS = {"the namespace": "", "the workload": "selector: {matchLabels: {operator: 'yes'}}, "}
# A template that ends in the text of the proxy's configuration.
IMAGE = (
    'spec:\n  containers:\n  - name: agent\n    image: {{ index .ProxyConfig.ProxyMetadata "IMG" }}'
)
TEXT = "agent:1\n    securityContext: {privileged: true}"


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_a_text_of_the_operator_is_not_that_of_a_pod(tmp_path: Path, selector: str) -> None:
    """Both pods have the same text in their configuration; the operator wrote only the first."""
    spec = f"{{{selector}environmentVariables: {{IMG: {json.dumps(TEXT)}}}}}"
    document = (
        "apiVersion: networking.istio.io/v1beta1\nkind: ProxyConfig\n"
        f"metadata: {{name: p, namespace: shop}}\nspec: {spec}\n"
    )
    files = {"proxy.yaml": document.encode()}
    application = start(tmp_path, make_rare(IMAGE), "{}", files)
    config = json.dumps({"proxyMetadata": {"IMG": TEXT}})
    author = {**RARE, "proxy.istio.io/config": config}
    operated = make_pod(author if selector else RARE)
    operated["metadata"]["labels"]["operator"] = "yes"
    assert send(application, operated)[1]["allowed"]
    pod = make_pod(author)
    pod["metadata"]["labels"]["operator"] = "no"
    _, response = send(application, pod, namespace="shop" if selector else "default")
    assert not response["allowed"]
    assert "would change the structure" in response["status"]["message"]


def test_a_bundle_that_changes_during_a_review_is_in_force_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a rollout, the version of the policy does not name the bundle that is in force."""
    files = make_config("spec: {containers: [{name: agent, image: old}]}")
    digest = bundle.digest(files)
    for name, content in files.items():
        path = f"default/bundles/{digest.removeprefix('sha256:')}/{name}"
        write(tmp_path / path, content)
    rollout = f"{{id: r, mode: share, share: 0, candidate: {{bundle: '{digest}'}}}}"
    application = start(
        tmp_path, "spec: {containers: [{name: agent, image: old}]}", f"rollout: {rollout}"
    )
    inject = REVIEWS["inject"]
    reviews: list[str] = []

    def change_bundle(context: Any, store: Store) -> Any:
        result = inject(context, store)
        reviews.append(context.request.uid)
        if len(reviews) == 2:
            changed = make_config("spec: {containers: [{name: agent, image: new}]}")
            write_injector(tmp_path, files=changed)
        return result

    monkeypatch.setitem(REVIEWS, "inject", change_bundle)  # type: ignore[misc]
    for _ in range(2):
        assert send(application, make_pod())[0] == 200
    for _ in range(2):
        _, response = send(application, make_pod())
        assert '"new"' in json.dumps(parse_patch(response))
