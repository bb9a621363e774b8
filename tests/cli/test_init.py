"""``podgraft init`` writes everything that the tool of a deployment needs."""

import ast
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from layers.cloudformation import TEMPLATE
from podgraft import cli
from podgraft.cli.init import KINDS, find_files

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", [*KINDS])
def test_the_files_are_those_of_the_source_tree(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new"
    assert cli.main(["init", "--kind", kind, str(folder)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert str(folder) in captured.err
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    files -= {Path("values.yaml")} if kind == "helm" else set()
    sources = dict(find_files(KINDS[kind]))
    assert files == set(sources)
    assert files
    for path, source in sources.items():
        assert (folder / path).read_bytes() == source.read_bytes()
        assert os.access(folder / path, os.X_OK) == os.access(source, os.X_OK)


@pytest.mark.parametrize("kind", ["sam", "terraform"])
def test_sources_are_those_that_the_functions_use(tmp_path: Path, kind: str) -> None:
    """The function that rotates tokens runs a command."""
    assert cli.main(["init", "--kind", kind, str(tmp_path)]) == 0
    engine = tmp_path / "layers" / "engine" / "podgraft"
    names = {path.name for path in engine.iterdir()}
    assert {"service", "core", "py.typed"} <= names
    assert "cli" in names
    assert names.isdisjoint({"assets", "__pycache__"})
    assert not [*tmp_path.rglob("*.pyc")]
    for name in ("template.yaml", "samconfig.toml", "layers/build_layer.py"):
        if kind == "sam" or name.startswith("layers/"):
            assert (tmp_path / name).read_text() == (ROOT / name).read_text()


def test_sam_finds_the_sources_of_each_function_and_layer(tmp_path: Path) -> None:
    assert cli.main(["init", str(tmp_path)]) == 0
    folders: set[str] = set()
    for resource in TEMPLATE["Resources"].values():
        match resource:
            case {"Type": "AWS::Serverless::Function", "Properties": {"CodeUri": folder}}:
                makefile = resource["Metadata"].get("WorkingDirectory", folder)
                assert (tmp_path / makefile / "Makefile").is_file()
                folders.add(folder)
            case {"Type": "AWS::Serverless::LayerVersion", "Properties": {"ContentUri": folder}}:
                folders.add(folder)
            case _:
                pass
    assert {"functions/guard", "functions/probe", "functions/watch", "functions/webhook"} < folders
    for folder in folders:
        assert [*(tmp_path / folder).rglob("*.py")] or [*(tmp_path / folder).rglob("*.txt")]


@pytest.mark.parametrize("kind", [*KINDS])
def test_the_wheel_contains_the_files_of_each_kind(kind: str) -> None:
    """The build copies them from the source tree, or from a source archive that contains them."""
    [assets] = [
        ast.literal_eval(node.value)
        for node in ast.parse((ROOT / "setup.py").read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ASSETS"
    ]
    for name in KINDS[kind].assets:
        assert any(Path(name).is_relative_to(asset) for asset in assets), name
    lines = (ROOT / "MANIFEST.in").read_text().splitlines()
    patterns = [text for line in lines for text in line.split()[1:] if not line.startswith("#")]
    for asset in assets:
        assert any(
            Path(asset).match(pattern) or Path(asset).is_relative_to(pattern)
            for pattern in patterns
        ), asset


def test_existing_files_remain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template = tmp_path / "template.yaml"
    template.write_text("mine")
    assert cli.main(["init", str(tmp_path)]) == 1
    assert "template.yaml: already exists; use --force to replace it" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == [template]
    assert template.read_text() == "mine"
    assert cli.main(["init", "--force", str(tmp_path)]) == 0
    assert template.read_text() == (ROOT / "template.yaml").read_text()


def test_the_archives_contain_the_function_and_the_engine(tmp_path: Path) -> None:
    """Without the dependencies, which need a download: tests/e2e/builds/test_wheel.py."""
    assert cli.main(["init", "--kind", "terraform", str(tmp_path)]) == 0
    (tmp_path / "layers" / "dependencies" / "requirements.txt").write_text("")
    runtime = f"python{sys.version_info.major}.{sys.version_info.minor}"
    subprocess.run(
        [sys.executable, "layers/make_archives.py", "archives"],
        cwd=tmp_path,
        env={**os.environ, "PODGRAFT_RUNTIME": runtime},
        check=True,
        capture_output=True,
    )
    with zipfile.ZipFile(tmp_path / "archives" / "function.zip") as archive:
        assert archive.namelist() == ["handler.py"]
    for name in ("cleanup", "guard", "watch"):
        with zipfile.ZipFile(tmp_path / "archives" / f"{name}.zip") as archive:
            modules = (ROOT / "functions" / name).glob("*.py")
            assert archive.namelist() == sorted(path.name for path in modules)
    with zipfile.ZipFile(tmp_path / "archives" / "rotation.zip") as archive:
        assert {"podgraft/cli/fleet/scheduled.py", "podgraft/kube/types.json"} <= {
            *archive.namelist()
        }
    with zipfile.ZipFile(tmp_path / "archives" / "engine.zip") as archive:
        names = archive.namelist()
    assert "python/podgraft/core/review/__init__.py" in names
    assert not [name for name in names if name.startswith("python/podgraft/cli/")]


def test_make_archives_prints_its_usage() -> None:
    for arguments in ((), ("a", "b"), ("--help",)):
        done = subprocess.run(
            [sys.executable, str(ROOT / "layers" / "make_archives.py"), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "make_archives.py FOLDER" in done.stderr


def test_the_samples_have_the_command_of_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["init", "--kind", "samples", "samples"]) == 0
    steps = [line.split() for line in capsys.readouterr().err.splitlines()[1:]]
    assert steps[0] == ["cd", "samples"]
    monkeypatch.chdir("samples")
    assert cli.main(steps[1][1:]) == 0


def test_the_help_has_a_line_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init", "--help"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert {words[0] for words in lines if words} >= KINDS.keys()
