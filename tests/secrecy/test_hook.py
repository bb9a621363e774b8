"""The plugin itself: a test that gets a secret written fails, however it looks at what it wrote."""

import os
import re
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from secrecy.known_secrets import SECRETS, find_secrets

ROOT = Path(__file__).parents[2]
# The plant is put together, so that tracebacks of this program hold no secret either.
PROGRAM = """\
import base64, logging, os, subprocess, sys, warnings
import pytest

PLANT = "pla" + "nted"
SHOUT = [sys.executable, "-c", f"import sys; print('{PLANT}', file=sys.stderr)"]

def test_leaks_unread():
    print(PLANT)

def test_leaks_to_standard_error(capsys):
    print(PLANT, file=sys.stderr)
    assert PLANT in capsys.readouterr().err

def test_leaks_and_reads(capsys):
    print(PLANT)
    assert capsys.readouterr().out

def test_leaks_past_python(capfd):
    os.write(2, PLANT.encode())
    assert capfd.readouterr().err

def test_leaks_bytes(capfdbinary):
    os.write(1, PLANT.encode())
    assert capfdbinary.readouterr().out

def test_leaks_in_base64(capsys):
    print(base64.b64encode(f"a:{PLANT} password".encode()).decode())
    assert capsys.readouterr().out

def test_leaks_through_a_process():
    assert PLANT in subprocess.run(SHOUT, capture_output=True, text=True, check=True).stderr

def test_leaks_through_a_process_that_is_waited_for():
    with subprocess.Popen(SHOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.communicate()[0]

def test_leaks_to_the_log():
    logging.getLogger("a").warning(PLANT)

def test_leaks_to_the_log_and_clears_it(caplog):
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("a").debug(PLANT)
    caplog.clear()

def test_leaks_a_traceback(capsys):
    try:
        raise RuntimeError(PLANT)
    except RuntimeError:
        logging.getLogger("a").exception("oh")

@pytest.fixture
def late():
    yield
    print(PLANT)

def test_leaks_at_the_end(late):
    pass

@pytest.fixture
def early():
    print(PLANT)

def test_leaks_at_the_beginning(early):
    pass

def test_is_silent(capsys):
    print("plant")
    assert capsys.readouterr().out

@pytest.mark.shows_secrets("asked for")
def test_is_asked_for(capsys):
    print(PLANT)
    assert capsys.readouterr().out

@pytest.mark.shows_secrets("asked for, and nobody looks")
def test_leaks_what_nobody_asked_for():
    print(PLANT)

def test_is_silent_after_a_loud_one(capsys):
    assert not capsys.readouterr().out
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What became of each test of the program."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_suite.py").write_text(PROGRAM)
    path = os.pathsep.join(str(ROOT / part) for part in ("tests", "layers/engine"))
    options = ("-p", "secrecy.hook", "-p", "no:cacheprovider", "-rA", "-q", "--tb=no")
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, "test_suite.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()  # which shows what the tests wrote: nothing for our own plugin
    told = re.findall(r"^(PASSED|FAILED|ERROR) test_suite.py::(\w+)", said, re.MULTILINE)
    return {name: outcome for outcome, name in told}


def test_only_leaking_tests_fail(outcomes: dict[str, str]) -> None:
    names = re.findall(r"def (test_\w+)", PROGRAM)
    assert outcomes.keys() == set(names)
    for name in names:
        assert (outcomes[name] != "PASSED") is name.startswith("test_leaks"), name


def test_only_this_package_can_permit_a_secret() -> None:
    mark = "mark." + "shows_secrets"
    given = {path for path in (ROOT / "tests").rglob("*.py") if mark in path.read_text()}
    assert {path.parent.name for path in given} == {"secrecy"}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_found_in_every_form(name: str) -> None:
    secret = SECRETS[name]
    data = f"user:{secret}:x".encode()
    for text in (
        secret,
        f'{{"a": "x{secret}x"}}',
        data.hex(),
        *(b64encode(b"-" * before + data).decode() for before in range(3)),
    ):
        assert name in find_secrets(text), text
    assert find_secrets("nothing of the kind") == []
