"""The function ``Rotation`` of a stack, which EventBridge invokes every hour: ``delivery.py``.

It rotates the clusters with a secret ``PODGRAFT_ROTATION_SECRETS`` + cluster in Secrets Manager.
The operator creates it, and so decides which clusters take part. The function cannot read a secret.
It ends with an error if a rotation failed or is stuck; the next run continues.
"""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from podgraft.base import system
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import AbsentError, aws_errors, make_client
from podgraft.cli.tokens.issuance import IssuedToken
from podgraft.cli.tokens.registry_storage import read_registry_state
from podgraft.cli.tokens.usage import read_uses_of_log

from .adoption import StackCallers, open_stack
from .delivery import CURRENT, STUCK_DAYS, Delivery, Progress, Step
from .file import Lifetimes

# A token is valid for so long after it is due: for delivery, silence, and the reader of an alarm.
_REST_DAYS = 30
_NEXT = "podgraft-next"  # the label of the version that was stored last


@dataclass(frozen=True, slots=True)
class AwsSecrets:
    """``Secrets`` of Secrets Manager, by their names without the cluster."""

    client: Any
    prefix: str

    def read(self, cluster: str) -> Mapping[str, tuple[str, ...]] | None:
        """Return the labels of each version."""
        try:
            with aws_errors(self._locate(cluster), absent="ResourceNotFoundException"):
                found = self.client.describe_secret(SecretId=self.prefix + cluster)
        except AbsentError:
            return None
        versions: Mapping[str, list[str]] = found.get("VersionIdsToStages", {})
        return {version: tuple(own) for version, own in versions.items()}

    def store(self, cluster: str, token: IssuedToken) -> None:
        """Store a version with the label, which leaves the version that had it.

        A version without a label can disappear, and a secret has at most 20 labels.
        """
        with aws_errors(self._locate(cluster), sent=token.text):
            self.client.put_secret_value(
                SecretId=self.prefix + cluster,
                ClientRequestToken=token.hash.sha256,
                SecretString=token.text,
                VersionStages=[_NEXT],
            )

    def promote(self, cluster: str, version: str, current: str) -> None:
        """Move the label of the current version."""
        with aws_errors(self._locate(cluster)):
            self.client.update_secret_version_stage(
                SecretId=self.prefix + cluster,
                VersionStage=CURRENT,
                MoveToVersionId=version,
                RemoveFromVersionId=current,
            )

    def _locate(self, cluster: str) -> str:
        return f"secret {self.prefix}{cluster}"


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
