"""Load on a server of this machine by wrk.

It is a closed loop over keep-alive connections, as kube-apiserver's are, in a process of its own,
and shares the machine with the server. It does not verify the server's certificate.
"""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from podgraft.cli.failure import CommandError

WRK = "wrk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to send where: whole HTTP requests in files, one after the other on each connection."""

    host: str
    port: int
    authority: str
    requests: tuple[str, ...]
    connections: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What came of a plan; times in seconds, errors of any kind counted."""

    requests: int
    errors: int
    seconds: float
    p50: float
    p99: float

    @property
    def rate(self) -> float:
        """Valid responses per second."""
        return (self.requests - self.errors) / self.seconds


def run_load(plan: Plan, folder: Path) -> Load:
    """Carry out a plan; *folder* takes the script of wrk. Raises ``CommandError``."""
    if shutil.which(WRK) is None:
        raise CommandError("wrk: not found; install it (Debian: apt install wrk)")
    command = _wrk_command(plan, folder)
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=2 * plan.seconds + 60
    )
    load = Load(**json.loads(done.stdout.splitlines()[-1]))
    if not load.requests:
        raise CommandError(f"load: no response, and {load.errors} errors; run make bench again")
    return load


def _wrk_command(plan: Plan, folder: Path) -> Sequence[str]:
    """One thread: a second would take the other core from the server."""
    script = folder / "requests.lua"
    # JSON's strings are Lua's too, of the characters that paths here have.
    files = ", ".join(map(json.dumps, plan.requests))
    script.write_text(f"local files = {{{files}}}\n{_LUA}")
    return [
        WRK,
        "--threads=1",
        f"--connections={plan.connections}",
        f"--duration={max(1, round(plan.seconds))}s",
        "--timeout=10s",
        f"--script={script}",
        f"https://{plan.host}:{plan.port}/",
    ]


_LUA = """\
local requests, sent = {}, 0
for index, name in ipairs(files) do
  local file = assert(io.open(name, "rb"))
  requests[index] = file:read("*a")
  file:close()
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

-- wrk counts in microseconds.
function done(summary, latency)
  local failed = summary.errors
  local errors = failed.connect + failed.read + failed.write + failed.status + failed.timeout
  io.write(string.format(
    '{"requests": %d, "errors": %d, "seconds": %.6f, "p50": %.9f, "p99": %.9f}\\n',
    summary.requests, errors, summary.duration / 1e6,
    latency:percentile(50) / 1e6, latency:percentile(99) / 1e6))
end
"""
