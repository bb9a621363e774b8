"""Run all commands of a page in order, in one shell, in an empty folder without the repository.

``podgraft`` is that of this tree, as an installed command would be. Other programs are stubs that
accept the calls of the page, except those that every machine has.
"""

import os
import re
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.programs import PYTHON, write_shell_program
from support.repository_pages import PageCommand, PageFile, read_steps

# The endpoint of the stack is on loopback, with a CA of the test.
_PODGRAFT = """\
case "$1 $*" in
  register*.example.com*|register*--service*) ;;
  register*--test*) set -- "$@" --allow-loopback --ca-bundle {ca} ;;
  register*) set -- "$@" --allow-loopback ;;
esac
exec {python} -m podgraft "$@"
"""
_RECORDER = """\
{{
  printf '%s' "$(basename "$0")"
  for word in "$@"; do printf '\\t%s' "$word"; done
  echo
}} >> {log}
{body}
"""
# A server in the background is awaited while it runs, and ended with the page.
_PRELUDE = """set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
await() { until (exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null; do kill -0 $!; sleep 0.1; done; }
expect() { [ "$1" = "$2" ] || { echo "exit status $1, not $2: $3" >&2; exit 99; }; }
"""


@dataclass(slots=True)
class PageRun:
    """A folder, its programs, and what the commands of a page printed."""

    folder: Path
    stubs: Mapping[str, str] = field(default_factory=dict[str, str])
    ca: Path = Path("ca.pem")
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_seconds: int = 300
    outputs: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def work(self) -> Path:
        """The folder of the reader."""
        return self.folder / "work"

    def run(self, page: str, *, before: Sequence[str] = (), after: Sequence[str] = ()) -> None:
        """Run the commands, and write the files with a title; fails for another status."""
        self.work.mkdir(exist_ok=True)
        self._write_programs()
        steps = [*map(PageCommand, before), *read_steps(page), *map(PageCommand, after)]
        script = self._render_script(steps)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.work,
            env={
                **os.environ,
                **self.environment,
                "PATH": self._search_path,
                "HOME": str(self.folder),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=self.timeout_seconds,
        )
        self._read_outputs(steps)
        assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"

    def read_calls(self, program: str) -> list[tuple[str, ...]]:
        """The arguments of each call of a stub."""
        log = self.folder / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        calls = [tuple(line.split("\t")) for line in lines]
        return [words[1:] for words in calls if words[0] == program]

    @property
    def _search_path(self) -> str:
        return f"{self._programs}:{os.environ['PATH']}"

    @property
    def _programs(self) -> Path:
        return self.folder / "bin"

    def _write_programs(self) -> None:
        self._programs.mkdir(exist_ok=True)
        log = self.folder / "calls"
        texts = {name: _RECORDER.format(log=log, body=body) for name, body in self.stubs.items()}
        texts["podgraft"] = _PODGRAFT.format(python=PYTHON, ca=self.ca)
        for name, text in texts.items():
            write_shell_program(self._programs / name, text)

    def _render_script(self, steps: Sequence[PageCommand | PageFile]) -> str:
        port = find_free_port()
        lines: list[str] = []
        for number, step in enumerate(steps):
            if isinstance(step, PageFile):
                lines.append(f"mkdir -p {os.path.dirname(step.path) or '.'}")  # noqa: PTH120
                lines.append(f"cat > {step.path} <<'END_OF_FILE'\n{step.text}END_OF_FILE")
                continue
            line = step.line
            output = self.folder / f"output-{number}"
            if line.endswith("&"):
                lines += [f"{line[:-1]} > {output} 2>&1 &", "await 8443"]
            elif step.status:
                lines += [f"status=0; {{ {line}; }} > {output} 2>&1 || status=$?"]
                lines += [f"expect $status {step.status} '{number}'"]
            else:
                lines.append(f"{{ {line}; }} > {output} 2>&1 || {{ cat {output} >&2; exit 98; }}")
        return _PRELUDE + "\n".join(lines).replace("8443", port)

    def _read_outputs(self, steps: Sequence[PageCommand | PageFile]) -> None:
        for number, step in enumerate(steps):
            output = self.folder / f"output-{number}"
            if isinstance(step, PageCommand) and output.exists():
                self.outputs[step.line] = output.read_text()


def find_free_port() -> str:
    """A port of loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def matches_output(expected: str, printed: str) -> bool:
    """Whether an output is the one of a page, in which a line ``…`` replaces any lines."""
    parts = [re.escape(part.strip("\n")) for part in re.split(r"^…$", expected, flags=re.MULTILINE)]
    return (
        re.fullmatch(r"(?:.*\n)?".join(parts) + r"\n*", printed.strip("\n") + "\n", re.DOTALL)
        is not None
    )
