"""The subcommands of ``podgraft policy``."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from podgraft import bundle as bundles
from podgraft import policy, store
from podgraft.cli import documents, folders, offline
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.webhook_paths import url_paths
from podgraft.privileges.pod_security import Level
from podgraft.store import InvalidVersionError, trial

from . import diff
from .cloud import DeployedInjector, PolicyVersion
from .local import STANDARD_BYTES, CheckedBundle, check_bundle
from .options import FILE, expect_version_option, local_options, warning_options
from .privileges import make_block
from .rollout.candidate import check_no_rollout, find_digests, prove_candidate, read_bundles
from .rollout.text import remove_rollout
from .signing import Signer, make_signer, signed_version, signer_options, strip_signature
from .target import DeploymentTarget, TargetOptions, target_options


def _connect(options: TargetOptions, *, writes: bool = False) -> DeployedInjector:
    """Connect to the injector; raises ``CommandError`` if the options belong to two stacks."""
    cloud = DeployedInjector.connect(options.resolve())
    cloud.check_owner(is_required=writes)
    return cloud


@click.group()
def command() -> None:
    """Check, push, compare, and roll back the configuration of a deployed podgraft."""


@command.command("check")
@local_options
@warning_options
@click.option(
    "--pss",
    type=click.Choice([level.value for level in Level]),
    help="Level of the Pod Security Standards. Each violation that the bundle adds is an error.",
)
def _check(
    bundle: Path,
    document: Path | None,
    *,
    strict: bool,
    webhook_config: Path | None,
    pss: str | None,
) -> None:
    """Validate a bundle and a policy, and report every error.

    FOLDER contains policy.yaml and bundle/. With errors, the exit status is 1. Warnings go to
    standard error and do not change the exit status.
    """
    paths = url_paths(webhook_config) if webhook_config else ()
    level = Level(pss) if pss else None
    checked = check_bundle(bundle, document, strict=strict, url_paths=paths, level=level)
    print_warnings(checked.warnings)
    size = len(checked.document.encode())
    click.echo(f"bundle   {checked.digest}, {len(checked.files)} files")
    click.echo(f"policy   {size} of {STANDARD_BYTES} bytes")
    click.secho(_verdict(len(checked.warnings)), fg="yellow" if checked.warnings else "green")


def _verdict(warnings: int) -> str:
    if not warnings:
        return "no errors or warnings"
    return f"no errors, {warnings} {'warning' if warnings == 1 else 'warnings'}"


@command.command("allows")
@local_options
@click.option("--write", is_flag=True, help="Write the key to the policy document.")
def _allows(bundle: Path, document: Path | None, *, write: bool) -> None:
    """Print the key allows of the policy: the privileges that the bundle adds to pods.

    podgraft renders the templates for sample pods. The key has the privileges that the policy lists
    already, and all missing ones.
    """
    if write and document is None:
        raise click.UsageError("Missing option '--policy': --write changes this file.")
    block, text = make_block(bundle, document)
    if not write or document is None:
        click.echo(block, nl=False)
        return
    folders.replace_file(document, text.encode())
    click.echo(f"wrote allows to {document}; review the change before you push it")


@command.command("push")
@local_options
@warning_options
@signer_options
@click.option("--unsigned", is_flag=True, help="Replace a signed version without a signature.")
@click.option("--end-rollout", is_flag=True, help="Replace a policy with an active rollout.")
@target_options
@expect_version_option
def _push(  # noqa: PLR0913 — one parameter per option
    options: TargetOptions,
    bundle: Path,
    document: Path | None,
    *,
    strict: bool,
    webhook_config: Path | None,
    sign: str | None,
    sign_key: Path | None,
    unsigned: bool,
    end_rollout: bool,
    expect_version: int | None,
) -> None:
    """Upload the bundle, then switch the policy to it. A second identical push changes nothing.

    FOLDER contains policy.yaml and bundle/.
    """
    paths = url_paths(webhook_config, options.injector) if webhook_config else ()
    checked = check_bundle(bundle, document, strict=strict, url_paths=paths)
    print_warnings(checked.warnings)
    signer = make_signer(sign, sign_key)
    cloud = _connect(options, writes=True)
    if expect_version is not None:
        cloud.check_version(expect_version)
    versions = cloud.history()
    live = versions[-1] if versions else None
    if live and not unsigned:
        _check_signer(signer, [live])
    if live and not end_rollout:
        check_no_rollout(live.document, checked.document, cloud.target.options)
    cloud.check_denied(find_digests(checked.policy))
    _upload(cloud, checked)
    _check_cluster_bundles(cloud, checked)
    if live and _is_stored(live, checked.document, signer):
        cloud.check_version(live.number)
        click.echo(f"policy   version {live.number} is already the same")
        return
    number = _put(cloud, checked.document, live, signer)
    click.secho(f"policy   version {number} of {cloud.target.parameter} is in force", fg="green")
    if live:
        click.echo(f"to undo the change:\n  {_rollback_command(cloud.target, live.number)}")


def _check_signer(signer: Signer | None, versions: Sequence[PolicyVersion]) -> None:
    """Raise ``CommandError`` if an unsigned document would replace, or restore, a signed one."""
    for version in versions:
        if signer is None and signed_version(version.document) is not None:
            raise CommandError(
                f"version {version.number} is signed; sign the new version with --sign KEY or "
                "--sign-key FILE"
            )


def _is_stored(live: PolicyVersion, document: str, signer: Signer | None) -> bool:
    """Whether a push would change nothing; a signature must be for the stored version."""
    if signer is None:
        return live.document == document
    is_signed = signed_version(live.document) == live.number and signer.public_key.id in (
        live.document.removeprefix(strip_signature(live.document))
    )
    return is_signed and strip_signature(live.document) == document


def _put(
    cloud: DeployedInjector, document: str, live: PolicyVersion | None, signer: Signer | None
) -> int:
    if signer is None:
        return cloud.put_policy(document, live)
    digest = policy.parse(document).bundle or ""
    return cloud.put_signed_policy(signer, document, digest, live)


def _upload(cloud: DeployedInjector, checked: CheckedBundle) -> None:
    """Upload missing and damaged files, before the policy switches to the bundle."""
    stored = cloud.list_objects(checked.digest)
    _check_unexpected_objects(
        cloud.target, checked.digest, sorted(stored.keys() - checked.files.keys())
    )
    missing = {
        path: content
        for path, content in checked.files.items()
        # A file of another size is damaged. It is not downloaded, so downloads have a limit.
        if stored.get(path) != len(content) or cloud.read_file(checked.digest, path) != content
    }
    for number, (path, content) in enumerate(missing.items(), start=1):
        click.echo(f"upload   {number}/{len(missing)} {path}, {len(content)} bytes")
        cloud.upload_file(checked.digest, path, content)
    if not missing:
        click.echo(f"bundle   {checked.digest} is in S3 already")


def _check_unexpected_objects(target: DeploymentTarget, digest: str, paths: Sequence[str]) -> None:
    """Raise ``CommandError`` for objects below the prefix that do not belong to the bundle.

    They change the digest of the bundle. podgraft does not know their origin, so the operator must
    delete them.
    """
    urls = [f"s3://{target.bucket}/{target.object_key(digest, path)}" for path in paths]
    findings = [
        f"{url}: unexpected object; bundle {digest} does not load with it; "
        f"delete it: aws s3 rm {shlex.quote(url)}"
        for url in urls
    ]
    if findings:
        raise CommandError(*findings)


def _check_cluster_bundles(cloud: DeployedInjector, checked: CheckedBundle) -> None:
    """Check that the bundles of single clusters and of a candidate exist and are complete."""
    if {*find_digests(checked.policy)} - {checked.digest} or checked.policy.rollout:
        _prove(cloud, checked.document, checked.files)


def _prove(
    cloud: DeployedInjector, document: str, local: Mapping[str, bytes] | None = None
) -> None:
    """Load a policy with all its bundles, as the function does before it switches.

    The bundle of the *local* files is not downloaded.
    """
    own = bundles.digest(local) if local else None

    def fetch(digest: str | None) -> Mapping[str, bytes]:
        return local if local and digest in {None, own} else cloud.read_bundle(digest or "")

    injector = cloud.target.injector
    try:
        reader = read_bundles(fetch, policy.parse(document))
        snapshots = store.load_snapshots(injector, document, "new", reader)
        trial.prove(injector, snapshots)
        prove_candidate(injector, snapshots)
    except InvalidVersionError as error:
        raise CommandError(str(error)) from error


@command.command("diff")
@local_options
@target_options
@click.option(
    "-f", "samples", multiple=True, type=FILE, help="File of pods, to compare their patches."
)
@click.option("--namespace", default="default", show_default=True, help="Namespace of the pods.")
def _diff(
    options: TargetOptions,
    bundle: Path,
    document: Path | None,
    samples: tuple[Path, ...],
    namespace: str,
) -> None:
    """Show what a push would change: policy keys, manifests, and the patches of sample pods.

    FOLDER contains policy.yaml and bundle/.
    """
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
        click.echo(f"version {live.number} is already the same")


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
@click.option("--with-rollout", is_flag=True, help="Restore the rollout of the version, too.")
@signer_options
@target_options
@expect_version_option
def _rollback(
    options: TargetOptions,
    version: int,
    *,
    with_rollout: bool,
    sign: str | None,
    sign_key: Path | None,
    expect_version: int | None,
) -> None:
    """Put an older VERSION of the policy in force again, as a new version.

    Without --with-rollout, the new version has no rollout, and the candidate of an active one ends.
    A signature is for one version, so a signed policy must be signed again.
    """
    signer = make_signer(sign, sign_key)
    cloud = _connect(options, writes=True)
    if expect_version is not None:
        cloud.check_version(expect_version)
    versions = cloud.history()
    target_version = next((each for each in versions if each.number == version), None)
    if target_version is None:
        available = f"{versions[0].number} to {versions[-1].number}" if versions else "none"
        raise CommandError(
            f"parameter {cloud.target.parameter}: version {version} not found; "
            f"available versions: {available}"
        )
    _bundle_digest(target_version)
    _check_signer(signer, [target_version, versions[-1]])
    document = strip_signature(target_version.document)
    if not with_rollout:
        document = remove_rollout(document)
    cloud.check_denied(find_digests(policy.parse(document)))
    _prove(cloud, document)
    number = _put(cloud, document, versions[-1], signer)
    click.secho(f"version {number}, the same as {version}, is in force", fg="green")
    click.echo(f"to undo the change:\n  {_rollback_command(cloud.target, versions[-1].number)}")


@command.command("pull")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Output folder; it must be new or empty.",
)
@target_options
def _pull(options: TargetOptions, output: Path) -> None:
    """Write the version in force to a folder: policy.yaml and bundle/."""
    if output.exists() and any(output.iterdir()):
        raise CommandError(f"{output}: is not empty; use a new folder")
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
    """Return the bundle digest of a version."""
    try:
        digest = policy.parse(version.document).bundle
    except policy.PolicyError as error:
        if otherwise:
            return otherwise
        raise CommandError(f"version {version.number} does not validate: {error}") from error
    if digest or otherwise:
        return digest or otherwise
    raise CommandError(f"version {version.number} names no bundle; push one")


def _rollback_command(target: DeploymentTarget, number: int) -> str:
    return f"podgraft policy rollback {number} {target.options}"
