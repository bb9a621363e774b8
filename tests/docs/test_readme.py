"""Every command that README shows is run: the quick start by its script, the rest as it stands."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from podgraft import cli
from support.aws_account import start_account_with_bucket

ROOT = Path(__file__).parents[2]
BUCKET = "bundles-of-readme"
_COMMAND = re.compile(r"^ *\$ (podgraft .*)$", re.MULTILINE)
COMMANDS = [shlex.split(line)[1:] for line in _COMMAND.findall((ROOT / "README.md").read_text())]
_SERVE = "serve"


@pytest.fixture
def aws() -> Generator[None]:
    """S3 and Parameter Store on loopback, with six versions of a policy before README's."""
    with start_account_with_bucket(BUCKET) as session:
        ssm = session.create_client("ssm")
        for number in range(6):
            text = f"policy: enabled  # {number}"
            ssm.put_parameter(
                Name="/podgraft-dev/istio/policy", Value=text, Type="String", Overwrite=True
            )
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that README's commands name."""
    monkeypatch.chdir(tmp_path)
    sample = ROOT / "samples" / "istio"
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    shutil.copytree(sample, tmp_path / "mesh")
    shutil.copy(sample / "input.web.yaml", tmp_path / "pod.yaml")
    shutil.copy(ROOT / "samples" / "allow" / "input.web.yaml", tmp_path / "deployment.yaml")
    register = (sys.executable, str(ROOT / "scripts" / "register.py"))
    registered = subprocess.run(
        [*register, "--url", "https://sidecars.example.com/istio/inject", "--cluster", "prod"],
        check=True,
        capture_output=True,
        text=True,
    )
    (tmp_path / "webhook.yaml").write_text(registered.stdout)
    inject = ["inject", "-f", "pod.yaml", "-o", "injected.yaml", "--bundle", "mesh/bundle"]
    assert cli.main(inject) == 0
    return tmp_path


@pytest.mark.usefixtures("aws", "folder")
def test_every_command_of_readme_does_what_it_states() -> None:
    """The pod of the example gets its sidecar only in a labelled namespace: 3 is explain's word."""
    assert len(COMMANDS) > 5
    for arguments in COMMANDS:
        if arguments[0] != _SERVE:  # which ends only by a signal: tests/cli/serve/test_serve.py
            assert cli.main(arguments) in {0, 3}, arguments


@pytest.mark.parametrize("sample", ["istio", "allow", "logging"])
def test_the_demo_shows_the_whole_way(sample: str, capfd: pytest.CaptureFixture[str]) -> None:
    """``make demo`` runs this command: certificates, token, HTTPS, patch, what to try next."""
    assert cli.main(["demo", sample]) == 0
    shown = capfd.readouterr().out
    for words in ("podgraft certs ca", "podgraft listens on https://", "JSON Patch", "Next"):
        assert words in shown


def test_the_demo_names_the_samples_there_are(capfd: pytest.CaptureFixture[str]) -> None:
    """A sample that does not exist is a wrong command line."""
    assert cli.main(["demo", "nothing"]) == 2
    assert "use one of allow, appmesh" in capfd.readouterr().err
