"""Load, memory and the program itself, each run as briefly as it can be."""

import json
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bench import command, injectors, load, main, memory, page, plot, soak, table, throughput
from bench.bench_input import sample_input
from bench.load import WRK, Plan
from podgraft import cli
from podgraft.cli.failure import CommandError
from support.server_thread import run_server, use_tls

ROOT = Path(__file__).parents[3]

NEEDS_WRK = pytest.mark.skipif(shutil.which(WRK) is None, reason="needs wrk")


class _AlternatingHandler(BaseHTTPRequestHandler):
    """Answers every other call on a connection with a failure, and keeps the connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = 4096  # an answer in one piece
    calls = 0

    def do_GET(self) -> None:
        self.calls += 1
        self.send_response(200 if self.calls % 2 else 500)
        if self.calls % 4 > 1:  # as Go's server sends large responses
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"1\r\no\r\n1;name=value\r\nk\r\n0\r\n\r\n")
            return
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — the base's name
        del format, args


@pytest.fixture
def plan(tmp_path: Path) -> Iterator[Plan]:
    """For a server with a certificate of its own CA, of which half of the answers are failures."""
    folder = ("--dir", str(tmp_path), "--key-type", "p-256")
    assert cli.main(["certs", "ca", *folder]) == 0
    assert cli.main(["certs", "server", *folder, "127.0.0.1"]) == 0
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    request = tmp_path / "request"
    request.write_text("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")
    with ThreadingHTTPServer(("127.0.0.1", 0), _AlternatingHandler) as server:
        use_tls(server, context)
        with run_server(server):
            yield Plan(
                host="127.0.0.1",
                port=server.server_port,
                authority=str(tmp_path / "ca.pem"),
                requests=(str(request),),
                connections=2,
                seconds=0.3,
            )


@NEEDS_WRK
def test_load_is_counted_with_its_errors(plan: Plan, tmp_path: Path) -> None:
    found = load.run_load(plan, tmp_path)
    assert found.requests > 10
    assert found.errors == pytest.approx(found.requests / 2, abs=plan.connections)
    assert 0 < found.p50 <= found.p99 < found.seconds
    assert found.rate == pytest.approx((found.requests - found.errors) / found.seconds)


def test_load_without_wrk_is_an_error(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CommandError, match="wrk: not found; install it"):
        load.run_load(plan, tmp_path)


@NEEDS_WRK
def test_the_server_is_measured_as_it_is_served(tmp_path: Path) -> None:
    one, three = throughput.measure_throughput(sample_input(), tmp_path, 0.5, connections=(1, 3))
    assert (one.size, three.size) == (1, 3)
    assert (one.errors, three.errors) == (0, 0)
    assert min(one.repetitions, three.repetitions) > 0
    assert one.ratio > 0


# Memory


def _sample_rows(*sizes: int) -> list[table.Row]:
    return memory.sample_rows([(number * 100, size) for number, size in enumerate(sizes, 1)])


def test_memory_that_stays_is_flat() -> None:
    rows = _sample_rows(*[60_000_000] * 200)
    assert [row.size for row in rows] == [2000, 5000, 10_000, 20_000]
    assert [row.ratio for row in rows] == [1.0] * 4
    assert [row.is_target_met for row in rows] == [None, None, None, True]
    assert rows[-1].note == "+0.00 KB for 1,000 reviews"


def test_memory_that_grows_is_not() -> None:
    rows = _sample_rows(*(60_000_000 + 100 * 512 * number for number in range(200)))
    assert rows[-1].is_target_met is False
    assert rows[-1].note == "+512.00 KB for 1,000 reviews"


def test_every_kind_of_review_is_sent_and_counted(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", soak.__name__, str(sample_input().write_store(tmp_path)), "40"],
        env={"PYTHONPATH": f"{ROOT / 'layers' / 'engine'}:{ROOT / 'tools'}"},
        check=True,
        capture_output=True,
        text=True,
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [number for number, _ in told] == list(range(1, 41))
    assert all(size > 10_000_000 for _, size in told)


# The program


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--only", "cold,lukewarm"], "got lukewarm; use some of cold, warm, scaling"),
        (["--only", "cold", "--write-docs"], "keeps whole runs only"),
    ],
)
def test_the_command_refuses_before_it_measures(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert problem in capsys.readouterr().err


def test_the_program_states_how_long_it_will_take() -> None:
    effort = command.RunSize(
        starts=10, requests=500, scaling_seconds=20, load_seconds=60, reviews=200_000
    )
    assert effort.estimated_seconds().keys() == command.PARTS.keys()
    assert 600 < sum(effort.estimated_seconds().values()) < 1800


def test_the_page_shows_the_run_that_is_retained_with_it() -> None:
    docs = ROOT / "docs"
    rows, machine = table.read_json(docs / page.DATA)
    assert plot.render_svg(plot.make_panels(rows)) == (docs / "performance.svg").read_text()
    # Rows that a removed cache served are left out until the next complete run.
    left_out = {"throughput"} if "left out" in machine else set[str]()
    assert {row.part for row in rows} == set(command.PARTS) - left_out


def test_the_memory_of_many_injectors_is_a_row_with_the_limit_as_baseline(tmp_path: Path) -> None:
    (row,) = injectors.measure_injectors(tmp_path, count=2)

    assert row.name == "resident, injectors of 50 KB: 2"
    assert row.baseline_median == injectors.LIMIT_BYTES
    assert 10**7 < row.median < injectors.LIMIT_BYTES
    sizes = {
        sum(path.stat().st_size for path in (tmp_path / name / "bundle").iterdir())
        for name in ("injector-0", "injector-1")
    }
    assert all(0.9 * injectors.BUNDLE_BYTES < size < 1.1 * injectors.BUNDLE_BYTES for size in sizes)
