"""docs/testing.md: its test passes, it has all keys, and its workflow runs."""

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.kube import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "testing.md").read_text()
WORKFLOW = ROOT / "docs" / "examples" / "podgraft-test.workflow.yml"
_FILE = re.compile(r"^```yaml title=\"(\S+)\"\n(.*?)```", re.MULTILINE | re.DOTALL)

Out = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page, with the bundle of its sample."""
    shutil.copytree(ROOT / "samples" / "logging" / "bundle", tmp_path / "logs" / "bundle")
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    for name, text in _FILE.findall(PAGE):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_test_of_the_page_passes_with_the_correct_name(folder: Path) -> None:
    tests = folder / "logs" / "podgraft-test.yaml"
    tests.write_text(tests.read_text().replace("log-collector", "log-shipper"))

    assert cli.main(["test", "logs"]) == 0


def test_the_page_has_all_expectations_and_settings() -> None:
    schema = (ROOT / "docs" / "schemas" / "test.schema.json").read_text()
    definitions = object_at(_load(schema), "$defs")
    expected = {*object_at(definitions, "expect", "properties")}
    expected |= {*object_at(definitions, "keys", "properties")}

    assert {key for key in expected if f"`{key}`" not in PAGE} == set()


def _load(text: str) -> Object:
    value = yaml.load(text)
    assert isinstance(value, dict)
    return value


def test_the_workflow_runs_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """Each command of podgraft in the file; the other steps are actions, and the installation."""
    shutil.copytree(ROOT / "samples" / "istio", tmp_path / "mesh")
    monkeypatch.chdir(tmp_path)
    workflow = _load(WORKFLOW.read_text())
    steps = objects_at(object_at(workflow, "jobs", "test"), "steps")
    lines = [string_at(step, "run") for step in steps if "run" in step]
    install, *commands = lines
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert install == f"pipx install {project['name']}"
    assert len(commands) == 3
    for line in commands:
        program, *arguments = shlex.split(line)
        assert program == "podgraft"
        assert cli.main(arguments) == 0, (line, capsys.readouterr())
    report = string_at(object_at(steps[-1], "with"), "path")
    assert 'failures="0" errors="0"' in (tmp_path / report).read_text()
    assert "pull_request" in WORKFLOW.read_text()
