"""``--service``: the rules of clientConfig.service, and where its CAs come from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli
from podgraft.cli.certs.names import parse_names
from podgraft.cli.certs.rotate_ca import read_registrations
from podgraft.cli.failure import CommandError
from podgraft.cli.register.endpoint import with_token
from podgraft.cli.register.service import check_path, parse_service
from podgraft.kube import yaml

CERT_MANAGER = ("--cert-manager", "podgraft/serving")

# Text, and the service with the path of /inject that results.
VALID = (
    ("podgraft/webhook", ("podgraft", "webhook", 443, "/inject")),
    ("podgraft/webhook:8443", ("podgraft", "webhook", 8443, "/inject")),
    ("podgraft/webhook/istio", ("podgraft", "webhook", 443, "/istio/inject")),
    ("podgraft/webhook/istio/", ("podgraft", "webhook", 443, "/istio/inject")),
    ("a/b:1/istio/inject/cluster/eu-1", ("a", "b", 1, "/istio/inject/cluster/eu-1")),
    ("a/b/k/0af/istio", ("a", "b", 443, "/k/0af/istio/inject")),
)
# Text, and the message of its error; None only for a path that kube-apiserver rejects.
INVALID = (
    ("webhook", "write NAMESPACE/NAME[:PORT][/INJECTOR]"),
    ("https://webhook.podgraft.svc", "write NAMESPACE/NAME"),
    ("/webhook", "write NAMESPACE/NAME"),
    ("podgraft/", "write NAMESPACE/NAME"),
    ("Podgraft/webhook", "invalid namespace 'Podgraft'; use 1 to 63"),
    ("podgraft/web_hook", "invalid name 'web_hook'; use 1 to 63"),
    ("podgraft/-a", "invalid name '-a'"),
    (f"podgraft/{'a' * 64}", "invalid name"),
    ("podgraft/webhook:", "invalid port ''; use a port from 1 to 65535"),
    ("podgraft/webhook:0", "invalid port '0'"),
    ("podgraft/webhook:65536", "invalid port '65536'"),
    ("podgraft/webhook:https", "invalid port 'https'"),
    ("podgraft/webhook//istio", "leave out empty segments"),
    ("podgraft/webhook/%2f", "kube-apiserver decodes the path"),
    ("podgraft/webhook/mutate", "got the route /mutate; leave it out of --service"),
    ("podgraft/webhook/k", "the path names an injector that cannot exist"),
)
# kube-apiserver requires DNS-1123 subdomains (ValidateWebhookService).
INVALID_PATHS = (
    ("a/b/istio/inject/net/EU", "got the segment 'EU'"),
    ("a/b/istio/inject/ISTIO_META_X/a", "got the segment 'ISTIO_META_X'"),
    ("a/b/istio/inject/cluster/a..b", "got the segment 'a..b'"),
    ("a/b/istio/inject/cluster/" + "a" * 254, "got the segment of a value"),
    ("a/b/istio/inject/cluster/a=b,c=some-secret-value", "got the segment of a value"),
)


@pytest.mark.parametrize(("text", "expected"), VALID, ids=[text for text, _ in VALID])
def test_a_service_is_read(text: str, expected: tuple[str, str, int, str]) -> None:
    endpoint = parse_service(text)
    check_path(endpoint)
    namespace, name, port, path = expected
    assert endpoint.client_config("inject") == {
        "service": {"namespace": namespace, "name": name, "port": port, "path": path}
    }
    assert endpoint.host == f"{name}.{namespace}.svc"


@pytest.mark.parametrize(("text", "message"), INVALID, ids=[text for text, _ in INVALID])
def test_what_kube_apiserver_rejects_is_an_error(text: str, message: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse_service(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(("text", "message"), INVALID_PATHS, ids=range(len(INVALID_PATHS)))
def test_a_path_of_a_service_has_dns_segments(text: str, message: str) -> None:
    with pytest.raises(CommandError) as caught:
        check_path(parse_service(text))
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_token_with_other_letters_is_not_quoted() -> None:
    endpoint = with_token(parse_service("a/b/istio"), "Some_Token")
    with pytest.raises(CommandError, match="podgraft tokens rotate") as caught:
        check_path(endpoint)
    assert "Some" not in str(caught.value)


def run(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[list[Any], str]:
    """The manifests and the messages of ``podgraft register``."""
    assert cli.main(["register", *arguments, "--namespace-selector", "inject=enabled"]) == 0
    captured = capsys.readouterr()
    return yaml.load_all(captured.out), captured.err


def test_the_webhooks_call_the_service(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--service", "podgraft/webhook/istio", *CERT_MANAGER, "--validate", "v1/configmaps")
    manifests, _ = run(options, capsys)
    assert [each["kind"] for each in manifests] == [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ]
    for manifest, route in zip(manifests, ("inject", "validate"), strict=True):
        assert manifest["metadata"]["annotations"] == {
            "cert-manager.io/inject-ca-from": "podgraft/serving"
        }
        for webhook in manifest["webhooks"]:
            assert webhook["clientConfig"] == {
                "service": {
                    "name": "webhook",
                    "namespace": "podgraft",
                    "path": f"/istio/{route}",
                    "port": 443,
                }
            }
            # The webhook cannot inject its own pods while it does not run.
            _, expression = webhook["namespaceSelector"]["matchExpressions"]
            assert "podgraft" in expression["values"]


def test_an_issued_token_fits_into_the_path_of_a_service(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    issue = ["tokens", "issue", "--config", "store", "--cluster", "prod", "--output", "token"]
    assert cli.main(issue) == 0
    capsys.readouterr()
    service = ("--service", "podgraft/webhook", *CERT_MANAGER, "--token-file", "token")
    [manifest], _ = run(service, capsys)
    path = manifest["webhooks"][0]["clientConfig"]["service"]["path"]
    assert path == f"/k/{Path('token').read_text().strip()}/inject"


def test_the_server_certificate_is_verified_for_the_name_of_the_service(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("ca --key-type p-256", "server webhook.podgraft.svc --key-type p-256"):
        assert cli.main(["certs", *line.split()]) == 0
    capsys.readouterr()
    files = ("--ca-bundle", "certificates/ca.pem", "--server-cert", "certificates/server.pem")
    [manifest], _ = run(("--service", "podgraft/webhook", *files), capsys)
    assert manifest["webhooks"][0]["clientConfig"]["caBundle"]
    # A rotation of the CA finds the registration by the same name.
    registered = Path("registered.yaml")
    registered.write_text(yaml.dump(manifest))
    served = parse_names(["webhook.podgraft.svc"])
    assert [each.address for each in read_registrations(registered, served)] == [
        "service podgraft/webhook"
    ]
    other = ("--service", "other/webhook", "--namespace-selector", "inject=enabled")
    assert cli.main(["register", *other, *files]) == 1
    assert "kube-apiserver would not trust webhook.other.svc" in capsys.readouterr().err


def test_the_kubeconfig_of_the_control_plane_names_the_service(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As ClientConfigForService looks it up: NAME.NAMESPACE.svc, with a port other than 443."""
    token = tmp_path / "token"
    token.write_text("Some_Token\n")
    for port, user in (("", "webhook.podgraft.svc"), (":8443", "webhook.podgraft.svc:8443")):
        folder = tmp_path / f"control-plane{port.strip(':')}"
        service = ("--service", f"podgraft/webhook{port}", *CERT_MANAGER)
        credentials = ("--token-file", str(token), "--control-plane", str(folder))
        run((*service, *credentials), capsys)
        kubeconfig: Any = yaml.load((folder / "webhook-kubeconfig.yaml").read_text())
        assert [each["name"] for each in kubeconfig["users"]] == [user]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ((), 2, "give one of --config, --url, and --service"),
        (
            ("--service", "a/b", "--url", "https://a"),
            2,
            "give one of --config, --url, and --service",
        ),
        (("--service", "a/b"), 1, "no public CA signs certificates for b.a.svc; give --ca-bundle"),
        (("--service", "a/b", *CERT_MANAGER, "--test"), 1, "--test: a Service cannot be called"),
        (("--service", "a/b", "--cert-manager", "a"), 1, "got 'a'; write NAMESPACE/CERTIFICATE"),
        (
            ("--url", "https://a.example", *CERT_MANAGER, "--ca-bundle", "{ca}"),
            1,
            "cainjector replaces the CAs of --ca-bundle",
        ),
        (
            ("--url", "https://a.example", *CERT_MANAGER, "--static", "/s"),
            1,
            "cainjector cannot change static manifests",
        ),
        (
            (
                *("--service", "a/b", "--ca-bundle", "{ca}", "--token-file", "{token}"),
                *("--static", "{folder}/s", "--control-plane", "{folder}/c"),
            ),
            1,
            "a static webhook needs clientConfig.url",
        ),
    ],
)
def test_options_that_contradict_each_other_are_errors(
    options: Sequence[str],
    status: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["certs", "ca", "--key-type", "p-256", "--dir", str(tmp_path)]) == 0
    token = tmp_path / "token"
    token.write_text("0af\n")
    values = {"ca": tmp_path / "ca.pem", "token": token, "folder": tmp_path}
    arguments = [option.format(**values) for option in options]
    assert cli.main(["register", *arguments, "--namespace-selector", "inject=enabled"]) == status
    assert message in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
