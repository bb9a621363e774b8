"""A comment of GitHub has a limit: the Markdown output ends with what it does not contain."""

import pytest

from podgraft.cli.policy.diff import formats

HEADING = "### Changes\n\n3 files change\n"
LIMIT = 1000


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ((100, 100, 100), 3),
        ((967, 1), 2),
        ((500, 500, 10), 1),
        ((2000, 10), 0),  # no later fold replaces one that is too long: the order is that of text
        ((10, 2000), 1),
        ((), 0),
    ],
)
def test_folds_are_omitted_from_the_end(
    sizes: tuple[int, ...], shown: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "MAX_MARKDOWN_CHARACTERS", LIMIT)
    folds = [f"{'x' * size}" for size in sizes]
    text = formats._join_folds(HEADING, folds)  # pyright: ignore[reportPrivateUsage]
    assert len(text) <= LIMIT
    assert text.startswith("\n".join((HEADING, *folds[:shown])))
    missing = len(folds) - shown
    if missing:
        assert f"**{missing} of {len(folds)} diffs are not shown**" in text
        assert text.endswith("run `podgraft diff` with `-o text`.\n")
    else:
        assert "not shown" not in text


def test_the_limit_leaves_room_in_a_comment_of_github() -> None:
    assert formats.MAX_MARKDOWN_CHARACTERS <= 65_536 - 1_000
