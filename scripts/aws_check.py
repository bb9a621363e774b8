#!/usr/bin/env python3
"""Run the ten checks that only an account of AWS can answer, and delete what they made.

    aws_check.py --list
    aws_check.py --confirm 111122223333/eu-central-1 [--only 1,2,8] [NAME=VALUE ...]

The checks deploy the stack podgraft-dev into the account and the region of the environment. They
run for about 30 minutes, most of it waiting, and cost less than $1. --confirm must name the account
and the region of the credentials. --list prints the plan with the costs, and calls nothing.
NAME=VALUE are the parameters of a custom domain, for check 10. An existing stack is never touched.
The exit status is 0 if all checks passed, 1 if one failed, and 2 if nothing was done.
"""

import argparse
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import aws_checks
from aws_checks import Stack

NAME = "podgraft-dev"
SAM = ".tools/sam/bin/sam"


@dataclass(frozen=True, slots=True)
class Check:
    """A check, its waiting time, and its costs in dollars at the prices of eu-central-1."""

    number: int
    run: Callable[[Stack], str]
    minutes: int
    dollars: float
    billed: str

    @property
    def title(self) -> str:
        """The first line of the docstring."""
        return (self.run.__doc__ or "").partition("\n")[0]


CHECKS = (
    Check(1, aws_checks.check_deployment, 4, 0.12, "alarms, metrics, and dashboard for hours"),
    Check(2, aws_checks.check_review, 1, 0.01, "requests"),
    Check(3, aws_checks.check_update, 2, 0.01, "requests"),
    Check(4, aws_checks.check_gradual_deployment, 0, 0.00, "nothing"),
    Check(5, aws_checks.check_provisioned_concurrency, 4, 0.02, "two environments"),
    Check(6, aws_checks.check_snapstart, 6, 0.20, "a snapshot and its restores"),
    Check(7, aws_checks.check_edges, 3, 0.05, "requests and logs"),
    Check(8, aws_checks.check_functions, 1, 0.01, "requests"),
    Check(9, aws_checks.check_many_clusters, 3, 0.30, "KMS, requests, and starts"),
    Check(10, aws_checks.check_mutual_tls, 3, 0.01, "requests; you pay for the domain"),
)
# About the deletion of the stack.
DELETION_MINUTES = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", "--dry-run", action="store_true", help="Print the plan only.")
    parser.add_argument("--confirm", metavar="ACCOUNT/REGION", help="Where to deploy.")
    parser.add_argument("--only", metavar="NUMBERS", default="", help="Numbers with commas.")
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE")
    options = parser.parse_args(argv)
    numbers = {int(each) for each in options.only.split(",") if each.strip().isdecimal()}
    # Each check needs the stack of the first one.
    checks = [each for each in CHECKS if not numbers or each.number in numbers | {1}]
    print_plan(checks)
    if options.list:
        return 0
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    session: Any = boto3.Session()
    try:
        problem = find_problem(session, options.confirm)
    except (BotoCoreError, ClientError) as error:
        problem = f"AWS: {error}; correct AWS_PROFILE, AWS_REGION, or the permissions"
    if problem:
        print(problem, file=sys.stderr)
        return 2
    stack = Stack(name=NAME, client=session.client, parameters=options.parameters)
    signal.signal(signal.SIGTERM, _stop)
    return run_checks(stack, checks)


def _stop(number: int, frame: object) -> None:
    """End as Ctrl-C does: with the deletion."""
    del number, frame
    sys.exit(1)


def print_plan(checks: Sequence[Check]) -> None:
    """Print each check with its time and costs, and the total."""
    for each in checks:
        print(f"{each.number:2}  {each.minutes:3} min  ${each.dollars:.2f}  {each.title}")
        print(f"{'':21}billed: {each.billed}")
    minutes = sum(each.minutes for each in checks) + DELETION_MINUTES
    dollars = sum(each.dollars for each in checks)
    print(f"    {minutes:3} min  ${dollars:.2f}  total with the deletion; estimates, not measured")


