"""The options that several subcommands of ``podgraft rollout`` have."""

import click

from podgraft.cli.shared_options import NonEmptyPath, gather_options
from podgraft.core.policy.rollout import parse_percentage
from podgraft.kube.document_reader import Cursor, Diagnostics


class Percentage(click.ParamType[float]):
    """A percentage with at most two decimals."""

    name = "percentage"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, without decimals if it has none."""
        diagnostics = Diagnostics()
        try:
            number = float(str(value).removesuffix("%").strip())
        except ValueError:
            number = -1.0
        if parse_percentage(Cursor(number, "", diagnostics)) is None:
            self.fail(
                f"got {value!r}; use a number from 0 to 100 with at most two decimals", param, ctx
            )
        return int(number) if number.is_integer() else number


log_option = click.option(
    "--log",
    type=NonEmptyPath(dir_okay=False),
    help="File of log lines of the function or of podgraft serve, as evidence.",
)


def _select_override(force: bool, reason: str | None) -> str | None:
    return reason if force else None


# The options that override missing evidence; the command gets the reason, None without --force.
force_options = gather_options(
    _select_override,
    click.option("--force", is_flag=True, help="Continue without the needed evidence."),
    click.option("--reason", help="Reason for --force, in one line, for podgraft history."),
    name="override",
)
