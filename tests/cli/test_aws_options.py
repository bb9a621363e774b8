"""The region of a session is that of aws-cli, and a command has one session for each region."""

import click
import pytest

from podgraft.cli import aws_options


@pytest.mark.parametrize(
    ("region", "default", "expected"),
    [
        ("eu-west-1", None, "eu-west-1"),
        ("eu-west-1", "eu-north-1", "eu-west-1"),
        (None, "eu-north-1", "eu-north-1"),
        (None, None, None),
    ],
)
def test_the_region_of_the_environment(
    region: str | None, default: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    for name, value in (("AWS_REGION", region), ("AWS_DEFAULT_REGION", default)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert aws_options.make_session().region_name == expected


def test_a_command_has_one_session_for_each_profile_and_region(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with click.Context(click.Command("outer")) as outer, click.Context(outer.command, outer):
        session = aws_options.make_session()
        assert aws_options.make_session() is session
        with aws_options.use_region("eu-west-1"):
            other = aws_options.make_session()
            assert other.region_name == "eu-west-1"
            assert aws_options.make_session() is other
        assert aws_options.make_session() is session
    with click.Context(outer.command):
        assert aws_options.make_session() is not session
