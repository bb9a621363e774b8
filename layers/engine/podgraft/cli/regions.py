"""A command in several regions: prepare all of them, then switch one after the other.

Such a command is a generator. Before its ``yield`` it changes nothing that is in force, and after
it, it switches. In one region it runs to its end.
"""

import re
import shlex
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeAlias, TypeVar

import click
from msgspec import Struct

from podgraft.cli import program

from .aws_options import use_region
from .config_source import is_explicit
from .failure import CommandError, convert_errors

T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, int | None]
_SHARED, _NAMES = "podgraft.regions", "regions"
_REGION = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def run_in_regions(
    *, needs_all: bool = True
) -> Callable[[Callable[..., Steps]], Callable[..., int | None]]:
    """Return the decorator that adds ``--regions`` to a command, which is a generator.

    Unless it *needs_all* regions, one that cannot be prepared does not stop the others: what
    withdraws something does it where it can.
    """

    def decorate(command: Callable[..., Steps]) -> Callable[..., int | None]:
        @wraps(command)
        def call(*, regions: tuple[str, ...], **given: Any) -> int | None:
            names = enter_regions(regions)
            if len(names) > 1:
                return _Run(names, needs_all=needs_all).run(lambda: command(**given))
            with use_region(*names):
                steps = command(**given)
                status = _advance(steps)
                return _advance(steps) or status

        return make_regions_option(
            "AWS regions instead of --region: prepare all, then switch each."
        )(call)

    return decorate


def make_regions_option(help_text: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return the option ``--regions``; the command gets the names as ``regions``."""
    return click.option("--regions", metavar="A,B", callback=_parse_regions, help=help_text)


def select_regions(regions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the regions, or none if ``--region`` on the command line replaces a default."""
    if not is_explicit("region"):
        return regions
    if is_explicit("regions"):
        raise click.UsageError("--regions replaces --region; use one of them")
    return ()


def enter_regions(regions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the selected regions; several are shared by what the command calls."""
    names = select_regions(regions)
    if len(names) > 1:
        click.get_current_context().meta[_SHARED] = {_NAMES: names}
    return names


def refuse_regions(command: str) -> None:
    """Raise ``UsageError`` if the project file selects regions for a command that changes one."""
    context = click.get_current_context()
    if "regions" in (context.default_map or {}) and not is_explicit("region"):
        raise click.UsageError(
            f"podgraft.toml: regions: {command} changes one region; use --region"
        )


def is_in_several() -> bool:
    """Whether the command runs in more than one region."""
    context = click.get_current_context(silent=True)
    return context is not None and _SHARED in context.meta


def list_region_words() -> tuple[str, ...]:
    """Return the option of several regions for another command."""
    return ("--regions", ",".join(share(_NAMES, tuple[str]))) if is_in_several() else ()


def share(name: str, make: Callable[[], T]) -> T:
    """Return the value that the first region made, or in one region a new one."""
    if not is_in_several():
        return make()
    shared = click.get_current_context().meta[_SHARED]
    if name not in shared:
        shared[name] = make()
    return shared[name]


class _Run(Struct, frozen=True):
    regions: Sequence[str]
    needs_all: bool
    errors: dict[str, CommandError] = {}
    done: list[str] = []
    statuses: list[int] = []

    def run(self, start: Callable[[], Steps]) -> int | None:
        """Run both halves in each region; return the exit status."""
        prepared: dict[str, Steps] = {}
        for region in self.regions:
            with self._try(region):
                steps = start()
                _advance(steps)
                prepared[region] = steps
        try:
            for region, steps in prepared.items():
                if self.needs_all and self.errors:
                    break
                with self._try(region):
                    self.statuses.append(_advance(steps) or 0)
                    self.done.append(region)
        except BaseException:
            self._report()
            raise
        return self._report()

    @contextmanager
    def _try(self, region: str) -> Generator[None]:
        """Print a region, and end the block at an error of it."""
        click.echo(f"{region}:", err=True)
        try:
            with in_region(region):
                yield
        except CommandError as error:
            self.errors[region] = error

    def _report(self) -> int | None:
        """Print the errors, and which regions are done; return the exit status."""
        done = self.done
        if not [each for each in self.regions if each not in done]:
            return max(self.statuses)
        return report_split(SplitError(self.errors, done, self.regions))


@contextmanager
def in_region(region: str) -> Generator[None]:
    """Select a region of AWS, and name it in errors; an empty name is the selected one."""
    try:
        with use_region(region or None), convert_errors():
            yield
    except CommandError as error:
        texts = error.args if not region else [f"region {region}: {each}" for each in error.args]
        raise CommandError(*texts, warnings=error.warnings) from error


class SplitError(Exception):
    """Some regions are done, and others failed; the errors name them."""

    def __init__(
        self, errors: Mapping[str, CommandError], done: Sequence[str], regions: Sequence[str]
    ) -> None:
        super().__init__(errors, done, regions)
        self.errors, self.done, self.regions = errors, done, regions


def report_split(split: SplitError) -> int:
    """Print the errors, and which regions are done; return the exit status."""
    for error in split.errors.values():
        error.show()
    others = [each for each in split.regions if each not in split.done]
    done = ", ".join(split.done) or "none"
    click.echo(f"done: {done}; not done: {', '.join(others)}", err=True)
    words = click.get_current_context().find_root().obj
    program.print_next_steps(f"to finish: {shlex.join(words)}")
    return program.FAILED if split.done else program.ERROR


def _advance(steps: Steps) -> int | None:
    """Run a command to its next yield, or to its end; return its exit status."""
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    return None


def _parse_regions(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> tuple[str, ...]:
    names = tuple(value.split(",")) if value else ()
    invalid = next((each for each in names if not _REGION.fullmatch(each)), None)
    if invalid is not None or len({*names}) != len(names):
        raise click.UsageError(
            f"--regions: got {value!r}; use each region once, such as eu-central-1,eu-west-1"
        )
    return names
