#!/usr/bin/env python3
"""Measure what a webhook adds to the creation of a pod in kube-apiserver.

    tools/bench_kube.py ../istio 1.30.3
    tools/bench_kube.py ../istio 1.30.3 --users 10 --seconds 10 --rounds 1

The client is kube-apiserver's own admission plugins, with TLS, its audit, and its patches. Users
create pods, one after the other: without a webhook, with a webhook in Go that allows everything,
with ``podgraft serve``, and with Istio's injector. Every second pod belongs to a workload that no
injector has seen. The storage and the other parts of the API server are not included.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Self

import click

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import e2e_kube
from bench import pods, throughput
from bench.bench_input import CLUSTER, TOKEN, BenchmarkInput
from oracle.istio import bench
from oracle.istio.build import BuildError
from oracle.istio.program import Istio
from oracle_istio import CACHE, CLONE_OPTION, build_program, render_settings
from page_sections import write_section
from podgraft.cli.failure import CommandError

PAGE = Path(__file__).resolve().parents[1] / "tests" / "performance" / "measurements.md"
BEGIN = "<!-- bench-kube: `tools/bench_kube.py ... --write-docs` writes this table. -->"
END = "<!-- end of bench-kube -->"
NONE, ALLOW, PODGRAFT, ISTIO = "no webhook", "allows everything, in Go", "podgraft serve", "Istio"
VARIANTS = (NONE, ALLOW, PODGRAFT, ISTIO)
_PATH = f"inject/cluster/{CLUSTER}"
_MARK = 123_456_789
_HEADER = (
    *("users", "webhook", "pods/s", "mean", "p50", "p95", "p99"),
    *("added mean", "added p95", "added p99"),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of one variant: times in seconds."""

    pods: int
    seconds: float
    mean: float
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Row:
    """A number of users and a variant: the medians of its runs, and what they add."""

    users: int
    variant: str
    rate: float
    times: tuple[float, ...]  # mean, p50, p95, p99
    added: tuple[float, ...]  # mean, p95, p99


