"""``podgraft policy delete``: remove an injector, its versions, and its bundles."""

import click

from podgraft.cli import command_help
from podgraft.cli.failure import CommandError
from podgraft.cli.regions import refuse_regions

from .cloud import connect
from .options import expect_version_option, yes_option
from .prune_command import delete_bundle
from .target import TargetOptions, target_options


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
    click.echo(
        f"parameter {cloud.target.parameter} with {len(versions)} versions, the newest by "
        f"{versions[-1].person}, and {len(bundles)} bundles in s3://{cloud.target.bucket}"
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
        click.echo(f"{verb} bundle {digest}, {len(objects)} files")
