"""A run counts what it tries, stores and shortens what it finds, and writes its table."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import fuzz.__main__
import fuzz.page
from fuzz import campaign
from fuzz.byte_source import ByteRandom
from fuzz.harness import HARNESSES, Harness, check_claim, find_harness
from fuzz.page import BEGIN, END, PAGE
from page_sections import replace_section

ROOT = Path(__file__).parents[2]


def make_harness(monkeypatch: pytest.MonkeyPatch, needle: bytes) -> Harness:
    """A harness for which each input with a needle breaks the claim."""

    def run(data: bytes) -> str:
        check_claim(needle not in data, "there is a needle", data)
        return "fine"

    monkeypatch.setattr("fuzz.claims.selectors.fuzz", run)
    return find_harness("selectors")


def test_equal_bytes_make_equal_choices_and_other_bytes_others() -> None:
    def choices(data: bytes) -> list[object]:
        random = ByteRandom(data)
        return [random.randrange(1000), random.random(), random.sample(range(50), 5)]

    assert choices(b"\x01\x02\x03") == choices(b"\x01\x02\x03")
    assert choices(b"\x01\x02\x03") != choices(b"\x01\x02\x04")
    assert choices(b"") == choices(b"")


def test_a_choice_reads_its_own_bytes_only() -> None:
    first, second = ByteRandom(b"\x05" * 20), ByteRandom(b"\x05" * 8 + b"\x09" * 12)
    assert [first.randrange(7) for _ in range(8)] == [second.randrange(7) for _ in range(8)]
    assert first.randrange(7) != second.randrange(7)


def test_a_run_stores_a_short_input_and_its_seed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    harness = make_harness(monkeypatch, b"\x07")
    (progress,) = campaign.run([harness], 2.0, 1)

    assert len(progress.findings) == campaign.MAX_FINDINGS
    finding = progress.findings[0]
    assert finding.data == b"\x07"
    assert b"\x07" in campaign.make_input(harness, finding.seed)
    assert "there is a needle" in finding.error
    (path, *_) = campaign.store_findings(progress, tmp_path)
    assert path.read_bytes() == b"\x07"


def test_an_exception_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(data: bytes) -> str:
        return str(1 // len(data[:0]))

    monkeypatch.setattr("fuzz.claims.selectors.fuzz", run)
    (progress,) = campaign.run([find_harness("selectors")], 1.0, 1, shorten=False)
    assert "ZeroDivisionError" in progress.findings[0].error


def test_a_run_without_findings_counts_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = make_harness(monkeypatch, b"\x07" * 200)
    (progress,) = campaign.run([harness], 0.2, 5)
    assert progress.tried == progress.outcomes["fine"] > 0
    assert progress.next_seed == 5 + progress.tried


def test_the_table_replaces_only_its_section() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    progress = [campaign.Progress(each, 1, tried=1500) for each in HARNESSES.values()]
    progress[0].outcomes.update({"injected": 3, "skipped": 1})
    table = fuzz.page.render_table(progress, 60, date(2026, 11, 22), live=False)
    written = replace_section(page, BEGIN, END, table)

    assert written.startswith(f"before\n{BEGIN}\n\nLast run: 2026-11-22, 60 s")
    assert written.endswith(f"\n\n{END}\nafter\n")
    assert "15,000 inputs, 0 findings" in written
    assert "| 1,500 | 0 | 0 | injected 75 %, skipped 25 % |" in written


def test_the_page_has_a_row_for_each_harness() -> None:
    text = PAGE.read_text(encoding="utf-8")
    _, _, rest = text.partition(BEGIN)
    section, _, _ = rest.partition(END)
    for harness in HARNESSES.values():
        assert f"| `{harness.name}` | {harness.claim} |" in section


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--harness", "nope"], "invalid choice"),
        (["--input", "x"], "no harness is selected"),
        (["--write-docs", "--harness", "cel"], "the table has all harnesses"),
    ],
)
def test_an_impossible_option_is_an_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        fuzz.__main__.main(arguments)
    assert message in capsys.readouterr().err


def test_the_command_prints_tried_found_and_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.__main__.main(["--seconds", "0.3", "--harness", "selectors", "--seed", "7"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("selectors ")
    assert " tried, 0 found, seeds 7.." in printed


def test_without_atheris_its_adapter_states_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['atheris'] = None; import fuzz.atheris as a; "
        "sys.exit(a.main(['selectors']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "atheris: cannot be imported" in done.stderr
    assert "pip install atheris" in done.stderr


def test_every_harness_is_part_of_the_oss_fuzz_project() -> None:
    build = (ROOT / "tests" / "fuzz" / "oss-fuzz" / "build.sh").read_text(encoding="utf-8")
    assert "fuzz.harness" in build
    assert sorted(path.name for path in (ROOT / "tests" / "fuzz" / "oss-fuzz").iterdir()) == [
        "Dockerfile",
        "README.md",
        "build.sh",
        "fuzz_harness.py",
        "project.yaml",
    ]
