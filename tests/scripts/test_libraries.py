"""Candidates exchange modules that exist, sign as the product does, and stand on the page."""

import datetime as dt
from pathlib import Path
from typing import Any

import botocore.auth
import pytest

from libraries.candidates import CANDIDATES, Candidate, build_candidate
from libraries.processes import INIT, ratio
from measure_libraries import BEGIN, END, PAGE, render_table
from podgraft.store.aws import sigv4

ROOT = Path(__file__).parents[2]
NAMES = [each.name for each in CANDIDATES]


@pytest.mark.parametrize("candidate", CANDIDATES, ids=NAMES)
def test_a_candidate_exchanges_modules_that_exist(candidate: Candidate) -> None:
    changed = {**candidate.appended, **candidate.replaced}
    assert changed or candidate.revision or candidate.layer == "plain"
    for name, text in changed.items():
        compile(text, name, "exec")
        if name.startswith("podgraft/") and not candidate.revision:
            assert (ROOT / "layers" / "engine" / name).is_file()


def test_a_candidate_is_the_product_but_for_its_modules(tmp_path: Path) -> None:
    product = tmp_path / "product"
    (product / "python" / "podgraft").mkdir(parents=True)
    (product / "handler.py").write_text("")
    for name in ("same", "longer", "other"):
        (product / "python" / "podgraft" / f"{name}.py").write_text("A = 1\n")
    candidate = Candidate(
        name="c",
        instead_of="p",
        decision="d",
        appended={"podgraft/longer.py": "B = 2\n"},
        replaced={"podgraft/other.py": "C = 3\n"},
    )
    made = build_candidate(candidate, product, tmp_path / "made") / "python" / "podgraft"
    assert {path.stem: path.read_text() for path in made.glob("*.py")} == {
        "same": "A = 1\n",
        "longer": "A = 1\nB = 2\n",
        "other": "C = 3\n",
    }


def test_botocore_signs_as_the_product_does(monkeypatch: pytest.MonkeyPatch) -> None:
    now = dt.datetime(2026, 11, 22, 6, 0, 0, tzinfo=dt.UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: now)
    [text] = [each.appended for each in CANDIDATES if "botocore" in each.name]
    module: dict[str, Any] = {}
    exec(text["podgraft/store/aws/sigv4.py"], module)  # noqa: S102 — the candidate's own module
    request = sigv4.Request(method="GET", host="s3.eu-central-1.amazonaws.com", path="/b/key")
    given = (request, sigv4.AwsCredentials("AKID", "secret"), "s3", "eu-central-1")
    ours = sigv4.sign_headers(*given, "20261122T060000Z")
    theirs = module["sign_headers"](*given, "20261122T060000Z")
    assert theirs["Authorization"] == ours["authorization"]


def test_ratios_are_taken_within_a_turn() -> None:
    """A turn in which the machine was three times as slow changes nothing."""
    product = [{INIT: 1.0}, {INIT: 3.0}, {INIT: 1.0}]
    assert ratio([{INIT: 2.0}, {INIT: 6.0}, {INIT: 2.0}], product, INIT) == 2.0


def test_the_page_has_a_row_for_every_candidate_with_its_decision() -> None:
    section = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    for candidate in CANDIDATES:
        [row] = [line for line in section.splitlines() if line.startswith(f"| {candidate.name} |")]
        assert f"| {candidate.instead_of} |" in row
        assert row.endswith(f"| {candidate.decision} |")


def test_a_table_without_rows_has_its_heading() -> None:
    assert render_table([]).count("\n") == 1
