"""The configuration that the command line names: a bundle, or istioctl's three files."""

import re
from collections.abc import Mapping
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli.shared_options import FILE, gather_options
from podgraft.core import bundle, policy
from podgraft.core.bundle import BundleError, lint
from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.policy import Policy, PolicyError
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot

from . import documents, folders, istio_files
from .aws_options import aws_options
from .config_source import (
    ConfigFolder,
    ConfigSource,
    ConfigSourceType,
    config_option,
    find_files,
    is_explicit,
)
from .failure import CommandError, print_warnings, raise_findings
from .identifier_options import check_release_option, cluster_option, injector_option
from .live.istio_source import IstioReader, IstioSource
from .live.options import ClusterAccess, access_options
from .template_lines import add_file_lines

_OPTIONS = (
    injector_option("Injector of the stack, of the folder, or of the registration.", default=None),
    access_options,
    aws_options,
    click.option("--revision", help="Revision of Istio's control plane."),
    click.option(
        "--istio-release",
        "release",
        callback=check_release_option,
        help="Istio release, such as 1.30.3. Default: from policy, global.tag, or template.",
    ),
)
# Of istioctl kube-inject.
_ISTIOCTL_OPTIONS = (
    click.option(
        "--injectConfigFile",
        "config",
        type=FILE,
        hidden=True,
        help="ConfigMap istio-sidecar-injector, or the text of its key config.",
    ),
    click.option(
        "--valuesFile",
        "values",
        type=FILE,
        hidden=True,
        help="Text of the key values of the same ConfigMap.",
    ),
    click.option(
        "--meshConfigFile",
        "mesh",
        type=FILE,
        hidden=True,
        help="ConfigMap istio, or the text of its key mesh.",
    ),
)

_TWO_SOURCES = "use --config alone, or --injectConfigFile and its files"

# The same in every command that reviews objects.
_CALLER_OPTIONS = (
    cluster_option("Calling cluster, for the overrides of the policy."),
    click.option("--istio-cluster-id", help="Cluster id of Istio, as in the URL of the webhook."),
    click.option("--network", help="Network of Istio, as in the URL of the webhook."),
    click.option(
        "--env", multiple=True, metavar="NAME=VALUE", help="Variable, as in the URL of the webhook."
    ),
)


class CallerOptions(Struct, frozen=True, kw_only=True):
    """The options of a caller: its cluster, and the variables of Istio in its URL."""

    cluster: str | None = None
    cluster_groups: tuple[str, ...] = ()
    istio_cluster_id: str | None = None
    network: str | None = None
    env: tuple[str, ...] = ()

    def make_caller(self) -> ReviewContext:
        """The caller of a review; raises ``click.UsageError`` for an invalid variable."""
        pairs = [
            *_pair("cluster", self.istio_cluster_id),
            *_pair("net", self.network),
            *(word for variable in self.env for word in _variable(variable)),
        ]
        path, groups = "/".join(pairs), self.cluster_groups
        return ReviewContext(injector="offline", cluster=self.cluster, url_path=path, groups=groups)


caller_options = gather_options(CallerOptions, *_CALLER_OPTIONS, name="caller")


class InjectOptions(CallerOptions, frozen=True, kw_only=True):
    """The options of a configuration, and those of a caller."""

    config_source: ConfigSource = ConfigSource()
    config: Path | None = None
    values: Path | None = None
    mesh: Path | None = None
    revision: str | None = None
    release: str | None = None
    injector: str | None = None
    access: ClusterAccess = ClusterAccess()

    @property
    def has_bundle(self) -> bool:
        """Whether an option names a configuration that is not Istio's in the cluster."""
        source = self.config_source
        return any(each is not None for each in (source.folder, self.config, source.stack))

    @property
    def folder(self) -> ConfigFolder | None:
        """The files of the folder that ``--config`` names; raises ``CommandError``."""
        folder = self.config_source.folder
        return None if folder is None else find_files(folder, self.injector)


def _add_source(source: ConfigSource | None, others: InjectOptions) -> InjectOptions:
    if source is None:
        return others
    if any((others.config, others.values, others.mesh)):
        if not is_explicit("source"):  # of the environment or the project file
            return others
        raise click.UsageError(_TWO_SOURCES)
    context = source.context or others.access.context
    access = replace(others.access, context=context)
    return replace(others, config_source=source, access=access)


# The command gets them as ``options``.
inject_options = gather_options(
    _add_source,
    config_option(ConfigSourceType(), "Folder with policy.yaml and bundle/, stack, or cluster."),
    gather_options(
        InjectOptions,
        *_OPTIONS,
        *_ISTIOCTL_OPTIONS,
        *_CALLER_OPTIONS,
        click.option(
            "--group",
            "cluster_groups",
            multiple=True,
            metavar="NAME",
            help="Group of the calling cluster; default: those of the registry of the stack.",
        ),
        name="others",
    ),
    name="options",
)


class LoadedConfiguration(Struct, frozen=True, kw_only=True):
    """A compiled configuration, and the caller of reviews with it.

    ``source`` is set if the configuration is that of a cluster.
    """

    snapshot: Snapshot
    caller: ReviewContext
    source: IstioSource | None = None


def load(options: InjectOptions) -> LoadedConfiguration:
    """The configuration of files or of the cluster, compiled; raises ``CommandError``."""
    if options.config_source.stack is not None:
        return _load_stack(options.config_source.stack, options)
    if not options.config_source.is_cluster:
        snapshot = _compile_snapshot(options, _load_files(options))
        return LoadedConfiguration(snapshot=snapshot, caller=options.make_caller())
    source = _read_source(options)
    snapshot = _compile_snapshot(options, source.files, source.policy_text, source.revision)
    paths = {webhook.url_path for webhook in source.webhooks}
    context = options.make_caller()
    if not context.url_path and len(paths) == 1:  # as istiod reads the variables of its own webhook
        context = replace(context, url_path=paths.pop())
    return LoadedConfiguration(snapshot=snapshot, caller=context, source=source)


