"""What is loaded: ``podgraft serve``, and environments of the function (``environment.py``).

Lambda starts an environment for each concurrent request, and an environment processes one request
at a time. So each connection of the generator has an environment of its own.

The clients of a webhook run on other machines. So the last processor runs the generator and the
HTTP fronts, and what is measured has the other processors: one worker or environment on each.
"""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from podgraft.cli.bench.bench_input import BenchmarkInput
from podgraft.cli.bench.throughput import review_files, start_server

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
    generator_processors: tuple[int, ...]

    def resident_bytes(self) -> int:
        """The memory of the processes and their children: Linux's resident set."""
        pids = [pid for root in self.root_pids for pid in (root, *_find_children(root))]
        return sum(map(_resident_bytes, pids))


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
        pids = (server.pid,)
        yield Front("serve", "127.0.0.1", (server.port,), authority, connections, pids, (last,))


def _pin(pids: Iterable[int], processors: Iterable[int]) -> None:
    """Let all threads of the processes run on these processors only."""
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), processors)


@contextmanager
def open_lambda(inputs: BenchmarkInput, folder: Path) -> Generator[Front]:
    """Environments of the function, one for each connection."""
    variables = {**os.environ, "PODGRAFT_STORE": f"file:{inputs.write_store(folder / 'store')}"}
    program = [sys.executable, str(Path(__file__).with_name("environment.py"))]
    *own, last = sorted(os.sched_getaffinity(0))
    processors = own or [last]
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("wb"))
        processes = [stack.enter_context(_run_process(program, variables, log)) for _ in processors]
        ports, clients = zip(*map(_read_environment, processes), strict=True)
        _pin([process.pid for process in processes], [last])
        _pin(clients, processors)
        yield Front("Lambda handler", "127.0.0.1", ports, "", len(ports), clients, (last,))


@contextmanager
def _run_process(
    program: list[str], variables: Mapping[str, str], log: IO[bytes]
) -> Generator["subprocess.Popen[str]"]:
    """Run a process that ends when its standard input is closed."""
    with subprocess.Popen(
        program, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
    ) as process:
        yield process


def _read_environment(process: "subprocess.Popen[str]") -> tuple[int, int]:
    """The port of an environment, and the process ID of its runtime client."""
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise SystemExit("an environment of the function did not start; see the log")
    started = json.loads(line)
    return started["port"], started["pid"]


def run_generator(plan: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Run the load generator in a process of its own; return its results."""
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("generator.py")), str(path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=2 * plan["seconds"] + 120,
    )
    return json.loads(done.stdout.splitlines()[-1])
