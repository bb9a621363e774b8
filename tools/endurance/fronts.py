"""What is loaded: ``podgraft serve``, and environments of the function (``lambda_service.py``).

Lambda starts an environment for each concurrent request, and an environment processes one request
at a time. So each connection of the generator has an environment of its own. Environments have
processors of their own. Here they share one, and their waits for it do not count.

The clients of a webhook run on other machines. So the last processor runs the generator and the
HTTP fronts, and what is measured has the other processors: one worker or environment on each.
"""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bench_input import BenchmarkInput
from bench.throughput import review_files, start_server

_CONNECTIONS = 4  # of each worker
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Front:
    """A server that runs: where it listens, and the processes whose memory counts."""

    name: str
    host: str
    ports: tuple[int, ...]  # connections use them in turn
    authority: str
    connections: int
    root_pids: tuple[int, ...]
    processors: int  # that it has
    generator_processors: tuple[int, ...]

    def pids(self) -> tuple[int, ...]:
        """The processes and their children."""
        return tuple(pid for root in self.root_pids for pid in (root, *_find_children(root)))

    def resident_bytes(self) -> int:
        """The memory of the processes: Linux's resident set."""
        return sum(map(_resident_bytes, self.pids()))


def _find_children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()]


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except FileNotFoundError:  # it ended meanwhile
        return 0


@contextmanager
def open_serve(inputs: BenchmarkInput, folder: Path) -> Generator[Front]:
    """``podgraft serve`` over TLS."""
    for _ in review_files(inputs, folder):  # the first of which the server must inject
        pass
    *own, last = sorted(os.sched_getaffinity(0))
    processors = own or [last]
    with start_server(inputs, folder, workers=len(processors)) as server:
        _pin((server.pid, *_find_children(server.pid)), processors)
        authority = str(server.authority)
        connections = _CONNECTIONS * len(processors)
        yield Front(
            name="serve",
            host="127.0.0.1",
            ports=(server.port,),
            authority=authority,
            connections=connections,
            root_pids=(server.pid,),
            processors=len(processors),
            generator_processors=(last,),
        )


def _pin(pids: Iterable[int], processors: Iterable[int]) -> None:
    """Let all threads of the processes run on these processors only."""
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), processors)


@contextmanager
def open_lambda(inputs: BenchmarkInput, folder: Path) -> Generator[Front]:
    """Environments of the function, one for each connection."""
    variables = {**os.environ, "PODGRAFT_STORE": f"file:{inputs.write_store(folder / 'store')}"}
    *own, last = sorted(os.sched_getaffinity(0))
    processors = own or [last]
    connections = _CONNECTIONS * len(processors)
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            make_command("lambda_service", str(connections)),
            env=add_path(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        started = _read_started(process)
        pids = tuple(started["pids"])
        _pin((process.pid,), (last,))
        _pin(pids, processors)
        yield Front(
            name="Lambda handler",
            host="127.0.0.1",
            ports=(started["port"],),
            authority="",
            connections=connections,
            root_pids=pids,
            processors=len(processors),
            generator_processors=(last,),
        )


def _read_started(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """The port of the service, and the process IDs of the runtime clients."""
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise SystemExit("the environments of the function did not start; see the log")
    return json.loads(line)


def make_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this folder."""
    return [sys.executable, "-m", f"{__package__}.{module}", *arguments]


def add_path(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment variables with the path of this package."""
    return {**variables, "PYTHONPATH": str(Path(__file__).parents[1])}


def run_generator(plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Run the load generator in a process of its own; return its results."""
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    done = subprocess.run(
        make_command("generator", str(path)),
        env=add_path(os.environ),
        check=True,
        capture_output=True,
        text=True,
        timeout=2 * plan["seconds"] + 120,
    )
    return json.loads(done.stdout.splitlines()[-1])
