"""The build: pinned hashes, identical output, and no import of a module that is left out."""

import json
import marshal
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from playground_build import archive, bytecode, page, precompile, pyodide
from playground_build.examples import read_examples
from playground_build.failure import BuildError
from playground_build.modules import find_modules
from playground_build.zips import make_zip
from podgraft_playground.session import Session
from podgraft_playground.workspace import Input

ROOT = Path(__file__).parents[2]


def test_another_package_stops_the_build(tmp_path: Path) -> None:
    tarball = tmp_path / "pyodide.tgz"
    tarball.write_bytes(b"other")

    with pytest.raises(BuildError, match="expected integrity sha512-0YvXx"):
        pyodide.read_package(tmp_path, tarball)


def test_a_missing_package_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="No such file"):
        pyodide.read_package(tmp_path, tmp_path / "pyodide.tgz")


def test_without_npm_the_build_states_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", dict[str, str]().get)
    with pytest.raises(BuildError, match=r"install Node\.js with npm"):
        pyodide.read_package(tmp_path, None)


def test_an_import_of_a_module_that_is_left_out_stops_the_build() -> None:
    library = make_zip({"xml/__init__.py": b"", "json/__init__.py": b""})

    archive.check_imports(make_zip({"a.py": b"import json"}), library)
    with pytest.raises(BuildError, match=r"a\.py: imports xml"):
        archive.check_imports(make_zip({"a.py": b"def f():\n    import xml"}), library)
    with pytest.raises(BuildError, match=r"a\.py: imports xml"):
        archive.check_imports(make_zip({"a.py": b'x = import_module("xml").y'}), library)


def test_the_page_contains_the_modules_that_it_imports_and_no_other_command() -> None:
    files = {
        "page/api.py": b"from a.cli import one",
        "a/__init__.py": b"",
        "a/cli/__init__.py": b"",
        "a/cli/one.py": b"def f():\n    from .two import three\n    from .. import four",
        "a/cli/two/__init__.py": b"",
        "a/cli/two/three.py": b"import a.five.six",
        "a/four.py": b"",
        "a/five/__init__.py": b"",
        "a/five/six.py": b"from json import loads",
        "a/cli/other.py": b"import socket",
    }

    assert find_modules(files, "page/api.py") == files.keys() - {"a/cli/other.py"}


def test_bytecode_replaces_the_sources_that_it_comes_from() -> None:
    files = {"a.py": b"1", "b.py": b"2", "c.json": b"{}"}
    compiled = {"site/a.pyc": b"a", "library/b.pyc": b"b"}

    assert precompile.replace_sources(files, compiled, "site") == {
        "a.pyc": b"a",
        "b.py": b"2",
        "c.json": b"{}",
    }


def test_bytecode_is_smaller_than_plain_bytecode_and_does_the_same() -> None:
    source = b"""
from dataclasses import dataclass

@dataclass(frozen=True)
class Point:
    x: int

def move(point):
    first = point.x
    return Point(first / 0)
"""
    content = bytecode.compile_module(source, "point.py")
    code = marshal.loads(content[16:])  # noqa: S302 - made in the line above
    module: dict[str, Any] = {"__name__": "builtins"}
    exec(code, module)  # noqa: S102 - the compiled text is above

    assert module["Point"](1).x == 1
    assert module["Point"].__doc__ == "-"
    with pytest.raises(ZeroDivisionError) as raised:
        module["move"](module["Point"](1))
    assert raised.traceback[-1].lineno == 7  # of the function, from 0
    plain = compile(source, "point.py", "exec", dont_inherit=True, optimize=2)
    assert len(marshal.dumps(code)) < 0.97 * len(marshal.dumps(plain))


def test_a_page_that_is_too_large_stops_the_build(tmp_path: Path) -> None:
    files = {"large.gz": bytes(page.MAX_BYTES + 1)}

    with pytest.raises(BuildError, match="transfers 6,5"):
        page.write(ROOT, files, "", make_first(tmp_path / "s"), tmp_path / "page")


def test_zips_depend_on_their_content_only() -> None:
    assert make_zip({"a": b"1", "b": b"2"}) == make_zip({"b": b"2", "a": b"1"})


def make_first(folder: Path) -> Any:
    """The recorded result, from this Python; the build takes it from that of the page."""
    given = Input(**page.make_input(read_examples(ROOT)["istio"]))
    return {"answer": Session(folder).review(given)}


def test_two_builds_are_identical(tmp_path: Path) -> None:
    builds: list[dict[str, bytes]] = []
    for name in ("first", "second"):
        folder = tmp_path / name
        files = {"site.zip": b"zip", "pyodide.mjs": b"1"}
        page.write(ROOT, files, "licenses", make_first(tmp_path / "s"), folder)
        builds.append(
            {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*")}
        )

    assert builds[0] == builds[1]
    index = builds[0]["index.html"].decode()
    assert page.CONTENT_SECURITY_POLICY in index
    assert re.findall("@[A-Z]+@", index) == []
    assert '<span id="word">Injected</span>' in index
    assert "The policy is <code>enabled</code>" in index
    worker = builds[0]["sw.js"].decode()
    assert json.dumps(page.CONTENT_SECURITY_POLICY) in worker


def test_a_build_replaces_only_a_playground(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("text")

    with pytest.raises(BuildError, match="use an empty folder"):
        page.write(ROOT, {}, "", {}, tmp_path)
    assert (tmp_path / "thesis.txt").exists()
