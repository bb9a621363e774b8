"""``podgraft policy prune`` and ``delete``: remove bundles, and a complete injector."""

import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from msgspec import Struct

from podgraft.base import system
from podgraft.base.jsonvalue import Object
from podgraft.cli import command_help, folders
from podgraft.cli.documents import render_json
from podgraft.cli.failure import CommandError
from podgraft.cli.regions import Steps, is_in_several, refuse_regions, run_in_regions
from podgraft.cli.stacks import AbsentError
from podgraft.cli.wording import format_count

from .bundle_bucket import StoredObject
from .cloud import DeployedInjector, connect
from .denied import load_deny_list
from .folder_injector import FolderInjector
from .options import expect_version_option, list_output_option, yes_option
from .target import TargetOptions, target_options, target_or_store_options

# Any mention of a digest protects its bundle: in a key, under clusters, in a rollout, in a comment.
_DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_DEFAULT_DAYS = 30


class _Bundle(Struct, frozen=True, kw_only=True):
    """A stored bundle, with the time of its newest file."""

    digest: str
    files: int
    size: int
    modified: datetime


@command_help.command("prune")
@run_in_regions()
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(min=1),
    default=_DEFAULT_DAYS,
    metavar="DAYS",
    help="Grace period: keep bundles with a file that was uploaded later.",
)
@yes_option("Delete the bundles. Without this option, the command only lists them.")
@list_output_option
@target_or_store_options
def prune_bundles(options: TargetOptions, *, days: int, yes: bool, output: str) -> Steps:
    """List the bundles that no version refers to, and delete them with --yes.

    A bundle remains if any stored version of the policy mentions its digest (Parameter Store keeps
    100 versions), also under clusters or in a comment, or if the deny list mentions it.
    """
    if output == "json" and is_in_several():
        raise click.UsageError("-o json: lists one region; use --region")
    before = system.now() - timedelta(days=days)
    if options.folder is not None:
        _prune_folder(FolderInjector(options.folder, options.injector), before, output, yes=yes)
        return
    cloud = connect(options, writes=yes)
    cloud.existing_versions()  # an error for an injector without a policy
    stored = cloud.list_bundles()
    mentioned = find_mentioned(cloud).union(*map(_DIGEST.findall, load_deny_list(cloud.documents)))
    unused = _select_unused(map(_describe, stored, stored.values()), mentioned, before)
    yield
    deleted = [
        each for each in unused if yes and delete_bundle(cloud, each.digest, stored[each.digest])
    ]
    _report(unused, deleted, len(stored), output, yes=yes)


def find_mentioned(cloud: DeployedInjector) -> frozenset[str]:
    """Return the digests in all versions, without the prefix sha256:."""
    texts = [version.stored for version in cloud.history()]
    return frozenset(digest for text in texts for digest in _DIGEST.findall(text))


def _describe(digest: str, objects: list[StoredObject]) -> _Bundle:
    return _Bundle(
        digest=digest,
        files=len(objects),
        size=sum(each.size for each in objects),
        modified=max(each.modified for each in objects),
    )


def _select_unused(
    bundles: Iterable[_Bundle], mentioned: frozenset[str], before: datetime
) -> list[_Bundle]:
    """Return the bundles without a mention that are older than the grace period, oldest first."""
    unused = [
        each
        for each in bundles
        if each.digest.removeprefix("sha256:") not in mentioned and each.modified < before
    ]
    return sorted(unused, key=lambda each: each.modified)


def delete_bundle(cloud: DeployedInjector, digest: str, objects: list[StoredObject]) -> bool:
    """Delete a bundle, unless a stored version mentions it; return whether it is deleted.

    A push at the same time completes its bundle after it stored its version. So a version that is
    stored before the deletion ends gets the files back here, and a later one from the push.
    """
    name = digest.removeprefix("sha256:")
    if name in find_mentioned(cloud):
        return False
    files: dict[str, bytes] = {}
    for path in cloud.list_objects(digest):
        with suppress(AbsentError):  # another command deletes it
            files[path] = cloud.read_file(digest, path)
    cloud.delete_objects(objects)
    if name not in find_mentioned(cloud):
        return True
    cloud.upload_bundle(digest, files)
    return False


