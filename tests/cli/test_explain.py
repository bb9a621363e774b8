"""``podgraft explain`` over the Istio sample: what decides, and what is printed."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import click
import pytest
import yaml

from podgraft import cli
from podgraft.base.jsonvalue import JSON, Object
from support.config_folder import write_folder

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
BUNDLE = str(SAMPLE / "bundle")

RULES: Object = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "operations": ["CREATE"],
    "resources": ["pods"],
}


def registration(**webhook: JSON) -> Object:
    """A webhook configuration with one webhook for the creation of pods."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "podgraft"},
        "webhooks": [{"name": "inject.podgraft.dev", "rules": [RULES], **webhook}],
    }


def pod(labels: Object | None = None, annotations: Object | None = None, **spec: JSON) -> Object:
    """A pod of one container in namespace shop."""
    metadata: Object = {"name": "web", "namespace": "shop"}
    metadata |= {"labels": labels or {}, "annotations": annotations or {}}
    container: Object = {"name": "web", "image": "web:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], **spec},
    }


@dataclass(frozen=True, slots=True)
class Case:
    """A pod, the registration it meets, and the station that decides."""

    name: str
    files: Object
    webhook: Object | None
    decides: str
    injected: bool
    status: int | None = None


DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {
        "template": {
            "metadata": {"labels": {"sidecar.istio.io/inject": "false"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]},
        }
    },
}
SELECTED: Object = {"namespaceSelector": {"matchLabels": {"istio-injection": "enabled"}}}
NOT_ROOT: Object = {"name": "not-root", "expression": "object.metadata.name != 'web'"}
BROKEN: Object = {"name": "broken", "expression": "object.metadata.labels.tier == 'web'"}

CASES = (
    # podgraft's own stations
    Case("policy", pod(), None, "policy", injected=True),
    Case("host network", pod(hostNetwork=True), None, "hostNetwork", injected=False),
    Case(
        "label",
        pod({"sidecar.istio.io/inject": "false"}),
        None,
        "inject label or annotation",
        injected=False,
    ),
    Case(
        "job",
        pod({"batch.kubernetes.io/job-name": "a"}),
        None,
        "neverInjectSelector",
        injected=False,
    ),
    Case("a workload's template", DEPLOYMENT, None, "inject label or annotation", injected=False),
    # kube-apiserver's stations
    Case("passes them all", pod(), registration(), "policy", injected=True),
    Case(
        "namespace selector",
        pod(),
        registration(**SELECTED),
        "namespaceSelector",
        injected=False,
    ),
    Case(
        "object selector",
        pod({"app": "web"}),
        registration(objectSelector={"matchLabels": {"app": "api"}}),
        "objectSelector",
        injected=False,
    ),
    Case(
        "rules for something else",
        pod(),
        registration(rules=[{**RULES, "resources": ["deployments"]}]),
        "rules",
        injected=False,
    ),
    Case(
        "match condition",
        pod(),
        registration(matchConditions=[NOT_ROOT]),
        "matchConditions: not-root",
        injected=False,
    ),
    Case(
        "match condition that fails",
        pod(),
        registration(matchConditions=[BROKEN]),
        "matchConditions: broken",
        injected=False,
        status=4,
    ),
    Case(
        "match condition that fails, and is ignored",
        pod(),
        registration(matchConditions=[BROKEN], failurePolicy="Ignore"),
        "matchConditions: broken",
        injected=False,
    ),
    Case(
        "a false match condition beats one that fails",
        pod(),
        registration(matchConditions=[BROKEN, NOT_ROOT]),
        "matchConditions: not-root",
        injected=False,
    ),
)

# Writes objects to a file and gives its path.
Write = Callable[[str, Object], str]
# Runs the command and gives its exit status and what it printed.
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_yaml(name: str, value: Object) -> str:
        (tmp_path / name).write_text(yaml.safe_dump(value))
        return str(tmp_path / name)

    return write_yaml


