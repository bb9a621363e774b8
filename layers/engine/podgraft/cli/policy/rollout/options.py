"""The options that several subcommands of ``podgraft rollout`` have."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click

from podgraft.cli.policy.signing import Signer, make_signer, signer_options
from podgraft.cli.policy.target import TargetOptions, target_or_store_options
from podgraft.cli.shared_options import add_options
from podgraft.core.policy.rollout import parse_percentage
from podgraft.kube.document_reader import Cursor, Diagnostics

from .storage import open_storage

R = TypeVar("R")


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


def storage_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a storage; *command* gets the storage as its first argument."""

    @wraps(command)
    def call_with_storage(options: TargetOptions, **others: object) -> R:
        return command(open_storage(options), **others)

    return target_or_store_options(call_with_storage)


def sign_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a signer; *command* gets the signer as ``signer``."""

    @wraps(command)
    def call_with_signer(
        *values: object, sign: str | None, sign_key: Path | None, **others: object
    ) -> R:
        signer: Signer | None = make_signer(sign, sign_key)
        return command(*values, signer=signer, **others)

    return signer_options(call_with_signer)


log_option = click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of log lines of the function or of podgraft serve, as evidence.",
)
# The options that override missing evidence.
force_options = add_options(
    click.option("--force", is_flag=True, help="Continue without the needed evidence."),
    click.option("--reason", help="Reason for --force, in one line."),
)
