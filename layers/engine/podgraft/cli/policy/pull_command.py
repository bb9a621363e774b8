"""``podgraft policy pull``: the version in force as a folder."""

from pathlib import Path

import click

from podgraft.cli import command_help, folders
from podgraft.cli.failure import CommandError
from podgraft.cli.shared_options import NEW_FOLDER

from .cloud import connect
from .target import TargetOptions, target_options
from .versions import bundle_digest


@command_help.command("pull")
@click.argument("folder", type=NEW_FOLDER)
@target_options
def pull_policy(options: TargetOptions, folder: Path) -> None:
    """Write the version in force to FOLDER: policy.yaml and bundle/.

    FOLDER must be new or empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise CommandError(f"{folder}: is not empty; use a new folder")
    cloud = connect(options)
    live = cloud.current_version()
    files = cloud.read_bundle(bundle_digest(live))
    bundle_files = {f"bundle/{path}": content for path, content in files.items()}
    folders.write_folder(folder, {**bundle_files, "policy.yaml": live.document.encode()})
    click.echo(
        f"version {live.number}: {folder}/policy.yaml, {len(files)} files in {folder}/bundle"
    )
    click.echo(f"to change this version only: podgraft push --expect-version {live.number}")
