"""The man pages and completion scripts are current, complete, and valid."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import man_pages
from podgraft.cli.command_help import iter_options
from reference_pages import find_commands

FILES = man_pages.render_files()


@pytest.mark.parametrize("path", [*FILES])
def test_a_file_is_current(path: str, request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you change a command."""
    file = man_pages.FOLDER / path
    if request.config.getoption("--update-goldens"):
        file.write_text(FILES[path])
    assert file.read_text() == FILES[path]


def test_there_is_no_other_file() -> None:
    folder = man_pages.FOLDER
    kinds = {Path(name).parts[0] for name in FILES}
    found = [path for kind in kinds for path in (folder / kind).rglob("*")]
    paths = {str(path.relative_to(folder)) for path in found if path.is_file()}
    assert paths == set(FILES)


def test_each_command_and_option_is_on_a_page() -> None:
    text = "\n".join(FILES.values()).replace("\\-", "-")
    for name, command in find_commands():
        assert f"\\fB{name}\\fR " in text
        for option in iter_options(command):
            for flag in (each for each in option.opts if each.startswith("--")):
                assert f"\\fB{flag}\\fR" in text


@pytest.mark.parametrize("path", [path for path in FILES if path.endswith(".1")])
def test_groff_formats_a_page_without_a_warning(path: str) -> None:
    if shutil.which("groff") is None:
        pytest.skip("needs groff")
    text = FILES[path]
    if text.startswith(".so "):
        assert f"man/{text.split('/')[1].strip()}" in FILES
        return
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-P-cbou"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert re.search(r"^NAME\n +podgraft", done.stdout, re.MULTILINE)
