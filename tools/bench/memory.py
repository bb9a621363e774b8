"""Memory over many reviews. If it is not flat, a cache has no limit."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import linear_regression

from podgraft.cli.failure import CommandError

from . import soak
from .bench_input import ENGINE_PATH, BenchmarkInput
from .table import Row
from .timing import make_timings

# The rows of the table. At the first one, caches are full; the others are compared with it.
SHARES = (0.1, 0.25, 0.5, 1.0)
# Of the last stretch's median to the first one's; allocators breathe by a few hundredths.
FLAT = 1.05
MISSING = f"memory: NOT MEASURED, there is no {soak.STATM}"

Sample = tuple[int, int]


def measure_memory(
    inputs: BenchmarkInput,
    folder: Path,
    reviews: int,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """Return a row per share of the reviews; none if the system does not report the memory."""
    if not soak.STATM.exists():
        progress(MISSING)
        return []
    return sample_rows(_samples(inputs.write_store(folder), reviews, progress))


def sample_rows(samples: Sequence[Sample]) -> list[Row]:
    """The rows of samples that were taken at even distances."""
    last = samples[-1][0]
    ends = [round(last * share) for share in SHARES]
    stretches = [
        [sample for sample in samples if start < sample[0] <= end]
        for start, end in zip([ends[0] // 2, *ends], ends, strict=False)
    ]
    return [
        _memory_row(end, stretch, stretches[0], end == last)
        for end, stretch in zip(ends, stretches, strict=True)
    ]


def _memory_row(end: int, stretch: Sequence[Sample], first: Sequence[Sample], last: bool) -> Row:
    timings = make_timings([float(size) for _, size in stretch])
    return Row(
        part="memory",
        name=f"resident, reviews: {end:,}",
        median=timings.median,
        p99=timings.p99,
        repetitions=len(stretch),
        baseline=f"resident, reviews: {first[-1][0]:,}",
        baseline_median=make_timings([float(size) for _, size in first]).median,
        unit="B",
        target=FLAT if last else None,
        series="reviews",
        size=end,
        note=f"{_slope(stretch):+.2f} KB for 1,000 reviews",
    )


def _slope(stretch: Sequence[Sample]) -> float:
    """Kilobytes that come with a thousand reviews: bytes a review, by a fitted line."""
    return linear_regression([n for n, _ in stretch], [size for _, size in stretch]).slope


def _samples(store: Path, reviews: int, progress: Callable[[str], None]) -> list[Sample]:
    environment = os.environ | {"PYTHONPATH": ENGINE_PATH}
    samples: list[Sample] = []
    with subprocess.Popen(
        [sys.executable, "-m", soak.__name__, str(store), str(reviews)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stdout or ():
            number, size = json.loads(line)
            samples.append((number, size))
            if len(samples) % (soak.SAMPLES // 10) == 0:
                progress(f"{number:,} reviews")
    if process.returncode:
        raise CommandError(f"{soak.__name__} ended with status {process.returncode}")
    return samples
