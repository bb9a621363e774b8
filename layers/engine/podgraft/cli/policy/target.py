"""The target of a command: one injector of one stack."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click
from click.core import ParameterSource

from podgraft.cli.aws_options import aws_options, format_aws_options
from podgraft.cli.identifier_options import check_injector_option
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
            own = shlex.join(["--injector", self.injector, "--stack-name", self.stack])
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
    stack_name: str | None
    bucket: str | None
    bundle_prefix: str | None
    parameter_prefix: str | None
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
            raise click.UsageError("Missing option '--stack-name' or '--bucket'.")

    @property
    def words(self) -> str:
        """The options of a folder store for another command."""
        return shlex.join(["--injector", self.injector, "--store", str(self.folder)])

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


def _select_storage(**options: str | None) -> dict[str, str | None]:
    """Return the options of one target: those of the command line replace other defaults.

    A stack name in the environment or the project file does not conflict with ``--bucket`` on the
    command line, and the other way round.
    """
    context = click.get_current_context()
    explicit = {
        name
        for name in options
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    has_stack = "stack_name" in explicit or (not explicit and options["stack_name"] is not None)
    if not explicit and not has_stack:
        return options
    return {
        name: value if name in explicit or has_stack is (name == "stack_name") else None
        for name, value in options.items()
    }


# In the reverse order of the help text.
_OPTIONS = (
    aws_options,
    click.option(
        "--parameter-prefix",
        envvar="PODGRAFT_PARAMETER_PREFIX",
        show_envvar=True,
        help="Output ParameterPrefix of the stack; default without --stack-name: "
        f"{DEFAULT_PARAMETER_PREFIX}.",
    ),
    click.option(
        "--bundle-prefix",
        envvar="PODGRAFT_BUNDLE_PREFIX",
        show_envvar=True,
        help="Output BundlePrefix of the stack; default without --stack-name: "
        f"{DEFAULT_BUNDLE_PREFIX}.",
    ),
    click.option(
        "--bucket",
        envvar="PODGRAFT_BUCKET",
        show_envvar=True,
        help="Output BundleBucket of the stack; required without --stack-name.",
    ),
    click.option(
        "--stack-name",
        envvar="PODGRAFT_STACK_NAME",
        show_envvar=True,
        help="Deployed stack; its outputs replace the other options.",
    ),
    click.option(
        "--injector",
        envvar="PODGRAFT_INJECTOR",
        show_envvar=True,
        default=DEFAULT_INJECTOR,
        show_default=True,
        callback=check_injector_option,
        help="Injector, by the name in its policy path and in the URL of its webhooks.",
    ),
)


def add_target_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a target, as single arguments."""
    for decorate in _OPTIONS:
        command = decorate(command)
    return command


def make_options(injector: str, **storage: str | None) -> TargetOptions:
    """Return the options of a target from the arguments of ``add_target_options``."""
    selected = _select_storage(**storage)
    options = TargetOptions(
        injector=injector,
        stack_name=selected["stack_name"],
        bucket=selected["bucket"],
        bundle_prefix=selected["bundle_prefix"],
        parameter_prefix=selected["parameter_prefix"],
    )
    options.check()
    return options


def target_options(command: Callable[..., R], *, is_required: bool = True) -> Callable[..., R]:
    """Add the options of a target in AWS; *command* gets them as its first argument.

    If they are not required, *command* calls their method ``check`` before it uses them.
    """

    @wraps(command)
    def call_with_target(
        *,
        injector: str,
        stack_name: str | None,
        bucket: str | None,
        bundle_prefix: str | None,
        parameter_prefix: str | None,
        folder_store: Path | None = None,
        **others: object,
    ) -> R:
        storage = _select_storage(
            stack_name=stack_name,
            bucket=bucket,
            bundle_prefix=bundle_prefix,
            parameter_prefix=parameter_prefix,
        )
        options = TargetOptions(injector=injector, folder=folder_store, **storage)
        if is_required:
            options.check()
        return command(options, **others)

    return add_target_options(call_with_target)


def optional_target_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of ``target_or_store_options``, of which none is required."""
    return _add_store_option(target_options(command, is_required=False))


def target_or_store_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of a target in AWS, or in a folder of ``podgraft serve``."""
    return _add_store_option(target_options(command))


def _add_store_option(command: Callable[..., R]) -> Callable[..., R]:
    return click.option(
        "--store",
        "folder_store",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder of podgraft serve, instead of a stack.",
    )(command)
