"""A run of harnesses for a number of seconds: how much was tried, and what was found.

Each input is new bytes, or a changed input of the corpus; its seed reproduces it. An input that
breaks a claim is shortened, and stored in the corpus, so that ``make test`` tries it from then on.
"""

from __future__ import annotations

import hashlib
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic

from fuzz.harness import Harness
from fuzz.mutation import mutate_bytes

MAX_BYTES = 1024
MAX_FINDINGS = 5  # of one harness: further ones are nearly always the same defect
_SHORTENING_SECONDS = 20.0
_TURN = 16  # inputs of one harness before the next one has its turn


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that breaks a claim."""

    seed: int
    data: bytes
    error: str

    @property
    def file_name(self) -> str:
        """The name in the corpus, derived from the content."""
        return f"{hashlib.sha256(self.data).hexdigest()[:16]}.bin"


@dataclass(slots=True)
class Progress:
    """What was tried with one harness so far."""

    harness: Harness
    first_seed: int
    tried: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    findings: list[Finding] = field(default_factory=list[Finding])

    @property
    def next_seed(self) -> int:
        """The seed of the next input."""
        return self.first_seed + self.tried


def make_input(harness: Harness, seed: int, corpus: Sequence[bytes] = ()) -> bytes:
    """The input of a seed. A fifth of the inputs are changed inputs of the corpus."""
    random = Random(f"{harness.name} {seed}")  # noqa: S311 - reproducible on purpose
    if corpus and random.random() < 0.2:
        return mutate_bytes(random, random.choice(corpus))
    return random.randbytes(random.choice((16, 64, 256, MAX_BYTES)))


def run(
    harnesses: Sequence[Harness], seconds: float, first_seed: int, *, shorten: bool = True
) -> list[Progress]:
    """Run the harnesses in turns, for *seconds* in total."""
    progress = [Progress(harness, first_seed) for harness in harnesses]
    corpora = {each.name: tuple(each.read_corpus().values()) for each in harnesses}
    end = monotonic() + seconds
    while monotonic() < end:
        for each in progress:
            started = monotonic()
            turn_end = min(end, started + seconds / len(progress) / 4)
            while monotonic() < turn_end and len(each.findings) < MAX_FINDINGS:
                _try_turn(each, corpora[each.harness.name])
            each.seconds += monotonic() - started
        if all(len(each.findings) >= MAX_FINDINGS for each in progress):
            break
    if shorten:
        for each in progress:
            each.findings = [_shorten(each.harness, finding) for finding in each.findings]
    return progress


def _try_turn(progress: Progress, corpus: Sequence[bytes]) -> None:
    for _ in range(_TURN):
        seed = progress.next_seed
        data = make_input(progress.harness, seed, corpus)
        progress.tried += 1
        error = find_error(progress.harness.run, data, progress.outcomes)
        if error:
            progress.findings.append(Finding(seed, data, error))
            return


def find_error(
    run_harness: Callable[[bytes], str], data: bytes, outcomes: Counter[str] | None = None
) -> str:
    """The error that an input causes, or empty."""
    try:
        outcome = run_harness(data)
    except Exception:  # noqa: BLE001 - any exception is a finding
        return traceback.format_exc(limit=-6)
    if outcomes is not None:
        outcomes[outcome] += 1
    return ""


def _shorten(harness: Harness, finding: Finding) -> Finding:
    """The shortest input that was found in some seconds and breaks the claim as well."""
    data, error, end = finding.data, finding.error, monotonic() + _SHORTENING_SECONDS
    size = max(1, len(data) // 2)
    while size and monotonic() < end:
        for start in range(0, len(data), size):
            shorter = data[:start] + data[start + size :]
            found = find_error(harness.run, shorter)
            if found:
                data, error = shorter, found
                break
            if monotonic() > end:
                break
        else:
            size //= 2
    return Finding(finding.seed, data, error)


def store_findings(progress: Progress, folder: Path | None = None) -> list[Path]:
    """Write the findings to the corpus of their harness; return the files."""
    folder = folder or progress.harness.corpus
    paths: list[Path] = []
    for finding in progress.findings:
        folder.mkdir(parents=True, exist_ok=True)
        paths.append(folder / finding.file_name)
        paths[-1].write_bytes(finding.data)
    return paths
