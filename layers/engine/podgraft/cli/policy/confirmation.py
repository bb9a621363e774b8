"""The question before a change: the diff, and yes or no."""

import click

from podgraft.cli.failure import CommandError
from podgraft.core.review_context import ReviewContext

from .diff import OutputFormat, SampleOptions, format_comparison
from .local import CheckedBundle
from .stored_version import StoredInjector


def confirm_change(
    stored: StoredInjector,
    checked: CheckedBundle,
    document: str,
    samples: SampleOptions,
    cluster: str | None = None,
    *,
    yes: bool = False,
) -> None:
    """Print the diff, and ask unless *yes*; raises ``CommandError`` without a confirmation."""
    after = stored.load_local(checked, document)
    caller = ReviewContext(injector=stored.storage.injector, cluster=cluster)
    comparison = stored.compare_with(after, samples, caller)
    click.echo(format_comparison(comparison, OutputFormat.TEXT), nl=False)
    if not yes and not click.confirm("Put this version in force?"):
        raise CommandError("not confirmed; nothing is changed")
