"""The bill: sums that anybody can do again, figures that were measured, a page that says both."""

import re
from dataclasses import replace

import pytest

import cost
from costs import bill, measurement
from costs.bill import GB, MILLION, Figures

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
    assert f"<!-- scripts/cost.py -->\n\n{capsys.readouterr().out}\n<!--" in cost.PAGE.read_text()


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