class AdmissionProgram:
    """kube-apiserver's admission plugins as a program (tests/e2e/kube/admission)."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__(None, None, None)

    def run_scenario(self, scenario: Mapping[str, Any]) -> dict[str, Any]:
        """The result to a scenario."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise CommandError("the admission program has no pipes")
        stdin.write(json.dumps(scenario) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise CommandError("the admission program stopped; see its message above")
        return json.loads(line)


@click.command()
@click.argument("istio")
@click.argument("release")
@click.option("--users", "all_users", type=int, multiple=True, default=(1, 10, 100))
@click.option("--seconds", default=20.0, show_default=True, help="Seconds of each run.")
@click.option("--rounds", default=3, show_default=True, help="Runs of each variant.")
@CLONE_OPTION
@click.option("--program", type=click.Path(exists=True, path_type=Path), help="Compiled injector.")
@click.option(
    "--write-docs", is_flag=True, help="Write the table to tests/performance/measurements.md."
)
def main(  # noqa: PLR0913 - one parameter per option
    istio: str,
    release: str,
    *,
    all_users: tuple[int, ...],
    seconds: float,
    rounds: int,
    clones: tuple[Path, ...],
    program: Path | None,
    write_docs: bool,
) -> None:
    """Measure no webhook, podgraft serve, and Istio RELEASE from the clone ISTIO."""
    go = shutil.which("go")
    if go is None:
        raise click.ClickException("go not found; install it (Go 1.26 or later)")
    try:
        injector = build_program("bench-kube", istio, release, clones, program)
        plugins = e2e_kube.build_program(go)
    except (BuildError, CommandError) as error:
        raise click.ClickException(str(error)) from error
    settings = render_settings(Path(istio).resolve(), release, CACHE / "settings")
    inputs, istio_settings = bench.read_input(settings)
    with TemporaryDirectory(prefix="podgraft-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        running = stack.enter_context(Istio(injector, {}))
        error = running.load(istio_settings)
        if error is not None:
            raise click.ClickException(f"Istio does not accept the settings: {error}")
        clusters = open_clusters(stack, inputs, folder, plugins, running)
        client = stack.enter_context(AdmissionProgram(plugins))
        rows = measure(client, clusters, make_pod(inputs), all_users, seconds, rounds)
    facts = f"Istio {release}, Python {sys.version.split()[0]} in {sys.base_prefix}"
    text = format_table(rows, f"{facts}, {os.cpu_count()} cores, {rounds} runs of {seconds:g} s")
    click.echo(text)
    if write_docs:
        write_section(PAGE, BEGIN, END, text)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster with one webhook, or none: its manifests, and where the webhook listens."""

    manifests: str
    server: str


def open_clusters(
    stack: ExitStack, inputs: BenchmarkInput, folder: Path, plugins: Path, istio: Istio
) -> dict[str, Cluster]:
    """The cluster of each variant. All webhooks have the same certificate."""
    for _ in throughput.review_files(inputs, folder):  # the first of which the server must inject
        pass
    server = stack.enter_context(throughput.start_server(inputs, folder))
    certificates = folder / "certificates"
    files = {
        "certificate": str(certificates / "server.pem"),
        "key": str(certificates / "server.key"),
    }
    allowing = stack.enter_context(AdmissionProgram(plugins)).run_scenario({"allow": files})[
        "address"
    ]
    istio_port = istio.listen(Path(files["certificate"]), Path(files["key"]))
    authority = server.authority.read_bytes()

    def register(path: str, address: str) -> Cluster:
        return Cluster(make_registration(f"https://{address}/{path}", authority), address)

    return {
        NONE: Cluster("", "127.0.0.1:1"),
        ALLOW: register(_PATH, allowing),
        PODGRAFT: register(f"k/{TOKEN}/{_PATH}", f"127.0.0.1:{server.port}"),
        ISTIO: register(_PATH, f"127.0.0.1:{istio_port}"),
    }


def make_registration(url: str, authority: bytes) -> str:
    """A registration for the creation of pods: JSON, which is YAML.

    It has the values that the API server adds, because the plugins get it without the API server.
    """
    return json.dumps(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": "bench"},
            "webhooks": [
                {
                    "name": "bench.example.com",
                    "admissionReviewVersions": ["v1"],
                    "sideEffects": "None",
                    "failurePolicy": "Fail",
                    "matchPolicy": "Equivalent",
                    "reinvocationPolicy": "Never",
                    "namespaceSelector": {},
                    "objectSelector": {},
                    "timeoutSeconds": 10,
                    "clientConfig": {"url": url, "caBundle": base64.b64encode(authority).decode()},
                    "rules": [
                        {
                            "apiGroups": [""],
                            "apiVersions": ["v1"],
                            "resources": ["pods"],
                            "operations": ["CREATE"],
                            "scope": "*",
                        }
                    ],
                }
            ],
        }
    )


def make_pod(inputs: BenchmarkInput) -> dict[str, Any]:
    """The pod that users create; the client replaces the mark in every second one."""
    event = pods.unseen_pod(inputs, _MARK)
    return json.loads(event["body"])["request"]["object"]


def measure(  # noqa: PLR0913, PLR0917 - one parameter per fact of the run
    client: AdmissionProgram,
    clusters: Mapping[str, Cluster],
    pod: Mapping[str, Any],
    all_users: Sequence[int],
    seconds: float,
    rounds: int,
    progress: Callable[[str], None] = lambda text: click.echo(text, err=True),
) -> list[Row]:
    """Measure all variants in rounds, each in a new order."""
    samples: dict[tuple[int, str], list[Sample]] = {}
    for number in range(rounds):
        for users in all_users:
            order = [*VARIANTS]
            Random(number).shuffle(order)  # noqa: S311 - an order, and no secret
            for variant in order:
                progress(f"round {number + 1}: {users} users, {variant}")
                load = {"users": users, "seconds": seconds, "mark": str(_MARK)}
                cluster = clusters[variant]
                scenario = {
                    "manifests": cluster.manifests,
                    "server": cluster.server,
                    "object": pod,
                    "load": load,
                }
                result = client.run_scenario(scenario)["load"]
                sample = check_result(variant, result, pod, seconds)
                samples.setdefault((users, variant), []).append(sample)
    return [make_row(samples, users, variant) for users in all_users for variant in VARIANTS]


def check_result(
    variant: str, result: Mapping[str, Any], pod: Mapping[str, Any], seconds: float
) -> Sample:
    """The figures of a run; raises ``ClickException`` if it measured something else."""
    if result["errors"] or not result["pods"]:
        raise click.ClickException(f"{variant}: {result['errors']} errors: {result.get('error')}")
    spec = pod["spec"]
    own = len(spec["containers"]) + len(spec.get("initContainers", []))
    if (result["containers"] > own) != (variant in {PODGRAFT, ISTIO}):
        raise click.ClickException(f"{variant}: the pod has {result['containers']} containers")
    times = {key: result[key] for key in ("pods", "mean", "p50", "p95", "p99")}
    return Sample(seconds=seconds, **times)


def make_row(samples: Mapping[tuple[int, str], Sequence[Sample]], users: int, variant: str) -> Row:
    """The medians of the runs."""

    def middle(name: str, of_variant: str) -> float:
        return median(getattr(each, name) for each in samples[users, of_variant])

    rate = median(each.pods / each.seconds for each in samples[users, variant])
    times = tuple(middle(name, variant) for name in ("mean", "p50", "p95", "p99"))
    added = tuple(middle(name, variant) - middle(name, NONE) for name in ("mean", "p95", "p99"))
    return Row(users, variant, rate, times, added)


def format_table(rows: Sequence[Row], facts: str) -> str:
    """The figures as Markdown."""
    lines = [
        f"Last run: {datetime.now(UTC).date().isoformat()}, {facts}.",
        "",
        f"| {' | '.join(_HEADER)} |",
        f"|{'---|' * len(_HEADER)}",
    ]
    for row in rows:
        times = " | ".join(f"{1e3 * value:.1f} ms" for value in row.times)
        added = " | ".join(
            "" if row.variant == NONE else f"{1e3 * value:.1f} ms" for value in row.added
        )
        lines.append(f"| {row.users} | {row.variant} | {row.rate:,.0f} | {times} | {added} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
