"""Every command of README runs as printed, in order, in a copy of the repository."""

import re
from collections.abc import Generator
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.kube import yaml
from support.aws_account import start_account_with_bucket
from support.repository_pages import ROOT, Checkout, PageCommand, make_checkout, read_steps

BUCKET = "bundles-of-readme"
STEPS = read_steps((ROOT / "README.md").read_text())
# The suite cannot run itself: with these options, pytest runs one file.
SELECTION = {"PYTEST_ADDOPTS": "tests/golang/test_strings.py"}


@pytest.fixture
def checkout(tmp_path: Path) -> Generator[Checkout]:
    """A copy of the repository, with a stack on loopback."""
    made = make_checkout(tmp_path)
    (made.folder / "tests").symlink_to(ROOT / "tests")
    with start_account_with_bucket(BUCKET):
        yield made


def test_every_command_of_readme_works_in_order(checkout: Checkout) -> None:
    assert len(STEPS) == 5
    outputs: dict[str, str] = {}
    for step in STEPS:
        assert isinstance(step, PageCommand)
        outputs[step.line] = checkout.run(step, SELECTION)
    printed = "\n".join(outputs.values())

    assert "Next: the files of this demo are in build/demo/istio" in outputs["make demo"]
    assert re.search(r"\b[1-9]\d* passed in", outputs["make test"])
    for text in ("istio-proxy", "decides: "):
        assert text in printed


def test_copied_commands_have_no_prompt() -> None:
    """GitHub copies a block as it is."""
    text = (ROOT / "README.md").read_text()
    assert "```console" not in text
    assert not re.search(r"^ *\$ ", text, re.MULTILINE)


def test_the_overlay_of_the_page_is_the_sample_hello() -> None:
    [overlay] = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    sample = (ROOT / "samples" / "hello" / "bundle" / "hello.yaml").read_text()
    assert yaml.load(overlay) == yaml.load(sample)


def test_readme_has_no_command_outside_of_its_blocks() -> None:
    """A line of code in the text names no file that does not exist."""
    text = (ROOT / "README.md").read_text()
    for name in ("pod.yaml", "webhook.yaml", "deployment.yaml", "injected.yaml", "mesh/"):
        assert not re.search(rf"(?<![\w/.-]){re.escape(name)}", text)


@pytest.mark.parametrize("sample", ["istio", "allow", "logging"])
def test_the_demo_shows_the_whole_way(
    sample: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``make demo`` runs this command: certificates, token, HTTPS, patch, what to try next."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["demo", sample]) == 0
    shown = capfd.readouterr().out
    for words in ("podgraft certs ca", "podgraft listens on https://", "JSON Patch", "Next"):
        assert words in shown


def test_the_demo_names_the_samples_there_are(capfd: pytest.CaptureFixture[str]) -> None:
    """A sample that does not exist is a wrong command line."""
    assert cli.main(["demo", "nothing"]) == 2
    assert "use one of allow, appmesh" in capfd.readouterr().err