@pytest.fixture
def run(write: Write, capsys: pytest.CaptureFixture[str]) -> Run:
    def run_explain(
        given: Object, *arguments: str, webhook: Object | None = None
    ) -> tuple[int, str]:
        more = ("--webhook-config", write("webhook.yaml", webhook)) if webhook else ()
        command = ("explain", "-f", write("given.yaml", given), "--config", BUNDLE)
        status = cli.main([*command, *more, *arguments])
        return status, capsys.readouterr().out

    return run_explain


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_step_that_decides_is_named_and_the_exit_status_follows(case: Case, run: Run) -> None:
    """One station decides; the status is 0 for an injected pod and 3 for one left as it is."""
    status, text = run(case.files, "--output", "json", webhook=case.webhook)
    told = json.loads(text)
    deciding = [s["name"] for stage in told["stages"] for s in stage["steps"] if s["isDeciding"]]
    assert deciding == [case.decides]
    assert told["injected"] is case.injected
    assert status == (case.status or (0 if case.injected else 3))
    assert (told["sidecars"] is not None) is case.injected


def test_namespace_labels_open_the_namespace_selector(run: Run) -> None:
    """What the cluster knows of the namespace can be said on the command line."""
    status, _ = run(
        pod(), "--namespace-labels", "istio-injection=enabled", webhook=registration(**SELECTED)
    )
    assert status == 0


def test_the_tree_reports_every_step_and_what_would_come(run: Run) -> None:
    """Without a terminal there is no colour; the deciding station is marked."""
    _, text = run(pod(), webhook=registration())
    assert click.unstyle(text) == text.replace("\x1b[0m", "")
    for words in (
        "kube-apiserver, webhook inject.podgraft.dev",
        "podgraft /inject, Pod/web",
        "✓ policy                      enabled  ◀ decides: the policy is enabled",
        "✓ Istio templates             sidecar, as Istio 1.30.3 renders them",
        "✓ result                      inject (policy-enabled)",
        "╰─ injected, decided by policy: the policy is enabled",
        "   containers      istio-proxy",
    ):
        assert words in click.unstyle(text)


def test_the_chart_draws_the_taken_path_strongly_and_the_rest_faintly(run: Run) -> None:
    """The document is XML; behind the deciding station everything is faint."""
    _, text = run(pod(hostNetwork=True), "--output", "svg")
    root = ET.fromstring(text)  # noqa: S314 — our own output
    space = "{http://www.w3.org/2000/svg}"
    faint = [group.get("class") == "faint" for group in root.iter(f"{space}g")]
    assert faint == [False, True, True, True, True, True, False]
    words = [element.text for element in root.iter(f"{space}text")]
    assert "the pod uses the host's network, whic" in " ".join(filter(None, words))


CONFIG = str(next((SAMPLE / "bundle").glob("*.yaml")))
BAD = (
    (("--namespace-labels", "a"), "--namespace-labels: got 'a'; use key=value,key=value"),
    (("--injectConfigFile", CONFIG), "use --config alone, or --injectConfigFile and its files"),
)


@pytest.mark.parametrize(("arguments", "words"), BAD)
def test_an_invalid_command_line_is_reported_with_its_remedy(
    arguments: tuple[str, ...], words: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 is the command line's."""
    status = cli.main(["explain", "-f", write("pod.yaml", pod()), "--config", BUNDLE, *arguments])
    assert status == 2
    assert words in capsys.readouterr().err


def test_the_origin_of_each_key_of_a_cluster_in_groups_is_a_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = (
        "groups:\n  canary: {policy: disabled}\n  ring: {order: 1, members: [prod-*], "
        "injectedAnnotations: {a/b: c}}\n"
    )
    files = (
        "-f",
        str(SAMPLE / "input.web.yaml"),
        "--config",
        write_folder(tmp_path, SAMPLE, policy),
    )
    options = (*files, "--cluster", "prod-eu-7")
    cli.main(["explain", *options, "--group", "canary"])
    out = capsys.readouterr().out
    assert "prod-eu-7: policy from group canary, injectedAnnotations from group ring" in out
    assert cli.main(["explain", *options, "--group", "canray"]) == 1
    assert "--group canray: unknown group; the policy has canary, ring" in capsys.readouterr().err
