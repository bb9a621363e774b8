"""Each package that podgraft ships has an accepted license, and docs/licenses.md lists it."""

from email.message import Message
from pathlib import Path

import pytest

import licenses as page
from supply_chain.licenses import LicenseError, check_license, identify_license
from supply_chain.packages import PackageError
from supply_chain.pins import read_pins

ROOT = Path(__file__).parents[3]
APACHE = "License :: OSI Approved :: Apache Software License"
BSD = "License :: OSI Approved :: BSD License"


def make_metadata(*fields: tuple[str, str]) -> Message:
    message = Message()
    for name, value in fields:
        message[name] = value
    return message


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you change a lock."""
    expected = page.render_page(ROOT)
    if request.config.getoption("--update-goldens"):
        page.PAGE.write_text(expected)
    assert page.PAGE.read_text() == expected


def test_the_page_lists_every_package_that_ships() -> None:
    text = page.PAGE.read_text()
    for lock in (page.LAYERS, page.PLAYGROUND):
        for pin in read_pins(ROOT / lock):
            assert f"\n| {pin.name} | {pin.version} | " in text
    for name in ("cryptography", "gunicorn", "pyodide"):
        assert f"\n| {name} | " in text


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([("License-Expression", "mit")], "MIT"),
        ([("License-Expression", "Apache-2.0 OR BSD-3-Clause")], "Apache-2.0 OR BSD-3-Clause"),
        ([("License-Expression", "ISC"), ("License", "MIT"), ("Classifier", APACHE)], "ISC"),
        ([("License", "MIT")], "MIT"),
        ([("License", "Apache License 2.0")], "Apache-2.0"),
        ([("License", "see LICENSE"), ("Classifier", APACHE)], "Apache-2.0"),
        ([("Classifier", "Topic :: Internet"), ("Classifier", APACHE)], "Apache-2.0"),
    ],
)
def test_the_license_is_that_of_the_metadata(fields: list[tuple[str, str]], expected: str) -> None:
    assert identify_license("some", make_metadata(*fields)) == expected


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([], "some: the metadata do not name one license; read the text"),
        ([("License", "BSD"), ("Classifier", BSD)], "do not name one license"),
        ([("License", "Copyright\n text")], "do not name one license"),
        ([("License-Expression", "GPL-3.0-only")], "license GPL-3.0-only is not accepted; replace"),
        ([("License-Expression", "MIT AND (AGPL-3.0-only OR MIT)")], "AGPL-3.0-only is not acc"),
        ([("License-Expression", "LicenseRef-Own")], "LicenseRef-Own is not accepted"),
    ],
)
def test_an_unknown_license_is_an_error(fields: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(LicenseError, match=message.replace("(", r"\(")):
        identify_license("some", make_metadata(*fields))


def test_a_text_that_was_read_replaces_ambiguous_metadata() -> None:
    assert identify_license("jinja2", make_metadata(("Classifier", BSD))) == "BSD-3-Clause"
    check_license("some", "MIT OR (Apache-2.0 AND ISC)")


def test_the_page_describes_only_the_locked_versions(tmp_path: Path) -> None:
    (tmp_path / "lock.txt").write_text("flask==0.1\n")
    with pytest.raises(PackageError, match=r"flask: expected 0\.1 of lock\.txt, got .* make setup"):
        page.list_packages(tmp_path, "lock.txt")
    (tmp_path / "lock.txt").write_text("not-installed-here==0.1\n")
    with pytest.raises(PackageError, match="not-installed-here: is not installed; run make setup"):
        page.list_packages(tmp_path, "lock.txt")


def test_the_program_writes_the_page_or_reports_the_license(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "ROOT", tmp_path)
    monkeypatch.setattr(page, "PAGE", tmp_path / "licenses.md")

    def render(_root: Path) -> str:
        return "text"

    monkeypatch.setattr(page, "render_page", render)
    assert page.main() == 0
    assert ((tmp_path / "licenses.md").read_text(), capsys.readouterr().out) == (
        "text",
        "licenses.md\n",
    )

    def fail(_root: Path) -> str:
        raise LicenseError("some: unknown")

    monkeypatch.setattr(page, "render_page", fail)
    assert page.main() == 1
    assert capsys.readouterr().err == "licenses: some: unknown\n"
