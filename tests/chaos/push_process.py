"""``podgraft policy`` in a process that kills itself at a chosen call of AWS."""

from __future__ import annotations

import base64
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import botocore.session

from podgraft.cli import main

__all__ = ["decode_patch", "make_environment", "run"]


def make_environment(endpoint: str) -> Mapping[str, str]:
    """What a process takes for its account."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_MAX_ATTEMPTS": "1",
    }


def run(arguments: Sequence[str], environment: Mapping[str, str], kill_at: int) -> None:
    """Run the command. Moment 2n is before call n, and moment 2n + 1 is after its response."""
    os.environ.update(environment)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    moments = iter(range(1_000_000))

    def pass_moment(**_: Any) -> None:
        if next(moments) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    make_session = botocore.session.get_session

    def get_session(*arguments_: Any, **options: Any) -> Any:
        session = make_session(*arguments_, **options)
        session.register("before-send", pass_moment)
        session.register("response-received", pass_moment)
        return session

    botocore.session.get_session = get_session
    sys.exit(main(["policy", *arguments]))


def decode_patch(response: Any) -> str:
    """The text of the patch in a response."""
    return base64.b64decode(response["patch"]).decode()
