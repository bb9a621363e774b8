"""Each command works with its extra alone, and names the extra if a package of it is missing."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from podgraft.cli import assets, extras
from supply_chain.pins import read_dependencies, read_pins

ROOT = Path(__file__).parents[2]
ISTIO = "-f {samples}/istio/input.web.yaml --config {samples}/istio"
LOGGING = "-f {samples}/logging/input.web.yaml --config {samples}/logging --webhook"
PATTERNS = "policy check {samples}/require-limits"
_PROGRAM = """
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {modules!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Finder())
from podgraft.cli import main
sys.exit(main({arguments!r}))
"""

# A command line, and the extra that it needs.
COMMANDS = (
    # The package alone
    ("certs ca --dir {folder}", ""),
    ("register --url https://a.example --all-namespaces", ""),
    ("tokens issue --config {folder} --cluster a", ""),
    (f"inject {ISTIO}", ""),
    (f"explain {ISTIO}", ""),
    ("uninject -f {samples}/istio/want.web.yaml", ""),
    ("policy check {samples}/istio", ""),
    ("policy allows {samples}/istio", ""),
    (f"inject {LOGGING}", ""),
    ("register --url https://a.example --all-namespaces --match-condition a=true", ""),
    ("init {folder}/sam", ""),
    ("completion bash", ""),
    # An extra
    ("tokens list --config stack:a", "aws"),
    ("policy push --config stack:a --injector a {samples}/istio", "aws"),
    ("serve --help", "serve"),
    ("playground --help", "serve"),
    (PATTERNS, "rules"),
)


def run_without(modules: set[str], line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line in a process that cannot import *modules*."""
    samples = ROOT / "samples"
    arguments = line.format(folder=folder, samples=samples).split()
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(modules=modules, arguments=arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


@pytest.mark.parametrize(("line", "extra"), COMMANDS, ids=[line for line, _ in COMMANDS])
def test_a_command_needs_its_extra_alone(line: str, extra: str, tmp_path: Path) -> None:
    done = run_without(set(extras.EXTRAS), line, tmp_path)
    if not extra:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 1
    command = line.split(maxsplit=1)[0]
    [module] = re.findall(
        rf"error: podgraft {command}: the Python package (\w+) is missing; ", done.stderr
    )
    assert extras.EXTRAS[module] == extra


def test_the_demo_checks_its_extras_before_its_first_step(tmp_path: Path) -> None:
    absent = {module for module, extra in extras.EXTRAS.items() if extra == "rules"}
    done = run_without(absent, "demo", tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: podgraft demo: the Python package re2 is m")


def test_the_demo_runs_with_the_packages_of_its_lock(tmp_path: Path) -> None:
    """``make demo`` installs requirements/demo.txt alone, in all processes that it starts."""
    locked = {pin.name for pin in read_pins(ROOT / "packaging" / "requirements" / "demo.txt")} | {
        "podgraft"
    }
    absent = {
        module
        for module, packages in packages_distributions().items()
        if not module.startswith("_")
        and not locked & {re.sub(r"[-_.]+", "-", name).lower() for name in packages}
    }
    assert {"aws_lambda_powertools", "boto3", "prometheus_client", "setuptools"} <= absent
    finder = _PROGRAM.partition("from podgraft")[0].format(modules=absent)
    (tmp_path / "sitecustomize.py").write_text(finder)
    done = subprocess.run(
        [sys.executable, "-m", "podgraft", "demo"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_every_package_of_an_extra_is_known() -> None:
    """The names of modules and of packages differ in spelling only, except these."""
    modules = {"google-re2": "re2"}
    base = {each.name for each in read_dependencies(ROOT)}
    declared = {
        modules.get(package.name, package.name.replace("-", "_")): extra
        for extra in ("rules", "aws", "serve")
        for package in read_dependencies(ROOT, (extra,))
        if package.name not in base
    }
    rules = {"re2": "rules", "tzdata": "rules"}  # also in the extra serve
    indirect = {"botocore": "aws"}
    assert {**declared, **rules, **indirect} == extras.EXTRAS


@pytest.mark.parametrize(
    ("is_pipx", "remedy"),
    [
        (True, "run: pipx install --force 'podgraft[aws,rules,serve]'"),
        (False, "run: '/my tools/python3' -m pip install 'podgraft[aws,rules,serve]'"),
    ],
)
def test_the_remedy_retains_the_installed_extras(
    is_pipx: bool, remedy: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(assets, "PACKAGED", tmp_path)
    monkeypatch.setattr(extras, "PACKAGED", tmp_path)
    monkeypatch.setattr(sys, "executable", "/my tools/python3")
    monkeypatch.setattr(extras, "_is_pipx", lambda: is_pipx)
    monkeypatch.setattr(extras, "find_requirement", "podgraft{}".format)
    monkeypatch.setattr(extras, "_find_installed_extras", lambda: {"aws", "serve"})
    error = ModuleNotFoundError(name="re2")
    assert str(extras.make_missing_package_error("podgraft inject", error)).endswith(remedy)


SOURCES = (
    # PEP 610's direct_url.json, and what pip installs
    (None, "podgraft"),
    ('{"url": "file:///home/me/pod%20graft", "dir_info": {}}', "/home/me/pod graft"),
    (
        '{"url": "file:///srv/podgraft-0.1.0-py3-none-any.whl"}',
        "/srv/podgraft-0.1.0-py3-none-any.whl",
    ),
    ('{"url": "https://example.com/podgraft.tar.gz"}', "podgraft"),
    (
        '{"url": "https://a.example/p.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}',
        "podgraft @ git+https://a.example/p.git@ab12",
    ),
)


@pytest.mark.parametrize(("document", "requirement"), SOURCES)
def test_the_remedy_names_what_was_installed(
    document: str | None, requirement: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Distribution:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return document

    monkeypatch.setattr(extras, "PACKAGED", tmp_path)

    def find_distribution(_name: str) -> Distribution:
        return Distribution()

    monkeypatch.setattr(extras, "distribution", find_distribution)
    assert extras.find_requirement() == requirement


def test_a_clone_is_its_own_source() -> None:
    assert (Path(extras.find_requirement()) / "pyproject.toml").is_file()
