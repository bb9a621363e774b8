"""The options that select an AWS account and a region, and the session that follows from them."""

import os
import shlex
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

from podgraft.cli.shared_options import add_options

_META = "podgraft.aws"
_SESSIONS = "podgraft.aws.sessions"


def _store_option(context: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta.setdefault(_META, {})[option.name] = value


# ``make_session`` reads these options.
aws_options = add_options(
    click.option(
        "--profile",
        expose_value=False,
        callback=_store_option,
        help="Profile of the AWS configuration; default: that of the environment.",
    ),
    click.option(
        "--region",
        expose_value=False,
        callback=_store_option,
        help="AWS region; default: that of the environment or of the profile.",
    ),
)


def make_session() -> Any:
    """Return the command's boto3 session for its options, as aws-cli would select it.

    Typed for no service in particular. Only one thread at a time can make a client of it.
    """
    import boto3

    selected = _read_selection()
    # boto3 reads only AWS_DEFAULT_REGION; aws-cli and the other SDKs read AWS_REGION first.
    region = selected.get("region") or os.environ.get("AWS_REGION")
    context = click.get_current_context(silent=True)
    # Each session reads the endpoints and the models of AWS again, which takes 50 ms.
    sessions: dict[Any, Any] = {} if context is None else context.meta.setdefault(_SESSIONS, {})
    selection = selected.get("profile"), region
    if selection not in sessions:
        sessions[selection] = boto3.session.Session(profile_name=selection[0], region_name=region)
    return sessions[selection]


@contextmanager
def use_region(region: str | None = None) -> Generator[None]:
    """Let sessions and messages be of a region, instead of the region of the command line."""
    context = click.get_current_context(silent=True)
    if region is None or context is None:
        yield
        return
    selected = context.meta.setdefault(_META, {})
    context.meta[_META] = {**selected, "region": region}
    try:
        yield
    finally:
        context.meta[_META] = selected


def format_aws_options(*, has_region: bool = True) -> str:
    """The options for another command; empty without a selection."""
    selection = _read_selection()
    names = [name for name in selection if has_region or name != "region"]
    return shlex.join([word for name in names for word in (f"--{name}", selection[name])])


def _read_selection() -> dict[str, str]:
    context = click.get_current_context(silent=True)
    return {} if context is None else context.meta.get(_META, {})
