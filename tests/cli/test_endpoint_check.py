"""``--test``: a review as kube-apiserver sends it, to ``podgraft serve`` and to other servers."""

import json
import shutil
from base64 import b64encode
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from podgraft.base import system
from podgraft.base.jsonvalue import Object
from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.cli.endpoint_check import endpoint as endpoints
from podgraft.cli.endpoint_check.endpoint import EndpointTarget
from podgraft.cli.live.registrations import parse_webhooks
from podgraft.cli.status import report
from podgraft.cli.status.webhooks import WebhookStatus, check_webhooks
from podgraft.kube import yaml
from service.serve.running import Served, serving
from service.serve.test_metrics import get, metrics_port
from support.fake_cluster import make_cluster
from support.machines import use_machine
from support.tls_endpoint import serve_posts, serve_response

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
STORE = ("--config", "store", "--cluster")
TOKENS = ("token", "wrong", "shared")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of two CAs, a store, and files of tokens."""
    path = tmp_path_factory.mktemp("review")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        made = ("--key-type", "p-256")
        assert main(["certs", "ca", *made]) == 0
        assert main(["certs", "ca", "--dir", "other", *made]) == 0
        assert main(["certs", "server", "127.0.0.1", *made]) == 0
        assert main(["certs", "client", "prod-eu", *made]) == 0
        shutil.copytree(SAMPLE / "bundle", "store/istio/bundle")
        Path("store/istio/policy.yaml").write_text("istioRelease: '1.30'\n")
        for cluster, token in (("prod-eu", "token"), ("prod-us", "shared")):
            assert main(["tokens", "issue", *STORE, cluster, "--output", token]) == 0
        shutil.copy("store/auth/prod-us.yaml", "store/auth/prod-asia.yaml")
        away = ("--config", "away", "--cluster", "a", "--output", "wrong")
        assert main(["tokens", "issue", *away]) == 0
    return path


@pytest.fixture(scope="module")
def served(folder: Path) -> Generator[Served]:
    """A server, whose log is read at the end."""
    with serving(folder) as server:
        yield server


@pytest.fixture(autouse=True)
def _work_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


ISTIO = ("--injector", "istio", "--ca-bundle", "certificates/ca.pem")
CONTROL_PLANE = ("--control-plane", "cp", "--force")
REGISTRATIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("token in the path", (*ISTIO, "--token-file", "token"), ""),
    ("token in a header", (*ISTIO, "--token-file", "token", *CONTROL_PLANE), ""),
    (
        "wrong token",
        (*ISTIO, "--token-file", "wrong"),
        "responds 401 (Unauthorized): the token bel",
    ),
    (
        "wrong token in a header",
        (*ISTIO, "--token-file", "wrong", *CONTROL_PLANE),
        "register with a token of this endpoint: podgraft tokens issue",
    ),
    ("no token", ISTIO, "the URL contains no token; register with --token-file"),
    ("shared token", (*ISTIO, "--token-file", "shared"), "responds 403 (Forbidden): the token bel"),
    (
        "wrong injector",
        ("--injector", "nosuch", *ISTIO[2:], "--token-file", "token"),
        "responds 404 (Not Found): injector nosuch",
    ),
    (
        "another CA",
        (*ISTIO[:2], "--ca-bundle", "other/ca.pem", "--token-file", "token"),
        "kube-apiserver would not trust 127.0.0.1:",
    ),
    ("public CAs", (*ISTIO[:2], "--token-file", "token"), "set --ca-bundle to the CA that signed"),
)


@pytest.mark.parametrize(
    ("name", "words", "problem"), REGISTRATIONS, ids=[row[0] for row in REGISTRATIONS]
)
def test_register_and_status_find_what_kube_apiserver_would_meet(
    name: str,
    words: tuple[str, ...],
    problem: str,
    served: Served,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["register", "--url", f"https://127.0.0.1:{served.port}", "--allow-loopback"]
    command += ["--namespace-selector", "inject=enabled", *words]
    assert main(command) == 0
    manifest = capsys.readouterr().out
    status = main([*command, "--test"])
    out, err = capsys.readouterr()
    for token in TOKENS:
        assert Path(token).read_text().strip() not in err
    if problem:
        assert (status, out) == (1, "")
        assert problem in err
        assert err.startswith("error: --test: ")
    else:
        assert (status, out) == (0, manifest)
        assert f"test: 127.0.0.1:{served.port}/istio/inject: inject (" in err
        assert ", policy version " in err
    if "in a header" in name:  # only kube-apiserver has this credential
        return
    checked = _check_status(manifest)
    assert checked.fails is bool(problem)
    assert problem in " ".join(checked.problems)
    row = "\n".join(report.format_lines([], [checked]))
    assert ("fails" if problem else "inject (") in row


def _check_status(manifest: str) -> WebhookStatus:
    document: Any = yaml.load(manifest)
    [status] = check_webhooks(make_cluster({}), parse_webhooks([document]), None, is_tested=True)
    return status


def test_a_client_certificate_is_sent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tokens", "allow", *STORE, "prod-eu", "CN=prod-eu,O=podgraft-clusters"]) == 0
    files = ("--client-cert", "certificates/prod-eu.pem")
    key = ("--client-key", "certificates/prod-eu.key")
    client_ca = ("--client-ca", "certificates/ca.pem")
    with serving(folder, *client_ca) as mtls:
        command = ["register", "--url", f"https://127.0.0.1:{mtls.port}", "--allow-loopback"]
        command += ["--namespace-selector", "inject=enabled", *ISTIO, "--test", *CONTROL_PLANE]
        assert main([*command, *files, *key, "--cluster", "prod-eu"]) == 0
        assert "/istio/inject: inject (" in capsys.readouterr().err
        assert main([*command, *files, *key, "--cluster", "dev"]) == 1
        problem = "the client certificate belongs to prod-eu; register dev with its own client"
        assert problem in capsys.readouterr().err


@pytest.mark.parametrize("words", [(), CONTROL_PLANE], ids=["path", "header"])
def test_the_token_belongs_to_the_named_cluster(
    served: Served, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["register", "--url", f"https://127.0.0.1:{served.port}", "--allow-loopback", *words]
    command += ["--namespace-selector", "inject=enabled", *ISTIO, "--token-file", "token"]
    assert main([*command, "--test", "--cluster", "prod-eu"]) == 0
    capsys.readouterr()
    assert main([*command, "--test", "--cluster", "dev"]) == 1
    out, err = capsys.readouterr()
    place = f"error: --test: 127.0.0.1:{served.port}/istio/inject"
    assert out == ""
    assert err.startswith(f"{place}: the token belongs to prod-eu; register dev with its own token")


def test_each_route_of_the_manifests_is_tried(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["register", "--url", f"https://127.0.0.1:{served.port}", "--allow-loopback"]
    command += ["--namespace-selector", "inject=enabled", *ISTIO, "--token-file", "token"]
    routes = ("--mutate", "apps/v1/deployments", "--validate", "apps/v1/deployments")
    assert main([*command, *routes, "--revision", "default", "--test"]) == 0
    err = capsys.readouterr().err
    for route in ("inject", "mutate", "validate"):
        assert err.count(f"test: 127.0.0.1:{served.port}/istio/{route}: ") == 1


def test_a_review_counts_in_no_metric_of_reviews(folder: Path) -> None:
    with serving(folder, "--metrics-port", "0") as server:
        command = ["register", "--url", f"https://127.0.0.1:{server.port}", "--allow-loopback"]
        command += ["--namespace-selector", "inject=enabled", *ISTIO, "--token-file", "token"]
        assert main([*command, "--test"]) == 0
        metrics = get(metrics_port(server))[1]
        output = server.stop()
    assert "sidecar_injection_requests_total{" not in metrics
    assert "sidecar_injection_success_total{" not in metrics
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    [line] = [line for line in lines if line.get("injector") == "istio"]
    assert line["message"] == "synthetic_review"
    assert (line["cluster"], line["decision"], line["code"]) == ("prod-eu", "inject", 200)
    assert "route" not in line
    assert "UNSUPPORTED_PROTOCOL" not in output
    assert "TLS" not in output


RESPONSES: tuple[tuple[int, str, str], ...] = (
    (301, "", "responds 301 (Moved Permanently); check the log of the endpoint"),
    (404, "no page {path}", "responds 404 (Not Found); check the injector and the URL"),
    (
        404,
        '{"message": "no page {path}"}',
        "no page /k/…/istio/inject/PASSWORD/…?timeout=10s; check",
    ),
    (429, '{"message": "slow\\n down"}', "responds 429 (Too Many Requests): slow down; wait for"),
    (503, '{"message": 3}', "responds 503 (Service Unavailable); check the log"),
    (599, "", "responds 599 (unknown status); check the log"),
    (200, "ok", "expected an AdmissionReview, got another response; check that the URL is"),
    (200, "[]", "expected an AdmissionReview, got another response; check that the URL is"),
    (200, '{"response": {"uid": "1", "allowed": true}}', "expected an AdmissionReview"),
)


@pytest.mark.parametrize(("status", "body", "problem"), RESPONSES)
def test_other_responses_are_problems_without_the_token(
    status: int, body: str, problem: str, tmp_path: Path
) -> None:
    chain = pem.read_certificates(Path("certificates/server.pem"))
    key = keys.read_key(Path("certificates/server.key"), None)
    roots = tuple(pem.read_certificates(Path("certificates/ca.pem")))
    with serve_response(chain, key, tmp_path, status, body) as endpoint:
        url = f"https://127.0.0.1:{endpoint.port}/k/t0ken/istio/inject/PASSWORD/s3cret"
        found = endpoints.check_endpoint(EndpointTarget(url=url, roots=roots))
    [text] = found.problems
    assert text.startswith(f"127.0.0.1:{endpoint.port}/istio/inject: ")
    assert problem in text
    assert "t0ken" not in text
    assert "s3cret" not in text
    [(path, review)] = endpoint.requests
    assert path == "/k/t0ken/istio/inject/PASSWORD/s3cret?timeout=10s"
    assert review["request"]["dryRun"] is True


TOKEN_ENDS: tuple[tuple[int, list[str]], ...] = (
    (15, []),
    (14, ["expires in 14 days"]),
    (1, ["expires in 1 day"]),
    (0, ["expires in 0 days"]),  # valid until the end of this day
    (-1, ["expired on 2026-11-28"]),
)


@pytest.mark.parametrize(("days", "words"), TOKEN_ENDS)
def test_a_token_is_valid_on_its_last_day(
    days: int, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 11, 29, 18, tzinfo=UTC)
    monkeypatch.setattr(system, "now", lambda: now)
    expires = f"{now.date() + timedelta(days)}"
    found = [each.problem for each in endpoints.check_expiry("a", "k7", expires)]
    assert found == [f"token k7 {each}" for each in words]


def test_an_endpoint_that_is_down_is_a_problem(tmp_path: Path) -> None:
    chain = pem.read_certificates(Path("certificates/server.pem"))
    key = keys.read_key(Path("certificates/server.key"), None)
    with serve_response(chain, key, tmp_path, 200, "") as endpoint:
        url = f"https://127.0.0.1:{endpoint.port}/k/t0ken/istio/inject"
    [problem] = endpoints.check_endpoint(EndpointTarget(url=url)).problems
    assert problem.startswith(f"127.0.0.1:{endpoint.port}: no TLS connection: ")
    assert problem.endswith(
        "; start the endpoint, or check the network: route, security group, and proxy"
    )


def test_a_server_that_starts_can_refuse_connections_for_some_seconds(tmp_path: Path) -> None:
    """``podgraft serve`` in the background, and ``register --test`` on the next line."""
    chain = pem.read_certificates(Path("certificates/server.pem"))
    key = keys.read_key(Path("certificates/server.key"), None)
    with serve_response(chain, key, tmp_path, 200, "") as endpoint:
        url = f"https://127.0.0.1:{endpoint.port}/k/t0ken/istio/inject"
    machine = _SleepingMachine()
    with use_machine(machine):
        assert endpoints.check_endpoint(EndpointTarget(url=url, start_seconds=5)).problems

    assert 5 <= machine.slept < 6


class _SleepingMachine(system.Machine):
    """A machine whose time passes only in its sleep, at once."""

    slept = 0.0

    def monotonic(self) -> float:
        return self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


def test_the_token_reaches_no_endpoint_that_is_not_trusted(tmp_path: Path) -> None:
    chain = pem.read_certificates(Path("certificates/server.pem"))
    key = keys.read_key(Path("certificates/server.key"), None)
    roots = tuple(pem.read_certificates(Path("other/ca.pem")))
    with serve_response(chain, key, tmp_path, 200, "") as endpoint:
        url = f"https://127.0.0.1:{endpoint.port}/k/t0ken/istio/inject"
        found = endpoints.check_endpoint(EndpointTarget(url=url, roots=roots))
    assert endpoint.requests == []
    assert found.certificate is not None


def test_other_injectors_have_a_decision_without_a_version(tmp_path: Path) -> None:
    chain = pem.read_certificates(Path("certificates/server.pem"))
    key = keys.read_key(Path("certificates/server.key"), None)
    roots = tuple(pem.read_certificates(Path("certificates/ca.pem")))
    response: Object = {"uid": "podgraft-synthetic-review", "allowed": True, "patch": "W10="}
    with serve_response(chain, key, tmp_path, 200, json.dumps({"response": response})) as endpoint:
        url = f"https://127.0.0.1:{endpoint.port}/inject"
        found = endpoints.check_endpoint(EndpointTarget(url=url, roots=roots))
    assert found.problems == ()
    assert found.describe().startswith("inject, ")


def test_the_timeout_is_that_of_the_whole_response(tmp_path: Path) -> None:
    """Each read is in time, and the response is not."""
    chain = pem.read_certificates(Path("certificates/server.pem"))
    key = keys.read_key(Path("certificates/server.key"), None)
    roots = tuple(pem.read_certificates(Path("certificates/ca.pem")))
    with serve_posts(
        chain, key, tmp_path, lambda _path: (200, " " * 50), trickles=True
    ) as endpoint:
        url = f"https://127.0.0.1:{endpoint.port}/inject"
        found = endpoints.check_endpoint(EndpointTarget(url=url, roots=roots, timeout_seconds=1))
    (problem,) = found.problems
    assert problem.startswith(f"127.0.0.1:{endpoint.port}/inject: no response: The read operation")


def test_a_ca_bundle_that_is_no_certificate_fails(served: Served) -> None:
    url = f"https://127.0.0.1:{served.port}/inject"
    bundle = b64encode(b"x").decode()
    hook: Object = {"name": "a.podgraft.dev", "clientConfig": {"url": url, "caBundle": bundle}}
    manifest: Object = {"kind": "MutatingWebhookConfiguration", "metadata": {}, "webhooks": [hook]}
    [status] = check_webhooks(make_cluster({}), parse_webhooks([manifest]), None, is_tested=True)
    assert status.fails
    assert status.problems == ("caBundle: is not a PEM certificate in base64; register it again",)


def test_the_token_of_a_private_api_is_redacted() -> None:
    """Its path begins with the stage."""
    host = "a1b2c3d4e5-vpce-0a1b.execute-api.eu-west-1.amazonaws.com"
    target = EndpointTarget(url=f"https://{host}/live/k/t0ken/istio/inject/cluster/s3cret")
    assert target.path_token == "t0ken"
    assert target.place == f"{host}/istio/inject"
    assert target.redact("t0ken and s3cret") == "… and …"
