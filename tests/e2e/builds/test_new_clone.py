"""README in a new clone, without an environment: its first commands install what they need."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.builds.layer import LAYERS
from support.programs import write_shell_program
from support.repository_pages import PageCommand, read_steps

ROOT = LAYERS.parent
_PRINTED = (
    "creating .venv with what the demo needs",
    "podgraft listens on https://",
    "JSON Patch",
    "injected, decided by ",
)


@pytest.mark.parametrize("has_pip", [True, False])
def test_the_first_commands_of_readme_work(has_pip: bool, tmp_path: Path) -> None:
    if "PODGRAFT_E2E_BUILDS" not in os.environ:
        pytest.skip("downloads wheels; run make e2e-builds")
    clone = tmp_path / "podgraft"
    listed = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split():
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    steps = read_steps((clone / "README.md").read_text())
    lines = [step.line for step in steps if isinstance(step, PageCommand)][:3]
    assert [line.split()[0] for line in lines] == ["make", ".", "podgraft"]
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)],
        cwd=clone,
        env=_make_environment(tmp_path, has_pip=has_pip),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    for text in _PRINTED:
        assert text in done.stdout
    assert has_pip or [*(clone / ".tools").glob("pip-*.whl")]


def _make_environment(home: Path, *, has_pip: bool) -> dict[str, str]:
    """The environment of this process, with another home, and this Python as python3.

    Without its packages, it has no pip, as on Debian and Ubuntu.
    """
    programs = home / "bin"
    programs.mkdir()
    python = programs / "python3"
    if has_pip:
        python.symlink_to(Path(sys.executable).resolve())
    else:
        write_shell_program(python, f'exec "{Path(sys.executable).resolve()}" -S "$@"')
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "PYTHON", "VIRTUAL_ENV"))
    }
    return kept | {"HOME": str(home), "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin"}
