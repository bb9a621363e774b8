"""The question before a change: the diff, and yes or no."""

import click

from podgraft.cli.manifest_files import FileSelection
from podgraft.core.review_context import ReviewContext

from .cloud import DeployedInjector
from .diff import Comparison, OutputFormat, SampleOptions, format_comparison
from .push import Change
from .stored_version import StoredInjector, load_current

_DEFAULT_OBJECTS = SampleOptions(FileSelection(), namespace="default")


def confirm_change(cloud: DeployedInjector, change: Change, cluster: str | None) -> bool:
    """Print what a push changes, and return whether the operator confirms it."""
    stored = StoredInjector(load_current(cloud), cloud)
    after = stored.load_local(change.checked, change.document)
    caller = ReviewContext(injector=cloud.target.injector, cluster=cluster)
    print_comparison(stored.compare_with(after, _DEFAULT_OBJECTS, caller))
    return click.confirm("Put this version in force?")


def print_comparison(comparison: Comparison) -> None:
    """Print the diffs."""
    click.echo(format_comparison(comparison, OutputFormat.TEXT), nl=False)
