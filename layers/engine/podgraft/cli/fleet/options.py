"""The options that several commands of ``podgraft fleet`` have."""

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object
from podgraft.cli.config_source import ConfigSourceType, Location, location_options
from podgraft.cli.failure import CommandError
from podgraft.cli.live.options import CONTEXT_OPTIONS
from podgraft.cli.regions import SplitError, enter_regions, make_regions_option, report_split
from podgraft.cli.shared_options import add_options, format_option, gather_options, number_option
from podgraft.kube.document_reader import suggest_key

from .adoption import StackCallers, open_stack
from .regional import RegionalCallers, in_region
from .settings import ClusterSettings

JSON_LINES = "json"
_, *_KUBECTL_OPTIONS, _ = CONTEXT_OPTIONS  # each cluster of the file has its context


class Access(Struct, frozen=True, kw_only=True):
    """How to call the clusters."""

    kubeconfig: Path | None
    request_timeout: int
    parallel: int
    force_conflicts: bool


class Selection(Struct, frozen=True, kw_only=True):
    """The clusters of the command line, without any all clusters, and how many to begin."""

    clusters: tuple[str, ...]
    groups: tuple[str, ...]
    maximum: int | None

    @property
    def is_set(self) -> bool:
        """Whether the command line selects clusters."""
        return bool(self.clusters or self.groups)


def regional_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a stack in several regions; *command* gets its callers first."""

    @wraps(command)
    def run_with_regions(*, regions: tuple[str, ...], location: Location, **given: Any) -> None:
        stacks: dict[str, StackCallers] = {}
        for region in enter_regions(regions) or ("",):
            with in_region(region):
                stacks[region] = _open_stack(location)
        try:
            command(RegionalCallers(stacks, location.options), **given)
        except SplitError as split:
            click.get_current_context().exit(report_split(split))

    help_text = "AWS regions instead of --region: all get the same callers."
    own = location_options(lambda location: location, *_DEPLOYED, name="location")
    return add_options(make_regions_option(help_text), own)(run_with_regions)


def _open_stack(location: Location) -> StackCallers:
    return open_stack(location.find_prefix())


_DEPLOYED = ConfigSourceType(folder=False, cluster=False), "Deployed stack."
# The command gets the callers of the stack as ``stack``.
stack_options = location_options(_open_stack, *_DEPLOYED, name="stack")
output_option = format_option(("text", JSON_LINES), "Format; json: lines.")


def print_line(value: Object) -> None:
    """Print an object in one line."""
    click.echo(jsonvalue.dump(value))


# Options of commands that register clusters; the command gets them as ``access``.
registration_options = gather_options(
    Access,
    number_option("--parallel", maximum=64, default=8, text="Clusters at once."),
    click.option(
        "--force-conflicts",
        is_flag=True,
        help="Take over registrations that kubectl or a GitOps controller applied.",
    ),
    *_KUBECTL_OPTIONS,
    name="access",
)
# Options that select clusters; the command gets them as ``selection``.
selection_options = gather_options(
    Selection,
    click.option("--cluster", "clusters", multiple=True, help="Cluster; default: all."),
    click.option("--group", "groups", multiple=True, help="Group of clusters."),
    click.option(
        "--max",
        "maximum",
        type=click.IntRange(min=1),
        help="Clusters to begin; default: 10 % of the fleet, or all that are selected.",
    ),
    name="selection",
)


def select_clusters(
    clusters: Mapping[str, ClusterSettings], selection: Selection
) -> frozenset[str]:
    """Return the names of the selected clusters; raises ``CommandError`` for an unknown one."""
    groups = {name for each in clusters.values() for name in each.groups}
    for option, names, known in (
        ("--cluster", selection.clusters, [*clusters]),
        ("--group", selection.groups, sorted(groups)),
    ):
        for name in names:
            if name not in known:
                raise CommandError(
                    f"{option} {name}: not in the fleet file; {suggest_key(name, known)}"
                )
    if not selection.is_set:
        return frozenset(clusters)
    return frozenset(
        name
        for name, each in clusters.items()
        if name in selection.clusters or not {*selection.groups}.isdisjoint(each.groups)
    )
