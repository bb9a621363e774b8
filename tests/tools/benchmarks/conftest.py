"""What a run would have found."""

from itertools import starmap

import pytest

from bench.table import Row
from tools.benchmarks.rows import make_row


def _sized_row(size: int, median: float) -> Row:
    name = f"a pod, containers: {size}"
    return make_row(name=name, median=median, p99=2 * median, series="containers", size=size)


@pytest.fixture
def rows() -> list[Row]:
    """A series, and a row of no series."""
    return [make_row(part="warm"), *starmap(_sized_row, ((1, 0.001), (10, 0.002), (500, 0.08)))]
