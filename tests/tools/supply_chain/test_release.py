"""A release is built from a clean commit, with the tag and the notes of its version.

The build of all files: tests/e2e/builds/test_release.py.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import release
from supply_chain.builds import BuildError, check_python, extract_commit, read_commit
from supply_chain.changelog import ChangelogError, extract_section
from supply_chain.release_files import Settings, build_release
from supply_chain.target import TARGETS, Target
from support.git import require_git

CHANGELOG = """\
# Changelog

## Unreleased

### Added

- New.

## [1.10.0] - 2026-11-01

- Ten: [clusters](docs/clusters.md), [a table](docs/schemas/policy.md#policy).

## 1.1.0

"""
TEN = (
    "[clusters](https://podgraft.dev/clusters/), "
    "[a table](https://podgraft.dev/schemas/policy/#policy)."
)
ABSENT = Target("python3.99", "arm64")


@pytest.mark.parametrize(
    ("section", "expected"),
    [("Unreleased", "### Added\n\n- New.\n"), ("1.10.0", f"- Ten: {TEN}\n")],
)
def test_the_notes_are_the_section_of_the_version(section: str, expected: str) -> None:
    assert extract_section(CHANGELOG, section) == expected


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("1.10", 'no section for 1.10; rename "## Unreleased", or add "## 1.10"'),
        ("2.0.0", "no section for 2.0.0"),
        ("1.1.0", "the section 1.1.0 is empty; describe the changes"),
    ],
)
def test_a_version_without_notes_is_an_error(section: str, message: str) -> None:
    with pytest.raises(ChangelogError) as caught:
        extract_section(CHANGELOG, section)
    assert message in str(caught.value)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a tag for its first commit, and a second commit."""
    require_git()
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number in ("first", "second"):
        (folder / "file.txt").write_text(number)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", f"--message={number}")
        if number == "first":
            git(folder, "tag", "v1.0.0")
    return folder


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=tests", "-c", "user.email=tests@example.com")
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True)


def make_settings(root: Path, version: str = "1.0.0", tag: str = "") -> Settings:
    return Settings(
        root=root, version=version, tag=tag, targets=(ABSENT,), source="source", builder="builder"
    )


def test_only_committed_files_are_built(repository: Path, tmp_path: Path) -> None:
    (repository / "untracked.txt").write_text("not in the release")
    commit = read_commit(repository)
    extract_commit(repository, commit, tmp_path / "copy")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["file.txt"]
    assert len(commit.id) == 40
    (repository / "file.txt").write_text("changed")
    with pytest.raises(BuildError, match=r"file\.txt: has uncommitted changes; commit or stash"):
        read_commit(repository)


@pytest.mark.parametrize(
    ("version", "tag", "message"),
    [
        ("1.0.0", "v1.0.1", r"tag: got 'v1\.0\.1'; use v1\.0\.0"),
        ("1.0.0", "1.0.0", r"use v1\.0\.0, the version of pyproject\.toml"),
        ("1.0.0", "v1.0.0", r"tag v1\.0\.0: is not the commit of the working tree; check it out"),
        ("2.0.0", "v2.0.0", r"git rev-parse .*refs/tags/v2\.0\.0"),
        ("1.0.0", "", r"python3\.99: not found; install it or uv, or name other targets"),
    ],
)
def test_a_release_that_is_not_its_tag_is_not_built(
    version: str,
    tag: str,
    message: str,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("build_layer.find_python", dict[str, str]().get)
    with pytest.raises(BuildError, match=message):
        build_release(make_settings(repository, version, tag), tmp_path)


def test_a_python_that_exists_can_compile() -> None:
    check_python(Target(f"python{sys.version_info.major}.{sys.version_info.minor}", "arm64"))


# The program


def test_the_program_reports_errors_and_writes_nothing(
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (repository / "pyproject.toml").write_text("[project]\nversion = '1.0.0'\n")
    monkeypatch.setattr(release, "ROOT", repository)
    output = tmp_path / "dist"
    assert release.main(["--tag", "v3", "--output", str(output)]) == 1
    assert capsys.readouterr().err == (
        "release: tag: got 'v3'; use v1.0.0, the version of pyproject.toml\n"
    )
    assert not output.exists()


def test_the_program_replaces_only_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"wheel.whl": b"wheel", "SHA256SUMS": b"sums"}

    def build(_settings: Settings, _folder: Path) -> dict[str, bytes]:
        return files

    monkeypatch.setattr(release, "build_release", build)
    output = tmp_path / "dist"
    assert release.main(["--output", str(output)]) == 0
    (output / "old.whl").write_text("of an earlier release")
    assert release.main(["--output", str(output)]) == 0
    assert {path.name: path.read_bytes() for path in output.iterdir()} == files
    (output / "SHA256SUMS").unlink()
    assert release.main(["--output", str(output)]) == 1
    assert "dist: is not a release; use an empty folder" in capsys.readouterr().err
    assert (output / "wheel.whl").exists()


def test_targets_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        release.main(["--target", "python3.9-arm64"])
    assert "got 'python3.9-arm64'; use some of python3.12-arm64" in capsys.readouterr().err


def test_every_target_is_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings: list[Settings] = []

    def record(given: Settings, _folder: Path) -> dict[str, bytes]:
        settings.append(given)
        return {}

    monkeypatch.setattr(release, "build_release", record)
    release.main(["--output", str(tmp_path / "dist")])
    release.main(["--output", str(tmp_path / "dist"), "--target", "python3.13-arm64"])
    assert [each.targets for each in settings] == [TARGETS, (Target("python3.13", "arm64"),)]
