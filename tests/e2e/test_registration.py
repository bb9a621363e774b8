"""A registration made as documented leaves the mesh alone, however the cluster proves who it is.

``register.py`` prints the URL, ``podgraft serve`` serves it, and the patch gives the pod that
``podgraft inject`` gives offline.
"""

import json
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonpatch
import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object
from podgraft.cli import main
from podgraft.kube import yaml
from support.config_folder import write_folder

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
POD: Any = yaml.load((SAMPLE / "input.web.yaml").read_text())
CLUSTER_ID = "ISTIO_META_CLUSTER_ID"
CONTROL_PLANE = ("--control-plane", "cp")
CERTIFICATE = ("--client-cert", "certificates/prod-eu.pem", "--client-key")
SERVE = ("--cert", "certificates/server.pem", "--key", "certificates/server.key")

# The policy names the caller: its own annotation shows by which cluster's policy a pod went.
POLICY = """\
policy: enabled
istioRelease: "1.30"
clusters:
  prod-eu: {injectedAnnotations: {example.com/caller: prod-eu}}
  stage: {policy: disabled}
"""


@dataclass(frozen=True, slots=True)
class Mode:
    """How a cluster proves who it is: options of serve and of register.py."""

    name: str
    serve: tuple[str, ...]
    register: tuple[str, ...]
    caller: str = "prod-eu"
    route: str = "/istio/inject"


MODES = (
    Mode("token in the path", (), ("--token-file", "token"), route="/k/TOKEN/istio/inject"),
    Mode("token in a header", (), ("--token-file", "token", *CONTROL_PLANE)),
    Mode(
        "client certificate",
        ("--client-ca", "certificates/ca.pem"),
        (*CERTIFICATE, "certificates/prod-eu.key", *CONTROL_PLANE),
    ),
    Mode("none", ("--auth", "none"), (), caller=""),
)


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """Certificates, a token, a store and a policy, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for command in (("ca",), ("server", "127.0.0.1"), ("client", "prod-eu")):
        assert main(["certs", *command, "--key-type", "p-256"]) == 0
    shutil.copytree(SAMPLE / "bundle", "store/istio/bundle")
    Path("store/istio/policy.yaml").write_text(POLICY)
    own = ("--config", "store", "--cluster", "prod-eu")
    assert main(["tokens", "issue", *own, "--output", "token"]) == 0
    assert main(["tokens", "allow", *own, "CN=prod-eu,O=podgraft-clusters"]) == 0
    capsys.readouterr()
    return tmp_path


Register = Callable[..., str]


@pytest.fixture
def registered(folder: Path, capsys: pytest.CaptureFixture[str]) -> Register:
    """Run register.py; the URL that it prints."""
    del folder

    def run(*arguments: str) -> str:
        options = ("--allow-loopback", "--injector", "istio", "--ca-bundle", "certificates/ca.pem")
        assert (
            main(["register", *options, *arguments, "--namespace-selector", "inject=enabled"]) == 0
        )
        manifest: Any = yaml.load(capsys.readouterr().out)
        return manifest["webhooks"][0]["clientConfig"]["url"]

    return run


@contextmanager
def serving(*options: str) -> Generator[tuple[int, subprocess.Popen[str]]]:
    """A server on a free port, stopped at the end."""
    command = [sys.executable, "-m", "podgraft", "serve", "--store", "store", *SERVE]
    further = ("--host", "127.0.0.1", "--port", "0", "--workers", "1", *options)
    with subprocess.Popen(
        [*command, *further],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            line = next(each for each in process.stdout if "listens on https://" in each)
            yield int(line.rsplit(":", 1)[-1]), process
        finally:
            process.terminate()


def credentials(mode: Mode) -> tuple[ssl.SSLContext, Mapping[str, str]]:
    """What the control plane's files make kube-apiserver present."""
    context = ssl.create_default_context(cafile="certificates/ca.pem")
    if "--control-plane" not in mode.register:
        return context, {}
    kubeconfig: Any = yaml.load(Path("cp/webhook-kubeconfig.yaml").read_text())
    user = kubeconfig["users"][0]["user"]
    if "token" in user:
        return context, {"Authorization": f"Bearer {user['token']}"}
    context.load_cert_chain("certificates/prod-eu.pem", "certificates/prod-eu.key")
    return context, {}


