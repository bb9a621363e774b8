"""``podgraft fleet`` with real kube-apiservers: pods are injected before, during, and after."""

import json
import os
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from socketserver import ThreadingMixIn
from time import monotonic
from typing import Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from e2e.live import cluster_objects as objects
from e2e.live.control_plane import (
    ControlPlane,
    find_program,
    start_control_plane,
    write_admin_kubeconfig,
)
from podgraft.cli import main, stacks
from podgraft.cli.fleet.adoption import open_stack
from podgraft.cli.fleet.registrations import KubectlRegistrations, name_of, version_of
from podgraft.cli.live.api_errors import ApiError
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.kube import yaml
from podgraft.service import paths
from podgraft.service.http import create_app
from podgraft.service.store.caller_document import Callers, hash_token
from podgraft.service.store.factory import AwsStoreConfig, open_stores
from support.aws_account import deploy_stack, open_account
from support.fake_kube_api import FakeKubeApi, serve_kube_api
from support.server_thread import run_server, use_tls

CLUSTERS = "abcde"
# Further clusters, whose API server is a model: PODGRAFT_LIVE_CLUSTERS=300 has 295 of them.
MODELS = int(os.environ.get("PODGRAFT_LIVE_CLUSTERS", "25")) - len(CLUSTERS)
LIMIT_SECONDS = 300
STACK, BUCKET = ("--config", "stack:podgraft-dev"), "bundles-of-real-clusters"
# Two environments of the function, so one can know of a change before the other.
ENVIRONMENTS, REFRESH_SECONDS = 2, 1
_POD = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "image": "app"}]}}
_HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
_NAME = "podgraft-istio"
_CHANGED = "another command changes the same object"


@dataclass(slots=True)
class PodCreator:
    """Creates pods as dry runs, one after the other; each must have *content*."""

    plane: ControlPlane
    content: bytes = b"istio-proxy"
    failures: list[str] = field(default_factory=list[str])
    count: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)

    def create(self) -> str:
        """Create one pod; the reason why it is not as expected, or nothing."""
        path = "/api/v1/namespaces/shop/pods?dryRun=All"
        status, body = self.plane.request("POST", path, _POD)
        return "" if status == 201 and self.content in body else f"{status} {body.decode()}"

    def run(self) -> None:
        while not self.stopped.wait(0.02):
            self.count += 1
            if failure := self.create():
                self.failures.append(failure)


