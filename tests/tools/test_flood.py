"""The cost of unauthenticated requests: the sums, the measurement, and the page."""

from dataclasses import replace

import pytest

import flood
from costs import flood as costs
from costs.flood import FloodFigures

FIGURES = FloodFigures(
    measured="today",
    body_bytes=8000,
    rejected_milliseconds=0.5,
    throttled_milliseconds=0.2,
    response_bytes=1000,
    log_bytes=348,
    log_events=2,
    access_bytes=274,
    memory_mib=1024,
    requests_per_second=100,
)


def test_the_cost_of_a_day_worked_out_by_hand() -> None:
    """8.64 million requests; 1 ms is billed for each."""
    dollars = costs.day_cost(FIGURES, FIGURES.throttled_milliseconds, 300)
    assert dollars == pytest.approx(
        8.64 * 1.20 + 8640 * 0.0000133334 + 8.64e6 * 300 / 1e9 * 0.50 + 8.64e6 * 1000 / 1e9 * 0.09
    )


def test_the_table_has_both_kinds_of_requests() -> None:
    table = costs.render(FIGURES)
    assert "| billed at 1024 MiB, ms | 1 | 1 |" in table
    assert "| requests per second of one environment | 1,158 | 2,894 |" in table
    assert "| bytes in CloudWatch Logs | 700 | 300 |" in table
    slower = costs.render(replace(FIGURES, rejected_milliseconds=1.2))
    assert "| billed at 1024 MiB, ms | 3 | 1 |" in slower


def test_the_page_states_what_the_script_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert flood.main([]) == 0
    text = capsys.readouterr().out
    assert f"<!-- tools/flood.py -->\n\n{text}\n<!--" in flood.PAGE.read_text()


def test_both_kinds_are_measured_with_the_real_handler() -> None:
    figures = costs.measure(50)
    assert figures.throttled_milliseconds > 0
    assert 0 < figures.rejected_milliseconds < 1000
    assert figures.log_events == 2  # the line and its metrics
    assert 200 < figures.response_bytes < 2000
    assert figures.requests_per_second == 500