def post(url: str, context: ssl.SSLContext, headers: Mapping[str, str]) -> Any:
    """Send the review of a pod's creation to a URL; the response."""
    request = {
        "uid": "1",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": "CREATE",
        "namespace": POD["metadata"]["namespace"],
        "object": POD,
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    parts = urlsplit(url)
    connection = HTTPSConnection("127.0.0.1", parts.port, context=context, timeout=30)
    try:
        body = json.dumps(review)
        connection.request(
            "POST", parts.path, body, {"Content-Type": "application/json", **headers}
        )
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return json.loads(text)["response"]
    finally:
        connection.close()


def patched(response: Any) -> Object:
    """The pod as kube-apiserver makes it of the response."""
    from base64 import b64decode

    return jsonpatch.apply_patch(POD, b64decode(response["patch"]).decode())


def offline(capsys: pytest.CaptureFixture[str], policy: str) -> Any:
    """The pod that ``podgraft inject`` makes."""
    shutil.rmtree("offline", ignore_errors=True)
    folder = write_folder(Path("offline"), Path("store/istio").absolute(), policy)
    capsys.readouterr()
    files = ("-f", str(SAMPLE / "input.web.yaml"), "--config", folder)
    assert cli.main(["inject", *files, "--webhook"]) == 0
    return yaml.load(capsys.readouterr().out)


def cluster_ids(pod: Any) -> set[str]:
    """The cluster ids of the pod's proxies."""
    spec = pod["spec"]
    containers = [*spec["containers"], *spec.get("initContainers", [])]
    variables = [each for container in containers for each in container.get("env", [])]
    return {each["value"] for each in variables if each["name"] == CLUSTER_ID}


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_a_documented_registration_leaves_the_cluster_id_to_the_mesh(
    mode: Mode, registered: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    token = Path("token").read_text().strip()
    with serving(*mode.serve) as (port, server):
        address = f"https://127.0.0.1:{port}"
        url = registered("--url", address, "--cluster", "prod-eu", *mode.register)
        assert url == address + mode.route.replace("TOKEN", token)
        response = post(url, *credentials(mode))
        server.terminate()
        log = server.communicate(timeout=30)[0]
    pod = patched(response)
    own = POLICY.replace("policy: enabled\n", "")
    annotations = "injectedAnnotations: {example.com/caller: prod-eu}\n" if mode.caller else ""
    assert pod == offline(capsys, f"policy: enabled\n{annotations}{own}")
    assert cluster_ids(pod) == {"Kubernetes"}
    # The policy's overrides and the log go by the proven caller.
    caller: Any = pod["metadata"]
    assert caller["annotations"].get("example.com/caller", "") == mode.caller
    [record] = [json.loads(line) for line in log.splitlines() if '"message":"review"' in line]
    assert record["cluster"] == mode.caller


@pytest.mark.parametrize(
    ("path", "cluster_id"),
    [
        ("/cluster/stage", "stage"),
        ("/cluster/prod-eu/net/n1", "prod-eu"),
        ("/:ENV:cluster=stage:ENV:x=y", "stage"),
    ],
)
def test_an_older_registration_sets_istios_variable_and_names_no_caller(
    path: str, cluster_id: str, registered: Register
) -> None:
    """Up to now register.py put the caller into the path; such URLs work as Istio's do."""
    with serving() as (port, server):
        address = f"https://127.0.0.1:{port}"
        url = registered("--url", address, "--token-file", "token") + path
        pod = patched(post(url, *credentials(MODES[0])))
        server.terminate()
        log = server.communicate(timeout=30)[0]
    assert cluster_ids(pod) == {cluster_id}
    metadata: Any = pod["metadata"]
    assert metadata["annotations"]["example.com/caller"] == "prod-eu"
    [record] = [json.loads(line) for line in log.splitlines() if '"message":"review"' in line]
    assert record["cluster"] == "prod-eu"


def test_only_the_options_of_istio_write_istios_variables(registered: Register) -> None:
    own = ("--istio-cluster-id", "c1", "--istio-network", "n1")
    with serving() as (port, _):
        url = registered("--url", f"https://127.0.0.1:{port}", *own, "--token-file", "token")
        assert url.endswith("/istio/inject/cluster/c1/net/n1")
        pod: Any = patched(post(url, *credentials(MODES[0])))
    assert cluster_ids(pod) == {"c1"}
    assert pod["metadata"]["labels"]["topology.istio.io/network"] == "n1"
