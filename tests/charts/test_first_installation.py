"""``podgraft init --kind helm``: the values render, and their pods are injected over HTTPS."""

import json
import ssl
import subprocess
import sys
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from charts.rendering import CHART, render, render_notes
from podgraft import cli
from podgraft.kube import yaml

HOST = "podgraft.podgraft.svc"
REVIEW = {
    "kind": "AdmissionReview",
    "apiVersion": "admission.k8s.io/v1",
    "request": {
        "uid": "1",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": "CREATE",
        "namespace": "shop",
        "userInfo": {},
        "object": {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web", "labels": {"podgraft": "hello"}},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        },
    },
}


@pytest.fixture
def values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    assert cli.main(["init", "--kind", "helm", str(tmp_path / "cluster")]) == 0
    assert "helm install podgraft" in capsys.readouterr().err
    file = tmp_path / "cluster" / "values.yaml"
    assert file.stat().st_mode & 0o777 == 0o600
    return yaml.load(file.read_text())


def write_volume(folder: Path, manifests: list[Any]) -> None:
    """The files of the projected volume of the pod, from its ConfigMaps and Secrets."""
    found = {(each["kind"], each["metadata"]["name"]): each for each in manifests}
    volume = found["Deployment", "podgraft"]["spec"]["template"]["spec"]["volumes"][0]
    for source in volume["projected"]["sources"]:
        for kind, key in (("ConfigMap", "configMap"), ("Secret", "secret")):
            if key in source:
                manifest = found[kind, source[key]["name"]]
                content = manifest.get("data") or manifest.get("stringData")
                for item in source[key]["items"]:
                    path = folder / "store" / item["path"]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(content[item["key"]])
    for name, text in found["Secret", "podgraft-tls"]["stringData"].items():
        (folder / name).write_text(text)


@contextmanager
def serve(folder: Path) -> Generator[int]:
    arguments = ("--store", "store", "--cert", "tls.crt", "--key", "tls.key", "--workers", "1")
    command = [sys.executable, "-m", "podgraft", "serve", *arguments, "--host", "127.0.0.1"]
    with subprocess.Popen(
        [*command, "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline().rsplit(":", 1)[1].split("/")[0])
        finally:
            server.terminate()


class ServiceConnection(HTTPSConnection):
    """A connection to the Service by its name, which is 127.0.0.1 here."""

    def connect(self) -> None:
        """Connect to the loopback interface, and verify the name of the Service."""
        self.host, name = "127.0.0.1", self.host
        try:
            super(HTTPSConnection, self).connect()
        finally:
            self.host = name
        context: ssl.SSLContext = vars(self)["_context"]
        self.sock = context.wrap_socket(self.sock, server_hostname=name)


def test_helm_test_passes_with_the_service_alone(tmp_path: Path, values: Any) -> None:
    """The script of the pod of helm test, with the address of the Service on loopback."""
    manifests: list[Any] = [each for each in yaml.load_all(render(values)) if each]
    [pod] = [each for each in manifests if each["kind"] == "Pod"]
    [container] = pod["spec"]["containers"]
    write_volume(tmp_path, manifests)
    environment = {each["name"]: each["value"] for each in container["env"]}
    with serve(tmp_path) as port:
        connect = f"socket.create_connection = lambda *_, **__: create(('127.0.0.1', {port}))"
        redirect = f"import socket; create = socket.create_connection; {connect}\n"
        command = [sys.executable, "-c", redirect + container["args"][0]]
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{HOST} 200\n"), done.stderr


def test_a_pod_with_the_label_is_injected(tmp_path: Path, values: Any) -> None:
    jsonschema.validate(values, json.loads((CHART / "values.schema.json").read_text()))
    manifests: list[Any] = [each for each in yaml.load_all(render(values)) if each]
    assert "kubectl run web" in render_notes(values)
    write_volume(tmp_path, manifests)
    [hook] = next(each for each in manifests if each["kind"] == "MutatingWebhookConfiguration")[
        "webhooks"
    ]
    assert hook["objectSelector"] == {"matchLabels": {"podgraft": "hello"}}
    context = ssl.create_default_context(
        cadata=b64decode(hook["clientConfig"]["caBundle"]).decode()
    )
    with serve(tmp_path) as port:
        connection = ServiceConnection(HOST, port, context=context, timeout=20)
        headers = {"Content-Type": "application/json"}
        path = hook["clientConfig"]["service"]["path"]
        connection.request("POST", path, json.dumps(REVIEW), headers)
        response = json.loads(connection.getresponse().read())["response"]
        connection.request("POST", "/hello/inject", json.dumps(REVIEW), headers)
        refused = connection.getresponse()
        refused.read()
        connection.close()
    assert response["allowed"] is True
    assert b'"hello"' in b64decode(response["patch"])
    assert refused.status == 401