def _read_source(options: InjectOptions) -> IstioSource:
    reader = IstioReader(options.access.open_cluster(), options.access.istio_namespace)
    source = reader.read(options.revision)
    print_warnings(source.warnings)
    return source


def _pair(key: str, value: str | None) -> tuple[str, ...]:
    return () if value is None else (key, value.replace("/", "--slash--"))


def _variable(text: str) -> tuple[str, ...]:
    name, equals, value = text.partition("=")
    if not equals:  # not quoted: it can be a value
        raise click.UsageError("--env: a value has no name before it; use NAME=VALUE")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise click.UsageError(f"--env: got the name {name!r}; use NAME=VALUE")
    return _pair(name, value)


def warn_of_unused(options: CallerOptions, snapshot: Snapshot) -> None:
    """Report options of the URL that the configuration does not read."""
    injector = snapshot.bundle.istio
    variables = {
        "--istio-cluster-id": options.istio_cluster_id,
        "--network": options.network,
        "--env": options.env,
    }
    names = ", ".join(name for name, value in variables.items() if value)
    if not names:
        return
    if injector is None:
        print_warnings([f"{names}: no effect: the bundle contains no Istio configuration"])
    elif not injector.parse_environment(options.make_caller().url_path):
        release = injector.profile.release
        print_warnings([f"{names}: no effect: Istio {release} reads no variables from the URL"])


def _load_stack(stack: str, options: InjectOptions) -> LoadedConfiguration:
    """The version in force for the calling cluster."""
    from .policy.in_force import read_stack  # needs boto3

    injector = options.injector or DEFAULT_INJECTOR
    files, text, groups = read_stack(stack, injector, options.cluster, options.cluster_groups)
    options = replace(options, cluster_groups=groups)
    snapshot = _compile_snapshot(options, files, text)
    return LoadedConfiguration(snapshot=snapshot, caller=options.make_caller())


def _compile_snapshot(
    options: InjectOptions,
    files: Mapping[str, bytes],
    document: str = "",
    revision: str | None = None,
) -> Snapshot:
    """Compile *files*; *document* is the policy, if it is not in the folder of the options."""
    path = options.folder and options.folder.policy
    text = documents.read_text(path) if path else document
    read = _parse_policy(options, text, revision)
    try:
        compiled = bundle.compile_(files, read)
    except BundleError as error:
        raise CommandError(*map(str, add_file_lines(error.errors, files))) from error
    if options.config is not None and compiled.istio is not None:
        istio_files.check_templates(options.config, compiled.istio)
    print_warnings(lint.find_warnings(compiled, files, read, text, _name_policy(options)))
    groups = read.find_groups(options.cluster, options.cluster_groups)
    return Snapshot(policy=read, policy_version="local", bundle=compiled, groups=groups)


def _name_policy(options: InjectOptions) -> str:
    return str((options.folder and options.folder.policy) or "policy")


def _parse_policy(options: InjectOptions, text: str, revision: str | None) -> Policy:
    revision = options.revision if revision is None else revision
    try:
        read = policy.parse(text)
    except PolicyError as error:
        name = _name_policy(options)
        raise CommandError(*(f"{name} {fault}" for fault in error.errors)) from error
    _check_groups(options, read)
    groups = read.find_groups(options.cluster, options.cluster_groups)
    if options.cluster is not None and options.cluster not in read.overrides and not groups:
        clusters = ", ".join(sorted(read.overrides)) or "none"
        problem = f"the policy has no overrides for it; it has {clusters}"
        print_warnings([f"--cluster {options.cluster}: {problem}"])
    document, read = read, read.for_cluster(options.cluster, options.cluster_groups)
    stable = document.bundle
    if read.bundle != stable and options.config_source.stack is None:
        problem = f"the policy names another bundle for it, {read.bundle}"
        remedy = "the result is that of the files on this machine"
        print_warnings([f"--cluster {options.cluster}: {problem}; {remedy}"])
    return replace(
        read,
        # The bundle on disk is meant, whichever the deployed policy names.
        bundle=None,
        rollout=document.rollout,
        # They state where a key comes from.
        groups=document.groups,
        overrides=document.overrides,
        revision=read.revision if revision is None else revision,
        istio_release=options.release or read.istio_release,
    )


def _check_groups(options: InjectOptions, read: Policy) -> None:
    """Raise ``CommandError`` for groups without a cluster, and for those that are unknown."""
    if options.cluster_groups and options.cluster is None:
        raise click.UsageError("--group: requires --cluster, because a cluster is in groups")
    known = ", ".join(sorted(read.groups)) or "none"
    raise_findings(
        f"--group {name}: unknown group; the policy has {known}"
        for name in options.cluster_groups
        if name not in read.groups
    )


def _load_files(options: InjectOptions) -> dict[str, bytes]:
    """The bundle's files; istioctl's become the ConfigMaps that they were taken from."""
    if options.folder is not None:
        return folders.read_manifests(options.folder.bundle)
    if options.config is not None:
        return istio_files.read(config=options.config, values=options.values, mesh=options.mesh)
    if options.values or options.mesh:
        raise click.UsageError(_TWO_SOURCES)
    raise click.UsageError(
        "Missing option '--config': use a folder with policy.yaml and bundle/, stack:NAME, or "
        "cluster"
    )
