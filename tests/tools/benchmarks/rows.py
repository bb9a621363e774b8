"""Rows as a run makes them, without a run."""

from typing import Any

from bench.table import Row


def make_row(**given: Any) -> Row:
    """A row of 2 ms against 1 ms, but for what is given."""
    told: dict[str, Any] = {
        "part": "scaling",
        "name": "a pod",
        "median": 0.002,
        "p99": 0.003,
        "repetitions": 1000,
        "baseline": "json",
        "baseline_median": 0.001,
    }
    return Row(**{**told, **given})