def _prune_folder(folder: FolderInjector, before: datetime, output: str, *, yes: bool) -> None:
    folder.check_exists()
    denied = load_deny_list(folder.documents)
    mentioned = frozenset(
        digest for text in (folder.read_document(), *denied) for digest in _DIGEST.findall(text)
    )
    paths = folders.list_subfolders(folder.bundles)
    bundles = [_describe_folder(path) for path in paths if _DIGEST.fullmatch(path.name)]
    unused = _select_unused(bundles, mentioned, before)
    if yes:
        for each in unused:
            with suppress(FileNotFoundError):  # another command deletes it
                shutil.rmtree(folder.folder_of(each.digest))
    _report(unused, unused if yes else [], len(bundles), output, yes=yes)


def _describe_folder(path: Path) -> _Bundle:
    stats = [each.stat() for each in folders.list_files(path, is_recursive=True)]
    modified = max([path.stat().st_mtime, *(each.st_mtime for each in stats)])
    return _Bundle(
        digest=f"sha256:{path.name}",
        files=len(stats),
        size=sum(each.st_size for each in stats),
        modified=datetime.fromtimestamp(modified, UTC),
    )


def _report(
    unused: list[_Bundle], deleted: list[_Bundle], total: int, output: str, *, yes: bool
) -> None:
    if output == "json":
        click.echo(render_json([_to_json(each, deleted) for each in unused]), nl=False)
        return
    for each in unused:
        date = each.modified.isoformat(timespec="seconds")
        verb = "deleted " if each in deleted else "retained" if yes else "unused  "
        files = format_count(each.files, "file")
        click.echo(f"{verb} {each.digest}  {date}  {files}, {each.size} bytes")
    size = sum(each.size for each in unused)
    click.echo(f"{len(unused)} of {total} bundles are unused, {size} bytes")
    if unused and not yes:
        click.echo("to delete them, run the command with --yes")


def _to_json(bundle: _Bundle, deleted: list[_Bundle]) -> Object:
    return {
        "bundle": bundle.digest,
        "modified": bundle.modified.isoformat(),
        "files": bundle.files,
        "bytes": bundle.size,
        "isDeleted": bundle in deleted,
    }


@command_help.command("delete")
@click.option("--keep-bundles", is_flag=True, help="Delete only the policy, with all its versions.")
@yes_option("Do not ask for the name of the injector.")
@target_options
@expect_version_option
def delete_injector(
    options: TargetOptions, *, keep_bundles: bool, yes: bool, expect_version: int | None
) -> None:
    """Delete the policy of an injector, with all its versions, and its bundles.

    Remove the registrations of the injector first: the function answers their reviews with HTTP
    404, and then the failure policy of the webhook applies. Tokens belong to clusters, not to
    injectors; podgraft tokens revoke removes them.
    """
    refuse_regions("podgraft policy delete")
    cloud = connect(options, writes=True)
    if expect_version is not None:
        cloud.check_version(expect_version)
    versions = cloud.existing_versions()
    bundles = {} if keep_bundles else cloud.list_bundles()
    injector = cloud.target.injector
    count = format_count(len(versions), "version")
    click.echo(
        f"parameter {cloud.target.parameter} with {count}, the newest by {versions[-1].person}, "
        f"and {format_count(len(bundles), 'bundle')} in s3://{cloud.target.bucket}"
    )
    if not yes:
        typed_name = click.prompt(f"To delete them, type the name of the injector ({injector})")
        if typed_name != injector:
            raise CommandError("not confirmed; nothing is deleted")
    cloud.check_unchanged(versions[-1])
    cloud.delete_policy()
    click.echo(f"deleted  parameter {cloud.target.parameter}")
    for digest, objects in bundles.items():
        verb = "deleted " if delete_bundle(cloud, digest, objects) else "retained"
        click.echo(f"{verb} bundle {digest}, {format_count(len(objects), 'file')}")
