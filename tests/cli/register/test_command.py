"""The program that registers clusters, as an operator runs it."""

import json
import stat
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import support.kube_schemas
from podgraft.base.jsonvalue import Object, objects_at, string_at
from podgraft.cli import main
from podgraft.cli.certs import issuance, keys, pem, trust
from podgraft.cli.certs.issuance import Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.core.identifiers import CLUSTER_REMEDY, INJECTOR_REMEDY
from podgraft.kube import yaml
from support.config_folder import write_folder
from support.pki import NOW
from support.tls_endpoint import serve_response

URL = "https://webhook.example.com"
TRUSTED = ("--ca-bundle", "certificates/ca.pem", "--server-cert", "certificates/server.pem")
SELECTOR = ("--namespace-selector", "inject=enabled")
CHOICES = ("--revision", "--namespace-selector", "--all-namespaces")


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def manifests(self) -> list[Object]:
        return [one for one in yaml.load_all(self.out) if isinstance(one, dict)]


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run podgraft register in a folder with certificates and a token."""
    monkeypatch.chdir(tmp_path)
    made = ("--dir", "certificates", "--key-type", "p-256")
    for command in (
        ("ca",),
        ("server", "webhook.example.com", "127.0.0.1"),
        ("client", "prod-eu"),
    ):
        assert main(["certs", *command, *made]) == 0
    assert main(["certs", "ca", "--dir", "other", "--key-type", "p-256"]) == 0
    Path("token").write_text("t0k3n\n")
    capsys.readouterr()

    def _run(*arguments: str, url: str = URL) -> Outcome:
        if not any(choice in arguments for choice in CHOICES):
            arguments = (*arguments, *SELECTOR)
        status = main(["register", "--url", url, *arguments])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return _run


def _client(outcome: Outcome) -> Any:
    """The clientConfig of the only webhook."""
    (manifest,) = outcome.manifests
    webhooks: Any = manifest["webhooks"]
    return webhooks[0]["clientConfig"]


def test_what_is_printed_is_checked_sorted_and_stable(run: Run) -> None:
    once, again = run(*TRUSTED), run(*TRUSTED)
    assert once.status == 0
    assert once.out == again.out == "---\n".join(map(yaml.dump, once.manifests))
    authority = pem.read_certificates(Path("certificates/ca.pem"))
    assert _client(once) == {
        "caBundle": trust.encode_ca_bundle(authority),
        "url": "https://webhook.example.com/inject",
    }
    assert "not checked" not in once.err
    assert "kubectl apply --server-side" in once.err


def test_a_bundle_that_nothing_was_checked_with_is_reported(run: Run) -> None:
    assert "not checked; use --server-cert or --test" in run(*TRUSTED[:2]).err


def test_public_roots_need_no_bundle(run: Run) -> None:
    assert _client(run()) == {"url": "https://webhook.example.com/inject"}


def test_istios_variables_environment_and_token_are_in_the_path(run: Run) -> None:
    said = ("--istio-cluster-id", "c1", "--istio-network", "n1", "--env", "TEAM=a/b")
    outcome = run(*said, "--cluster", "prod-eu", "--injector", "istio", "--token-file", "token")
    assert _client(outcome)["url"] == (
        "https://webhook.example.com/k/t0k3n/istio/inject/cluster/c1/net/n1/TEAM/a--slash--b"
    )
    assert "not compared: the path sets the cluster id of proxies; give FOLDER" in outcome.err
    assert "the URL contains the token" in outcome.err


def test_everything_at_once_is_taken_by_kubernetes(run: Run) -> None:
    outcome = run(
        *("--mutate", "apps/v1/deployments", "--validate", "apps/v1/deployments:CREATE,UPDATE"),
        *(
            "--revision",
            "default",
            "--namespace-selector",
            "team=shop",
            "--sidecar-check",
            "--failure-policy",
            "Ignore",
            "--timeout",
            "5",
        ),
        *("--reinvocation-policy", "IfNeeded", "--exclude-namespace", "ingress"),
        *("--match-condition", "jobs=!has(object.metadata.labels.job)"),
        *TRUSTED,
    )
    assert outcome.status == 0
    kinds = [one["kind"] for one in outcome.manifests]
    assert kinds == [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        *["ValidatingAdmissionPolicyBinding"] * 4,
    ]
    for manifest in outcome.manifests:
        support.kube_schemas.validate(manifest, "1.37")
    webhooks = objects_at(outcome.manifests[0], "webhooks")
    assert {string_at(each, "reinvocationPolicy") for each in webhooks} == {"IfNeeded"}


def test_the_guard_goes_by_the_policy_document_of_the_cluster(run: Run) -> None:
    policy = (
        "neverInjectSelector: [{matchLabels: {job: import}}]\n"
        "clusters: {staging: {policy: disabled}}\n"
    )
    guarded = (write_folder(Path("a"), "logging", policy), "--sidecar-check", "envoy", "--cluster")
    conditions = {
        "prod": "!variables.neverInject)",
        "staging": "!variables.neverInject && variables.alwaysInject)",
    }
    for cluster, undecided in conditions.items():
        out = run(*guarded, cluster).out
        assert f"(!variables.isInjectFalse && {undecided}" in " ".join(out.split())
        assert "'job' in variables.labels && variables.labels['job'] in ['import']" in out
        assert "c.name == 'envoy'" in out


def test_the_guard_goes_by_the_bundles_own_rules_below_the_policy(run: Run) -> None:
    config = "policy: disabled\nalwaysInjectSelector: [{matchLabels: {mesh: 'on'}}]\ntemplate: ''\n"
    manifest: Object = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "injector"}}
    values = '{"global": {"tag": "1.30.0"}}'
    Path("bundle").mkdir()
    Path("bundle/injector.yaml").write_text(
        yaml.dump({**manifest, "data": {"config": config, "values": values}})
    )
    Path("policy.yaml").write_text("neverInjectSelector: [{matchLabels: {job: import}}]\n")
    outcome = run(".", "--sidecar-check")
    assert outcome.status == 0
    assert "'mesh' in variables.labels && variables.labels['mesh'] in ['on']" in outcome.out
    assert "'job' in variables.labels && variables.labels['job'] in ['import']" in outcome.out
    assert "!variables.neverInject && variables.alwaysInject" in " ".join(outcome.out.split())
    assert "variables.injectValue == 'true'" in outcome.out  # Istio 1.30 reads marks strictly
    assert "the sidecar check uses the default rules" not in outcome.err


def mesh(cluster_id: str) -> None:
    """A bundle of a mesh with this cluster id."""
    values = {"global": {"tag": "1.30.0", "multiCluster": {"clusterName": cluster_id}}}
    data: Object = {"config": "templates: {sidecar: ''}", "values": json.dumps(values)}
    Path("bundle").mkdir(exist_ok=True)
    Path("bundle/injector.yaml").write_text(
        yaml.dump(
            {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "i"}, "data": data}
        )
    )


@pytest.mark.parametrize(
    ("cluster_id", "arguments", "words"),
    [
        ("c1", ("--istio-cluster-id", "c1"), ""),
        ("", ("--istio-cluster-id", "Kubernetes"), ""),
        ("", ("--cluster", "prod-eu"), ""),
        ("", ("--istio-cluster-id", "c1"), 'is not set, which means "Kubernetes"'),
        ("c2", ("--istio-cluster-id", "c1"), 'is "c2", and istiod rejects proxies'),
    ],
)
def test_the_cluster_id_in_the_path_is_compared_with_the_mesh(
    run: Run, cluster_id: str, arguments: tuple[str, ...], words: str
) -> None:
    mesh(cluster_id)
    outcome = run(".", *arguments)
    assert outcome.status == 0
    assert ("warning: " in outcome.err) is bool(words)
    assert words in outcome.err
    assert "not compared: the path" not in outcome.err


def test_the_cluster_id_that_a_url_already_has_is_retained_and_compared(run: Run) -> None:
    mesh("c2")
    outcome = run(".", url=f"{URL}/inject/cluster/prod-eu")
    assert _client(outcome)["url"] == f"{URL}/inject/cluster/prod-eu"
    assert 'the path sets the cluster id of proxies to "prod-eu"' in outcome.err


def test_a_caller_with_another_name_than_the_mesh_is_reported(run: Run) -> None:
    mesh("c2")
    Path("policy.yaml").write_text("clusters: {prod-eu: {policy: disabled}}\n")
    outcome = run(".", "--cluster", "prod-eu")
    assert "warning: policy.yaml /clusters/prod-eu: names the calling cluster" in outcome.err


def test_a_guard_for_a_bundle_with_faults_is_refused(run: Run) -> None:
    Path("bundle").mkdir()
    assert "write FOLDER before the options" in run("--sidecar-check", "./").err
    assert "bundle: holds no manifests" in run(".", "--sidecar-check").err
    Path("bundle/x.yaml").write_text("kind: Secret\n")
    assert "bundle: x.yaml" in run(".", "--sidecar-check").err


def test_a_live_endpoint_is_reviewed(run: Run, tmp_path: Path) -> None:
    key = keys.read_key(Path("certificates/server.key"), None)
    chain = pem.read_certificates(Path("certificates/server.pem"))
    review = '{"response": {"uid": "podgraft-synthetic-review", "allowed": true}}'
    with serve_response(chain, key, tmp_path, 200, review) as endpoint:
        port = endpoint.port
        live = {"url": f"https://127.0.0.1:{port}"}
        tested = ("--allow-loopback", "--test", "--ca-bundle")
        assert run(*tested, "certificates/ca.pem", **live).status == 0
        refused = run(*tested, "other/ca.pem", **live)
    assert refused.status == 1
    assert (
        f"kube-apiserver would not trust 127.0.0.1:{port}: CN=webhook.example.com was"
        in refused.err
    )


REFUSED = (
    (("--ca-bundle", "certificates/server.pem"), "is no CA: a bundle holds the CA"),
    (("--ca-bundle", "token"), "token: contains no PEM certificate"),
    (("--ca-bundle", "other/ca.pem", *TRUSTED[2:]), "but the bundle holds CN=podgraft CA"),
    (TRUSTED[2:], "--server-cert is checked against --ca-bundle; give it too"),
    (("--timeout", "0"), "a timeout of 0 s: use 1 to 30 s"),
    (("--injector", "Istio"), f'injector: got "Istio"; {INJECTOR_REMEDY}'),
    (("--injector", "Istio/1"), f'injector: got "Istio/1"; {INJECTOR_REMEDY}'),
    (("--injector", "auth"), 'injector: "auth" is a reserved name; use another name'),
    (("--cluster", "a b"), f'cluster: got "a b"; {CLUSTER_REMEDY}'),
    (("--cluster", "../x"), f'cluster: got "../x"; {CLUSTER_REMEDY}'),
    (("--cluster", "a/b"), f'cluster: got "a/b"; {CLUSTER_REMEDY}'),
    (("--cluster", ""), f'cluster: got ""; {CLUSTER_REMEDY}'),
    (("--istio-cluster-id", "a b"), "cluster: a path holds letters"),
    (("--istio-network", "a%"), "net: kube-apiserver decodes the path"),
    (("--env", "cluster=x"), "--env: cluster is a variable of Istio; use --istio-cluster-id"),
    (("--env", "net=x"), "--env: net is a variable of Istio; use --istio-network"),
    (
        ("--env", "istio_meta_cluster_id=x"),
        "--env: istio_meta_cluster_id is a variable of Istio; use --istio-cluster-id",
    ),
    (("--env", "NAME"), "--env: a value has no name before it; write NAME=VALUE"),
    (("--env", "A B=1"), "A B: a path holds letters"),
    (
        ("--no-inject", "--sidecar-check", "--mutate", "v1/pods"),
        "--sidecar-check is about injected pods",
    ),
    (("--no-inject",), "nothing to register"),
    (("--mutate", "deployments"), "rule 'deployments': write [GROUP/]VERSION/RESOURCE"),
    (("--validate", "apps/v1/*"), "would stop the whole cluster"),
    (("--namespace-selector", "a b"), "selector 'a b': write key=value"),
    (("--match-condition", "x"), "match condition 'x': write NAME=CEL expression"),
    (("--match-condition", "x=object.spec ="), "match condition x: 1:"),
    (("--match-condition", "x=1 + 1"), "match condition x: 1:1: must evaluate to bool but got int"),
    (("--client-cert", "certificates/prod-eu.pem"), "give --control-plane"),
    (("--control-plane", "cp"), "--control-plane needs --token-file, or --client-cert and its key"),
    (("--control-plane", "cp", "--client-cert", "certificates/prod-eu.pem"), "give both"),
    (
        (
            *("--control-plane", "cp", "--client-cert", "certificates/prod-eu.pem"),
            *("--client-key", "certificates/server.key"),
        ),
        "certificates/server.key is not the key of certificates/prod-eu.pem",
    ),
)


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_would_not_work_is_refused_and_nothing_printed(
    run: Run, arguments: tuple[str, ...], words: str
) -> None:
    outcome = run(*arguments)
    assert (outcome.status, outcome.out) == (1, "")
    assert words in outcome.err
    assert outcome.err.startswith("error: ")


def test_an_expired_ca_is_refused(run: Run) -> None:
    old = NOW - timedelta(days=20)
    key = keys.make_key(KeyType.P_256)
    over = issuance.make_ca(key, "over", Validity(old, old + timedelta(days=10)))
    Path("over.pem").write_bytes(pem.dump_certificates([over]))
    refused = run("--ca-bundle", "over.pem")
    assert refused.status == 1
    assert "CN=over has expired on " in refused.err


def test_a_host_that_the_certificate_does_not_carry_is_refused(run: Run) -> None:
    outcome = run(*TRUSTED, url="https://other.example.com")
    assert outcome.status == 1
    assert "is valid for webhook.example.com, 127.0.0.1, not for other.example.com" in outcome.err


def test_a_policy_document_with_faults_is_refused(run: Run) -> None:
    Path("policy.yaml").write_text("polcy: enabled\n")
    mesh("c1")
    outcome = run(".", "--sidecar-check")
    assert outcome.status == 1
    assert "polcy" in outcome.err


def test_files_that_are_no_text_are_refused(run: Run) -> None:
    Path("token").write_bytes(b"\xff")
    assert "error: token: " in run("--token-file", "token").err
    Path("policy.yaml").write_bytes(b"\xff")
    mesh("c1")
    assert "policy.yaml: " in run(".", "--sidecar-check").err


# What the control plane shows.


@pytest.mark.parametrize("port", ["", ":8443"])
def test_the_control_plane_shows_a_token_and_the_path_does_not(run: Run, port: str) -> None:
    outcome = run("--token-file", "token", "--control-plane", "cp", url=URL + port)
    assert outcome.status == 0
    assert "t0k3n" not in outcome.out
    (kubeconfig,) = yaml.load_all(Path("cp/webhook-kubeconfig.yaml").read_text())
    assert kubeconfig == {
        "apiVersion": "v1",
        "kind": "Config",
        "users": [{"name": f"webhook.example.com{port}", "user": {"token": "t0k3n"}}],
    }
    (configuration,) = yaml.load_all(Path("cp/admission-configuration.yaml").read_text())
    assert isinstance(configuration, dict)
    plugins: Any = configuration["plugins"]
    assert [one["name"] for one in plugins] == [
        "MutatingAdmissionWebhook",
        "ValidatingAdmissionWebhook",
    ]
    assert str(Path("cp/webhook-kubeconfig.yaml").absolute()) in str(plugins)
    assert {stat.S_IMODE(path.stat().st_mode) for path in Path("cp").iterdir()} == {0o600}


def test_the_control_plane_shows_a_certificate(run: Run) -> None:
    shown = (
        "--client-cert",
        "certificates/prod-eu.pem",
        "--client-key",
        "certificates/prod-eu.key",
    )
    assert run("--control-plane", "cp", *shown).status == 0
    kubeconfig = Path("cp/webhook-kubeconfig.yaml").read_text()
    assert "client-certificate-data" in kubeconfig
    assert "client-key-data" in kubeconfig
    again = run("--control-plane", "cp", *shown)
    assert (again.status, again.out) == (1, "")
    assert "already exist; use --force to replace them" in again.err
    assert run("--control-plane", "cp", "--force", *shown).status == 0


# The namespaces.

CHOICE_ERRORS = (
    ((), "the namespaces are missing; choose one of"),
    (("--namespace-selector", " , "), "the namespaces are missing; choose one of"),
    (("--object-selector", "app!=web,!x"), "the namespaces are missing; choose one of"),
    (("--exclude-namespace", "argocd"), "the namespaces are missing; choose one of"),
    (("--service", "a/b", "--cert-manager", "a/b"), "the namespaces are missing; choose one of"),
    (("--no-inject", "--mutate", "apps/v1/deployments"), "--revision selects pods only"),
    (("--no-inject", "--validate", "apps/v1/deployments"), "--revision selects pods only"),
    (("--revision", "default", "--mutate", "apps/v1/deployments"), "--revision selects pods only"),
    (("--all-namespaces", "--namespace-selector", "a=b"), "exclude each other"),
    (("--all-namespaces", "--revision", "default"), "--revision already selects the namespaces"),
)


@pytest.mark.parametrize(("arguments", "words"), CHOICE_ERRORS, ids=lambda value: str(value)[:40])
def test_a_registration_needs_an_explicit_choice_of_namespaces(
    arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = () if "--service" in arguments else ("--url", URL)
    assert main(["register", *target, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    if words.startswith("the namespaces are missing"):
        for option in ("--revision default", "--namespace-selector istio-inj", "--all-namespaces"):
            assert option in captured.err


NAMESPACE_LABELS = (
    (("--revision", "default"), "istio-injection=enabled"),
    (("--revision", "canary"), "istio.io/rev=canary"),
    (("--namespace-selector", "istio-injection=enabled"), "istio-injection=enabled"),
    (("--namespace-selector", "team in (b,a),!x"), "team=a"),
)


@pytest.mark.parametrize(("arguments", "label"), NAMESPACE_LABELS)
def test_the_label_of_the_choice_is_printed(
    run: Run, arguments: tuple[str, ...], label: str
) -> None:
    assert f"kubectl label namespace NAME {label}\n" in run(*arguments).err


def test_all_namespaces_with_fail_is_a_warning(run: Run) -> None:
    warning = (
        "warning: --all-namespaces: while the endpoint does not respond, failurePolicy Fail "
        "rejects new objects in every namespace but dns, kube-node-lease, kube-public, kube-system"
    )
    excluded = ("--all-namespaces", "--exclude-namespace", "dns")
    assert warning in run(*excluded).err
    assert "--all-namespaces" not in run(*excluded, "--failure-policy", "Ignore").err
    assert "kubectl label namespace" not in run(*excluded).err
