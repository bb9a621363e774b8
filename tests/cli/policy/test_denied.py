"""Two commands that change the deny list at the same time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from podgraft.cli.policy.denied import change_deny_list
from podgraft.cli.storage import ChangedError
from podgraft.cli.storage.parameters import ParameterDocuments

FIRST, SECOND = "sha256:" + "1" * 64, "sha256:" + "2" * 64


class RacingClient:
    """Parameter Store, in which a person writes between the read and the write of a command."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.is_locked = False

    def get_parameter(self, **_: Any) -> dict[str, Any]:
        date = datetime(2026, 11, 28, tzinfo=UTC)
        return {"Parameter": {"Value": f"{FIRST}: old\n", "Version": 1, "LastModifiedDate": date}}

    def put_parameter(self, **arguments: Any) -> dict[str, Any]:
        if self.is_locked and not arguments["Overwrite"]:
            raise ClientError({"Error": {"Code": "ParameterAlreadyExists"}}, "PutParameter")
        self.written.append(arguments["Name"])
        return {"Version": 3}

    def delete_parameter(self, **arguments: Any) -> None:
        self.written.remove(arguments["Name"])


def test_a_denial_that_a_person_can_have_lost_is_an_error() -> None:
    client = RacingClient()
    with pytest.raises(ChangedError, match="at the same time"):
        change_deny_list(ParameterDocuments(client, "/podgraft"), SECOND, "CVE")
    assert client.written == ["/podgraft/denied"]


def test_a_command_changes_nothing_while_another_one_changes_the_list() -> None:
    """A repetition would not bring back a denial that it replaced."""
    client = RacingClient()
    storage = ParameterDocuments(client, "/podgraft")
    with storage.lock("denied"):
        client.is_locked = True
        with pytest.raises(ChangedError, match="another command changes denied"):
            change_deny_list(storage, SECOND, "CVE")
    assert client.written == []
