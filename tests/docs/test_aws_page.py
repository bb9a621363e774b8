"""docs/aws.md names parameters and outputs that exist, and make deploys as it states."""

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

from layers.cloudformation import TEMPLATE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "aws.md").read_text()
# Words in UpperCamelCase that are no parameter and no output.
OTHERS = {
    "AllViewerExceptHostHeader",
    "Attempt",
    "CachingDisabled",
    "OriginMtlsConfig",
}


def test_each_parameter_and_output_of_the_page_exists() -> None:
    named = set(re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)+)(?:=[\w./:-]+)?`", PAGE))
    assert named - OTHERS <= {*TEMPLATE["Parameters"], *TEMPLATE["Outputs"]}
    assert "Attempt" in TEMPLATE["Parameters"]


def test_the_page_has_ten_decisions() -> None:
    section = PAGE.partition("## Ten decisions")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) == 11


def test_another_lambda_is_one_that_the_template_accepts() -> None:
    pattern = r"sam (\S+) --parameter-overrides Runtime=(\S+) Architecture=(\S+)"
    commands = re.findall(pattern, PAGE)
    # The deployment must name the Lambda of the build: its layers contain machine code.
    assert [command for command, _, _ in commands] == ["build", "deploy"]
    [(runtime, architecture)] = {(runtime, architecture) for _, runtime, architecture in commands}
    assert runtime in TEMPLATE["Parameters"]["Runtime"]["AllowedValues"]
    assert architecture in TEMPLATE["Parameters"]["Architecture"]["AllowedValues"]


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