def find_problem(session: Any, confirmed: str | None) -> str:
    """Return why nothing can start, empty if it can; nothing is written."""
    account = session.client("sts").get_caller_identity()["Account"]
    place = f"{account}/{session.region_name}"
    if confirmed != place:
        return f"--confirm: got {confirmed}; the credentials are of {place}, use --confirm {place}"
    if stack_exists(session.client("cloudformation")):
        return (
            f"stack {NAME}: exists in {place}; delete it with make delete, or use another account"
        )
    found = session.client("ssm").get_parameters_by_path(Path=f"/{NAME}", Recursive=True)
    if found["Parameters"]:
        return f"parameters /{NAME}: exist in {place}; delete them, or use another account"
    return ""


def stack_exists(cloudformation: Any) -> bool:
    """Whether the stack exists, in any state."""
    try:
        cloudformation.describe_stacks(StackName=NAME)
    except cloudformation.exceptions.ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return False
    return True


def run_checks(stack: Stack, checks: Sequence[Check]) -> int:
    """Run the checks, and delete what they made, also after an error or Ctrl-C."""
    failed: list[int] = []
    buckets: list[str] = []
    try:
        for each in checks:
            print(f"{datetime.now(UTC):%H:%M}  {each.number}  {each.title}", flush=True)
            try:
                print(f"       passed: {each.run(stack)}", flush=True)
            except Exception as error:  # noqa: BLE001 — the others can still pass
                failed.append(each.number)
                print(f"       FAILED: {error}", flush=True)
                if each.number == 1:
                    break
    finally:
        with suppress(Exception):
            buckets += find_buckets(stack)
        left = delete_all(stack, buckets)
    print(f"failed: {failed or 'none'}; left: {left or 'nothing'}")
    return 1 if failed or left else 0


def find_buckets(stack: Stack) -> list[str]:
    """The buckets of the stack, which remain after its deletion."""
    outputs = stack.outputs
    return [outputs[key] for key in ("BundleBucket", "CensusBucket") if key in outputs]


def delete_all(stack: Stack, buckets: Sequence[str]) -> list[str]:
    """Delete the stack, its buckets, and its parameters; return what is left, with the error."""
    left: list[str] = []
    steps: dict[str, Callable[[], None]] = {
        f"stack {stack.name}": partial(delete_stack, stack),
        **{f"bucket {each}": partial(delete_bucket, stack, each) for each in buckets},
        f"parameters /{stack.name}": partial(delete_parameters, stack),
    }
    for item, delete in steps.items():
        try:
            delete()
        except Exception as error:  # noqa: BLE001 — the others must be deleted, too
            left.append(f"{item} ({error})")
    return left


def delete_stack(stack: Stack) -> None:
    """Delete the stack with its uploaded code, and wait for the end."""
    stack.run(SAM, "delete", "--no-prompts", "--config-env", "default")


def delete_bucket(stack: Stack, name: str) -> None:
    """Delete a bucket with all versions of its objects."""
    s3 = stack.client("s3")
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=name):
        for each in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
            s3.delete_object(Bucket=name, Key=each["Key"], VersionId=each["VersionId"])
    s3.delete_bucket(Bucket=name)


def delete_parameters(stack: Stack) -> None:
    """Delete all parameters below the prefix of the stack."""
    ssm = stack.client("ssm")
    pages = ssm.get_paginator("get_parameters_by_path").paginate(
        Path=f"/{stack.name}", Recursive=True
    )
    names = [each["Name"] for page in pages for each in page["Parameters"]]
    for start in range(0, len(names), 10):  # Parameter Store throttles single deletions
        ssm.delete_parameters(Names=names[start : start + 10])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (KeyboardInterrupt, subprocess.CalledProcessError):
        sys.exit(1)
