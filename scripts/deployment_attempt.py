#!/usr/bin/env python3
"""The parameter ``Attempt`` for a deployment after one that was rolled back, for ``make deploy``.

    deployment_attempt.py STAGE

CloudFormation retains the version of a deployment that it rolls back. Lambda then publishes no
equal version, and the same deployment fails. If the newest version is not the live one, the script
prints ``Attempt=NUMBER`` with its number: the next version differs. Otherwise it prints nothing,
and the stack keeps its value. The Python of SAM runs it, which has botocore.
"""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import botocore.session
from botocore.exceptions import BotoCoreError, ClientError

CONFIG = Path(__file__).parents[1] / "samconfig.toml"
ALIAS = "live"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the parameter if the stage needs another value; always return 0."""
    [stage] = sys.argv[1:] if argv is None else argv
    stack = tomllib.loads(CONFIG.read_text())[stage]["deploy"]["parameters"]["stack_name"]
    session = botocore.session.get_session()
    try:
        attempt = find_attempt(
            session.create_client("cloudformation"), session.create_client("lambda"), stack
        )
    except (BotoCoreError, ClientError) as error:
        # Of a first deployment, too: sam deploy reports what is wrong with the account.
        print(f"Attempt: not set, because {stack} was not read: {error}", file=sys.stderr)
        return 0
    if attempt:
        print(f"Attempt={attempt}")
    return 0


def find_attempt(cloudformation: Any, functions: Any, stack: str) -> str | None:
    """The newest version of the function of a stack, or ``None`` if it is the live one."""
    resource = cloudformation.describe_stack_resource(StackName=stack, LogicalResourceId="Webhook")
    name = resource["StackResourceDetail"]["PhysicalResourceId"]
    live = functions.get_alias(FunctionName=name, Name=ALIAS)["FunctionVersion"]
    pages = functions.get_paginator("list_versions_by_function").paginate(FunctionName=name)
    numbers = [
        int(each["Version"])
        for page in pages
        for each in page["Versions"]
        if each["Version"].isdecimal()
    ]
    newest = str(max(numbers, default=0))
    return newest if newest not in {"0", live} else None


if __name__ == "__main__":
    sys.exit(main())
