"""The table of skipped tests: it fails if a test was executed by no target of the run."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import check_skips
from podgraft.service.settings import parse_settings
from support import outcome_log

TESTS = """
import pytest

pytestmark = pytest.mark.filterwarnings("default")


def test_that_runs(): ...
def test_that_fails(): assert False
def test_that_skips(): pytest.skip("needs\\nSAM")
@pytest.mark.skipif(True, reason="needs Go")
def test_that_is_marked(): ...
@pytest.mark.parametrize("case", [])
def test_without_cases(case): ...
@pytest.mark.xfail
def test_that_is_expected_to_fail(): assert False
@pytest.fixture
def server(): pytest.skip("needs a server")
def test_with_a_server(server): ...
def test_that_is_omitted(): ...
"""
SKIPS = {
    "test_a.py::test_that_skips": "needs",
    "test_a.py::test_that_is_marked": "needs Go",
    "test_a.py::test_with_a_server": "needs a server",
    "test_b.py": "needs a package",
}


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "workers"])
def test_the_record_contains_each_test_of_a_target(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "test_a.py").write_text(TESTS)
    (tmp_path / "test_b.py").write_text(
        "import pytest\npytest.skip('needs a package', allow_module_level=True)\n"
    )
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "support.outcome_log", *options),
            *("-k", "not omitted", "-c", os.devnull, "--rootdir", "."),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "TEST_OUTCOMES": str(tmp_path / "outcomes"),
            "TEST_TARGET": "test",
        },
        capture_output=True,
        check=False,
    )
    run = check_skips.read_run(tmp_path / "outcomes", ["test"])

    assert set(run.ran) == {
        f"test_a.py::test_that_{name}" for name in ("runs", "fails", "is_expected_to_fail")
    }
    found = {test: why for (test, target), why in run.skipped.items() if target == "test"}
    empty = [test for test in found if "test_without_cases" in test]
    assert "got empty parameter set" in found.pop(*empty)
    assert found == SKIPS
    assert run.deselected == {"test_a.py::test_that_is_omitted"}


def write_record(
    folder: Path,
    target: str,
    *ran: str,
    skipped: Mapping[str, str] | None = None,
    deselected: tuple[str, ...] = (),
) -> None:
    record = {"target": target, "ran": ran, "skipped": skipped or {}, "deselected": deselected}
    (folder / f"{target}-1.json").write_text(json.dumps(record))


def check(folder: Path, *targets: str, may_skip: str = "") -> int:
    (folder / "may_skip.txt").write_text(may_skip)
    return check_skips.main([str(folder), *targets, "--may-skip", str(folder / "may_skip.txt")])


def test_another_target_executes_what_one_skips(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skipped = {"a.py::x": "run make e2e-aws", "a.py::y": "run make e2e-aws"}
    write_record(tmp_path, "test", "b.py::z", skipped=skipped, deselected=("c.py::long",))
    write_record(tmp_path, "e2e-aws", "a.py::x", "a.py::y")

    assert check(tmp_path, "test", "e2e-aws") == 0
    assert capsys.readouterr().out == (
        "tests  skipped by  reason            executed by\n"
        "2      test        run make e2e-aws  e2e-aws\n"
        "3 tests were executed; 1 long tests were not: make test-all\n"
    )


def test_a_skip_that_no_target_executes_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_record(tmp_path, "test", "b.py::z", skipped={"a.py::x": "no corpus"})
    write_record(tmp_path, "e2e-aws", "a.py::other", skipped={"a.py::x": "no corpus"})

    assert check(tmp_path, "test", "e2e-aws") == 1
    printed = capsys.readouterr()
    assert "1      test        no corpus  NONE\n" in printed.out
    assert printed.err == "error: a.py::x: no target executes it: no corpus\n"


@pytest.mark.parametrize(
    ("lacks", "status"),
    [("nosuchprogram", 0), ("$PODGRAFT_NOT_SET", 0), ("python3", 1), ("$PODGRAFT_SET", 1)],
)
def test_a_permission_holds_while_the_machine_lacks_what_it_names(
    lacks: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python3").write_text("")
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PODGRAFT_SET", "1")
    write_record(tmp_path, "test", "b.py::z", skipped={"a.py::x": "needs it"})

    assert check(tmp_path, "test", may_skip=f"# why\n\na.py | {lacks} | make x\n") == status


@pytest.mark.parametrize(
    ("targets", "may_skip", "problem"),
    [
        (("test", "e2e-aws"), "", "no test of e2e-aws"),
        (("test",), "gone.py | go | make x", "gone.py: no such test in this run"),
        (("test",), "a.py | go", "may_skip.txt:1: expected tests"),
    ],
)
def test_an_invalid_record_or_list_fails_the_run(
    targets: tuple[str, ...],
    may_skip: str,
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_record(tmp_path, "test", "a.py::x")
    write_record(tmp_path, "e2e-aws", skipped={"a.py::x": "no SAM"})

    assert check(tmp_path, *targets, may_skip=may_skip) == 1
    assert problem in capsys.readouterr().err


def test_the_variables_of_a_record_are_no_settings(tmp_path: Path) -> None:
    """Tests start servers with the variables of make, and podgraft rejects unknown settings."""
    variables = {outcome_log.FOLDER: "outcomes", outcome_log.TARGET: "test"}

    assert parse_settings({"PODGRAFT_STORE": f"file:{tmp_path}", **variables})
