#!/usr/bin/env python3
"""Parameters that samconfig.toml sets for a stage, for ``make deploy``.

    stage_overrides.py STAGE [NAME=VALUE ...]

The parameters of the command line follow, and are checked with those of the stage: for what the
rules of a template cannot compare. The exit status is 2 if Lambda or Parameter Store would refuse
them.
"""

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

CONFIG = Path(__file__).parents[1] / "samconfig.toml"
# Parameter Store refuses names that begin with these, in upper and lower case.
_RESERVED_NAMES = ("aws", "ssm")
_MAX_GRADUAL_NAME = 64 - len("CodeDeployHook_")  # of the probe, which Lambda accepts


def main(argv: Sequence[str] | None = None) -> int:
    """Print the parameters of the configuration environment that is named, and the given ones."""
    stage, *given = sys.argv[1:] if argv is None else argv
    settings = tomllib.loads(CONFIG.read_text())[stage]["deploy"]["parameters"]
    overrides = [*settings["parameter_overrides"].split(), *given]
    parameters = dict(each.split("=", 1) for each in overrides if "=" in each)
    problems = list(find_problems(settings["stack_name"], parameters))
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 2
    print(*overrides)
    return 0


def find_problems(stack: str, parameters: Mapping[str, str]) -> Iterator[str]:
    """Each problem of the parameters, with its remedy."""
    prefix = parameters.get("ParameterPrefix") or f"/{stack}"
    if prefix[1:].lower().startswith(_RESERVED_NAMES):
        yield (
            f"ParameterPrefix {prefix}: Parameter Store refuses names that begin with aws or ssm; "
            "set another one"
        )
    if parameters.get("GradualDeployment") == "true" and len(stack) > _MAX_GRADUAL_NAME:
        yield (
            f"stack_name {stack}: has {len(stack)} characters, and GradualDeployment accepts "
            f"{_MAX_GRADUAL_NAME}; use another name"
        )
    provisioned = parameters.get("ProvisionedConcurrency", "2")
    reserved = parameters.get("ReservedConcurrency", "-1")
    numbers = (provisioned + reserved.removeprefix("-")).isdecimal()
    if parameters.get("StartMode") != "provisioned" or not numbers:
        return
    if 0 < int(reserved) < int(provisioned):
        yield (
            f"ProvisionedConcurrency {provisioned}: is above ReservedConcurrency {reserved}; "
            "provision at most what the function reserves"
        )


if __name__ == "__main__":
    sys.exit(main())
