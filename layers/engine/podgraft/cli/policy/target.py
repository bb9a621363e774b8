"""The target of a command: one injector of one stack."""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path

import click

from podgraft.cli.aws_options import aws_options, format_aws_options
from podgraft.cli.config_source import (
    ConfigSource,
    ConfigSourceType,
    config_option,
    is_explicit,
    make_old_option,
    prevails,
)
from podgraft.cli.identifier_options import check_injector_option
from podgraft.cli.shared_options import Decorator, gather_options
from podgraft.cli.stacks import DEFAULT_BUNDLE_PREFIX, lookup_stack
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.signing import Verifier

DEFAULT_PARAMETER_PREFIX = "/podgraft"


# The parameters of the options before --config.
PLACES = ("stack_name", "bucket", "bundle_prefix", "parameter_prefix")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentTarget:
    """The storage of one injector. ``stack`` is set if an option names the stack.

    ``verifier`` is that of the function, if the stack is known and verifies signatures.
    """

    injector: str
    bucket: str
    bundle_prefix: str = DEFAULT_BUNDLE_PREFIX
    parameter_prefix: str = DEFAULT_PARAMETER_PREFIX
    stack: str | None = None
    verifier: Verifier | None = None

    @property
    def parameter(self) -> str:
        """The name of the policy parameter."""
        return f"{self.parameter_prefix}/{self.injector}/policy"

    def folder(self, digest: str) -> str:
        """The key prefix of one bundle."""
        return f"{self.bundle_prefix}{self.injector}/{digest.removeprefix('sha256:')}/"

    def object_key(self, digest: str, path: str) -> str:
        """The key of the object of one file of a bundle."""
        return self.folder(digest) + path

    @property
    def options(self) -> str:
        """The options of this target for another command."""
        if self.stack is not None:
            own = shlex.join(["--injector", self.injector, "--config", f"stack:{self.stack}"])
        else:
            own = shlex.join(
                [
                    *("--injector", self.injector, "--bucket", self.bucket),
                    *("--bundle-prefix", self.bundle_prefix),
                    *("--parameter-prefix", self.parameter_prefix),
                ]
            )
        return " ".join(filter(None, (own, format_aws_options())))


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetOptions:
    """The options of the command line."""

    injector: str
    stack_name: str | None = None
    bucket: str | None = None
    bundle_prefix: str | None = None
    parameter_prefix: str | None = None
    folder: Path | None = None

    def check(self) -> None:
        """Raise ``click.UsageError`` unless the options name one target."""
        if self.folder is not None:
            return
        _, *others = PLACES
        duplicates = [_name_option(each) for each in others if getattr(self, each) is not None]
        if self.stack_name is not None and duplicates:
            raise click.UsageError(
                f"--stack-name replaces {', '.join(duplicates)}; use only one of them"
            )
        if self.stack_name is None and self.bucket is None:
            raise click.UsageError(
                "Missing option '--config': use stack:NAME, or the folder of podgraft serve; "
                'podgraft.toml of this folder or a parent can have it: config = "stack:NAME".'
            )

    def resolve(self) -> DeploymentTarget:
        """Return the target; AWS looks up a stack."""
        if self.stack_name is not None:
            stack = lookup_stack(self.stack_name)
            return DeploymentTarget(
                injector=self.injector,
                bucket=stack.bucket,
                bundle_prefix=stack.bundle_prefix,
                parameter_prefix=stack.parameter_prefix,
                stack=stack.name,
                verifier=stack.verifier,
            )
        return DeploymentTarget(
            injector=self.injector,
            bucket=self.bucket or "",
            bundle_prefix=(
                DEFAULT_BUNDLE_PREFIX if self.bundle_prefix is None else self.bundle_prefix
            ),
            parameter_prefix=self.parameter_prefix or DEFAULT_PARAMETER_PREFIX,
        )


def _name_option(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"


def select_place(given: TargetOptions, source: ConfigSource | None) -> TargetOptions:
    """Return the options of one target: those of the command line replace other defaults.

    A stack name in the environment or the project file does not conflict with ``--bucket`` on the
    command line, and the other way round.
    """
    explicit = {name for name in PLACES if is_explicit(name)}
    if source is not None and prevails(*PLACES, *(("folder_store",) if given.folder else ())):
        if is_explicit("source") and (explicit or given.folder is not None):
            names = map(_name_option, sorted(explicit))
            raise click.UsageError(
                f"--config replaces {', '.join(names) or '--store'}; use only one of them"
            )
        return TargetOptions(injector=given.injector, stack_name=source.stack, folder=source.folder)
    has_stack = "stack_name" in explicit or (not explicit and given.stack_name is not None)
    if not explicit and not has_stack:
        return given
    others = [name for name in PLACES if has_stack is not (name == "stack_name")]
    return replace(given, **dict.fromkeys({*others} - explicit))


def _make_target_options(has_folder: bool) -> Decorator:
    """Return a decorator that adds the options of a target; the command gets them as *options*."""
    place = "Stack, or folder of podgraft serve." if has_folder else "Deployed stack."
    store = click.option("--store", "folder_store", hidden=True, help="As --config FOLDER.")
    return gather_options(
        _read_options,
        config_option(ConfigSourceType(folder=has_folder, cluster=False), place),
        *((store,) if has_folder else ()),
        click.option(
            "--injector",
            envvar="PODGRAFT_INJECTOR",
            show_envvar=True,
            default=DEFAULT_INJECTOR,
            show_default=True,
            callback=check_injector_option,
            help="Injector, by its name in the URL of its webhooks.",
        ),
        *map(make_old_option, ("stack-name", "bucket", "bundle-prefix", "parameter-prefix")),
        aws_options,
        name="options",
    )


def _read_options(  # noqa: PLR0913, PLR0917 — one parameter per option
    injector: str,
    source: ConfigSource | None,
    stack_name: str | None,
    bucket: str | None,
    bundle_prefix: str | None,
    parameter_prefix: str | None,
    folder_store: str | None = None,
) -> TargetOptions:
    given = TargetOptions(
        injector=injector,
        stack_name=stack_name,
        bucket=bucket,
        bundle_prefix=bundle_prefix,
        parameter_prefix=parameter_prefix,
        folder=None if folder_store is None else Path(folder_store.removeprefix("file:")),
    )
    options = select_place(given, source)
    options.check()
    return options


target_options = _make_target_options(has_folder=False)
# The target can also be a folder of podgraft serve.
target_or_store_options = _make_target_options(has_folder=True)
