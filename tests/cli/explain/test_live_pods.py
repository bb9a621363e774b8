"""Pods of a cluster: one that already has what an overlay adds, and those of other injectors."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.kube import yaml
from support.fake_cluster import use_cluster

HELLO = Path(__file__).parents[3] / "samples" / "hello"
HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
NAMESPACE = {"metadata": {"name": "shop", "labels": {"kubernetes.io/metadata.name": "shop"}}}


def make_pod(**spec: Any) -> Any:
    containers = [{"name": "web", "image": "nginx"}]
    metadata = {"name": "web", "namespace": "shop", "labels": {"podgraft": "hello"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers, **spec},
    }


@pytest.mark.parametrize("image", ["registry.k8s.io/pause:3.10", "registry.k8s.io/pause:3.9"])
def test_a_running_pod_with_the_sidecar_is_injected(
    image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the sidecar of this version, or of the one before."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HELLO, "hello")
    options = ("--object-selector", "podgraft=hello", "--injector", "hello")
    assert main(["register", "--url", "https://a.example", *options]) == 0
    registration = yaml.load(capsys.readouterr().out)
    sidecar = {"name": "hello", "image": image, "restartPolicy": "Always"}
    pod = make_pod(initContainers=[sidecar])
    paths = {"/api/v1/namespaces/shop/pods/web": pod, "/api/v1/namespaces/shop": NAMESPACE}
    use_cluster(monkeypatch, {HOOKS: [registration], **paths})
    assert main(["explain", "pod/web", "--config", "hello", "-n", "shop"]) == 0
    assert "╰─ injected, decided by overlay hello: matches, and " in capsys.readouterr().out


def test_pods_of_another_injector_do_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--object-selector", "podgraft=hello", "--injector", "hello")
    assert main(["register", "--url", "https://a.example", *options]) == 0
    registration = yaml.load(capsys.readouterr().out)
    pods = [make_pod(), make_pod(), make_pod()]
    pods[1]["metadata"] = {"name": "plain", "namespace": "shop"}
    listed = {"kind": "PodList", "items": pods}
    paths = {"/api/v1/namespaces/shop/pods": listed, "/api/v1/namespaces/shop": NAMESPACE}
    use_cluster(monkeypatch, {HOOKS: [registration], **paths})
    assert main(["explain", "pods", "-n", "shop"]) == 1
    captured = capsys.readouterr()
    assert "plain in shop" in captured.out
    assert "no webhook matches" in captured.out
    assert "web in shop" not in captured.out
    assert "Pod/web and 1 more: webhook hello.inject.podgraft.dev sends the pod" in captured.err
