"""``make audit`` reports every locked version that an advisory affects."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import audit
from supply_chain.inventory import list_packages

ROOT = Path(__file__).parents[3]
PACKAGES = {(each.ecosystem, each.name): each for each in list_packages(ROOT)}


def write_advisory(folder: Path, ecosystem: str, name: str, *events: dict[str, str]) -> Path:
    """A database with one advisory."""
    affected: dict[str, Any] = {
        "package": {"ecosystem": ecosystem, "name": name},
        "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, *events]}],
    }
    record = {"id": "GHSA-1", "aliases": ["CVE-1"], "summary": "text", "affected": [affected]}
    (folder / "GHSA-1.json").write_text(json.dumps(record))
    return folder


def test_a_vulnerable_pin_is_reported_in_every_lock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_advisory(tmp_path, "PyPI", "Flask", {"fixed": "99"})
    assert audit.main([str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    *lines, summary = err.splitlines()
    for path in ("packaging/requirements/dev.txt", "layers/dependencies/requirements.txt"):
        [line] = [line for line in lines if line.startswith(f"{path}:")]
        assert line.endswith(
            f"flask {PACKAGES['PyPI', 'flask'].version}: GHSA-1 (CVE-1): text; "
            "fixed in 99; run make lock UPGRADE=flask"
        )
    assert summary.endswith("1 advisories: vulnerable versions are locked")


@pytest.mark.parametrize(("ecosystem", "name"), [("npm", "playwright-core"), ("npm", "pyodide")])
def test_npm_packages_are_compared_too(
    ecosystem: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_advisory(tmp_path, ecosystem, name)
    assert audit.main([str(tmp_path)]) == 1
    line = capsys.readouterr().err.splitlines()[0]
    package = PACKAGES[ecosystem, name]
    assert line.startswith(f"{package.place}: {name} {package.version}: GHSA-1")
    assert line.endswith("no version fixes it; replace the package, or ignore the advisory")


@pytest.mark.parametrize("identifier", ["GHSA-1", "CVE-1"])
def test_an_ignored_advisory_is_printed_and_does_not_fail(
    identifier: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_advisory(tmp_path, "npm", "pyodide")
    assert audit.main([str(tmp_path), "--ignore", "GHSA-2", identifier]) == 0
    out, err = capsys.readouterr()
    assert (out.splitlines()[0].startswith("ignored: "), err) == (True, "")
    assert out.endswith("no vulnerable version is locked\n")


def test_fixed_versions_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_advisory(tmp_path, "PyPI", "flask", {"fixed": "0.1"})
    assert audit.main([str(tmp_path)]) == 0
    assert "1 advisories: no vulnerable version is locked" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "audit: no advisories given; run make audit ADVISORIES=PATH"),
        ([""], "audit: no advisories given; run make audit ADVISORIES=PATH"),
        (["absent"], "audit: absent: No such file or directory; check the path"),
        (["."], "contains no OSV advisory; download the records of PyPI"),
    ],
)
def test_without_advisories_nothing_passes(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert audit.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_make_passes_the_advisories_on() -> None:
    arguments = ("ADVISORIES=osv folder", "IGNORE=GHSA-1 CVE-2")
    done = subprocess.run(
        ["make", "--dry-run", "audit", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert 'tools/audit.py "osv folder" --ignore GHSA-1 CVE-2' in done.stdout
