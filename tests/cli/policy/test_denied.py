"""Two commands that change the deny list at the same time."""

from __future__ import annotations

from typing import Any

import pytest

from podgraft.cli.policy.denied import change_deny_list
from podgraft.cli.storage import ChangedError
from podgraft.cli.storage.parameters import ParameterDocuments

FIRST, SECOND = "sha256:" + "1" * 64, "sha256:" + "2" * 64


class RacingClient:
    """Parameter Store, in which another command writes between the read and the write."""

    def get_parameter(self, **_: Any) -> dict[str, Any]:
        return {"Parameter": {"Value": f"{FIRST}: old\n", "Version": 1}}

    def put_parameter(self, **_: Any) -> dict[str, Any]:
        return {"Version": 3}


def test_a_denial_that_another_command_can_have_lost_is_an_error() -> None:
    with pytest.raises(ChangedError, match="at the same time"):
        change_deny_list(ParameterDocuments(RacingClient(), "/podgraft"), SECOND, "CVE")
