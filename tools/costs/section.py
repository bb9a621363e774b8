"""The sections of pages that a script writes, between two comments with its name."""

from pathlib import Path


def write_section(page: Path, script: str, text: str) -> None:
    """Replace the text between the comments of *script* in a page."""
    start, end = f"<!-- {script} -->\n", f"<!-- /{script} -->\n"
    before, _, rest = page.read_text().partition(start)
    page.write_text(f"{before}{start}\n{text}\n\n{end}{rest.partition(end)[2]}")