@contextmanager
def create_pods(*creators: PodCreator) -> Generator[None]:
    """Create pods in all clusters during the block; each of them must be as expected."""
    threads = [threading.Thread(target=each.run) for each in creators]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for each in creators:
            each.stopped.set()
        for thread in threads:
            thread.join()
    for each in creators:
        assert each.count > 0
        assert not each.failures, (len(each.failures), each.count, each.failures[0])


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Print nothing."""


@contextmanager
def serve_function() -> Generator[str]:
    """Serve reviews as the function does, with its stores in the account; the URL."""
    backing = AwsStoreConfig(
        bucket=BUCKET,
        bundle_prefix="bundles/",
        parameter_prefix="/podgraft-dev",
        refresh_seconds=REFRESH_SECONDS,
    )
    environments = cycle(
        [
            (threading.Lock(), create_app(*open_stores(backing), request_log=_drop))
            for _ in range(ENVIRONMENTS)
        ]
    )

    def respond(environ: Any, start_response: Any) -> Any:
        lock, app = next(environments)
        with lock:  # Lambda gives an environment one request at a time
            return [*app(environ, start_response)]

    with make_server("127.0.0.1", 0, respond, _Server, _Handler) as server:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain("certificates/server.pem", "certificates/server.key")
        use_tls(server, context)
        with run_server(server):
            yield f"https://localhost:{server.server_port}"


def _drop(_: Any) -> None:
    """Log nothing."""


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Generator[dict[str, ControlPlane]]:
    program, folder = find_program(), tmp_path_factory.mktemp("fleet")
    with ExitStack() as ended, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = {
            name: ended.enter_context(start_control_plane(program, tmp_path_factory.mktemp(name)))
            for name in CLUSTERS
        }
        for plane in found.values():
            labels = {"istio-injection": "enabled"}
            plane.create("/api/v1/namespaces", {"metadata": {"name": "shop", "labels": labels}})
            accounts = "/api/v1/namespaces/shop/serviceaccounts"
            plane.create(accounts, {"metadata": {"name": "default"}})
        write_admin_kubeconfig(folder / "kubeconfig", found)
        patch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
        patch.setattr(stacks, "DEFAULT_REFRESH_SECONDS", REFRESH_SECONDS)
        session = ended.enter_context(open_account())
        deploy_stack(session, "podgraft-dev", BUCKET, guard={"documents": 2})
        made = ("--key-type", "p-256")
        assert main(["certs", "ca", *made]) == 0
        assert main(["certs", "server", "localhost", *made]) == 0
        bundle = objects.SAMPLES / "istio"
        assert main(["push", str(bundle), "--injector", "istio", *STACK]) == 0
        assert main(["fleet", "adopt", *STACK]) == 0
        _write_fleet(ended.enter_context(serve_function()))
        yield found


def _write_fleet(url: str, names: Iterable[str] = CLUSTERS, file: str = "fleet.yaml") -> None:
    clusters = "".join(f"    {name}: {{context: {name}}}\n" for name in names)
    injector = '{name: istio, namespaceSelector: "istio-injection=enabled"}'
    Path(file).write_text(
        "apiVersion: podgraft.dev/v1\nkind: Fleet\nmetadata: {name: prod}\nspec:\n"
        f"  url: {url}\n  caBundle: certificates/ca.pem\n"
        f"  defaults: {{injectors: [{injector}]}}\n  clusters:\n{clusters}"
    )


def run(*words: str) -> int:
    return main(["fleet", *words, *STACK])


def test_clusters_are_enrolled_and_rotated(
    planes: dict[str, ControlPlane], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("apply", "fleet.yaml") == 0, capsys.readouterr().err
    assert f"{len(CLUSTERS)} registered" in capsys.readouterr().out
    before = {name: find_urls(plane) for name, plane in planes.items()}
    with create_pods(*map(PodCreator, planes.values())):
        assert run("apply", "fleet.yaml") == 0
        assert f"{len(CLUSTERS)} equal" in capsys.readouterr().out
        assert run("rotate", "fleet.yaml", "--now", "--max", "9") == 0, capsys.readouterr().err
        assert f"{len(CLUSTERS)} rotated" in capsys.readouterr().out
    for name, plane in planes.items():
        assert find_urls(plane).isdisjoint(before[name])
    assert run("plan", "fleet.yaml") == 0


def find_urls(plane: ControlPlane) -> set[str]:
    _, body = plane.request("GET", _HOOKS)
    items: Any = json.loads(body)["items"]
    return {hook["clientConfig"]["url"] for each in items for hook in each.get("webhooks", ())}


def test_a_registration_of_another_manager_changes_with_force_only(
    planes: dict[str, ControlPlane], capsys: pytest.CaptureFixture[str]
) -> None:
    """A GitOps controller owns a field of the first cluster."""
    run("apply", "fleet.yaml")
    plane = planes["a"]
    manifest = json.loads(plane.request("GET", f"{_HOOKS}/{_NAME}")[1])
    del manifest["metadata"]["managedFields"], manifest["metadata"]["resourceVersion"]
    manifest["webhooks"][0]["timeoutSeconds"] = 7
    path = f"{_HOOKS}/{_NAME}?fieldManager=argocd-controller&force=true"
    headers = {"Content-Type": "application/apply-patch+yaml"}
    assert plane.request("PATCH", path, manifest, headers)[0] == 200
    capsys.readouterr()
    with create_pods(*map(PodCreator, planes.values())):
        assert run("rotate", "fleet.yaml", "--now", "--max", "9") == 1
        printed = capsys.readouterr()
        assert f"1 failed, {len(CLUSTERS) - 1} rotated" in printed.out
        assert "a: failed: " in printed.err
        assert "argocd-controller" in printed.err
        assert run("apply", "fleet.yaml", "--force-conflicts") == 0, capsys.readouterr().err
        assert f"{len(CLUSTERS) - 1} equal, 1 rotated" in capsys.readouterr().out
    assert run("plan", "fleet.yaml") == 0


@pytest.mark.parametrize("forces", [False, True])
def test_a_registration_of_an_earlier_version_is_refused(
    planes: dict[str, ControlPlane], forces: bool
) -> None:
    """Also if it forces conflicts: the version decides, not the owner."""
    del planes
    run("apply", "fleet.yaml")
    registrations = KubectlRegistrations(KubectlReader(context="a"), forces)
    live: Any
    [live] = [each for each in registrations.read() if name_of(each) == _NAME]
    newer = registrations.touch(live)
    webhooks = [{**each, "timeoutSeconds": 9} for each in live["webhooks"]]
    manifest: Any = {**live, "metadata": {"name": _NAME, "resourceVersion": version_of(live)}}
    manifest["webhooks"] = webhooks
    with pytest.raises(ApiError, match=_CHANGED):
        registrations.apply(manifest)
    with pytest.raises(ApiError, match=_CHANGED):
        registrations.touch(live)
    assert version_of(newer) == version_of(registrations.read()[0])


def test_a_registration_by_hand_is_taken_over(
    planes: dict[str, ControlPlane], capsys: pytest.CaptureFixture[str]
) -> None:
    """Registered with kubectl create and a token of podgraft tokens issue."""
    run("apply", "fleet.yaml")
    assert run("retire", "b", "--context", "b") == 0
    assert main(["tokens", "issue", "--cluster", "b", "--output", "b.token", *STACK]) == 0
    capsys.readouterr()
    url = ("--url", find_endpoint(), "--allow-loopback", "--ca-bundle", "certificates/ca.pem")
    own = ("--injector", "istio", "--token-file", "b.token", "--timeout", "8")
    selector = ("--namespace-selector", "istio-injection=enabled")
    assert main(["register", *url, *own, *selector]) == 0
    planes["b"].create(_HOOKS, yaml.load(capsys.readouterr().out))
    with create_pods(PodCreator(planes["b"])):
        assert run("rotate", "fleet.yaml", "--cluster", "b", "--now") == 1
        assert "--force-conflicts" in capsys.readouterr().err
        words = ("rotate", "fleet.yaml", "--cluster", "b", "--now", "--force-conflicts")
        assert run(*words) == 0, capsys.readouterr().err


def find_endpoint() -> str:
    fleet: Any = yaml.load(Path("fleet.yaml").read_text())
    return str(fleet["spec"]["url"])


def test_no_pod_is_rejected_while_a_cluster_retires(planes: dict[str, ControlPlane]) -> None:
    run("apply", "fleet.yaml")
    with create_pods(PodCreator(planes["c"], b'"app"')):
        assert run("retire", "c", "--context", "c") == 0
    assert not find_urls(planes["c"])
    assert PodCreator(planes["c"]).create().startswith("201 ")  # without a sidecar


@pytest.fixture
def models(
    planes: dict[str, ControlPlane], monkeypatch: pytest.MonkeyPatch
) -> Generator[FakeKubeApi]:
    """Further clusters, and a fleet file with all of them; none is registered."""
    names = [f"m{number:03}" for number in range(MODELS)]
    with serve_kube_api(*names) as api:
        file = api.write_kubeconfig(Path("models"))
        monkeypatch.setenv("KUBECONFIG", f"{os.environ['KUBECONFIG']}:{file.absolute()}")
        _write_fleet(find_endpoint(), [*planes, *names], "all.yaml")
        for name, plane in planes.items():
            if find_urls(plane):
                assert run("retire", name, "--context", name) == 0
        yield api
        for name in names:
            assert run("retire", name, "--gone") == 0


def check_tokens(planes: dict[str, ControlPlane], models: FakeKubeApi) -> None:
    """Each cluster has the one token that its registrations have, and the next run changes none."""
    registry = open_stack("/podgraft-dev").repository.read_all()
    for name, plane in planes.items():
        check_cluster(registry[name], find_urls(plane))
        assert not PodCreator(plane).create()
    for name, each in models.clusters.items():
        hooks = [hook for own in each.objects.values() for hook in own["webhooks"]]
        check_cluster(registry[name], {hook["clientConfig"]["url"] for hook in hooks})


def check_cluster(callers: Callers, urls: set[str]) -> None:
    [token] = callers.tokens
    [registered] = {paths.split_token(urlsplit(url).path)[0] for url in urls}
    assert token.sha256 == hash_token(str(registered))


def test_all_clusters_are_enrolled_from_nothing_with_one_command(
    planes: dict[str, ControlPlane], models: FakeKubeApi, capsys: pytest.CaptureFixture[str]
) -> None:
    count = len(planes) + MODELS
    began = monotonic()
    assert run("apply", "all.yaml", "--parallel", "16") == 0, capsys.readouterr().err
    seconds = monotonic() - began
    assert f"{count} registered" in capsys.readouterr().out
    sys.stderr.write(f"{count} clusters in {seconds:.0f} s\n")
    check_tokens(planes, models)
    assert seconds < LIMIT_SECONDS


# What the command has printed when it is killed: after R1, and with some clusters registered.
# PODGRAFT_LIVE_KILLS=every kills it after each cluster.
_COUNT = len(CLUSTERS) + MODELS
_EACH = os.environ.get("PODGRAFT_LIVE_KILLS") == "every"
KILLED = range(1, _COUNT + 1) if _EACH else (1, _COUNT // 2, _COUNT)
KILLS = ("issued ", *(f"[{number}/" for number in KILLED))


@pytest.mark.parametrize("text", KILLS)
def test_killed_at_a_step_it_ends_equal(
    planes: dict[str, ControlPlane],
    models: FakeKubeApi,
    capsys: pytest.CaptureFixture[str],
    text: str,
) -> None:
    kill_when_it_prints(text, "apply", "all.yaml")
    assert run("apply", "all.yaml", "--parallel", "16") == 0, capsys.readouterr().err
    check_tokens(planes, models)
    capsys.readouterr()
    assert run("apply", "all.yaml") == 0
    assert f"{len(planes) + MODELS} equal" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["issued ", *(f"[{n}/" for n in range(1, len(CLUSTERS) + 1))])
def test_a_rotation_that_is_killed_rejects_no_pod_and_ends_with_one_token(
    planes: dict[str, ControlPlane], capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert run("apply", "fleet.yaml") == 0, capsys.readouterr().err
    before = {name: find_urls(plane) for name, plane in planes.items()}
    with create_pods(*map(PodCreator, planes.values())):
        kill_when_it_prints(text, "rotate", "fleet.yaml", "--now", "--max", "9")
        assert run("apply", "fleet.yaml") == 0, capsys.readouterr().err
    registry = open_stack("/podgraft-dev").repository.read_all()
    for name, plane in planes.items():
        check_cluster(registry[name], find_urls(plane))
        assert find_urls(plane).isdisjoint(before[name]) or text == "issued "


def kill_when_it_prints(text: str, *words: str) -> None:
    """Run a command of the fleet, and end it with SIGKILL as soon as standard error has a text."""
    code = (
        "import sys; from podgraft.cli import main, stacks; "
        f"stacks.DEFAULT_REFRESH_SECONDS = {REFRESH_SECONDS}; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "fleet", *words, *STACK]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if text in line:
                process.send_signal(signal.SIGKILL)
                break
        process.stderr.close()
    assert process.returncode == -signal.SIGKILL
