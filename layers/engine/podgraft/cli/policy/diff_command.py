"""``podgraft diff``: what a push would change, for files and for workloads."""

import click

from podgraft.cli import command_help, configuration, program
from podgraft.cli.config_source import ConfigFolder, folder_argument
from podgraft.cli.failure import print_warnings
from podgraft.cli.shared_options import format_option

from .diff.formats import OutputFormat, format_comparison
from .diff.objects import SampleOptions, sample_options
from .local import check_bundle
from .storage import open_storage
from .stored_version import load_injector, read_local_document
from .target import TargetOptions, target_or_store_options

DIFFERENT = 1


@command_help.command("diff", cls=program.ComparingCommand)
@folder_argument
@sample_options
@configuration.caller_options
@format_option(
    OutputFormat,
    "Output format. patch contains only the files, for patch -p1 in a folder of pull.",
)
@target_or_store_options
def compare_policies(
    options: TargetOptions,
    folder: ConfigFolder,
    samples: SampleOptions,
    caller: configuration.CallerOptions,
    *,
    output: str,
) -> int:
    """Show what a push would change: the policy, the manifests, and reviewed workloads.

    FOLDER contains policy.yaml and bundle/. Each workload of -f is reviewed with the version in
    force and with FOLDER, for all clusters with different configurations; with --cluster, for one.
    Workloads with the same change are in one group. Before the first push, everything is new.

    The exit status is 0 without a difference, 1 with a difference, and 2 for errors.
    """
    context = caller.make_caller()
    checked = check_bundle(folder)
    print_warnings(checked.warnings)
    stored = load_injector(open_storage(options, writes=False))
    after = stored.load_local(checked, read_local_document(checked, folder, stored.current))
    comparison = stored.compare_with(after, samples, context)
    click.echo(format_comparison(comparison, OutputFormat(output)), nl=False)
    return DIFFERENT if comparison.is_different else 0
