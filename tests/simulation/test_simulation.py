"""The simulation holds all laws, repeats itself exactly, and finds what is planted."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from simulation import fleet, reached
from simulation.actors import mistakes
from simulation.campaign import YEAR_SECONDS, run_campaign, run_seeds
from simulation.defects import ALL_DEFECTS, DEFECTS, MENDED, plant, proof
from simulation.dice import Dice
from simulation.laws import LAWS, SHARED, alarms
from simulation.plan import Plan, choose_seconds, make_plan
from simulation.run import run
from simulation.shrink import shrink
from simulation.situations import SITUATIONS
from simulation.story import list_lines, tell, write_page

TESTS = Path(__file__).parents[1]
ROWS = re.findall(
    r"^\| (D\d+) \| (.+?) \| (.+?) \| (\d+) \|", proof.TABLE.read_text(), re.MULTILINE
)
SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.json"))
SEEDS = range(8)
# A run of each kind of world: signed, with rollouts, frozen, raced, from snapshots, and with
# retries of botocore.
REPEATED = (3, 16, 30)
# A slow processor, and a slow Parameter Store.
SLOW = (84, 14)
# Defects that need few seeds: the complete list is `make simulate-defects`.
QUICK = ("D5", "D21", "D29", "D33", "D34", "D45")


def test_no_seed_violates_a_law() -> None:
    report = run_campaign(SEEDS, processes=1)
    assert report.findings == []
    assert report.reviews > 100 * len(SEEDS) / 2
    assert len(report.situations) > len(SITUATIONS) / 2


def test_another_process_with_other_hashes_has_the_same_trace() -> None:
    """In another order of seeds, too: no run leaves anything for the next one."""
    code = (
        "from simulation.plan import make_plan; from simulation.run import run; import sys\n"
        "for seed in map(int, sys.argv[1:]): print(seed, run(make_plan(seed)).trace(), end='\\f')"
    )
    path = os.pathsep.join(each for each in sys.path if each)
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code, *map(str, order)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": path, "PATH": os.environ["PATH"]},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\f")
        for seed, order in (("1", REPEATED), ("2", REPEATED[::-1]))
    )
    pairs = zip(sorted(first), sorted(second), strict=True)
    lines = [pair for a, b in pairs for pair in zip(a.split("\n"), b.split("\n"), strict=False)]
    assert [(a, b) for a, b in lines if a != b][:1] == []
    assert len(lines) > 100


@pytest.mark.parametrize("name", QUICK)
def test_a_planted_defect_is_found(name: str) -> None:
    report = run_seeds(range(5), name)
    assert report.findings
    assert report.findings[0].first.law.split()[0] in DEFECTS[name].laws.split()


@pytest.mark.parametrize("name", ALL_DEFECTS)
def test_each_defect_changes_the_code_of_today(name: str) -> None:
    with plant(name):
        pass


def test_the_table_has_each_defect() -> None:
    """``make simulate-defects WRITE=1`` writes it, after a change of the catalog or the world."""
    assert [row[:2] for row in ROWS] == [(name, each.words) for name, each in DEFECTS.items()]
    assert all(int(seed) < proof.MAX_SEEDS for *_, seed in ROWS)
    assert f"[all {len(DEFECTS)}](../tests/simulation/defects/table.md)" in fleet.PAGE.read_text()


def test_each_law_finds_a_defect_before_all_others() -> None:
    laws = {*LAWS, *SHARED}
    names = {law.name for law in laws}
    assert len(names) == len(laws)  # one that shares a name could hide that it finds nothing
    assert names - {law for _, _, law, _ in ROWS} == set()


def test_each_law_of_the_design_exists() -> None:
    """But for one, which ``test_another_process_with_other_hashes_has_the_same_trace`` is."""
    numbers = {int(law.name.split()[0]) for law in (*LAWS, *SHARED)}
    assert set(range(1, 39)) - numbers == {38}


@pytest.mark.long
@pytest.mark.parametrize(("name", "words", "law", "seed"), ROWS, ids=[row[0] for row in ROWS])
def test_the_law_of_the_table_finds_the_defect(name: str, words: str, law: str, seed: str) -> None:
    del words
    assert law.split(maxsplit=1)[0] in DEFECTS[name].laws.split()
    assert [each.first.law for each in run_seeds([int(seed)], name).findings] == [law]


def test_a_planted_defect_reaches_copies_of_its_function_and_leaves_none() -> None:
    """Or it would be in the runs of other defects of the process."""
    with plant("D1"):  # imports everything
        pass
    before = _read_functions()
    for name in ALL_DEFECTS:
        with plant(name):
            assert _read_functions() != before, name
        assert _read_functions() == before, name


def _read_functions() -> dict[str, int]:
    """The identities of what the modules and classes of the product contain."""
    targets = {
        change.target.partition(":")[0] for d in ALL_DEFECTS.values() for change in d.changes
    }
    owners = {
        key: module
        for key, module in sys.modules.items()
        if key.startswith("podgraft.") or key in targets
    }
    classes = {
        f"{key}.{name}": value
        for key, module in owners.items()
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == key
    }
    return {
        f"{key}:{name}": id(value)
        for key, owner in {**owners, **classes}.items()
        for name, value in vars(owner).items()
    }


def test_each_function_that_no_run_reaches_exists_and_has_a_reason() -> None:
    for line in reached.UNREACHED.read_text().splitlines():
        if line.startswith("#"):
            continue
        place, _, reason = line.partition("  ")
        file, _, path = place.partition(":")
        node: ast.AST = ast.parse((reached.ENGINE / file).read_text())
        for name in path.split("."):
            children = (each for each in ast.iter_child_nodes(node) if hasattr(each, "name"))
            node = next(each for each in children if getattr(each, "name", "") == name)
        assert len(reason.split()) > 2, line


@pytest.mark.parametrize("script", SCRIPTS, ids=[each.stem for each in SCRIPTS])
def test_a_mended_defect_stays_mended(script: Path) -> None:
    """Each script is the shortened plan of a run that violated a law of the product.

    With the defect of that time, it violates it again: a script that shows nothing is useless.
    """
    plan = Plan.load(script.read_text())
    assert run(plan).violations == []
    with plant(script.stem):
        violations = run(plan).violations
    assert violations[0].law.split()[0] in MENDED[script.stem].laws.split()


def test_each_defect_of_the_page_has_a_script() -> None:
    listed = re.findall(r"^- `[0-9a-f]{8}`: ", fleet.PAGE.read_text(), re.MULTILINE)
    assert {each.stem for each in SCRIPTS} == MENDED.keys()
    assert len(listed) == len(MENDED)


def test_the_page_has_the_virtual_years_of_its_last_run() -> None:
    text = fleet.PAGE.read_text()
    found = re.search(r"seeds 0 to (\d+), ([0-9.]+) virtual years", text)
    assert found is not None
    seconds = sum(choose_seconds(Dice(seed)) for seed in range(int(found[1]) + 1))
    assert found[2] == f"{seconds / YEAR_SECONDS:.2f}"


def test_a_plan_is_data() -> None:
    plan = make_plan(7)
    assert Plan.load(plan.dump()) == plan


def test_a_run_that_violates_a_law_becomes_small(tmp_path: Path) -> None:
    with plant("D21"):
        finding = run_seeds(range(1)).findings[0]
        small = shrink(make_plan(finding.seed), finding.first.law, limit_seconds=10)
        result = run(small)
    assert result.violations[0].law == finding.first.law
    assert len(small.actions) <= 12
    assert tell(result).startswith(f"LAW {finding.first.law}")
    write_page(result, tmp_path / "page.html")
    assert finding.first.law in (tmp_path / "page.html").read_text()


def test_a_story_has_each_review_and_the_responses_of_each_cluster() -> None:
    result = run(make_plan(3))
    story = tell(result, None).splitlines()
    reviews = [each for each in result.events if each.kind == "review"]
    asked = [line for line in story if " asks " in line]
    times = [re.search(r"\((\d+) times until [0-9:.]+\)$", line) for line in asked]
    assert sum(int(each[1]) if each else 1 for each in times) == len(reviews)
    assert len(asked) < len(reviews)
    assert {each.lane for each in reviews} == {
        line.split()[0] for line in story if " saw: " in line
    }
    times = [line.split()[0] for line in story if re.match(r"  \d", line)]
    assert times == sorted(times)
    assert len(tell(result).splitlines()) < len(story)


def test_the_page_of_a_run_draws_each_line_of_its_story(tmp_path: Path) -> None:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium")
    with plant("D21"):
        result = run(make_plan(0))
    write_page(result, tmp_path / "page.html")
    page = (tmp_path / "page.html").as_uri()
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    shown = re.findall("<circle [^>]*><title>(.*?)</title>", done.stdout)
    windows = sum(1 + (each.end <= result.seconds) for each in result.plan.windows)
    assert len(shown) == len(list_lines(result.events)) + windows
    assert f'class="violated">LAW {result.violations[0].law}' in done.stdout


def test_without_metrics_each_due_alarm_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_nothing(_ledger: object) -> tuple[()]:
        return ()

    monkeypatch.setattr(alarms, "_read_metrics", read_nothing)
    violations = run(make_plan(1)).violations
    missed = {each.text.split()[0] for each in violations if "does not ring" in each.text}
    assert missed >= {"RefusedPolicyAlarm", "StaleSnapshotAlarm", "AuthenticationAlarm"}


def test_another_threshold_or_statistic_of_the_latency_alarm_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = alarms.read_alarms()["LatencyAlarm"]
    for wrong, words in (
        ({"Threshold": 3000}, "does not ring"),
        ({"EvaluationPeriods": 10}, "does not ring"),
        ({"Threshold": 500}, "without a reason"),
    ):
        read = partial(dict[str, Any], LatencyAlarm={**known, **wrong})
        monkeypatch.setattr(alarms, "read_alarms", read)
        violations = [v.text for seed in SLOW for v in run(make_plan(seed)).violations]
        assert any(words in each for each in violations), (wrong, violations)


@pytest.mark.long
def test_a_fleet_reports_what_happens_to_its_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "RESTART_PODS", 10)
    outcomes = [fleet.run_fleet(0, clusters, hours=2) for clusters, _ in enumerate(fleet.FLEETS, 1)]
    report = fleet.format_report(outcomes)
    assert not any(each.violations for each in outcomes), report
    assert read_shape(report) == read_shape(read_report())


def test_the_page_has_each_fleet_without_violated_laws_and_what_differs() -> None:
    """``make simulate-fleet WRITE=1`` writes its report."""
    report = read_report()
    names = [line.split(" | ")[0] for line in report.splitlines() if line.startswith("| ")]
    assert names[1:] == [f"| {each}" for each in (fleet.CALM, *(p.name for p in fleet.PHASES))]
    assert f"| {' | '.join(fleet.HEAD)} |" in report
    for clusters, _ in fleet.FLEETS:
        assert re.search(f"^{clusters:,} clusters, 168 hours.*laws: none.$", report, re.MULTILINE)
    differences = report.partition(f"{fleet.COMPARISON}\n\n")[2].splitlines()
    none = fleet.Outcome(fleet.Planner(0, 1, 1.0), 1, 1.0, 1.0, defaultdict(fleet.Count), [])
    known = {name: reason for name, _, _, reason in none.compare()}
    pattern = re.compile(r"- (.+): [0-9,/]+, simulated [0-9,/]+; (.+)")
    found = [pattern.fullmatch(line) for line in differences]
    assert found
    assert all(each and known[each[1]] == each[2] for each in found)


def read_report() -> str:
    """Return the report of the page."""
    return fleet.PAGE.read_text().partition(fleet.BEGIN)[2].partition(fleet.END)[0].strip()


def read_shape(report: str) -> list[str]:
    """Return the fleets and rows of a report without their figures."""
    lines = report.partition(fleet.COMPARISON)[0].splitlines()
    text = "\n".join(re.sub(r"^[^|].*\. (Violated)", r"\1", line) for line in lines if line)
    return re.sub(r"(?<=[ /])(-|[0-9,]+s?)(?=[ /])", "0", text).splitlines()


def test_a_repaired_document_has_the_credentials_of_commands() -> None:
    before, broken = '{"tokens": [1, 2]}', '{"subjects": [5]}'
    assert json.loads(mistakes.repair(broken, broken, before)) == {"tokens": [1, 2]}
    after = {"tokens": [2, 3], "subjects": ["CN=a"]}  # two tokens at most
    present = '{"tokens": [3], "subjects": [5, "CN=a"]}'
    assert json.loads(mistakes.repair(present, broken, before)) == after
    # Commands can leave no token, and a document can be no map.
    assert json.loads(mistakes.repair("{}", '["a list"]', before))["tokens"] == [1, 2]
