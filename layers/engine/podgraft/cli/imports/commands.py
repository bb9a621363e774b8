"""``podgraft import istio``: Istio's injection configuration of a cluster, in a folder."""

from pathlib import Path
from shlex import quote

import click

from podgraft.cli import command_help, folders
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.live.istio_source import IstioReader, IstioSource
from podgraft.cli.live.options import ClusterAccess, access_options
from podgraft.cli.program import print_next_steps
from podgraft.cli.shared_options import NEW_FOLDER
from podgraft.core import bundle, policy
from podgraft.core.bundle import Bundle, BundleError, lint
from podgraft.kube import yaml

from . import registration

POLICY_FILE = "policy.yaml"
BUNDLE_FOLDER = "bundle"


@command_help.group("import")
def command() -> None:
    """Import the configuration of another injector as a bundle and a policy."""


@command.command("istio")
@click.argument("folder", type=NEW_FOLDER)
@access_options
@click.option("--revision", help="Revision or tag of Istio; default: all of the cluster.")
@click.option(
    "--force", is_flag=True, help="Replace the bundle in FOLDER; an existing policy is not changed."
)
def import_istio(*, folder: Path, revision: str | None, force: bool, access: ClusterAccess) -> None:
    """Read Istio's injection configuration from a cluster, and write it to FOLDER.

    The command writes FOLDER/bundle and FOLDER/policy.yaml. It reads the ConfigMaps of the
    revision, the ProxyConfigs, the webhooks, and the environment of istiod, and sends only GET
    requests. It prints a warning for everything that the files do not contain. If the cluster has
    several revisions, it writes FOLDER/REVISION for each of them.
    """
    cluster, namespace = access.open_cluster(), access.istio_namespace
    revisions = [revision] if revision else IstioReader(cluster, namespace).list_revisions()
    folders_by_revision = {
        name: folder / name if len(revisions) > 1 else folder for name in revisions
    }
    for each in folders_by_revision.values():
        if (each / BUNDLE_FOLDER).exists() and not force:
            raise CommandError(
                f"{each / BUNDLE_FOLDER}: exists already; use --force to replace the bundle"
            )
    for name, each in folders_by_revision.items():
        _import_revision(IstioReader(cluster, namespace).read(name), each)


def _import_revision(source: IstioSource, folder: Path) -> None:
    compiled, warnings = _compile(source)
    differences = registration.find_differences(source.webhooks, source.revision)
    print_warnings((*source.warnings, *warnings, *differences))
    folders.write_folder(folder / BUNDLE_FOLDER, source.files, replaces=True)
    _write_policy(folder / POLICY_FILE, source)
    _print_summary(folder, source, compiled)


def _compile(source: IstioSource) -> tuple[Bundle, tuple[object, ...]]:
    text = source.policy_text
    try:
        parsed = policy.parse(text)
        compiled = bundle.compile_(source.files, parsed)
    except (policy.PolicyError, BundleError) as error:
        raise CommandError(*map(str, error.errors), warnings=source.warnings) from error
    return compiled, tuple(lint.find_warnings(compiled, source.files, parsed, text, POLICY_FILE))


def _write_policy(path: Path, source: IstioSource) -> None:
    """Write the policy; an existing one stays, with a warning if its keys differ."""
    if not path.exists():
        path.write_text(source.policy_text or "{}\n", encoding="utf-8")
        return
    try:
        existing = yaml.load_document(folders.read_text(path))
    except (CommandError, yaml.NotYAMLError):
        existing = None
    current = existing if isinstance(existing, dict) else {}
    keys = [key for key, value in source.policy.items() if current.get(key) != value]
    if keys:
        names = ", ".join(keys)
        print_warnings([f"{path}: is not changed; the cluster has other values of {names}"])


def _print_summary(folder: Path, source: IstioSource, compiled: Bundle) -> None:
    injector = compiled.istio
    release = f", Istio {injector.profile.release}" if injector is not None else ""
    click.echo(f"imported revision {source.revision}{release}:")
    for name in sorted(source.files):
        click.echo(f"  {folder / BUNDLE_FOLDER / name}")
    click.echo(f"  {folder / POLICY_FILE}")
    variables: dict[str, str] = {}
    for webhook in source.webhooks:
        variables |= injector.parse_environment(webhook.url_path) if injector is not None else {}
    options = registration.make_register_options(source.webhooks, source.revision, variables)
    print_next_steps(
        f"podgraft check {quote(str(folder))}",
        f"podgraft compare -A --config {quote(str(folder))}",
        "podgraft register --url https://ENDPOINT --injector istio --cluster CLUSTER "
        f"--token-file FILE {' '.join(options)}",
    )
