"""``podgraft policy delete``: only after the name of the injector."""

from pathlib import Path

import pytest

from support.policy_account import NAME, REMOTE, Account, Run, answer_prompts, set_tag


@pytest.fixture
def pushed(run: Run, local: Path, account: Account) -> Account:
    assert run("push", str(local), *REMOTE).status == 0
    set_tag(local, "1.30.1")
    assert run("push", str(local), *REMOTE).status == 0
    return account


@pytest.mark.parametrize(("text", "status"), [("shop", 0), ("y", 1), ("Shop", 1)])
def test_the_name_confirms(
    run: Run, pushed: Account, monkeypatch: pytest.MonkeyPatch, text: str, status: int
) -> None:
    answer_prompts(monkeypatch, text)
    result = run("delete", *REMOTE)
    assert result.status == status
    assert "with 2 versions" in result.out
    assert (pushed.versions() == []) is (pushed.object_keys() == []) is (status == 0)
    if status:
        assert result.err == "error: not confirmed; nothing is deleted\n"


def test_bundles_can_remain(run: Run, pushed: Account) -> None:
    assert run("delete", *REMOTE, "--yes", "--keep-bundles").status == 0
    assert (pushed.versions(), len(pushed.object_keys())) == ([], 4)


def test_a_deleted_injector_can_be_pushed_again(run: Run, local: Path, pushed: Account) -> None:
    assert run("delete", *REMOTE, "--yes").status == 0
    assert run("push", str(local), *REMOTE, "--expect-version", "0").status == 0
    assert len(pushed.versions()) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--expect-version", "1"), "expected version 1, got version 2"),
        (("--injector", "other"), "injector other has no policy"),
    ],
)
def test_what_is_not_deleted(
    run: Run, pushed: Account, more: tuple[str, ...], message: str
) -> None:
    result = run("delete", *REMOTE, "--yes", *more)
    assert (result.status, message in result.err) == (1, True)
    assert (len(pushed.versions()), len(pushed.object_keys())) == (2, 4)


def test_a_policy_that_was_created_again_meanwhile_is_not_deleted(
    run: Run, pushed: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its versions count from 1 again, so the number of the newest one can be the same."""

    def answer(*_: object, **__: object) -> str:
        pushed.ssm.delete_parameter(Name=NAME)
        for document in ("policy: enabled\n", "policy: disabled\n"):
            pushed.put(document)
        return "shop"

    monkeypatch.setattr("click.prompt", answer)
    result = run("delete", *REMOTE)
    assert (result.status, "was deleted, and created again by" in result.err) == (1, True)
    assert (len(pushed.versions()), len(pushed.object_keys())) == (2, 4)
