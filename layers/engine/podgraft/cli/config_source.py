"""The option ``--config``: where a configuration is. It has one grammar in every command.

``FOLDER`` is a folder with ``policy.yaml`` and ``bundle/``, a bundle, or a store of ``podgraft
serve`` with a folder for each injector. ``stack:NAME`` is a deployed stack, and
``cluster[:CONTEXT]`` is the configuration of Istio in a cluster.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem
from msgspec import Struct

from podgraft.cli.aws_options import aws_options
from podgraft.cli.failure import CommandError
from podgraft.cli.folders import list_subfolders
from podgraft.cli.shared_options import PATH, Decorator, gather_options
from podgraft.cli.stacks import lookup_stack

_MANY = 3  # folders to suggest


class ConfigSource(Struct, frozen=True, kw_only=True):
    """The value of ``--config``: one of a folder, a stack, and a cluster."""

    folder: Path | None = None
    stack: str | None = None
    is_cluster: bool = False
    context: str | None = None


class ConfigSourceType(click.ParamType[ConfigSource]):
    """``FOLDER | stack:NAME | cluster[:CONTEXT]``, of which a command accepts some."""

    name = "source"

    def __init__(
        self,
        *,
        folder: bool = True,
        stack: bool = True,
        cluster: bool = True,
        is_new: bool = False,
    ) -> None:
        self._folder, self._stack, self._cluster, self._is_new = folder, stack, cluster, is_new
        forms = {"FOLDER": folder, "stack:NAME": stack, "cluster[:CONTEXT]": cluster}
        self._forms = [form for form, is_accepted in forms.items() if is_accepted]

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the grammar for the help."""
        del param, ctx
        return "|".join(self._forms)

    def convert(
        self, value: str | ConfigSource, param: click.Parameter | None, ctx: click.Context | None
    ) -> ConfigSource:
        """Return the source; fails for one that the command does not accept."""
        if isinstance(value, ConfigSource):
            return value
        if not value:
            self.fail(f"is empty; use {' or '.join(self._forms)}", param, ctx)
        kind, colon, name = value.partition(":")
        if kind == "stack" and name and self._stack:
            return ConfigSource(stack=name)
        if kind == "cluster" and self._cluster and (colon or not Path(value).exists()):
            return ConfigSource(is_cluster=True, context=name or None)
        folder = Path(value)
        is_creatable = self._is_new and not colon  # stak:NAME is a misspelled stack
        if not self._folder or not (folder.is_dir() or is_creatable):
            problem = "is not a folder" if self._folder else "is not accepted"
            self.fail(f"{value}: {problem}; use {' or '.join(self._forms)}", param, ctx)
        return ConfigSource(folder=folder)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete folders; a shell knows neither stacks nor contexts."""
        del ctx, param
        return [CompletionItem(incomplete, type="dir")]


def config_option(kind: ConfigSourceType, help_text: str) -> Decorator:
    """Return the decorator that adds ``--config``; the command receives *source*."""
    return click.option(
        "--config", "source", type=kind, envvar="PODGRAFT_CONFIG", show_envvar=True, help=help_text
    )


# Hidden: only a person who cannot read the stack, or who deployed with Terraform, needs it.
prefix_option = click.option(
    "--parameter-prefix",
    envvar="PODGRAFT_PARAMETER_PREFIX",
    hidden=True,
    help="Output ParameterPrefix, if you cannot read the stack.",
)


def is_explicit(parameter: str) -> bool:
    """Whether the command line has the option, and not only the environment or project file."""
    context = click.get_current_context(silent=True)
    source = context and context.get_parameter_source(parameter)
    return source is ParameterSource.COMMANDLINE


# From the farthest place of a value to the nearest.
_PLACES = (
    ParameterSource.DEFAULT,
    ParameterSource.DEFAULT_MAP,
    ParameterSource.ENVIRONMENT,
    ParameterSource.COMMANDLINE,
)


class Location(Struct, frozen=True, kw_only=True):
    """Where policies and callers are: a stack, a prefix of parameters, or a folder."""

    stack_name: str | None = None
    parameter_prefix: str | None = None
    folder: Path | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the same place for another command."""
        if self.parameter_prefix is not None:
            return ("--parameter-prefix", self.parameter_prefix)
        return ("--config", str(self.folder or f"stack:{self.stack_name}"))

    def find_prefix(self) -> str:
        """Return the prefix of the parameters; AWS looks up a stack."""
        if self.stack_name is None:
            return (self.parameter_prefix or "").rstrip("/")
        return lookup_stack(self.stack_name).parameter_prefix


