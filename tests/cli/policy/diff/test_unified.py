"""``patch`` applies each diff: to any text, with or without a last line feed."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podgraft.cli.policy.diff.unified import format_diff

PATCH = shutil.which("patch")
# Lines that a diff could mistake for its own, and characters that Python takes for line breaks.
LINES = st.sampled_from(
    ["a", "b", "", "--- a", "+++ b", "@@ -1 +1 @@", "\\ No", "x\x0by", "\u2028"]
)


def join_lines(lines: list[str], end: str) -> str:
    return "\n".join(lines) + end


ENDS = st.sampled_from(["", "\n"])
FILES = st.builds(join_lines, st.lists(LINES, min_size=1), ENDS).filter(bool)
TEXTS: st.SearchStrategy[str | None] = st.none() | FILES


def apply_patch(folder: Path, diff: str) -> None:
    assert PATCH is not None
    done = subprocess.run(
        [PATCH, "-p1", "-s", "-E"],
        cwd=folder,
        input=diff.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode() + diff


@pytest.mark.skipif(PATCH is None, reason="the program patch is not installed")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(before=TEXTS, after=TEXTS)
def test_patch_applies_a_diff(before: str | None, after: str | None, tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.unlink(missing_ok=True)
    if before is not None:
        file.write_bytes(before.encode())
    diff = format_diff(before, after, "file.yaml")
    if before == after:
        assert diff == ""
        return
    apply_patch(tmp_path, diff)
    assert (file.read_bytes().decode() if file.exists() else None) == after


def test_a_path_with_spaces_ends_with_a_tab() -> None:
    diff = format_diff("a\n", "b\n", "my file.yaml")
    assert diff.splitlines()[:2] == ["--- a/my file.yaml\t", "+++ b/my file.yaml\t"]


def test_a_new_file_has_no_old_path() -> None:
    assert format_diff(None, "b", "f") == (
        "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n"
    )
