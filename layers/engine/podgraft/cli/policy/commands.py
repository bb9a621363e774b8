"""The subcommands of ``podgraft policy``."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from podgraft import bundle as bundles
from podgraft import policy, store
from podgraft.cli import documents, folders, offline
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.webhook_paths import url_paths
from podgraft.store import InvalidVersionError, trial

from . import diff
from .cloud import DeployedInjector, PolicyVersion
from .local import STANDARD_BYTES, CheckedBundle, check_bundle
from .target import Target, TargetOptions, target_options

P = ParamSpec("P")
R = TypeVar("R")

# Whether they are there and readable is said together with all else that is wrong.
_PATH = click.Path(path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _local_options(function: Callable[P, R]) -> Callable[P, R]:
    """Options that name a bundle and a policy on this machine."""
    function = click.option("--policy", "document", type=_PATH, help="Policy document.")(function)
    return click.option("--bundle", type=_PATH, required=True, help="Folder of manifests.")(
        function
    )


def _expect_version_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add the option that refuses to replace a version which the operator has not seen."""
    return click.option(
        "--expect-version",
        type=click.IntRange(min=0),
        help="Version that must be in force, 0 for none; otherwise nothing is changed.",
    )(function)


def _connect(options: TargetOptions, *, writes: bool = False) -> DeployedInjector:
    """Connect to what the options name; raises ``CommandError`` if it is not of one stack."""
    cloud = DeployedInjector.connect(options.resolve())
    cloud.check_owner(is_required=writes)
    return cloud


def _warning_options(function: Callable[P, R]) -> Callable[P, R]:
    """Options about warnings: what else they compare, and whether they are errors."""
    function = click.option("--strict", is_flag=True, help="Make errors of warnings.")(function)
    return click.option(
        "--webhook-config",
        type=_FILE,
        help="Webhook configurations; their URL paths are compared with the mesh of the bundle.",
    )(function)


@click.group()
def command() -> None:
    """Check, push, compare and roll back what a deployed podgraft injects."""


@command.command("check")
@_local_options
@_warning_options
def _check(
    bundle: Path, document: Path | None, *, strict: bool, webhook_config: Path | None
) -> None:
    """Say everything that is wrong with a bundle and a policy, before anybody else can.

    Errors give exit status 1. Warnings go to standard error and change no exit status.
    """
    paths = url_paths(webhook_config) if webhook_config else ()
    checked = check_bundle(bundle, document, strict=strict, url_paths=paths)
    print_warnings(checked.warnings)
    size = len(checked.document.encode())
    click.echo(f"bundle   {checked.digest}, {len(checked.files)} files")
    click.echo(f"policy   {size} of {STANDARD_BYTES} bytes")
    click.secho(_verdict(len(checked.warnings)), fg="yellow" if checked.warnings else "green")


def _verdict(warnings: int) -> str:
    if not warnings:
        return "nothing is wrong"
    return f"no errors, {warnings} {'warning' if warnings == 1 else 'warnings'}"


@command.command("push")
@_local_options
@_warning_options
@target_options
@_expect_version_option
def _push(
    options: TargetOptions,
    bundle: Path,
    document: Path | None,
    *,
    strict: bool,
    webhook_config: Path | None,
    expect_version: int | None,
) -> None:
    """Upload the bundle, then switch the policy to it. Pushing the same again changes nothing."""
    paths = url_paths(webhook_config, options.injector) if webhook_config else ()
    checked = check_bundle(bundle, document, strict=strict, url_paths=paths)
    print_warnings(checked.warnings)
    cloud = _connect(options, writes=True)
    if expect_version is not None:
        cloud.check_version(expect_version)
    versions = cloud.history()
    _upload(cloud, checked)
    _check_cluster_bundles(cloud, checked)
    live = versions[-1] if versions else None
    if live and live.document == checked.document:
        cloud.check_version(live.number)
        click.echo(f"policy   version {live.number} says the same already")
        return
    number = cloud.put_policy(checked.document, live)
    click.secho(f"policy   version {number} of {cloud.target.parameter} is in force", fg="green")
    if live:
        click.echo(f"to take it back:\n  {_rollback_command(cloud.target, live.number)}")


def _upload(cloud: DeployedInjector, checked: CheckedBundle) -> None:
    """Upload what is missing or damaged; the policy switches to a bundle only when it is whole."""
    stored = cloud.list_objects(checked.digest)
    _check_unexpected_objects(
        cloud.target, checked.digest, sorted(stored.keys() - checked.files.keys())
    )
    missing = {
        path: content
        for path, content in checked.files.items()
        # Of another size it is damaged without a look; so no more is read than was given.
        if stored.get(path) != len(content) or cloud.read_file(checked.digest, path) != content
    }
    for number, (path, content) in enumerate(missing.items(), start=1):
        click.echo(f"upload   {number}/{len(missing)} {path}, {len(content)} bytes")
        cloud.upload_file(checked.digest, path, content)
    if not missing:
        click.echo(f"bundle   {checked.digest} is in S3 already")


