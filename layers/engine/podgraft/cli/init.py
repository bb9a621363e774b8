"""``podgraft init``: write the files of a deployment, or the samples, into a folder.

The files are those of the installed version. The folder contains everything that its tool needs:
``sam build`` finds the sources of the functions and of the layers in it.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Final

import click
from msgspec import Struct

from podgraft.cli import command_help, outputs, program
from podgraft.cli.assets import PACKAGE, find_assets
from podgraft.cli.extras import find_requirement
from podgraft.cli.failure import CommandError
from podgraft.cli.helm_values import write_values
from podgraft.cli.outputs import Output
from podgraft.cli.shared_options import NEW_FOLDER, choice_option

_ENGINE = "layers/engine/podgraft"
_LAYERS = (
    "layers/Makefile",
    "layers/build_layer.py",
    "layers/dependencies",
    "layers/make_archives.py",
    "functions/cleanup",
    "functions/guard",
    "functions/probe",
    "functions/watch",
    "functions/webhook",
)
# What a wheel or a checkout contains in addition to the sources.
_IGNORED = frozenset({"__pycache__", "assets", ".terraform", ".DS_Store"})


class Kind(Struct, frozen=True):
    """What to write: assets by their paths in the folder, and the next steps of the operator."""

    assets: Mapping[str, str]
    has_engine: bool
    steps: tuple[str, ...]


# The values have everything but an image that the cluster can pull.
HELM_INSTALL: Final = (
    "helm install podgraft {folder}/podgraft --namespace podgraft --create-namespace "
    "--values {folder}/values.yaml"
)

_RUN_HELLO = (
    "kubectl run web --image=nginx --labels=podgraft=hello "
    "-o jsonpath='{{.spec.initContainers[*].name}}'"
)
_REGISTER_HELLO = (
    "podgraft register --cluster dev --token-file token --object-selector podgraft=hello "
    "--test | kubectl apply --server-side -f -"
)

KINDS: Final[Mapping[str, Kind]] = {
    "sam": Kind(
        {
            **{name: name for name in ("template.yaml", "samconfig.toml", "LICENSE", *_LAYERS)},
            "packaging/init/README.md": "README.md",
            "packaging/init/podgraft.toml": "podgraft.toml",
            "samples/hello/bundle": "hello/bundle",
            "samples/hello/policy.yaml": "hello/policy.yaml",
        },
        has_engine=True,
        steps=(
            "cd {folder}",
            "sam build && sam deploy",
            "podgraft push hello",
            "podgraft tokens issue --cluster dev --output token",
            _REGISTER_HELLO,
            _RUN_HELLO,
        ),
    ),
    "terraform": Kind(
        {"deploy/terraform": "podgraft", **{name: name for name in _LAYERS}},
        has_engine=True,
        steps=(
            "cd {folder}",
            "{python} layers/make_archives.py archives",
            "write a main.tf with the module ./podgraft: its README.md has an example",
            "terraform init && terraform apply",
        ),
    ),
    "helm": Kind(
        {"deploy/charts/podgraft": "podgraft"},
        has_engine=False,
        steps=(
            "build the image podgraft:{version}: podgraft init --kind container image",
            "load it into the cluster, or push it and set image.repository",
            HELM_INSTALL,
            _RUN_HELLO,
        ),
    ),
    "kubernetes": Kind(
        {"deploy/kubernetes": "."},
        has_engine=False,
        steps=("read {folder}/README.md, then: kubectl apply -k {folder}",),
    ),
    "container": Kind(
        {"deploy/container": ".", "packaging/requirements/serve.txt": "requirements.txt"},
        has_engine=False,
        steps=(
            "{python} -m pip wheel --no-deps --wheel-dir {folder} {source}",
            "podman build --tag podgraft:{version} {folder}",
        ),
    ),
    "samples": Kind(
        {"samples": "."},
        has_engine=False,
        steps=(
            "cd {folder}",
            "podgraft explain -f istio/input.web.yaml --config istio",
        ),
    ),
}


@command_help.command("init")
@choice_option("--kind", choices=KINDS, text="Files to write.")
@click.option("--force", is_flag=True, help="Replace existing files of the same names.")
@click.argument("folder", type=NEW_FOLDER)
def command(kind: str, *, force: bool, folder: Path) -> None:
    """Write the files of a deployment, or the samples, into FOLDER, and print the next steps.

    \b
    sam         template.yaml and sources for AWS SAM, and a first injector, hello
    terraform   the Terraform module, and sources of its archives
    helm        the Helm chart of podgraft serve, and values that install as they are
    kubernetes  manifests of podgraft serve for kubectl apply -k
    container   Containerfile of podgraft serve
    samples     a bundle, a policy, and pods of each sample
    """  # noqa: D301  not raw: click reads the character
    write_kind(KINDS[kind], folder, force=force)
    if kind == "helm":
        write_values(folder, force=force)
    names = {
        "folder": quote(str(folder)),
        "version": version("podgraft"),
        "source": _find_source(),
        "python": quote(sys.executable),  # it has pip, as others on PATH may not
    }
    program.print_next_steps(*(step.format_map(names) for step in KINDS[kind].steps))


def write_kind(kind: Kind, folder: Path, *, force: bool) -> None:
    """Write all files, or none if one exists and *force* is not set."""
    files = [
        Output(folder / name, source.read_bytes(), outputs.PUBLIC | (source.stat().st_mode & 0o111))
        for name, source in find_files(kind)
    ]
    outputs.write_files(files, force=force)


def find_files(kind: Kind) -> Iterator[tuple[Path, Path]]:
    """Each file: its path in the folder, and its source."""
    assets = find_assets()
    for name, target in kind.assets.items():
        source = assets / name
        if not source.exists():
            raise CommandError(f"{source}: not found; install podgraft again")
        if source.is_dir():
            yield from _walk(source, Path(target))
        else:
            yield Path(target), source
    if kind.has_engine:
        yield from _walk(PACKAGE, Path(_ENGINE))


def _walk(source: Path, target: Path) -> Iterator[tuple[Path, Path]]:
    for root, folders, names in os.walk(source):
        folders[:] = sorted(set(folders) - _IGNORED)
        for name in sorted(names):
            if name not in _IGNORED and not name.endswith(".pyc"):
                file = Path(root) / name
                yield target / file.relative_to(source), file


def _find_source() -> str:
    """What pip installs: the clone of this installation, or the published version."""
    requirement = find_requirement()
    return f"podgraft=={version('podgraft')}" if requirement == "podgraft" else quote(requirement)
