"""What to inject with, as the command line names it: a bundle, or istioctl's three files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from podgraft import bundle, jsonvalue, policy
from podgraft.bundle import BundleError
from podgraft.jsonvalue import Object
from podgraft.policy import Policy, PolicyError
from podgraft.store import Snapshot

from . import documents, folders
from .failure import CommandError

P = ParamSpec("P")
R = TypeVar("R")

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

_OPTIONS = (
    click.option("--bundle", type=_FOLDER, help="Folder of manifests."),
    click.option("--policy", "document", type=_FILE, help="Policy document over the bundle's own."),
    click.option(
        "--injectConfigFile", "config", type=_FILE, help="Key config of the injector's ConfigMap."
    ),
    click.option("--valuesFile", "values", type=_FILE, help="Key values of the same."),
    click.option("--meshConfigFile", "mesh", type=_FILE, help="Key mesh of ConfigMap istio."),
    click.option("--revision", help="Revision of the control plane."),
    click.option(
        "--istio-release",
        "release",
        help="Istio release, such as 1.30.3; read from global.tag or the template otherwise.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The options as they were given."""

    bundle: Path | None
    document: Path | None
    config: Path | None
    values: Path | None
    mesh: Path | None
    revision: str | None
    release: str | None


def options(function: Callable[P, R]) -> Callable[P, R]:
    """The options that name a configuration; they arrive as the fields of ``Given``."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given(options: Mapping[str, Path | str | None]) -> Given:
    """The options that ``options`` added, out of a command's own."""
    return Given(**options)  # pyright: ignore[reportArgumentType] — click has checked each type


def load(given: Given) -> Snapshot:
    """The configuration, compiled; raises ``CommandError`` with every fault of it."""
    read = _policy(given)
    try:
        compiled = bundle.compile_(_files(given), read)
    except BundleError as error:
        raise CommandError(*map(str, error.faults)) from error
    return Snapshot(policy=read, policy_version="local", bundle=compiled)


def _policy(given: Given) -> Policy:
    text = documents.read(given.document) if given.document else ""
    try:
        read = policy.parse(text)
    except PolicyError as error:
        raise CommandError(*(f"{given.document} {fault}" for fault in error.faults)) from error
    return replace(
        read,
        # The bundle at hand is meant, whichever the deployed policy names.
        bundle=None,
        revision=given.revision if given.revision is not None else read.revision,
        istio_release=given.release or read.istio_release,
    )


def _files(given: Given) -> dict[str, bytes]:
    """The bundle's files; istioctl's become the ConfigMaps that they were taken from."""
    match given:
        case Given(bundle=Path() as folder, config=None, values=None, mesh=None):
            return folders.files_of(folder)
        case Given(bundle=None, config=Path() as config):
            files = {str(config): _config_map(config=config, values=given.values)}
            if given.mesh is not None:
                files[str(given.mesh)] = _config_map(mesh=given.mesh)
            return files
        case _:
            raise click.UsageError("give either --bundle, or --injectConfigFile and its files")


def _config_map(**keys: Path | None) -> bytes:
    data: Object = {key: documents.read(path) for key, path in keys.items() if path}
    name = "istio" if "mesh" in data else "istio-sidecar-injector"
    made: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": data,
    }
    return jsonvalue.dump(made).encode()
