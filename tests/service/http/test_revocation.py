"""A revoked token ends in each environment of the function within the refresh interval and 2 s."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from podgraft.base import system
from podgraft.cli import main
from podgraft.service.store.caller_document import identify_token
from service.http.test_handler import event, load_handler
from support.aws_account import deploy_stack, open_account
from support.machines import use_machine
from support.store_fixture import PATH_TOKEN

STACK, BUCKET = ("--config", "stack:podgraft-dev"), "bundles-of-revocations"
SAMPLE = Path(__file__).parents[3] / "samples" / "istio"
REFRESH_SECONDS, MARGIN_SECONDS = 30, 2


class LaterMachine(system.Machine):
    """A machine that is ``seconds`` ahead."""

    seconds = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.seconds

    def wall_seconds(self) -> float:
        return super().wall_seconds() + self.seconds


@pytest.fixture
def machine() -> Generator[LaterMachine]:
    later = LaterMachine()
    with use_machine(later):
        yield later


@pytest.fixture
def review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[dict[str, Any]]:
    """A review with the token of prod-eu, of a stack with a bundle."""
    monkeypatch.chdir(tmp_path)
    with open_account() as session:
        deploy_stack(session, "podgraft-dev", BUCKET, guard={"documents": 2})
        for name, value in (
            ("STORE", "aws"),
            ("BUCKET", BUCKET),
            ("PARAMETER_PREFIX", "/podgraft-dev"),
            ("REFRESH_SECONDS", str(REFRESH_SECONDS)),
        ):
            monkeypatch.setenv(f"PODGRAFT_{name}", value)
        assert main(["push", str(SAMPLE), "--injector", "default", *STACK]) == 0
        issued = ["tokens", "issue", "--cluster", "prod-eu", "--output", "token"]
        assert main([*issued, *STACK]) == 0
        text = json.dumps(event("token-in-path"))
        yield json.loads(text.replace(PATH_TOKEN, Path("token").read_text().strip()))


@pytest.mark.parametrize("has_registry", [False, True])
def test_a_revoked_token_ends_in_every_environment(
    review: dict[str, Any], machine: LaterMachine, has_registry: bool
) -> None:
    if has_registry:
        assert main(["fleet", "adopt", *STACK]) == 0
        assert main(["fleet", "adopt", "--finish", *STACK]) == 0
    environments: list[Any] = []
    for seconds in (0, 11, 29):
        machine.seconds = seconds
        environments.append(load_handler())
        assert {each(review, None)["statusCode"] for each in environments} == {200}
    silent = load_handler()
    assert silent(review, None)["statusCode"] == 200
    token = identify_token(Path("token").read_text().strip())
    assert main(["tokens", "revoke", token, "--cluster", "prod-eu", *STACK]) == 0
    revoked, accepted = machine.seconds, [0.0 for _ in environments]
    assert load_handler()(review, None)["statusCode"] == 401
    for second in range(REFRESH_SECONDS + MARGIN_SECONDS + 1):
        machine.seconds = revoked + second
        for index, each in enumerate(environments):
            if each(review, None)["statusCode"] == 200:
                accepted[index] = second
    assert max(accepted) < REFRESH_SECONDS + MARGIN_SECONDS
    assert max(accepted) > 0  # the cache had the token
    assert silent(review, None)["statusCode"] == 401
