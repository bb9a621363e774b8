"""The target of a command: one injector of one stack."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

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
from podgraft.cli.shared_options import add_options
from podgraft.cli.stacks import DEFAULT_BUNDLE_PREFIX, lookup_stack
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.signing import Verifier

R = TypeVar("R")

DEFAULT_PARAMETER_PREFIX = "/podgraft"


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
        duplicates = [
            option
            for option, value in (
                ("--bucket", self.bucket),
                ("--bundle-prefix", self.bundle_prefix),
                ("--parameter-prefix", self.parameter_prefix),
            )
            if value is not None
        ]
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


def _select_storage(
    source: ConfigSource | None, folder: Path | None, **options: str | None
) -> dict[str, Any]:
    """Return the options of one target: those of the command line replace other defaults.

    A stack name in the environment or the project file does not conflict with ``--bucket`` on the
    command line, and the other way round.
    """
    explicit = {name for name in options if is_explicit(name)}
    if source is not None and prevails(*options, *(("folder_store",) if folder else ())):
        if is_explicit("source") and (explicit or folder is not None):
            names = [f"--{name.replace('_', '-')}" for name in sorted(explicit)]
            raise click.UsageError(
                f"--config replaces {', '.join(names) or '--store'}; use only one of them"
            )
        return {**dict.fromkeys(options), "stack_name": source.stack, "folder": source.folder}
    has_stack = "stack_name" in explicit or (not explicit and options["stack_name"] is not None)
    if explicit or has_stack:
        options = {
            name: value if name in explicit or has_stack is (name == "stack_name") else None
            for name, value in options.items()
        }
    return {**options, "folder": folder}


_OPTIONS = (
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
)


def target_options(
    command: Callable[..., R], *, is_required: bool = True, has_folder: bool = False
) -> Callable[..., R]:
    """Add the options of a target; *command* gets them as its first argument.

    If they are not required, *command* calls their method ``check`` before it uses them. With
    ``has_folder``, the target can be a folder of ``podgraft serve``.
    """

    @wraps(command)
    def call_with_target(
        *,
        injector: str,
        source: ConfigSource | None,
        folder_store: str | None = None,
        **others: object,
    ) -> R:
        names = ("stack_name", "bucket", "bundle_prefix", "parameter_prefix")
        values: dict[str, Any] = {name: others.pop(name) for name in names}
        folder = None if folder_store is None else Path(folder_store.removeprefix("file:"))
        options = TargetOptions(injector=injector, **_select_storage(source, folder, **values))
        if is_required:
            options.check()
        return command(options, **others)

    kind = ConfigSourceType(folder=has_folder, cluster=False)
    place = "Stack, or folder of podgraft serve." if has_folder else "Deployed stack."
    store = click.option("--store", "folder_store", hidden=True, help="As --config FOLDER.")
    own = (config_option(kind, place), *((store,) if has_folder else ()))
    return add_options(*own, *_OPTIONS)(call_with_target)


def target_or_store_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a target in AWS, or in a folder of ``podgraft serve``."""
    return target_options(command, has_folder=True)
