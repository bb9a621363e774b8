"""What processes of an artefact cost: processor time, and instructions where valgrind is installed.

Processor time of a busy machine varies, so artefacts are measured in turns and compared within
each turn. Instructions hardly vary, and are no times: a cache miss is not counted.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import TypeAlias

Costs: TypeAlias = Mapping[str, float]
INIT, FIRST, SEEN, NEW, SIGNING = "init", "first", "seen", "new", "signing"
KINDS = (INIT, FIRST, SEEN, NEW, SIGNING)

# argv: events, reviews of each kind; with none, the process ends after the step it is asked for.
_PROBE = """
import json, os, sys, time
from pathlib import Path

events, count, step = json.loads(Path(sys.argv[1]).read_text()), int(sys.argv[2]), sys.argv[3]
printed, sys.stdout = sys.stdout, open(os.devnull, "w")
taken, clock = {}, time.process_time

started = clock()
import handler
taken["init"] = clock() - started


def review(event):
    answer = handler.handler(event, None)
    assert answer["statusCode"] == 200 and '"patch"' in answer["body"], answer


if step in ("all", "first", "seen", "new"):
    review(events["first"])
    taken["first"] = clock() - started
for kind in ("seen", "new"):
    if step not in ("all", kind):
        continue
    for event in events[kind][:20]:
        review(event)
    begun = clock()
    for event in events[kind][20 : 20 + count]:
        review(event)
    taken[kind] = (clock() - begun) / max(count, 1)
if step in ("all", "signing"):
    begun = clock()
    from podgraft.store.aws import http_client, sigv4
    who = sigv4.AwsCredentials("AKIDEXAMPLE", "secret")
    asked = sigv4.Request(method="GET", host="s3.eu-central-1.amazonaws.com", path="/bucket/key")
    for _ in range(7):
        sigv4.sign_headers(asked, who, "s3", "eu-central-1", "20261122T060000Z")
    taken["signing"] = clock() - begun
printed.write(json.dumps(taken))
printed.flush()
"""


def measure_turns(
    artefacts: Mapping[str, Path], store: Path, events: Path, turns: int
) -> dict[str, list[Costs]]:
    """Processor seconds of every artefact in each turn, in an order that changes; one more first,
    which fills the page cache and is not counted.
    """
    taken: dict[str, list[Costs]] = {name: [] for name in artefacts}
    for turn in range(turns + 1):
        names = list(artefacts)
        Random(turn).shuffle(names)  # noqa: S311 — an order, and no secret
        for name in names:
            costs = json.loads(_run(_command(events, 60, "all"), artefacts[name], store).stdout)
            if turn:
                taken[name].append(costs)
    return taken


def ratio(candidate: Sequence[Costs], product: Sequence[Costs], kind: str) -> float:
    """The median over the turns of how many times the product's cost it is in the same turn."""
    pairs = zip(candidate, product, strict=True)
    return median(
        candidate_costs[kind] / product_costs[kind] for candidate_costs, product_costs in pairs
    )


def can_count_instructions() -> bool:
    """Whether valgrind is installed."""
    return shutil.which("valgrind") is not None


def count_instructions(artefact: Path, store: Path, events: Path) -> Costs:
    """Instructions of an init, of it with the first review, of a later review, and of signing."""

    def count(step: str, reviews: int = 0) -> int:
        return _count(_command(events, reviews, step), artefact, store)

    init = count("init")
    return {
        INIT: init,
        FIRST: count("first"),
        SEEN: _per_review(lambda reviews: count("seen", reviews)),
        NEW: _per_review(lambda reviews: count("new", reviews)),
        SIGNING: count("signing") - init,
    }


def _per_review(count: Callable[[int], int], reviews: int = 20) -> float:
    return (count(reviews) - count(0)) / reviews


def _command(events: Path, reviews: int, step: str) -> list[str]:
    # The interpreter itself: valgrind does not follow the link of a virtual environment.
    python = os.path.realpath(sys.executable)
    return [python, "-S", "-c", _PROBE, str(events), str(reviews), step]


def _count(command: Sequence[str], artefact: Path, store: Path) -> int:
    tool = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    found = re.search(r"I +refs: +([\d,]+)", _run([*tool, *command], artefact, store).stderr)
    if found is None:
        raise SystemExit("measure_libraries: valgrind printed no count; upgrade it")
    return int(found[1].replace(",", ""))


def _run(command: Sequence[str], artefact: Path, store: Path) -> "subprocess.CompletedProcess[str]":
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{artefact / 'python'}:{artefact}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "PODGRAFT_STORE": f"file:{store}",
    }
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"measure_libraries: {artefact.name}: the process failed: {done.stderr}")
    return done