def _check_unexpected_objects(target: Target, digest: str, paths: Sequence[str]) -> None:
    """Objects among a bundle's own that do not belong to it: with them its digest is another.

    Whose they are nobody here knows, so that deleting them is left to whoever reads this.
    """
    urls = [f"s3://{target.bucket}/{target.key(digest, path)}" for path in paths]
    findings = [
        f"{url}: is no file of bundle {digest}, which does not load with it; "
        f"take it away: aws s3 rm {shlex.quote(url)}"
        for url in urls
    ]
    if findings:
        raise CommandError(*findings)


def _check_cluster_bundles(cloud: DeployedInjector, checked: CheckedBundle) -> None:
    """Bundles that the policy names for single clusters must be there, and whole."""
    digests = {each.bundle for each in checked.policy.clusters.values() if each.bundle}
    if digests - {checked.digest}:
        _prove(cloud, checked.document, checked.files)


def _prove(
    cloud: DeployedInjector, document: str, local: Mapping[str, bytes] | None = None
) -> None:
    """Load a policy with all bundles that it names, as the function would before it switches.

    The bundle of the *local* files is not downloaded.
    """
    own = bundles.digest(local) if local else None

    def fetch(digest: str | None) -> Mapping[str, bytes]:
        return local if local and digest in {None, own} else cloud.read_bundle(digest or "")

    injector = cloud.target.injector
    try:
        trial.prove(injector, store.load_snapshots(injector, document, "new", fetch))
    except InvalidVersionError as error:
        raise CommandError(str(error)) from error


@command.command("diff")
@_local_options
@target_options
@click.option("-f", "samples", multiple=True, type=_FILE, help="Pods to compare the patches of.")
@click.option("--namespace", default="default", show_default=True, help="Namespace of the pods.")
def _diff(
    options: TargetOptions,
    bundle: Path,
    document: Path | None,
    samples: tuple[Path, ...],
    namespace: str,
) -> None:
    """Show what a push would change: policy keys, manifests, and the patches of sample pods."""
    checked = check_bundle(bundle, document)
    print_warnings(checked.warnings)
    cloud = _connect(options)
    live = cloud.current_version()
    live_files = cloud.read_bundle(_bundle_digest(live))
    lines = [
        *diff.policy_lines(live.document, checked.document),
        *diff.file_lines(live_files, checked.files),
    ]
    before = offline.load_snapshot(live.document, live_files)
    after = offline.make_snapshot(checked.policy, checked.bundle)
    for path in samples:
        for pod in documents.read_pods(path):
            sample = diff.Sample(documents.object_name(pod), pod, namespace)
            lines.extend(diff.patch_lines(sample, before, after))
    for line in lines:
        click.secho(line, fg={"+": "green", "-": "red"}.get(line[:1]))
    if not lines:
        click.echo(f"version {live.number} says the same already")


@command.command("history")
@target_options
def _history(options: TargetOptions) -> None:
    """List the versions of the policy: number, date, author, bundle."""
    for version in _connect(options).history():
        date = version.date.isoformat(timespec="seconds") if version.date else "-"
        click.echo(
            f"{version.number:>5}  {date}  {version.person:<24}  {_bundle_digest(version, '-')}"
        )


@command.command("rollback")
@click.argument("version", type=int)
@target_options
@_expect_version_option
def _rollback(options: TargetOptions, version: int, expect_version: int | None) -> None:
    """Put an older VERSION of the policy in force again, as a new version."""
    cloud = _connect(options, writes=True)
    if expect_version is not None:
        cloud.check_version(expect_version)
    versions = cloud.history()
    target_version = next((each for each in versions if each.number == version), None)
    if target_version is None:
        available = f"{versions[0].number} to {versions[-1].number}" if versions else "none"
        raise CommandError(f"{cloud.target.parameter} has no version {version}; kept: {available}")
    _bundle_digest(target_version)
    _prove(cloud, target_version.document)
    number = cloud.put_policy(target_version.document, versions[-1])
    click.secho(f"version {number}, the same as {version}, is in force", fg="green")
    click.echo(f"to take it back:\n  {_rollback_command(cloud.target, versions[-1].number)}")


@command.command("pull")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder.",
)
@target_options
def _pull(options: TargetOptions, output: Path) -> None:
    """Write what is live to a folder: policy.yaml and bundle/."""
    if output.exists() and any(output.iterdir()):
        raise CommandError(f"{output}: is not empty; name a new folder")
    cloud = _connect(options)
    live = cloud.current_version()
    files = cloud.read_bundle(_bundle_digest(live))
    bundle_files = {f"bundle/{path}": content for path, content in files.items()}
    folders.write_folder(output, {**bundle_files, "policy.yaml": live.document.encode()})
    click.echo(
        f"version {live.number}: {output}/policy.yaml, {len(files)} files in {output}/bundle"
    )
    click.echo(f"to change this version only: podgraft policy push --expect-version {live.number}")


def _bundle_digest(version: PolicyVersion, otherwise: str = "") -> str:
    """The bundle that a version names."""
    try:
        digest = policy.parse(version.document).bundle
    except policy.PolicyError as error:
        if otherwise:
            return otherwise
        raise CommandError(f"version {version.number} does not validate: {error}") from error
    if digest or otherwise:
        return digest or otherwise
    raise CommandError(f"version {version.number} names no bundle; push one")


def _rollback_command(target: Target, number: int) -> str:
    return f"podgraft policy rollback {number} {target.options}"
