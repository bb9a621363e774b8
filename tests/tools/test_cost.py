"""The bill: sums that anybody can do again, figures that were measured, a page that says both."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import cost
from costs import bill, measurement
from costs.bill import GB, MILLION, Figures
from costs.census import PUT_MILLION, RECORD_BYTES, Census, monthly_lines, render_census
from podgraft.core.census import KeyFilter, Record, Redactor, encode_record

EVENTS = Path(__file__).parents[1] / "support" / "events" / "wire"

FIGURES = Figures(
    measured="today",
    source="a template",
    milliseconds=5.0,
    response_bytes=10_000,
    log_bytes=1_000 - 3 * bill.EVENT_OVERHEAD,
    events=3,
    memory_mib=1024,
    refresh_seconds=30,
    metrics=20,
    alarms=7,
)


def dollars(figures: Figures, pods: int) -> dict[str, float]:
    return {line.item: line.dollars for line in bill.monthly_lines(figures, pods)}


def test_the_bill_of_ten_million_pods_worked_out_by_hand() -> None:
    assert FIGURES.billed_milliseconds == 9  # 5 ms × 1769/1024 = 8.6 ms
    got = dollars(FIGURES, 10 * MILLION)
    assert got == pytest.approx(
        {
            "API Gateway, HTTP API": 10.00,
            "Lambda requests": 2.00,
            "Lambda time": 90_000 * 0.0000133334,
            "SnapStart": 30 * 24 * 3600 * 0.0000015046,
            "CloudWatch Logs": 10 * 0.50,
            "answers to the internet": 100 * 0.09,
            "metrics, alarms, dashboard": 6.00 + 0.70 + 3.00,
            "metrics by cluster and injector": 1.20,
            # 9,360 checks of at most 0.35 GB-seconds, 18,720 invocations, 8,640 requests, and
            # 720 metrics that are read.
            "the watch": 3276 * 0.0000133334 + 0.003744 + 0.00864 + 0.0072,
            "KMS, tokens": 8.64 * 0.03,  # 86,400 refreshes of one environment
        }
    )


@pytest.mark.parametrize(("memory", "billed"), [(256, 35), (1024, 9), (1769, 5), (3008, 5)])
def test_more_memory_shortens_what_is_billed_until_a_whole_processor(
    memory: int, billed: int
) -> None:
    assert replace(FIGURES, memory_mib=memory).billed_milliseconds == billed


def test_environments_refresh_as_many_as_the_load_retains_busy() -> None:
    """A billion pods of 9 ms are 3.5 environments' work of a month."""
    few, many = (dollars(FIGURES, pods)["KMS, tokens"] for pods in (1, 1000 * MILLION))
    assert many == pytest.approx(4 * few)


def test_the_page_states_what_the_script_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert cost.main([]) == 0
    assert f"<!-- tools/cost.py -->\n\n{capsys.readouterr().out}\n<!--" in cost.PAGE.read_text()


def test_the_page_of_the_census_states_its_bill() -> None:
    page = cost.CENSUS_PAGE.read_text()
    assert f"<!-- tools/cost.py -->\n\n{render_census()}\n\n<!-- /" in page
    one = f"{PUT_MILLION / MILLION:.6f}"
    assert f"with another image is a distinct workload, and costs ${one}." in page


def test_the_bill_of_a_census_follows_from_its_size() -> None:
    lines = [line.dollars for line in monthly_lines(Census())]
    weeks = 30 / 7
    puts = 10_000 * weeks * 5
    expected = puts * 5 / MILLION + 4 * 0.30 + puts * 0.015 * bill.GIB_SECOND
    assert sum(lines) == pytest.approx(expected, abs=0.01)
    double = [line.dollars for line in monthly_lines(Census(workloads=20_000))]
    assert sum(double) - 1.2 == pytest.approx(2 * (sum(lines) - 1.2), rel=0.01)


@pytest.mark.parametrize(
    ("event", "size"),
    [("01-deployment-pod", RECORD_BYTES[0]), ("09-twelve-containers", RECORD_BYTES[1])],
)
def test_the_size_of_a_record_is_at_most_that_of_the_bill(event: str, size: int) -> None:
    body = json.loads((EVENTS / f"{event}.json").read_text())["request"]["body"]
    record = Record(
        injector="istio",
        cluster="prod-eu",
        namespace="shop",
        workload="Deployment/web",
        route="inject",
        request={key: body["request"][key] for key in ("kind", "resource", "operation")},
        environment={},
        object=Redactor(bytes(32), KeyFilter()).redact(body["request"]["object"]),
        decision="inject",
        policy="42",
        bundle="sha256:" + "0" * 64,
        date="2026-11-22",
    )
    assert size / 2 < len(encode_record(record)) <= size


def test_the_columns_add_up() -> None:
    rows = [
        line.split("|")[1:-1] for line in cost.render_costs().splitlines() if line.startswith("| ")
    ]
    table = [row for row in rows if "$" in row[-1] and len(row) == 4]
    for column in (2, 3):
        *lines, total = [float(re.sub(r"[ *$,]", "", row[column])) for row in table]
        assert total == pytest.approx(sum(lines), abs=0.01 * len(lines))


def test_what_is_measured_is_a_review_with_its_response_and_its_logs() -> None:
    got = measurement.measure(10)
    assert 0.1 < got.milliseconds < 1000
    assert 2_000 < got.response_bytes < GB
    assert got.events == 3  # the review's line, its metrics, the API's access log
    assert 800 < got.log_bytes < 5_000
    assert (got.memory_mib, got.refresh_seconds, got.alarms) == (1024, 30, 19)
