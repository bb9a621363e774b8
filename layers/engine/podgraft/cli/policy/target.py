"""The target of a command: one injector of one stack."""

import shlex

from msgspec.structs import asdict

from podgraft.cli import stacks
from podgraft.cli.aws_options import aws_options, format_aws_options
from podgraft.cli.config_source import (
    ConfigSource,
    ConfigSourceType,
    Location,
    config_option,
    prefix_option,
    select_location,
)
from podgraft.cli.identifier_options import injector_option
from podgraft.cli.regions import list_region_words
from podgraft.cli.shared_options import Decorator, gather_options


class DeploymentTarget(stacks.Stack, frozen=True, kw_only=True):
    """The storage of one injector."""

    injector: str

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
        return " ".join(filter(None, (self._own_options, format_aws_options())))

    @property
    def all_options(self) -> str:
        """The same, for all regions of this command."""
        regions = shlex.join(list_region_words())
        selected = format_aws_options(has_region=not regions)
        return " ".join(filter(None, (self._own_options, selected, regions)))

    @property
    def _own_options(self) -> str:
        location = Location(
            stack_name=self.name,
            parameter_prefix=self.parameter_prefix if self.name is None else None,
        )
        return shlex.join(("--injector", self.injector, *location.options))


def make_target(owner: stacks.Owner, prefix: str, injector: str) -> DeploymentTarget:
    """Return the storage of an injector of the stack that owns a prefix of parameters."""
    return DeploymentTarget(
        injector=injector,
        bucket=owner.bucket,
        bundle_prefix=owner.bundle_prefix,
        parameter_prefix=prefix,
    )


class TargetOptions(Location, frozen=True, kw_only=True):
    """The options of the command line."""

    injector: str

    def resolve(self) -> DeploymentTarget:
        """Return the target; AWS looks up a stack, or the owner of a prefix."""
        if self.stack_name is not None:
            stack = stacks.lookup_stack(self.stack_name)
            return DeploymentTarget(injector=self.injector, **asdict(stack))
        prefix = self.find_prefix()
        owner = stacks.require_owner(stacks.make_client("ssm"), prefix)
        return make_target(owner, prefix, self.injector)


def _make_target_options(has_folder: bool) -> Decorator:
    """Return a decorator that adds the options of a target; the command gets them as *options*."""
    place = "Stack, or folder of podgraft serve." if has_folder else "Deployed stack."
    return gather_options(
        _read_options,
        config_option(ConfigSourceType(folder=has_folder, cluster=False), place),
        injector_option(
            "Injector, by its name in the URL of its webhooks.",
            envvar="PODGRAFT_INJECTOR",
            show_envvar=True,
        ),
        prefix_option,
        aws_options,
        name="options",
    )


def _read_options(
    injector: str, source: ConfigSource | None, parameter_prefix: str | None
) -> TargetOptions:
    return TargetOptions(injector=injector, **asdict(select_location(source, parameter_prefix)))


target_options = _make_target_options(has_folder=False)
# The target can also be a folder of podgraft serve.
target_or_store_options = _make_target_options(has_folder=True)
