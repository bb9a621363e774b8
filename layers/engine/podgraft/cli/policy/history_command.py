"""``podgraft history`` and ``policy pull``: the stored versions, and the one in force."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import click

from podgraft.base.jsonvalue import Object
from podgraft.cli import command_help, folders, terminal
from podgraft.cli.documents import render_json
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.identifier_options import cluster_option
from podgraft.cli.program import FAILED
from podgraft.cli.regions import Steps, is_in_several, run_in_regions, share
from podgraft.cli.shared_options import NEW_FOLDER
from podgraft.cli.wording import format_count

from .cloud import DeployedInjector, connect
from .document_text import signed_version, strip_signature
from .in_force import InForce, find_in_force
from .options import list_output_option
from .target import TargetOptions, target_options
from .version_loading import find_registered_groups
from .versions import PolicyVersion, bundle_digest, find_digests


@command_help.command("history")
@run_in_regions(needs_all=False)
@cluster_option("Print which groups set its keys.")
@list_output_option
@target_options
def list_versions(options: TargetOptions, *, cluster: str | None, output: str) -> Steps:
    """List the versions of the policy: number, date, author, bundle, and message.

    A * marks the version in force: the newest one that loads. Signatures are verified with the keys
    of stack:NAME. With --regions, the exit status is 1 if the policies in force differ.
    """
    if output == "json" and is_in_several():
        raise click.UsageError("-o json: lists one region; use --region")
    cloud = connect(options)
    versions = cloud.existing_versions()
    in_force = find_in_force(cloud, versions)
    find_origins = partial(_find_origins, cloud, cluster)
    if output == "json":
        found = [_version_to_json(each, in_force, find_origins(each)) for each in versions]
        click.echo(render_json(found), nl=False)
        return None
    print_warnings(
        f"version {number} does not load: {error}" for number, error in in_force.errors.items()
    )
    for version in versions:
        terminal.secho(
            _format(version, in_force), fg="green" if _is_live(version, in_force) else None
        )
        if origins := find_origins(version):
            keys = ", ".join(f"{key} from {origin}" for key, origin in origins.items())
            click.echo(f"       {cluster}: {keys}")
    live = in_force.version
    documents = share("documents", set[str])
    documents.add(strip_signature(live.document) if live else "")
    yield
    if len(documents) > 1:
        documents.clear()  # reported once
        print_warnings(["the policies in force differ; push the same folder to all regions"])
        return FAILED
    return None


def _is_live(version: PolicyVersion, in_force: InForce) -> bool:
    return in_force.version is not None and in_force.version.number == version.number


def _format(version: PolicyVersion, in_force: InForce) -> str:
    mark = "*" if _is_live(version, in_force) else " "
    date = version.date.isoformat(timespec="seconds") if version.date else "-"
    bundle, clusters = find_digests(version)
    bundles = " ".join((bundle or "-", *(f"{name}={each}" for name, each in clusters.items())))
    columns = (f"{mark}{version.number:>4}", date, f"{version.person:<24}", bundles)
    return "  ".join((*columns, version.message) if version.message else columns)


def _find_origins(
    cloud: DeployedInjector, cluster: str | None, version: PolicyVersion
) -> Mapping[str, str]:
    """Return where the keys of a cluster come from, with its present groups; none if invalid."""
    read = version.policy
    if cluster is None or read is None:
        return {}
    return read.find_origins(cluster, find_registered_groups(cloud, read.groups, cluster))


def _version_to_json(
    version: PolicyVersion, in_force: InForce, origins: Mapping[str, str]
) -> Object:
    bundle, clusters = find_digests(version)
    return {
        "version": version.number,
        "isInForce": _is_live(version, in_force),
        "date": version.date.isoformat() if version.date else None,
        "author": version.person,
        "authorArn": version.author or None,
        "message": version.message,
        "bundle": bundle,
        "clusters": dict(clusters),
        "origins": dict(origins),
        "isSigned": signed_version(version.document) is not None,
        "error": in_force.errors.get(version.number),
    }


@command_help.command("pull")
@click.argument("folder", type=NEW_FOLDER)
@target_options
def pull_policy(options: TargetOptions, folder: Path) -> None:
    """Write the version in force to FOLDER: policy.yaml and bundle/.

    FOLDER must be new or empty. If no version loads, it is the newest one.
    """
    if folder.exists() and any(folder.iterdir()):
        raise CommandError(f"{folder}: is not empty; use a new folder")
    cloud = connect(options)
    versions = cloud.existing_versions()
    in_force = find_in_force(cloud, versions)
    print_warnings(f"version {n} does not load: {text}" for n, text in in_force.errors.items())
    live = in_force.version or versions[-1]
    files = cloud.read_bundle(bundle_digest(live))
    bundle_files = {f"bundle/{path}": content for path, content in files.items()}
    folders.write_folder(folder, {**bundle_files, "policy.yaml": live.document.encode()})
    count = format_count(len(files), "file")
    click.echo(f"version {live.number}: {folder}/policy.yaml, {count} in {folder}/bundle")
    click.echo(f"to change this version only: podgraft push --expect-version {versions[-1].number}")
