"""The workflows pin what they run and ask for few permissions; the action does what it says."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from layers.cloudformation import TEMPLATE
from podgraft.kube import yaml
from support.programs import PYTHON, write_shell_program

ROOT = Path(__file__).parents[2]
WORKFLOW_FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS: dict[str, Any] = {
    path.stem: yaml.load(path.read_text()) for path in sorted(WORKFLOW_FOLDER.glob("*.yml"))
}
ACTION: Any = yaml.load((ROOT / "action.yml").read_text())
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def list_steps() -> list[Any]:
    jobs = [job for workflow in WORKFLOWS.values() for job in workflow["jobs"].values()]
    return [step for job in jobs for step in job["steps"]]


def test_each_action_is_pinned_to_a_commit() -> None:
    used = [step["uses"] for step in list_steps() if "uses" in step]
    assert len(used) > 20
    assert [name for name in used if not PINNED.fullmatch(name) and name != "./"] == []


def test_a_workflow_has_no_permission_that_a_job_does_not_name() -> None:
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] in ({}, {"contents": "read"}), name
        assert "pull_request_target" not in (WORKFLOW_FOLDER / f"{name}.yml").read_text()
    jobs = WORKFLOWS["release"]["jobs"]
    writes = {
        (job, scope)
        for job, content in jobs.items()
        for scope, level in content["permissions"].items()
        if level == "write"
    }
    assert writes == {
        *(("build", "id-token"), ("build", "attestations"), ("pypi", "id-token")),
        *(("registry", "packages"), ("registry", "id-token"), ("github", "contents")),
    }


def test_no_step_runs_text_of_an_event() -> None:
    """Titles and names of branches are written by others: they come by the environment."""
    for step in (*list_steps(), *ACTION["runs"]["steps"]):
        assert "github.event" not in step.get("run", ""), step
        assert "inputs." not in step.get("run", ""), step


def test_ci_runs_each_python_of_the_package() -> None:
    matrix = WORKFLOWS["ci"]["jobs"]["fast"]["strategy"]["matrix"]["python"]
    text = "Programming Language :: Python :: 3."
    minors = [each.removeprefix(text) for each in PROJECT["classifiers"] if each.startswith(text)]
    assert matrix == [f"3.{minor}" for minor in minors]
    assert PROJECT["requires-python"] == f">={matrix[0]}"


def run_step(name: str, place: Path, **inputs: str) -> tuple[int, dict[str, str]]:
    """Run a step of the action; the exit status and the outputs."""
    (step,) = [each for each in ACTION["runs"]["steps"] if each["name"] == name]
    outputs, programs = place / "outputs", place / "bin"
    programs.mkdir(exist_ok=True)
    write_shell_program(programs / "podgraft", f'exec {PYTHON} -m podgraft "$@"')
    outputs.write_text("")
    given = {
        key: str(default["default"])
        for key, default in ACTION["inputs"].items()
        if "default" in default
    } | inputs
    values = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], text)
        for key, text in step.get("env", {}).items()
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=ROOT,
        env={
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(place),
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(place / "summary"),
            **values,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (line.partition("=") for line in outputs.read_text().splitlines())
    return done.returncode, {key: value for key, _, value in lines}


def test_the_action_checks_tests_and_compares(tmp_path: Path) -> None:
    sample = tmp_path / "store" / "logging"
    shutil.copytree(ROOT / "samples" / "logging", sample)
    status, outputs = run_step("Check", tmp_path, folder=str(sample))
    assert status == 0
    assert '"version": "2.1.0"' in Path(outputs["sarif"]).read_text()
    status, outputs = run_step("Test", tmp_path, folder=str(sample))
    assert status == 0
    assert "<testsuite" in Path(outputs["junit"]).read_text()
    store = {"config": str(tmp_path / "store"), "injector": "logging"}
    assert run_step("Compare", tmp_path, folder=str(sample), **store) == (0, {"changed": "false"})
    changed = tmp_path / "changed"
    shutil.copytree(sample, changed)
    (changed / "policy.yaml").write_text("policy: disabled\n")
    assert run_step("Compare", tmp_path, folder=str(changed), **store) == (0, {"changed": "true"})
    assert "policy.yaml" in (tmp_path / "summary").read_text()


def test_the_action_fails_for_an_error(tmp_path: Path) -> None:
    sample = tmp_path / "logging"
    shutil.copytree(ROOT / "samples" / "logging", sample)
    (sample / "policy.yaml").write_text("polcy: enabled\n")
    status, outputs = run_step("Check", tmp_path, folder=str(sample))
    assert status == 1
    assert "polcy" in Path(outputs["sarif"]).read_text()
    assert run_step("Test", tmp_path, folder=str(sample))[0] == 1


def test_all_packages_have_the_version_of_the_project() -> None:
    """One number for the wheel, the chart, the manifests, and the application of SAR."""
    chart: Any = yaml.load((ROOT / "deploy/charts/podgraft/Chart.yaml").read_text())
    kustomization: Any = yaml.load((ROOT / "deploy/kubernetes/kustomization.yaml").read_text())
    job: Any = [*yaml.load_all((ROOT / "deploy/kubernetes/doctor.yaml").read_text())][-1]
    [doctor] = job["spec"]["template"]["spec"]["containers"]
    application = TEMPLATE["Metadata"]["AWS::ServerlessRepo::Application"]
    assert {
        doctor["image"].partition(":")[2],
        chart["version"],
        chart["appVersion"],
        kustomization["images"][0]["newTag"],
        application["SemanticVersion"],
    } == {PROJECT["version"]}
    assert len(application["Description"]) <= 256
    for key in ("LicenseUrl", "ReadmeUrl"):
        assert (ROOT / application[key]).is_file()


HOOKS: Any = yaml.load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_for_users_runs_a_command(hook: Any) -> None:
    words = hook["entry"].split()
    command = [sys.executable, "-m", *words, str(ROOT / "samples" / "logging")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert re.search(hook["files"], "mesh/bundle/injector.yaml")
    assert re.search(hook["files"], "policy.yaml")
    assert not re.search(hook["files"], "README.md")


def test_the_hooks_for_contributors_are_programs_of_the_environment() -> None:
    config: Any = yaml.load((ROOT / ".pre-commit-config.yaml").read_text())
    for hook in config["repos"][0]["hooks"]:
        assert (ROOT / hook["entry"].split()[0]).exists(), hook
