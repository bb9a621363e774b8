"""``tokens list --used``: the last use of each token, from the lines of the log."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from podgraft.base import system
from podgraft.cli import main, stacks
from podgraft.service.store.caller_document import identify_token
from support.aws_account import start_account_with_bucket
from support.insights import InsightsClient

STACK = ("--config", "stack:podgraft-dev")


def test_the_list_has_the_last_use_of_each_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with start_account_with_bucket("bundles-used", documents=2, logGroup="/aws/lambda/a"):
        for cluster in "ab":
            words = ("issue", "--cluster", cluster, "--output", f"{cluster}.token")
            assert main(["tokens", *words, *STACK]) == 0
        used = identify_token(Path("a.token").read_text().strip())
        day = f"{system.now() - timedelta(days=1):%Y-%m-%d}"
        lines: list[dict[str, Any]] = [
            {"message": "review", "timestamp": f"{day} 00:00:0{n},000+0000", "token_id": used}
            for n in (0, 2, 1)
        ]
        client = InsightsClient([*lines, {**lines[0], "token_id": ""}])
        make: Callable[[str], Any] = stacks.make_client

        def make_client(name: str) -> Any:
            return client if name == "logs" else make(name)

        def skip(seconds: float) -> None:
            del seconds

        monkeypatch.setattr(stacks, "make_client", make_client)
        monkeypatch.setattr(system, "sleep", skip)
        capsys.readouterr()
        assert main(["tokens", "list", "--used", *STACK]) == 0
        first, second = capsys.readouterr().out.splitlines()
        assert first.endswith(f"used {day} 00:00:02,000+0000")
        assert second.endswith("not used")
        assert main(["tokens", "list", "--used", "-o", "json", *STACK]) == 0
        a, b = json.loads(capsys.readouterr().out)
        assert a["tokens"][0]["lastUsed"] == f"{day} 00:00:02,000+0000"
        assert b["tokens"][0]["lastUsed"] is None


def test_a_stack_of_a_version_without_a_log_group_is_deployed_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with start_account_with_bucket("bundles-used", documents=2):
        assert main(["tokens", "list", "--used", *STACK]) == 1
    assert "--used: the stack names no log group; deploy it again" in capsys.readouterr().err


def test_serve_has_no_such_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tokens", "list", "--used", "--config", str(tmp_path)]) == 1
    assert "--used: podgraft serve writes its own log" in capsys.readouterr().err
