"""The function ``Rotation`` of a stack, which EventBridge invokes every hour: ``delivery.py``.

It rotates the clusters with a secret ``PODGRAFT_ROTATION_SECRETS`` + cluster in Secrets Manager.
The operator creates it, and so decides which clusters take part. The function cannot read a secret.
It ends with an error if a rotation failed or is stuck; the next run continues.
"""

import json
import os
import sys
from functools import partial

from msgspec.structs import asdict

from podgraft.base import system
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import make_client
from podgraft.cli.tokens.registry_storage import read_registry_state
from podgraft.cli.tokens.usage import read_uses_of_log

from .adoption import StackCallers, open_stack
from .delivery import STUCK_DAYS, AwsSecrets, Delivery, Progress, Step
from .file import Lifetimes

# A token is valid for so long after it is due: for delivery, silence, and the reader of an alarm.
_REST_DAYS = 30


def handler(event: object, context: object) -> None:
    """Run one step of each cluster; raises ``CommandError`` after a failure."""
    del event, context
    environment = os.environ
    stack = open_stack(environment["PODGRAFT_ROTATION_PREFIX"])
    days = int(environment["PODGRAFT_ROTATION_DAYS"])
    _check_registry(stack)
    delivery = Delivery(
        stack.repository,
        AwsSecrets(make_client("secretsmanager"), environment["PODGRAFT_ROTATION_SECRETS"]),
        partial(read_uses_of_log, environment["PODGRAFT_ROTATION_LOG"], STUCK_DAYS),
        Lifetimes(days + _REST_DAYS, days),
        int(environment["PODGRAFT_ROTATION_REFRESH_SECONDS"]),
    )
    failed = 0
    for step in delivery.run():
        failed += step.progress is Progress.FAILED
        _write_line(stack.registry.stack, step)
    if failed:
        raise CommandError(f"{failed} rotations failed or are stuck; read the lines of this log")


def _check_registry(stack: StackCallers) -> None:
    state = read_registry_state(stack.registry)
    if state.pointer is None or not state.is_in_force or state.pointer.copies:
        raise CommandError(
            f"parameter {stack.registry.location}: a registry without copies is needed; run "
            "podgraft fleet adopt, and then with --finish"
        )


def _write_line(stack: str, step: Step) -> None:
    line = {
        "level": "ERROR" if step.problem else "INFO",
        "message": "token_rotation",
        "timestamp": system.timestamp(),
        "service": stack,
        **asdict(step),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
