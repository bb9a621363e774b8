"""``podgraft policy bench``: the time that a bundle costs per object, template by template."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import click

from podgraft.cli import configuration, program
from podgraft.cli.explain.pod_source import ExplainedPod
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.core.review_context import ReviewContext

from .bench.comparison import compare
from .bench.formats import BenchFormat, format_comparison, format_measurement
from .bench.measurement import Clock, MeasuredVersion, find_failures, measure
from .bench.results import Measurement, read_measurement
from .diff import SampleOptions, Version, load_objects, sample_options
from .local import check_bundle
from .options import local_options
from .stored_version import load_local_version, load_stored_version, open_injector
from .target import TargetOptions, optional_target_options

CURRENT = "current"
SLOWER = 1
# Tests replace it.
CLOCK: Clock = perf_counter


@click.command("bench", cls=program.ComparingCommand)
@local_options
@sample_options
@configuration.caller_options
@click.option(
    "--compare",
    "baseline",
    metavar="BASELINE",
    help="Version to compare with: a folder like FOLDER, the number of a stored version, current "
    "for the version in force, or a file of -o json.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(min=0),
    help="Percent by which a row can be slower than BASELINE.  [default: 10]",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=5, max=100_000),
    default=100,
    show_default=True,
    help="Number of samples of each row.",
)
@click.option(
    "-o",
    "--output",
    type=click.Choice([each.value for each in BenchFormat]),
    default=BenchFormat.TEXT.value,
    show_default=True,
    help="Output format. json contains all samples.",
)
@optional_target_options
def bench_policy(  # noqa: PLR0913 — one parameter per option
    options: TargetOptions,
    bundle: Path,
    document: Path | None,
    samples: SampleOptions,
    *,
    cluster: str | None,
    istio_cluster_id: str | None,
    network: str | None,
    env: tuple[str, ...],
    baseline: str | None,
    threshold: float | None,
    rounds: int,
    output: str,
) -> int:
    """Measure the time that a bundle costs per object, template by template.

    FOLDER contains policy.yaml and bundle/. Each round reviews all objects of -f, and renders each
    template for them. The times are those of the engine, without HTTP. With --compare, the rounds
    of both versions alternate. A row counts as slower if its median exceeds that of BASELINE by
    more than the threshold, and a Mann-Whitney U test finds a difference (p < 0.05). A file was
    measured at another time: its times are compared relative to fixed work on each machine.

    The exit status is 0 without a slower row, 1 with one, and 2 for errors.
    """
    if threshold is not None and baseline is None:
        raise click.UsageError("--threshold requires --compare")
    caller = configuration.make_caller(cluster, istio_cluster_id, network, env)
    saved = read_measurement(Path(baseline)) if baseline and Path(baseline).is_file() else None
    after = _load_folder(bundle, document)
    before = _load_baseline(options, baseline) if baseline and saved is None else None
    versions = [version for version in (before, after) if version is not None]
    subjects = [
        each.subject for each in load_objects(samples, [each.snapshots for each in versions])
    ]
    measured = _measure(versions, subjects, caller, rounds)
    output_format = BenchFormat(output)
    old = saved or (measured[0] if before is not None else None)
    if old is None:
        click.echo(format_measurement(measured[-1], output_format), nl=False)
        return 0
    if old.objects != measured[-1].objects:
        raise CommandError(f"{old.name}: measured other objects; use the same -f, or measure again")
    comparison = compare(
        old,
        measured[-1],
        _DEFAULT_THRESHOLD if threshold is None else threshold,
        is_relative=saved is not None,
    )
    click.echo(format_comparison(comparison, output_format), nl=False)
    return SLOWER if comparison.regressions else 0


_DEFAULT_THRESHOLD = 10.0


def _measure(
    versions: Sequence[Version],
    subjects: Sequence[ExplainedPod],
    caller: ReviewContext,
    rounds: int,
) -> list[Measurement]:
    """Measure all versions; raises ``CommandError`` for an object of which a review fails."""
    measured_versions: list[MeasuredVersion] = []
    for version in versions:
        snapshot = version.snapshot(caller.cluster)
        assert snapshot is not None  # noqa: S101 - the version was loaded
        measured_versions.append(MeasuredVersion(version.name, snapshot))
    failures = [
        failure
        for version in measured_versions
        for failure in find_failures(version, subjects, caller)
    ]
    if failures:
        raise CommandError(*failures)
    return measure(measured_versions, subjects, caller, rounds, CLOCK)


def _load_folder(bundle: Path, document: Path | None) -> Version:
    checked = check_bundle(bundle, document)
    print_warnings(checked.warnings)
    return load_local_version(str(bundle.parent if bundle.name == "bundle" else bundle), checked)


def _load_baseline(options: TargetOptions, baseline: str) -> Version:
    """Load a folder, a stored version, or the version in force."""
    path = Path(baseline)
    if path.is_dir():
        policy = path / "policy.yaml"
        folder = path / "bundle"
        is_bundle = not folder.is_dir()
        return _load_folder(
            path if is_bundle else folder, policy if policy.exists() and not is_bundle else None
        )
    if baseline == CURRENT or baseline.isdecimal():
        options.check()
    if baseline == CURRENT:
        version = open_injector(options).current
    elif baseline.isdecimal():
        version = load_stored_version(options, int(baseline))
    else:
        raise CommandError(
            f'--compare: got "{baseline}"; use a folder, a file of -o json, the number of a '
            f"version, or {CURRENT}"
        )
    if version.snapshots is None:
        raise CommandError("--compare: no version is stored; push one, or use a folder")
    return version