def select_location(source: ConfigSource | None, parameter_prefix: str | None) -> Location:
    """Return the location of the two options: that of the nearer place, or of ``--config``.

    The places are the command line, the environment, and the project file.
    """
    if is_explicit("source") and is_explicit("parameter_prefix"):
        raise click.UsageError("--config replaces --parameter-prefix; use only one of them")
    if source is None and parameter_prefix is None:
        raise click.UsageError(
            "Missing option '--config': use stack:NAME, or the folder of podgraft serve; "
            'podgraft.toml of this folder or a parent can have it: config = "stack:NAME".'
        )
    context = click.get_current_context()
    places = [
        _PLACES.index(context.get_parameter_source(each) or ParameterSource.DEFAULT)
        for each in ("source", "parameter_prefix")
    ]
    if source is None or places[0] < places[1]:
        return Location(parameter_prefix=parameter_prefix)
    return Location(stack_name=source.stack, folder=source.folder)


def location_options(
    make: Callable[[Location], object], kind: ConfigSourceType, help_text: str, *, name: str
) -> Decorator:
    """Return the decorator that adds the options of a location; the command gets *make* of it."""

    def select(source: ConfigSource | None, parameter_prefix: str | None) -> object:
        return make(select_location(source, parameter_prefix))

    options = (config_option(kind, help_text), prefix_option, aws_options)
    return gather_options(select, *options, name=name)


class ConfigFolder(Struct, frozen=True):
    """The files of one injector: a bundle, and the policy document if there is one."""

    bundle: Path
    policy: Path | None = None


def find_files(folder: Path, injector: str | None = None) -> ConfigFolder:
    """Return the files of the injector in *folder*; raises ``CommandError``."""
    if (folder / "store").is_dir() and not (folder / "bundle").is_dir():
        folder /= "store"  # of podgraft demo
    if injector is not None and (folder / injector / "bundle").is_dir():
        return open_folder(folder / injector)
    if (folder / "bundle").is_dir():
        return open_folder(folder)
    injectors = _find_injectors(folder)
    if injector is not None and injectors:
        names = ", ".join(each.name for each in injectors)
        raise CommandError(f"{folder}: has no injector {injector}; it has {names}")
    if len(injectors) > 1:
        raise CommandError(f"{folder}: has several injectors; {_suggest(injectors)}")
    return open_folder(injectors[0]) if injectors else ConfigFolder(folder)


def _find_injectors(folder: Path) -> list[Path]:
    return [path for path in list_subfolders(folder) if (path / "bundle").is_dir()]


def _suggest(injectors: Sequence[Path]) -> str:
    return f"did you mean {' or '.join(map(str, injectors[:_MANY]))}?"


def open_folder(folder: Path) -> ConfigFolder:
    """Return the files of one injector: ``bundle``, and ``policy.yaml`` if it exists.

    A link without a target is a policy, so that its error is reported.
    """
    policy = folder / "policy.yaml"
    return ConfigFolder(folder / "bundle", policy if os.path.lexists(policy) else None)


def _read_argument(
    _context: click.Context, _argument: click.Parameter, value: Path | None
) -> ConfigFolder | None:
    """Return the files of the folder; raises ``CommandError`` for one near a folder with them."""
    if value is None:
        return None
    if not (value / "bundle").is_dir():
        is_part = value.name == "bundle" or value.is_file()
        if is_part and (value.parent / "bundle").is_dir():
            raise CommandError(f"{value}: is a part of an injector; {_suggest([value.parent])}")
        if injectors := _find_injectors(value):
            raise CommandError(f"{value}: contains no folder bundle; {_suggest(injectors)}")
    return open_folder(value)


# A folder with policy.yaml and bundle/.
folder_argument = click.argument("folder", type=PATH, callback=_read_argument)
optional_folder_argument = click.argument(
    "folder", type=PATH, required=False, callback=_read_argument
)
