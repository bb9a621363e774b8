"""The section of a release in CHANGELOG.md."""

import re

UNRELEASED = "Unreleased"
_PAGE = re.compile(r"\]\(docs/([\w/-]+)\.md(#[\w-]+)?\)")


class ChangelogError(ValueError):
    """A changelog without the section."""


def extract_section(text: str, version: str) -> str:
    """The text below ``## VERSION`` or ``## VERSION (DATE)``; raises ``ChangelogError``.

    The brackets of Keep a Changelog are optional. Links lead to the site, because the notes of a
    release are not in the repository.
    """
    title = re.compile(rf"^## \[?{re.escape(version)}\]?(?=\s|$).*$", re.MULTILINE)
    match = title.search(text)
    if match is None:
        remedy = f'rename "## {UNRELEASED}", or add "## {version}"'
        raise ChangelogError(f"CHANGELOG.md: no section for {version}; {remedy}")
    rest = text[match.end() :]
    end = re.search(r"^## ", rest, re.MULTILINE)
    section = (rest[: end.start()] if end else rest).strip()
    if not section:
        raise ChangelogError(f"CHANGELOG.md: the section {version} is empty; describe the changes")
    return _PAGE.sub(r"](https://podgraft.dev/\1/\2)", f"{section}\n")
