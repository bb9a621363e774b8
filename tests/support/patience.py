"""A function in this process that waits for AWS as long as a busy machine needs."""

import pytest
from botocore.config import Config

from podgraft.base import deadline
from podgraft.service.store.aws import clients

# Longer than any answer takes on a busy machine, and as short as a client that waits in vain may.
GENEROUS_SECONDS = 60.0
PATIENT_CONFIG = clients.CONFIG.merge(
    Config(connect_timeout=GENEROUS_SECONDS, read_timeout=GENEROUS_SECONDS)
)


def wait_long(patch: pytest.MonkeyPatch) -> None:
    """Let reviews and the clients of AWS that are made from now on wait long."""
    patch.setattr(deadline, "MAX_WAIT_SECONDS", GENEROUS_SECONDS)
    patch.setattr(clients, "CONFIG", PATIENT_CONFIG)
