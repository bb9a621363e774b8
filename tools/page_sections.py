"""The parts of pages that scripts write, between two comments."""

from pathlib import Path


def replace_section(text: str, begin: str, end: str, content: str) -> str:
    """The text with new content between two marks."""
    before, found_begin, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise SystemExit(f"the marks {begin} and {end} are missing in the page; add them")
    return f"{before}{begin}\n\n{content}\n\n{end}{after}"


def write_section(page: Path, begin: str, end: str, content: str) -> None:
    """Write new content between two marks of a page."""
    text = page.read_text(encoding="utf-8")
    page.write_text(replace_section(text, begin, end, content), encoding="utf-8")
