"""Every command that docs/deploying.md shows is run or checked, and its tables hold."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli
from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.kube import yaml
from podgraft.kube.admission import SYNTHETIC_UID
from support.aws_account import start_account_with_bucket
from support.tls_endpoint import serve_response

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "deploying.md").read_text()
TEMPLATE = (ROOT / "template.yaml").read_text()
BUCKET = "bundles-of-deploying"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = [
    shlex.split(line.removeprefix("$ "), comments=True)
    for block in _BLOCK.findall(PAGE)
    for line in block.splitlines()
    if line.startswith("$ ")
]


def commands(*programs: str) -> list[list[str]]:
    """The page's commands of some programs, in its order."""
    found = [words for words in COMMANDS if words[0] in programs]
    assert found, f"the page shows no {programs}"
    return found


def section(name: str) -> dict[str, Any]:
    """One section of the template: the names in it, with their defaults where they have one."""
    body = re.split(rf"^{name}:\n", TEMPLATE, flags=re.MULTILINE)[1]
    body = re.split(r"^\S", body, flags=re.MULTILINE)[0]
    parts = re.split(r"^  (\w+):\n", body, flags=re.MULTILINE)[1:]
    names, bodies = parts[::2], parts[1::2]
    defaults = [re.search(r"^    Default: (.*)$", each, re.MULTILINE) for each in bodies]
    return {
        name: yaml.load(found[1]) if found else None
        for name, found in zip(names, defaults, strict=True)
    }


def table(heading: str) -> list[list[str]]:
    """The cells of the table whose first row is *heading*."""
    lines = PAGE.splitlines()
    start = lines.index(heading) + 2
    rows: list[list[str]] = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


@pytest.fixture
def aws() -> Generator[None]:
    """S3 and Parameter Store on loopback, with the stack's bucket."""
    with start_account_with_bucket(BUCKET):
        yield


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """The stack's endpoint, on this machine; its folder is the operator's."""
    monkeypatch.chdir(tmp_path)
    for name in ("scripts", "samples"):
        (tmp_path / name).symlink_to(ROOT / name)
    made = ("--dir", "pki", "--key-type", "p-256")
    assert main(["certs", "ca", *made]) == 0
    assert main(["certs", "server", "127.0.0.1", *made]) == 0
    chain, key = (
        pem.read_certificates(Path("pki/server.pem")),
        keys.read_key(Path("pki/server.key"), None),
    )
    review = json.dumps({"response": {"uid": SYNTHETIC_UID, "allowed": True}})
    with serve_response(chain, key, tmp_path, 200, review) as served:
        yield f"127.0.0.1:{served.port}"


@pytest.mark.usefixtures("aws")
def test_operators_commands_work_one_after_the_other(endpoint: str) -> None:
    """As they stand, but for the names of a version and an endpoint that is public."""
    names = {"VERSION": "1", "https://ENDPOINT": f"https://{endpoint}"}
    for words in commands("podgraft", "scripts/tokens.py", "scripts/register.py"):
        given = [names.get(word, word) for word in words]
        if given[0] == "podgraft":
            assert cli.main(given[1:]) == 0, words
            continue
        if "--test" in given:
            given[1:1] = ["--allow-loopback", "--ca-bundle", "pki/ca.pem"]
        _run(given)
    assert "/k/" in Path("webhook.yaml").read_text()
    assert Path("control-plane/admission-configuration.yaml").exists()


def _run(words: list[str]) -> None:
    """Run a script of ours, its output where the page's ``>`` says."""
    output = None
    if ">" in words:
        at = words.index(">")
        output, words = words[at + 1], words[:at]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if output:
        Path(output).write_text(done.stdout)


def test_make_has_the_pages_targets_and_variables() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for _, target, *variables in commands("make"):
        assert re.search(rf"^{target}:.* ## ", makefile, re.MULTILINE)
        for variable in variables:
            assert re.search(rf"^{variable.partition('=')[0]} \?=", makefile, re.MULTILINE)


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_make_deploys_a_stage_with_all_its_parameters(stage: str) -> None:
    """Parameters on sam's command line replace those of its configuration."""
    arguments = (f"STAGE={stage}", "RUNTIME=python3.12", "OVERRIDES=Auth=mtls LogRetentionDays=1")
    done = subprocess.run(
        ["make", "--dry-run", "deploy", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    printed, count = re.subn(
        r"\$\(\S+/python scripts/deployment_attempt.py (default|prod)\)",
        "",
        done.stdout.replace("\\\n", " "),
    )
    assert count == 1
    [line] = [line for line in printed.splitlines() if "sam deploy" in line]
    _, _, environment, _, *overrides = shlex.split(line)[1:]
    configured = tomllib.loads((ROOT / "samconfig.toml").read_text())[environment]
    given = dict(each.split("=") for each in overrides)
    expected = dict(
        each.split("=")
        for each in configured["deploy"]["parameters"]["parameter_overrides"].split()
    )
    own = {"Runtime": "python3.12", "Architecture": "arm64", "Auth": "mtls"}
    assert given == {**expected, **own, "LogRetentionDays": "1"}
    assert (stage == "prod") is (environment == "prod")


def test_make_refuses_parameters_that_lambda_would_refuse() -> None:
    concurrency = "StartMode=provisioned ProvisionedConcurrency=5 ReservedConcurrency=2"
    done = subprocess.run(
        ["make", "--dry-run", "deploy", f"OVERRIDES={concurrency}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "ProvisionedConcurrency 5: is above ReservedConcurrency 2" in done.stderr


def test_make_refuses_a_stage_that_is_none() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "delete", "STAGE=production"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert 'STAGE: got "production"; use dev or prod' in done.stderr


def test_sam_is_given_what_the_template_and_its_configuration_know() -> None:
    configured = tomllib.loads((ROOT / "samconfig.toml").read_text())
    assert re.findall(r"--config-env (\w+)", PAGE) == ["prod"]
    assert "deploy" in configured["prod"]
    assert "delete" in configured["prod"]
    names = ("Runtime", "Architecture")
    [given] = [words for words in commands("make") if "RUNTIME=" in " ".join(words)]
    for name, word in zip(names, given[2:4], strict=True):
        allowed = re.search(rf"  {name}:\n.*\n.*\n    AllowedValues: \[(.*)\]", TEMPLATE)
        assert allowed
        assert word.partition("=")[2] in allowed[1].split(", ")
    overrides = given[4].removeprefix("OVERRIDES=").split()
    assert {each.partition("=")[0] for each in overrides} <= set(section("Parameters"))


def test_the_tables_of_parameters_and_outputs_are_the_templates() -> None:
    parameters, outputs = section("Parameters"), section("Outputs")
    empty = {"", -1}
    described: set[str] = set()
    for names, defaults, _ in table("| parameter | default | when to change it |"):
        for name, default in zip(names.split(", "), defaults.split(", "), strict=True):
            has = parameters[name.strip("`")]
            assert default.strip("`") == ("none" if has in empty else str(has))
            described.add(name.strip("`"))
    assert described == set(parameters)
    for names, _ in table("| output | used for |"):
        assert set(re.findall(r"`(\w+)`", names)) <= set(outputs)
