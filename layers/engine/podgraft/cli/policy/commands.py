"""The subcommands of ``podgraft policy``."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from podgraft import bundle as bundles
from podgraft import policy, store
from podgraft.cli import documents, offline
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.registered import url_paths
from podgraft.identifiers import DEFAULT_INJECTOR, IdentifierError, check_injector
from podgraft.store import RefusedError, proving

from . import comparing
from .cloud import Cloud, Target, Version
from .local import STANDARD_BYTES, Checked, check

P = ParamSpec("P")
R = TypeVar("R")

# Whether they are there and readable is said together with all else that is wrong.
_PATH = click.Path(path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _local(function: Callable[P, R]) -> Callable[P, R]:
    """Options that name a bundle and a policy on this machine."""
    function = click.option("--policy", "document", type=_PATH, help="Policy document.")(function)
    return click.option("--bundle", type=_PATH, required=True, help="Folder of manifests.")(
        function
    )


def _strict(function: Callable[P, R]) -> Callable[P, R]:
    """Options about warnings: what else they compare, and whether they are errors."""
    function = click.option("--strict", is_flag=True, help="Make errors of warnings.")(function)
    return click.option(
        "--webhook-config",
        type=_FILE,
        help="Webhook configurations; their URL paths are compared with the mesh of the bundle.",
    )(function)


def _checked_injector(_context: click.Context, _option: click.Parameter, name: str) -> str:
    try:
        return check_injector(name)
    except IdentifierError as error:
        raise CommandError(str(error)) from error


def _remote(function: Callable[P, R]) -> Callable[P, R]:
    """Options that name the deployed side."""
    for decorate in (
        click.option("--parameter-prefix", default="/podgraft", show_default=True),
        click.option("--bundle-prefix", default="bundles/", show_default=True),
        click.option("--bucket", required=True, help="Stack output BundleBucket."),
        click.option(
            "--injector", default=DEFAULT_INJECTOR, show_default=True, callback=_checked_injector
        ),
    ):
        function = decorate(function)
    return function


@click.group()
def command() -> None:
    """Check, push, compare and roll back what a deployed podgraft injects."""


@command.command("check")
@_local
@_strict
def _check(
    bundle: Path, document: Path | None, *, strict: bool, webhook_config: Path | None
) -> None:
    """Say everything that is wrong with a bundle and a policy, before anybody else can.

    Errors give exit status 1. Warnings go to standard error and change no exit status.
    """
    paths = url_paths(webhook_config) if webhook_config else ()
    checked = check(bundle, document, strict=strict, url_paths=paths)
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
@_local
@_strict
@_remote
def _push(
    bundle: Path,
    document: Path | None,
    *,
    strict: bool,
    webhook_config: Path | None,
    **where: str,
) -> None:
    """Upload the bundle, then switch the policy to it. Pushing the same again changes nothing."""
    paths = url_paths(webhook_config, where["injector"]) if webhook_config else ()
    checked = check(bundle, document, strict=strict, url_paths=paths)
    print_warnings(checked.warnings)
    cloud = Cloud.connect(Target(**where))
    _upload(cloud, checked)
    _further_bundles(cloud, checked)
    versions = cloud.history()
    if versions and versions[-1].document == checked.document:
        click.echo(f"policy   version {versions[-1].number} says the same already")
        return
    number = cloud.put(checked.document, advanced=bool(versions) and versions[-1].advanced)
    click.secho(f"policy   version {number} of {cloud.target.parameter} is in force", fg="green")
    if versions:
        click.echo(f"to take it back:\n  {_rollback_line(cloud.target, versions[-1].number)}")


def _upload(cloud: Cloud, checked: Checked) -> None:
    """Upload what is missing or damaged; the policy switches to a bundle only when it is whole."""
    stored = cloud.stored(checked.digest)
    _refuse_strangers(cloud.target, checked.digest, sorted(stored.keys() - checked.files.keys()))
    missing = {
        path: content
        for path, content in checked.files.items()
        # Of another size it is damaged without a look; so no more is read than was given.
        if stored.get(path) != len(content) or cloud.read(checked.digest, path) != content
    }
    for number, (path, content) in enumerate(missing.items(), start=1):
        click.echo(f"upload   {number}/{len(missing)} {path}, {len(content)} bytes")
        cloud.upload(checked.digest, path, content)
    if not missing:
        click.echo(f"bundle   {checked.digest} is in S3 already")


def _refuse_strangers(target: Target, digest: str, paths: Sequence[str]) -> None:
    """Objects among a bundle's own that do not belong to it: with them its digest is another.

    Whose they are nobody here knows, so that deleting them is left to whoever reads this.
    """
    places = [f"s3://{target.bucket}/{target.key(digest, path)}" for path in paths]
    findings = [
        f"{place}: is no file of bundle {digest}, which does not load with it; "
        f"take it away: aws s3 rm {shlex.quote(place)}"
        for place in places
    ]
    if findings:
        raise CommandError(*findings)


def _further_bundles(cloud: Cloud, checked: Checked) -> None:
    """Bundles that the policy names for single clusters must be there, and whole."""
    named = {each.bundle for each in checked.policy.clusters.values() if each.bundle}
    if named - {checked.digest}:
        _prove(cloud, checked.document, checked.files)


def _prove(cloud: Cloud, document: str, local: Mapping[str, bytes] | None = None) -> None:
    """Load a policy with all bundles that it names, as the function would before it switches.

    The bundle of the *local* files is not downloaded.
    """
    own = bundles.digest(local) if local else None

    def fetch(digest: str | None) -> Mapping[str, bytes]:
        return local if local and digest in {None, own} else cloud.files(digest or "")

    injector = cloud.target.injector
    try:
        proving.prove(injector, store.load(injector, document, "new", fetch))
    except RefusedError as error:
        raise CommandError(str(error)) from error


@command.command("diff")
@_local
@_remote
@click.option("-f", "samples", multiple=True, type=_FILE, help="Pods to compare the patches of.")
@click.option("--namespace", default="default", show_default=True, help="Namespace of the pods.")
def _diff(
    bundle: Path, document: Path | None, samples: tuple[Path, ...], namespace: str, **where: str
) -> None:
    """Show what a push would change: policy keys, manifests, and the patches of sample pods."""
    checked = check(bundle, document)
    print_warnings(checked.warnings)
    cloud = Cloud.connect(Target(**where))
    live = cloud.live()
    live_files = cloud.files(_bundle_of(live))
    lines = [
        *comparing.policy_lines(live.document, checked.document),
        *comparing.file_lines(live_files, checked.files),
    ]
    before = offline.load(live.document, live_files)
    after = offline.snapshot(checked.policy, checked.bundle)
    for path in samples:
        for pod in documents.pods(path):
            sample = comparing.Sample(documents.name(pod), pod, namespace)
            lines.extend(comparing.patch_lines(sample, before, after))
    for line in lines:
        click.secho(line, fg={"+": "green", "-": "red"}.get(line[:1]))
    if not lines:
        click.echo(f"version {live.number} says the same already")


@command.command("history")
@_remote
def _history(**where: str) -> None:
    """List the versions of the policy: number, date, author, bundle."""
    for version in Cloud.connect(Target(**where)).history():
        date = version.date.isoformat(timespec="seconds") if version.date else "-"
        author = version.author.rpartition("/")[2] or "-"
        click.echo(f"{version.number:>5}  {date}  {author:<24}  {_bundle_of(version, '-')}")


@command.command("rollback")
@click.argument("version", type=int)
@_remote
def _rollback(version: int, **where: str) -> None:
    """Put an older VERSION of the policy in force again, as a new version."""
    cloud = Cloud.connect(Target(**where))
    versions = cloud.history()
    wanted = next((each for each in versions if each.number == version), None)
    if wanted is None:
        kept = f"{versions[0].number} to {versions[-1].number}" if versions else "none"
        raise CommandError(f"{cloud.target.parameter} has no version {version}; kept: {kept}")
    _bundle_of(wanted)
    _prove(cloud, wanted.document)
    number = cloud.put(wanted.document, advanced=versions[-1].advanced)
    click.secho(f"version {number}, the same as {version}, is in force", fg="green")
    click.echo(f"to take it back:\n  {_rollback_line(cloud.target, versions[-1].number)}")


@command.command("pull")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder.",
)
@_remote
def _pull(output: Path, **where: str) -> None:
    """Write what is live to a folder: policy.yaml and bundle/."""
    if output.exists() and any(output.iterdir()):
        raise CommandError(f"{output}: is not empty; name a new folder")
    cloud = Cloud.connect(Target(**where))
    live = cloud.live()
    files = cloud.files(_bundle_of(live))
    for path, content in files.items():
        target = output / "bundle" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    (output / "policy.yaml").write_text(live.document)
    click.echo(
        f"version {live.number}: {output}/policy.yaml, {len(files)} files in {output}/bundle"
    )


def _bundle_of(version: Version, otherwise: str = "") -> str:
    """The bundle that a version names."""
    try:
        named = policy.parse(version.document).bundle
    except policy.PolicyError as error:
        if otherwise:
            return otherwise
        raise CommandError(f"version {version.number} does not validate: {error}") from error
    if named or otherwise:
        return named or otherwise
    raise CommandError(f"version {version.number} names no bundle; push one")


def _rollback_line(target: Target, number: int) -> str:
    where = (
        f"--injector {target.injector} --bucket {target.bucket} "
        f"--bundle-prefix {target.bundle_prefix} --parameter-prefix {target.parameter_prefix}"
    )
    return f"podgraft policy rollback {number} {where}"
