"""The parts of pages that scripts write."""

from pathlib import Path

import pytest

from page_sections import write_section


def test_a_section_is_replaced_and_the_rest_of_the_page_remains(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- b -->\nold\n<!-- e -->\nz")
    write_section(page, "<!-- b -->", "<!-- e -->", "new")
    assert page.read_text() == "a\n<!-- b -->\n\nnew\n\n<!-- e -->\nz"


def test_missing_marks_change_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a <!-- b -->")
    with pytest.raises(SystemExit, match="the marks <!-- b --> and <!-- e --> are missing"):
        write_section(page, "<!-- b -->", "<!-- e -->", "new")
    assert page.read_text() == "a <!-- b -->"
