"""The law over pairs: what a process has answered before does not change the result of a review.

A process that has answered near-equal reviews, and one that has answered none and has no caches
(``PODGRAFT_CACHES=off``), return the same bytes. ``PODGRAFT_REVIEW_PAIRS`` sets the number of
pairs: ``make review-pairs`` runs 100,000.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from support import pair_process
from support.effort import scaled
from support.pair_reviews import make_reviews
from support.pair_worlds import write_worlds

TESTS = Path(__file__).parents[2]
PROCESS = TESTS / "support" / "pair_process.py"
_PATHS = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
WORLDS = 12
PAIRS = int(os.environ.get("PODGRAFT_REVIEW_PAIRS", scaled(500)))
BATCH = min(PAIRS, 500)


@dataclass(frozen=True)
class Batch:
    """Reviews of generated injectors, as the input of a process."""

    folder: Path
    reviews: Sequence[str]

    def start(self, mode: str, *defect: str) -> subprocess.Popen[str]:
        """Start a process that answers the reviews; its output goes to a file."""
        caches = "off" if mode == "fresh" else "on"
        source, output = self.folder / "reviews", self.folder / f"{mode}{''.join(defect)}"
        source.write_text("".join(f"{review}\n" for review in self.reviews))
        with source.open() as reviews, output.open("w") as results:
            return subprocess.Popen(
                [sys.executable, PROCESS, self.folder / "store", mode, *defect],
                stdin=reviews,
                stdout=results,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join((str(TESTS), *_PATHS)),
                    "PODGRAFT_CACHES": caches,
                },
                text=True,
            )

    def run(self, mode: str, *defect: str) -> list[str]:
        """Return the result of each review."""
        assert self.start(mode, *defect).wait() == 0
        return (self.folder / f"{mode}{''.join(defect)}").read_text().splitlines()


def make_batch(folder: Path, seed: str, count: int) -> Batch:
    random = Random(seed)  # noqa: S311 - the same reviews each time
    worlds = write_worlds(folder / "store", random, WORLDS)
    reviews = islice(make_reviews(random, worlds), count)
    return Batch(folder, [json.dumps(review) for review in reviews])


def find_difference(batch: Batch, used: Sequence[str], fresh: Sequence[str]) -> str:
    """Describe the first review with another result in a used process; empty if there is none."""
    for number, (one, other) in enumerate(zip(used, fresh, strict=True)):
        if one != other:
            reviews = "\n".join(batch.reviews[max(0, number - 4) : number + 1])
            return f"used:  {one}\nfresh: {other}\nthe last reviews:\n{reviews}"
    return ""


# Each defect, with a batch, and the number of its reviews until one shows the defect.
DEFECTS = {
    "own containers": (5, 24),
    "own volumes": (1, 450),
    "origin": (5, 90),
    "token volumes": (1, 4),
}


@pytest.mark.parametrize("number", range(6, 6 + -(-PAIRS // BATCH)))
def test_no_result_of_one_review_is_used_for_another(tmp_path: Path, number: int) -> None:
    batch = make_batch(tmp_path, f"pairs {number}", BATCH)
    other = batch.start("fresh")
    used = batch.run("used")
    assert other.wait() == 0
    fresh = (tmp_path / "fresh").read_text().splitlines()
    assert not find_difference(batch, used, fresh)
    outcomes = Counter(json.loads(result)[2]["decision"] for result in fresh)
    assert outcomes["inject"] >= BATCH // 4, outcomes


@pytest.mark.parametrize("defect", pair_process.DEFECTS)
def test_a_cache_that_forgets_an_input_breaks_the_law(tmp_path: Path, defect: str) -> None:
    """A cache changes no result of a fresh process: there, the defects are without effect."""
    number, count = DEFECTS[defect]
    batch = make_batch(tmp_path, f"pairs {number}", count)
    other = batch.start("used")
    defective = batch.run("used", defect)
    assert other.wait() == 0
    assert find_difference(batch, defective, (tmp_path / "used").read_text().splitlines())
