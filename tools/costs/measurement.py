"""One warm review as Lambda would bill it: time, bytes of its answer, bytes of its logs.

The real handler runs under AWS's own runtime client against a stub of the Runtime API, with
Istio's templates and a token as caller, and every pod is one that was never seen before. Time is
the process's own of the processor (Linux): a warm review waits for nothing, and so a machine that
does other things as well measures the same.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import clock_gettime
from typing import Any

from bench import cold, pods
from bench.bench_input import load_benchmark_input
from bench.runtime_api import RuntimeApi, serve_runtime_api, start_runtime_client
from podgraft.cli.assets import ROOT
from podgraft.service.http.metrics import Metric
from reference_tables import read_template_parameters

from .bill import Figures

WARMING = 100
_HEADERS = (
    "HTTP/1.1 200 OK",
    "Date: Sat, 21 Nov 2026 06:00:00 GMT",
    "Apigw-Requestid: Uz3bYgYkDoE=",
)
# The values of the variables of the access log format of API Gateway.
_ACCESS = {
    "requestId": "Uz3bYgYkDoEEM0w=",
    "requestTime": "21/Nov/2026:03:00:17 +0000",
    "identity.sourceIp": "198.51.100.24",
    "routeKey": "POST /{proxy+}",
    "status": "200",
    "responseLatency": "12",
    "responseLength": "6000",
    "integrationStatus": "200",
    "integrationErrorMessage": "-",
}
# Reasons that a fleet's reviews end with in a month, each a value of the metrics' dimension.
_REASONS = 5
# Two of synthetic reviews, and two of clusters.
_ROTATION_ALARMS = 1  # with TokenRotationDays alone
_WATCH_METRICS = 4


def measure(reviews: int) -> Figures:
    """Measure on this machine; the settings come from the template."""
    measured = load_benchmark_input()
    template = (ROOT / "template.yaml").read_text()
    with TemporaryDirectory(prefix="podgraft-cost-") as name:
        store = measured.write_store(Path(name))
        events = (pods.unseen_pod(measured, number) for number in range(WARMING + reviews))
        seconds, response, logged = _run_reviews(store, events)
    number = WARMING + reviews
    access = access_line(template)
    return Figures(
        measured=f"{datetime.now(tz=UTC):%d %B %Y}",
        source=measured.source,
        milliseconds=round(seconds / reviews * 1000, 2),
        response_bytes=response_size(response),
        log_bytes=round(sum(map(len, logged)) / number) + len(access),
        events=round(len(logged) / number) + 1,
        memory_mib=read_default("MemorySize"),
        refresh_seconds=read_default("RefreshSeconds"),
        metrics=_metric_count(),
        alarms=template.count("Type: AWS::CloudWatch::Alarm") - _ROTATION_ALARMS,
    )


def environment(store: Path) -> dict[str, str]:
    """Return the environment of a function that reads a folder and requires tokens."""
    return {
        "PODGRAFT_STORE": f"file:{store}",
        "PODGRAFT_AUTH": "token",
        "AWS_LAMBDA_LOG_FORMAT": "JSON",
        "AWS_LAMBDA_LOG_LEVEL": "INFO",
        "PYTHONPATH": str(ROOT / "layers" / "engine"),
    }


def _run_reviews(store: Path, events: Iterator[dict[str, Any]]) -> tuple[float, Any, list[bytes]]:
    """Seconds of all reviews once warm, the last answer, and the log events of all."""
    logged: list[bytes] = []
    with (
        serve_runtime_api() as api,
        start_runtime_client(
            api.address, environment(store), ROOT / "functions" / "webhook"
        ) as client,
    ):
        reader = Thread(target=lambda: logged.extend(client.stdout or ()))
        reader.start()
        api.next_message()
        for event in islice(events, WARMING):
            _review(api, event)
        started = processor_seconds(client.pid)
        response: Any = None
        for event in events:
            response = _review(api, event)
        seconds = processor_seconds(client.pid) - started
        client.terminate()
        client.wait()
        reader.join()
    return seconds, response, [line.rstrip() for line in logged if line.startswith(b"{")]


def _review(api: RuntimeApi, event: dict[str, Any]) -> Any:
    response = api.invoke(event).body
    cold.check_injected(response)
    return response


def processor_seconds(process: int) -> float:
    """What a process has had of the processor (clock_getcpuclockid of glibc)."""
    return clock_gettime((~process << 3) | 2)


def response_size(response: Any) -> int:
    """Return the size of the response of API Gateway."""
    headers = [*_HEADERS, *(f"{name}: {value}" for name, value in response["headers"].items()), ""]
    return sum(len(line) + 2 for line in headers) + len(response["body"].encode())


def access_line(template: str) -> str:
    """The access log's line of one request, by the template's own format."""
    [form] = re.findall(r"Format: !Sub >-\n((?: +[\"{].*\n)+)", template)
    return re.sub(
        r"\$context\.([A-Za-z.]+)", lambda found: _ACCESS[found[1]], " ".join(form.split())
    ).replace("${AWS::StackName}", "podgraft")


def read_default(parameter: str) -> int:
    """Return the default of a numeric parameter of the template."""
    return int(read_template_parameters()[parameter]["Default"])


def _metric_count() -> int:
    """Each name once for the service, three of them for each reason, and those of the watch."""
    return len(Metric) + 3 * _REASONS + _WATCH_METRICS
