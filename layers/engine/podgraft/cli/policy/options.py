"""The options that several subcommands of ``podgraft policy`` have."""

import click

from podgraft.cli.shared_options import FILE, Decorator, add_options, format_option

MAX_MESSAGE_CHARACTERS = 1024  # of a description in Parameter Store


# Prevents the replacement of an unexpected version.
expect_version_option = click.option(
    "--expect-version",
    type=click.IntRange(min=0),
    help="Version that must be in force, 0 for none. Otherwise, the command changes nothing.",
)
warning_options = add_options(
    click.option(
        "--webhook-config",
        type=FILE,
        help="File of webhook configurations, to compare their URL paths with the mesh.",
    ),
    click.option("--strict", is_flag=True, help="Treat warnings as errors."),
)


def _check_message(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Return a message that Parameter Store accepts as a description."""
    if len(value) > MAX_MESSAGE_CHARACTERS:
        raise click.UsageError(
            f"--message: got {len(value)} characters; use at most {MAX_MESSAGE_CHARACTERS}"
        )
    if not value.isprintable():
        raise click.UsageError("--message: must be one line without control characters")
    return value


# The message of a version.
message_option = click.option(
    "-m",
    "--message",
    default="",
    callback=_check_message,
    help="Message for podgraft history, in one line. It must not contain secrets.",
)


list_output_option = format_option(("text", "json"))


def yes_option(text: str) -> Decorator:
    """Add the option that replaces the confirmation."""
    return click.option("--yes", is_flag=True, help=text)
