"""docs/in-cluster.md and the GitOps of docs/clusters.md: commands run, and manifests are valid."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from charts.rendering import CHART, render
from charts.test_chart import load
from podgraft import cli
from podgraft.kube import yaml
from support.page_commands import Call, read_commands, run_commands

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "in-cluster.md"
GITOPS = ROOT / "docs" / "clusters.md"
POLICIES = ROOT / "docs" / "policies.md"
_BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_documents(page: Path) -> list[Any]:
    """The manifests of all YAML blocks."""
    return [each for block in _BLOCK.findall(page.read_text()) for each in yaml.load_all(block)]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Call]]:
    """The folder after all commands of the page, and the calls of Helm and kubectl."""
    folder = tmp_path_factory.mktemp("page")
    return folder / "work", run_commands(
        read_commands(PAGE), folder, ("helm", "kubectl", "pip", "podman")
    )


def make_values(arguments: tuple[str, ...], folder: Path) -> dict[str, Any]:
    """The values that ``--set`` and ``--set-file`` define."""
    values: dict[str, Any] = {}
    for option, text in pairwise(arguments):
        if option not in {"--set", "--set-file"}:
            continue
        path, _, value = text.partition("=")
        *parents, key = (part.replace("\\.", ".") for part in re.split(r"(?<!\\)\.", path))
        target = values
        for parent in parents:
            target = target.setdefault(parent, {})
        content = (folder / value).read_text() if option == "--set-file" else value
        target[key] = {"true": True, "false": False}.get(content, content)
    return values


def test_helm_installs_the_sample(calls: tuple[Path, list[Call]]) -> None:
    folder, recorded = calls
    *_, install = [call.arguments for call in recorded if call.program == "helm"]
    assert install[:3] == ("install", "podgraft", "chart/podgraft")
    values = make_values(install, folder)
    jsonschema.validate(values, yaml.load((CHART / "values.schema.json").read_text()))  # type: ignore[arg-type]
    manifests = load(render(values))
    data = manifests["ConfigMap", "podgraft-istio"]["data"]
    assert data["injector.yaml"] == (ROOT / "samples/istio/bundle/injector.yaml").read_text()
    assert manifests["Certificate", "podgraft"]


def test_the_registration_is_for_the_service(calls: tuple[Path, list[Call]]) -> None:
    """The last command of the page registers it with a CA of podgraft certs."""
    folder, recorded = calls
    document: Any = yaml.load((folder / "webhook.yaml").read_text())
    client = document["webhooks"][0]["clientConfig"]
    assert client["caBundle"]
    assert client["service"]["path"].startswith("/k/")
    applied = [call.arguments for call in recorded if call.program == "kubectl"]
    assert ("apply", "--server-side", "-f", "webhook.yaml") in applied


def test_the_recipe_for_cert_manager_is_that_of_the_chart() -> None:
    case: Any = yaml.load((ROOT / "tests/charts/cases/cert-manager.yaml").read_text())
    rendered = {
        key: {"spec": each["spec"]}
        for key, each in load(render(case)).items()
        if each["apiVersion"].startswith("cert-manager.io/")
    }
    recipe = {
        (each["kind"], each["metadata"]["name"]): {"spec": each["spec"]}
        for each in read_documents(PAGE)
    }
    assert recipe == rendered


def test_the_values_of_the_page_exist() -> None:
    values: Any = yaml.load((CHART / "values.yaml").read_text())
    for path in re.findall(r"^\| `([\w.]+)` \| ", PAGE.read_text(), re.MULTILINE):
        value = values
        for key in path.split("."):
            assert key in value, path
            value = value[key]


def test_the_controllers_of_gitops_are_named_with_the_folders_of_init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application, clusters, kustomization = read_documents(GITOPS)
    assert [each.get("kind") for each in (application, clusters, kustomization)] == [
        "Application",
        "ApplicationSet",
        "Kustomization",
    ]
    monkeypatch.chdir(tmp_path)
    assert cli.main(["init", "--kind", "helm", "charts"]) == 0
    assert (tmp_path / application["spec"]["source"]["path"] / "Chart.yaml").is_file()
    [difference] = application["spec"]["ignoreDifferences"]
    [path] = difference["jqPathExpressions"]
    assert path == ".webhooks[].clientConfig.caBundle"


def find_runs(workflow: Mapping[str, Any]) -> Iterator[str]:
    """The command lines of a workflow."""
    for job in workflow["jobs"].values():
        yield from (step["run"] for step in job["steps"] if "run" in step)


def test_the_workflow_checks_compares_and_pushes() -> None:
    """test_page_commands.py runs the same commands."""
    [workflow] = [each for each in read_documents(POLICIES) if "jobs" in each]
    assert workflow["true"].keys() == {"pull_request", "push"}  # YAML 1.1 reads on as true
    runs = "\n".join(find_runs(workflow))
    for command in (
        "podgraft check mesh --strict",
        "podgraft diff mesh -o markdown",
        "podgraft push mesh",
    ):
        assert command in runs


def test_a_registration_for_git_has_no_secret(tmp_path: Path) -> None:
    """With cert-manager and without a token, as the page recommends for Git."""
    [command] = [line for line in read_commands(PAGE) if "--cert-manager" in line]
    bare = command.replace(" --token-file token", "")
    assert run_commands([bare], tmp_path, ()) == []
    text = (tmp_path / "work" / "webhook.yaml").read_text()
    assert "/k/" not in text
    assert "caBundle" not in text


def test_the_steps_of_init_install_the_chart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Helm and its chart accept the command that ``init --kind helm`` ends with."""
    assert cli.main(["init", "--kind", "helm", str(tmp_path / "chart")]) == 0
    steps = [line.strip() for line in capsys.readouterr().err.splitlines()[1:]]
    assert "podgraft init --kind container" in steps[0]
    install = next(step for step in steps if step.startswith("helm install"))
    install = install.replace(str(tmp_path / "chart"), "chart")
    assert install in read_commands(PAGE)

    values: Any = yaml.load((tmp_path / install.split("--values ")[1]).read_text())
    jsonschema.validate(values, yaml.load((CHART / "values.schema.json").read_text()))  # type: ignore[arg-type]
    assert load(render(values))["Deployment", "podgraft"]
