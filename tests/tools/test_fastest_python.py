"""The choice of the Python for the benchmarks."""

import sys
from pathlib import Path

import fastest_python
from support.programs import write_shell_program


def test_the_fastest_python_is_chosen_only_for_a_gain() -> None:
    assert fastest_python.choose({"a": 1.0, "b": 0.8}, "a") == "b"
    assert fastest_python.choose({"a": 1.0, "b": 0.95}, "a") == "a"
    assert fastest_python.choose({"b": 0.95}, "a") == "b"
    assert fastest_python.choose({}, "a") == "a"


def test_each_program_is_a_candidate_once(tmp_path: Path) -> None:
    program = tmp_path / "python3"
    program.symlink_to(sys.executable)
    (tmp_path / "python3.11").symlink_to(program)
    (tmp_path / "python3.12").write_text("not a program")
    found = [
        each for each in fastest_python.find_candidates(str(tmp_path)) if str(tmp_path) in each
    ]
    assert found == [str(program)]


def test_a_program_that_cannot_be_used_is_left_out(tmp_path: Path) -> None:
    broken = tmp_path / "python3"
    write_shell_program(broken, "exit 1")
    measured = fastest_python.measure_all([str(broken), sys.executable])
    assert list(measured) == [sys.executable]
    assert 0 < measured[sys.executable] < 1
