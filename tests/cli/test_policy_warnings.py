"""Warnings of ``policy check``, ``inject`` and ``explain``: told, and errors on request."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from podgraft.cli import main
from support.store_fixture import BUNDLE

SAMPLES = Path(__file__).parents[2] / "samples"
INJECTOR = BUNDLE["injector.yaml"].decode()
OLD = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: istio-sidecar-injector}
data:
  config: |
    policy: enabled
    neverInjectSelector: [{matchLabels: {never: "true"}}]
    template: "containers: [{name: istio-proxy, image: a/b:1}]"
"""
HUB = '{"global": {"hub": "registry.istio.io/release", "tag": "1.30.3"}}'
GIVEN = "is set, but Istio 1.0 does not read it"


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    warnings: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True)
class Local:
    """A bundle and a policy on this machine, and the command that checks them."""

    path: Path
    run: Callable[..., Outcome]

    def write(self, policy: str, **files: str) -> None:
        (self.path / "bundle").mkdir(exist_ok=True)
        for name, content in files.items():
            (self.path / "bundle" / f"{name}.yaml").write_text(content)
        (self.path / "policy.yaml").write_text(policy)

    def check(self, *options: str) -> Outcome:
        return self.run("policy", "check", ".", *options)


@pytest.fixture
def local(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Local:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Outcome:
        capsys.readouterr()
        status = main(list(arguments))
        said = capsys.readouterr()
        lines = said.err.splitlines()
        return Outcome(
            status,
            said.out,
            tuple(line[9:] for line in lines if line.startswith("warning: ")),
            tuple(line[7:] for line in lines if line.startswith("error: ")),
        )

    return Local(tmp_path, run)


def test_a_warning_is_reported_and_the_status_is_0(local: Local) -> None:
    local.write('istioRelease: "1.0"\n', injector=OLD)
    outcome = local.check()
    assert (outcome.status, outcome.errors) == (0, ())
    [warning] = outcome.warnings
    assert warning.startswith(f"injector.yaml /data/config/neverInjectSelector: {GIVEN}; move it")
    assert outcome.out.endswith("no errors, 1 warning\n")


def test_strict_makes_an_error_of_a_warning(local: Local) -> None:
    local.write('istioRelease: "1.0"\n', injector=OLD)
    warnings = local.check().warnings
    outcome = local.check("--strict")
    assert (outcome.status, outcome.out) == (1, "")
    assert (outcome.errors, outcome.warnings) == (warnings, ())


def test_warnings_are_reported_with_errors(local: Local) -> None:
    local.write('istioRelease: "1.0"\nbundle: x\n', injector=OLD)
    outcome = local.check()
    assert (outcome.status, len(outcome.errors), len(outcome.warnings)) == (1, 1, 1)


def test_without_warnings_strict_changes_nothing(local: Local) -> None:
    local.write("policy: enabled\n", injector=INJECTOR)
    outcome = local.check("--strict")
    assert (outcome.status, outcome.warnings, outcome.errors) == (0, (), ())
    assert outcome.out.endswith("no errors or warnings\n")


def test_a_key_of_no_release_is_refused(local: Local) -> None:
    local.write("policy: enabled\n", injector=INJECTOR.replace("policy:", "polcy:"))
    outcome = local.check()
    assert outcome.status == 1
    [error] = outcome.errors
    assert error == (
        "injector.yaml /data/config/polcy: unknown key, which no release of Istio reads; "
        "did you mean policy?"
    )


def test_a_registry_that_closes_is_reported(local: Local) -> None:
    values = INJECTOR.replace('{"global": {"tag": "1.30.0", "hub": "registry.example.com"}}', HUB)
    local.write("policy: enabled\n", injector=values)
    outcome = local.check()
    [warning] = outcome.warnings
    assert outcome.status == 0
    assert warning.startswith(
        "injector.yaml /data/values/global/hub: registry.istio.io has no artifacts"
    )
    assert "closes in December 2026" in warning
    assert "; use docker.io/istio or a mirror (https://istio.io/" in warning


# What inject and explain tell of the same documents.

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: n, labels: {never: "true"}}
spec: {containers: [{name: a, image: a}]}
"""


@pytest.mark.parametrize("command", ["inject", "explain"])
@pytest.mark.parametrize("by_file", [True, False])
def test_offline_commands_report_the_same(local: Local, command: str, by_file: bool) -> None:
    local.write('istioRelease: "1.0"\n', injector=OLD)
    Path("pod.yaml").write_text(POD)
    config = OLD.partition("config: |\n")[2].replace("    ", "")
    Path("config.yaml").write_text(config)
    documents = (
        ("--injectConfigFile", "config.yaml", "--istio-release", "1.0")
        if by_file
        else ("--config", ".")
    )
    outcome = local.run(command, "-f", "pod.yaml", *documents)
    assert (outcome.status, outcome.errors) == (0, ())
    [warning] = outcome.warnings
    assert f"/data/config/neverInjectSelector: {GIVEN}; move it" in warning


def test_explain_reports_the_image_that_an_annotation_names(local: Local) -> None:
    image = "gcr.io/istio-release/proxyv2:1.28.1"
    local.write("policy: enabled\n", injector=(SAMPLES / "istio/bundle/injector.yaml").read_text())
    annotations = f'annotations: {{sidecar.istio.io/proxyImage: "{image}"}}'
    Path("pod.yaml").write_text(POD.replace('labels: {never: "true"}', annotations))
    outcome = local.run("explain", "-f", "pod.yaml", "--config", ".")
    assert outcome.status == 0
    [warning] = outcome.warnings
    assert warning.startswith(f"image {image}: gcr.io/istio-release ")


# The cluster ids of callers and of Istio.


def of_mesh(cluster_id: str, tag: str = "1.30.0") -> str:
    values = f'{{"global": {{"tag": "{tag}", "hub": "a.example.com", "multiCluster": '
    values += f'{{"clusterName": "{cluster_id}"}}}}}}'
    return INJECTOR.replace('{"global": {"tag": "1.30.0", "hub": "registry.example.com"}}', values)


def webhook(*urls: str) -> str:
    webhooks = [
        f"- {{name: a{n}.b.c, clientConfig: {{url: '{url}'}}}}" for n, url in enumerate(urls)
    ]
    lines = "\n".join(webhooks)
    return (
        "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\n"
        f"metadata: {{name: podgraft}}\nwebhooks:\n{lines}\n"
    )


CALLERS = "clusters:\n  prod-eu: {policy: disabled}\n  prod-us: {policy: disabled}\n"


def test_a_caller_that_shares_the_bundle_of_another_cluster_id_is_reported(local: Local) -> None:
    local.write(CALLERS, injector=of_mesh("prod-eu"))
    [warning] = local.check().warnings
    assert warning == (
        'policy.yaml /clusters/prod-us: names the calling cluster "prod-us", but '
        'global.multiCluster.clusterName is "prod-eu": its proxies get the cluster id "prod-eu"; '
        "if the mesh of prod-us has another cluster id, register prod-us with --istio-cluster-id, "
        "or set a separate bundle for it"
    )


@pytest.mark.parametrize(
    ("policy", "cluster_id"),
    [
        (CALLERS, ""),  # each mesh has its own
        ("clusters: {prod-eu: {policy: disabled}}\n", "prod-eu"),
        (f"clusters: {{prod-us: {{bundle: 'sha256:{'0' * 64}'}}}}\n", "prod-eu"),
    ],
)
def test_callers_that_fit_are_not_reported(local: Local, policy: str, cluster_id: str) -> None:
    local.write(policy, injector=of_mesh(cluster_id))
    assert local.check().warnings == ()


HOST = "https://webhook.example.com"
PATHS = (
    ("", "/inject", None),
    ("", "/k/t0k3n/istio/inject/cluster/Kubernetes", None),
    ("prod-eu", "/istio/inject/cluster/prod-eu/net/n1", None),
    ("", "/mutate/cluster/prod-eu", None),
    ("", "/k/t0k3n/inject/cluster/prod-eu", 'is not set, which means "Kubernetes"'),
    ("", "/inject/:ENV:cluster=prod-eu", 'is not set, which means "Kubernetes"'),
    ("prod-us", "/istio/inject/cluster/prod-eu", 'is "prod-us"'),
)


@pytest.mark.parametrize(("cluster_id", "path", "problem"), PATHS)
def test_the_path_of_a_registration_is_compared_with_the_mesh(
    local: Local, cluster_id: str, path: str, problem: str | None
) -> None:
    local.write("policy: enabled\n", injector=of_mesh(cluster_id))
    Path("webhook.yaml").write_text(webhook(f"{HOST}/mutate", HOST + path))
    outcome = local.check("--webhook-config", "webhook.yaml")
    assert outcome.status == 0
    if problem is None:
        assert outcome.warnings == ()
        return
    [warning] = outcome.warnings
    assert warning == (
        "webhook.yaml, MutatingWebhookConfiguration/podgraft /webhooks/1/clientConfig: the path "
        f'sets the cluster id of proxies to "prod-eu", but global.multiCluster.clusterName '
        f"{problem}, and istiod rejects proxies of an unknown cluster; "
        'remove "cluster" from the path, or set global.multiCluster.clusterName to "prod-eu"'
    )
    assert "t0k3n" not in str(outcome)


def test_the_path_is_read_as_the_release_of_the_bundle_reads_it(local: Local) -> None:
    """Istio 1.8 knows no ``:ENV:``, and reads a pair behind it that no later release does."""
    old = (
        of_mesh("", "1.8.6")
        .replace("defaultTemplates: [sidecar]\n    ", "")
        .replace("templates:\n      sidecar: |\n", "template: |\n")
    )
    local.write("policy: enabled\n", injector=old)
    url = f"{HOST}/inject/:ENV:cluster=prod-eu:ENV:x=/b/cluster/stage"
    Path("webhook.yaml").write_text(webhook(url))
    outcome = local.check("--webhook-config", "webhook.yaml")
    assert outcome.status == 0, outcome.errors
    warnings = [line.partition(": ")[2] for line in outcome.warnings]
    assert warnings[0].startswith("the path sets ISTIO_META_CLUSTER_ID, but Istio 1.8")
    assert 'the path sets the cluster id of proxies to "stage"' in warnings[-1]


def test_a_service_has_a_path_too(local: Local) -> None:
    local.write("policy: enabled\n", injector=of_mesh(""))
    Path("webhook.yaml").write_text(
        webhook(HOST).replace(f"url: '{HOST}'", "service: {path: /inject/cluster/c1}")
    )
    [warning] = local.check("--webhook-config", "webhook.yaml").warnings
    assert 'the path sets the cluster id of proxies to "c1"' in warning


def test_a_bundle_without_istio_reads_no_variables(local: Local) -> None:
    overlay = "{apiVersion: podgraft.dev/v1, kind: Overlay, metadata: {name: o}, spec: "
    overlay += "{matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], "
    overlay += "resources: [pods], operations: [CREATE]}]}, template: 'metadata: {}'}}"
    local.write("policy: enabled\n", overlay=overlay)
    Path("webhook.yaml").write_text(webhook(f"{HOST}/inject/cluster/c1"))
    outcome = local.check("--webhook-config", "webhook.yaml")
    [warning] = outcome.warnings
    assert "the path sets variables, but the bundle has no Istio configuration; remove" in warning


# The revision of istiod that the bundle was taken from.

CANARY = INJECTOR.replace("name: istio-sidecar-injector\n", "name: istio-sidecar-injector-canary\n")
REVISIONS = (
    ("name", CANARY, "/metadata/name"),
    (
        "label",
        INJECTOR.replace("metadata:\n", "metadata:\n  labels: {istio.io/rev: canary}\n", 1),
        "/metadata/labels/istio.io~1rev",
    ),
    (
        "values",
        INJECTOR.replace('{"global"', '{"revision": "canary", "global"'),
        "/data/values/revision",
    ),
)


@pytest.mark.parametrize(("name", "injector", "path"), REVISIONS, ids=lambda value: value[:9])
def test_a_revision_that_the_policy_forgets_is_reported(
    local: Local, name: str, injector: str, path: str
) -> None:
    del name
    for policy, pods_get in (("policy: enabled\n", "default"), ("revision: stable\n", "stable")):
        local.write(policy, injector=injector)
        [warning] = local.check().warnings
        assert warning == (
            f'injector.yaml {path}: belongs to revision "canary", but pods get '
            f'istio.io/rev: {pods_get}; set "revision: canary" in the policy'
        )
    local.write("revision: canary\n", injector=injector)
    assert local.check().warnings == ()


def test_the_default_revision_is_not_reported(local: Local) -> None:
    labeled = INJECTOR.replace("metadata:\n", "metadata:\n  labels: {istio.io/rev: default}\n", 1)
    local.write("policy: enabled\n", injector=labeled)
    assert local.check().warnings == ()
