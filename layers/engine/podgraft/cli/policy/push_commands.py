"""The subcommands that change the policy in force: push and rollback."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from msgspec import Struct

from podgraft.cli import command_help, terminal
from podgraft.cli.client_config import read_url_paths
from podgraft.cli.config_source import ConfigFolder, folder_argument
from podgraft.cli.failure import CommandError, print_warnings, raise_findings
from podgraft.cli.identifier_options import cluster_option
from podgraft.cli.manifest_files import FileSelection
from podgraft.cli.regions import Steps, is_in_several, run_in_regions, share
from podgraft.core.bundle.cluster_ids import UrlPath

from .canary import make_canary
from .cloud import DeployedInjector, connect
from .diff.objects import SampleOptions
from .document_text import strip_signature
from .large_policy import list_needed, split_policy
from .local import CheckedBundle, check_bundle
from .options import expect_version_option, message_option, warning_options
from .rollout.candidate import check_no_rollout
from .rollout.text import describe_pods, find_id, remove_rollout
from .signing import Signer, check_signer, sign_options
from .stored_version import load_injector
from .target import TargetOptions, target_options
from .version_loading import check_new_version, load_new_version
from .versions import PolicyVersion, bundle_digest, to_stored

_DEFAULT_OBJECTS = SampleOptions(FileSelection(), namespace="default")


class Change(Struct, frozen=True, kw_only=True):
    """What a push writes: a document, its bundle, the signer, and the message."""

    document: str
    checked: CheckedBundle
    signer: Signer | None
    message: str


@command_help.command("push")
@run_in_regions()
@folder_argument
@cluster_option("Change the configuration of this calling cluster only, as a canary.")
@message_option
@click.option("--dry-run", is_flag=True, help="Check everything and report it; change nothing.")
@click.option("--confirm", is_flag=True, help="Print the diff, and ask before the change.")
@warning_options
@sign_options
@click.option("--unsigned", is_flag=True, help="Replace a signed version without a signature.")
@click.option("--end-rollout", is_flag=True, help="Replace a policy with an active rollout.")
@target_options
@expect_version_option
def push_policy(  # noqa: PLR0913 — one parameter per option
    options: TargetOptions,
    folder: ConfigFolder,
    *,
    cluster: str | None,
    message: str,
    dry_run: bool,
    confirm: bool,
    strict: bool,
    webhook_config: Path | None,
    signer: Signer | None,
    unsigned: bool,
    end_rollout: bool,
    expect_version: int | None,
) -> Steps:
    """Upload the bundle, then switch the policy to it. A second identical push changes nothing.

    FOLDER contains policy.yaml and bundle/. With --cluster, the policy in force gets overrides that
    give one cluster the configuration of FOLDER; without policy.yaml, only its bundle.
    """
    paths = read_url_paths(webhook_config, options.injector) if webhook_config else ()
    checked = share("bundle", lambda: _check_local(folder, paths, strict=strict))
    cloud = _connect(options, expect_version)
    live = next(reversed(cloud.history()), None)
    if live and (signer is not None or not unsigned):
        _check_live(cloud, live, signer, cluster)
    text = _make_document(checked, live, cluster, has_policy=folder.policy is not None)
    change = Change(document=text, checked=checked, signer=signer, message=message)
    if live and not end_rollout:
        check_no_rollout(live.stored, text, cloud.target.options)
    number = live.number + 1 if live else 1
    check_new_version(cloud, text, number, checked.digest, checked.files)
    _check_unexpected_objects(cloud, checked)
    if dry_run:
        return _report_dry_run(cloud, change, live)
    if confirm:
        load_injector(cloud).confirm_change(checked, text, _DEFAULT_OBJECTS, cluster)
    _upload(cloud, change)
    yield
    return _switch(cloud, change, live)


def _check_local(folder: ConfigFolder, paths: Iterable[UrlPath], *, strict: bool) -> CheckedBundle:
    checked = check_bundle(folder, strict=strict, url_paths=paths)
    print_warnings(checked.warnings)
    return checked


def _check_live(
    cloud: DeployedInjector, live: PolicyVersion, signer: Signer | None, cluster: str | None
) -> None:
    """Raise ``CommandError`` for a signer that is missing, or must not sign the policy in force."""
    if cluster is None:
        check_signer(signer, live.stored, live.label)
    else:
        cloud.check_origin(signer, to_stored(live))


def _make_document(
    checked: CheckedBundle, live: PolicyVersion | None, cluster: str | None, *, has_policy: bool
) -> str:
    if cluster is None:
        return checked.document
    if live is None:
        raise CommandError(
            "--cluster: the injector has no policy yet; push the policy of all clusters first"
        )
    return make_canary(strip_signature(live.document), checked, cluster, has_policy=has_policy)


def _is_stored(live: PolicyVersion, document: str, signer: Signer | None) -> bool:
    """Whether a push would change nothing; a signature must be for the stored version."""
    stored = split_policy(document).document
    if signer is None:
        return live.stored == stored
    return strip_signature(live.stored) == stored and signer.has_signed(live.stored, live.number)


def _check_unexpected_objects(cloud: DeployedInjector, checked: CheckedBundle) -> None:
    """Raise ``CommandError`` for objects below the prefix that do not belong to the bundle.

    They change the digest of the bundle. podgraft does not know their origin, so the operator must
    delete them.
    """
    target, digest = cloud.target, checked.digest
    paths = sorted(cloud.list_objects(digest).keys() - checked.files.keys())
    urls = [f"s3://{target.bucket}/{target.object_key(digest, path)}" for path in paths]
    raise_findings(
        f"{url}: unexpected object; bundle {digest} does not load with it; "
        f"delete it: aws s3 rm {shlex.quote(url)}"
        for url in urls
    )


def _report_dry_run(cloud: DeployedInjector, change: Change, live: PolicyVersion | None) -> None:
    missing = cloud.find_missing(change.checked.digest, change.checked.files)
    for path, content in missing.items():
        click.echo(f"upload   {path}, {len(content)} bytes (dry run)")
    if not missing:
        click.echo(f"bundle   {change.checked.digest} is in S3 already")
    if live and _is_stored(live, change.document, change.signer):
        click.echo(f"policy   version {live.number} is already the same")
        return
    replaced = f"replaces version {live.number}" if live else "is the first version"
    number = live.number + 1 if live else 1
    click.echo(f"policy   version {number} of {cloud.target.parameter} {replaced} (dry run)")


def _upload(cloud: DeployedInjector, change: Change) -> None:
    """Upload missing and damaged files, before the policy switches to the bundle."""
    checked = change.checked
    if not cloud.upload_missing(checked.digest, checked.files, click.echo):
        click.echo(f"bundle   {checked.digest} is in S3 already")
    cloud.upload_overrides(change.document)


def _switch(cloud: DeployedInjector, change: Change, live: PolicyVersion | None) -> None:
    if live and _is_stored(live, change.document, change.signer):
        cloud.check_unchanged(live)
        unused = "; the message is not stored" if change.message else ""
        click.echo(f"policy   version {live.number} is already the same{unused}")
        return
    number = cloud.put_policy(change.document, live, change.message, change.signer)
    # A prune at the same time can delete an old bundle that nothing referred to until now.
    digest, files = change.checked.digest, change.checked.files
    for path in sorted(files.keys() - cloud.list_objects(digest).keys()):
        cloud.upload_file(digest, path, files[path])
    terminal.secho(f"policy   version {number} of {cloud.target.parameter} is in force", fg="green")
    if live:
        click.echo(f"to undo the change:\n  podgraft rollback {live.number} {cloud.options}")


@command_help.command("rollback")
@run_in_regions()
@click.argument("version", type=int)
@click.option("--with-rollout", is_flag=True, help="Restore the rollout of the version, too.")
@message_option
@sign_options
@target_options
@expect_version_option
def restore_version(
    options: TargetOptions,
    version: int,
    *,
    with_rollout: bool,
    message: str,
    signer: Signer | None,
    expect_version: int | None,
) -> Steps:
    """Put an older VERSION of the policy in force again, as a new version.

    Without --with-rollout, the new version has no rollout, and the candidate of an active one ends.
    A signature is for one version, so a signed policy must be signed again. With --regions, VERSION
    is of the first region; the others restore the version with the same document.
    """
    cloud = _connect(options, expect_version)
    versions = cloud.history()
    target_version = _find_version(cloud, versions, version)
    number = target_version.number
    bundle_digest(target_version)
    cloud.check_origin(signer, to_stored(target_version))
    check_signer(signer, versions[-1].stored, versions[-1].label)
    document = strip_signature(target_version.document)
    if not with_rollout:
        document = remove_rollout(document)
    cloud.check_denied(list_needed(document))
    load_new_version(cloud, document, number)
    yield
    if is_in_several() and _is_stored(versions[-1], document, signer):
        click.echo(f"policy   version {versions[-1].number} is already the same")
        return
    message = message or f"rollback to version {number}"
    new = cloud.put_policy(document, versions[-1], message, signer)
    terminal.secho(f"version {new}, the same as {number}, is in force", fg="green")
    click.echo(f"to undo the change:\n  podgraft rollback {versions[-1].number} {cloud.options}")
    _describe_pods(cloud, None if with_rollout else find_id(versions[-1].stored))


def _connect(options: TargetOptions, expect_version: int | None) -> DeployedInjector:
    if expect_version is not None and is_in_several():
        raise click.UsageError("--expect-version: each region has its own numbers; use --region")
    cloud = connect(options, writes=True)
    if expect_version is not None:
        cloud.check_version(expect_version)
    return cloud


def _find_version(
    cloud: DeployedInjector, versions: Sequence[PolicyVersion], version: int
) -> PolicyVersion:
    """Return the version with this number, or in other regions the newest with its document."""
    documents = share("document", list[str])
    if documents:
        found = [each for each in versions if strip_signature(each.stored) in documents]
        if not found:
            raise CommandError(
                f"parameter {cloud.target.parameter}: no version has the document of version "
                f"{version} of the first region; push its folder instead"
            )
        return found[-1]
    found = [each for each in versions if each.number == version]
    if found:
        documents.append(strip_signature(found[0].stored))
        return found[0]
    available = f"{versions[0].number} to {versions[-1].number}" if versions else "none"
    raise CommandError(
        f"parameter {cloud.target.parameter}: version {version} not found; "
        f"available versions: {available}"
    )


def _describe_pods(cloud: DeployedInjector, ended: str | None) -> None:
    if ended is None:
        click.echo("Pods do not change until you restart their workloads.")
        return
    has_log = cloud.target.name is not None
    click.echo(describe_pods(ended, cloud.target.options, has_log=has_log))
