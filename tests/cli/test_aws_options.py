"""The region of a session is that of aws-cli."""

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
