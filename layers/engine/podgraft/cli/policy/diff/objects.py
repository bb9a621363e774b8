"""The objects to compare: from files and folders, or those of the bundle and of its trial."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

import click

from podgraft.cli import documents
from podgraft.cli.explain.pod_source import ExplainedPod, find_pods, to_explained_pod
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.jsonvalue import object_at
from podgraft.store import SnapshotSet
from podgraft.trial import probes

_SUFFIXES = (".yaml", ".yml", ".json")
_STATUS = "sidecar.istio.io/status"


@dataclass(frozen=True, slots=True)
class ObjectSource:
    """An object, and its file; a synthetic object has a description instead."""

    subject: ExplainedPod
    source: str
    is_synthetic: bool = False

    @property
    def name(self) -> str:
        """Kind and name."""
        return documents.object_name(self.subject.object)

    @property
    def label(self) -> str:
        """Kind, name, and namespace, or the description of a synthetic object."""
        if self.is_synthetic:
            return self.source
        return f"{self.name} in {self.subject.namespace}" if self.subject.namespace else self.name


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """The options that select objects."""

    paths: tuple[Path, ...]
    is_recursive: bool
    namespace: str


def sample_options(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add the options that select objects; *function* gets them as ``samples``."""

    @wraps(function)
    def call_with_samples(
        *values: object,
        filename: tuple[Path, ...],
        recursive: bool,
        namespace: str,
        **others: object,
    ) -> int | None:
        return function(*values, samples=SampleOptions(filename, recursive, namespace), **others)

    for decorate in (
        click.option(
            "--namespace",
            default="default",
            show_default=True,
            help="Namespace of objects without one.",
        ),
        click.option(
            "-R", "--recursive", is_flag=True, help="Read the folders in folders as well."
        ),
        click.option(
            "-f",
            "--filename",
            multiple=True,
            type=click.Path(exists=True, allow_dash=True, path_type=Path),
            help="File or folder of workloads to review, can be repeated; - reads standard input. "
            "Default: the folder tests/ of the bundle, and synthetic pods and workloads.",
        ),
    ):
        call_with_samples = decorate(call_with_samples)
    return call_with_samples


def load_objects(
    options: SampleOptions, versions: Iterable[SnapshotSet | None]
) -> list[ObjectSource]:
    """Return the objects that the options select; by default, those of the bundles.

    Raises ``CommandError`` if there are none.
    """
    if not options.paths:
        return [*_find_default_objects(versions)]
    objects = [each for path in options.paths for each in _read_path(path, options)]
    if not objects:
        raise CommandError(f"{', '.join(map(str, options.paths))}: contains no object")
    print_warnings(_find_injected(objects))
    return objects


def _find_injected(objects: Iterable[ObjectSource]) -> Iterator[str]:
    """Yield a warning for each object that has sidecars already: its review can be a no-op."""
    for each in objects:
        metadata = object_at(each.subject.object, "metadata")
        if _STATUS in object_at(metadata, "annotations"):
            yield (
                f"{each.source}: {each.name} has sidecars already, so the result can be equal; "
                "remove them with podgraft uninject"
            )


def _read_path(path: Path, options: SampleOptions) -> Iterator[ObjectSource]:
    if not path.is_dir():
        for subject in find_pods(path, options.namespace):
            yield ObjectSource(subject, str(path))
        return
    found = path.rglob("*") if options.is_recursive else path.glob("*")
    files = sorted(each for each in found if each.suffix in _SUFFIXES and each.is_file())
    if not files:
        raise CommandError(f"{path}: contains no file *.yaml, *.yml, or *.json; use -R for folders")
    for file in files:
        yield from _read_file(file, options.namespace)


def _read_file(file: Path, namespace: str) -> Iterator[ObjectSource]:
    """Return the objects of a file in a folder, which can contain other files than manifests."""
    for document in documents.read_objects(file):
        if "kind" not in document or "apiVersion" not in document:
            print_warnings([f"{file}: contains a document without kind or apiVersion; skipped"])
            continue
        yield ObjectSource(to_explained_pod(document, namespace), str(file))


def _find_default_objects(versions: Iterable[SnapshotSet | None]) -> Iterator[ObjectSource]:
    """Yield the objects of the bundles, and synthetic ones: workloads if a route reads them."""
    bundles = [snapshots.default.bundle for snapshots in versions if snapshots]
    objects = {
        f"{manifest.file}{manifest.path}": manifest.object
        for bundle in bundles
        for manifest in bundle.manifests.probes
    }
    for source, value in objects.items():
        yield ObjectSource(to_explained_pod(value, probes.NAMESPACE), source)
    synthetic = [*probes.PODS, probes.GATEWAY]
    if any(bundle.object_mutators or bundle.validators for bundle in bundles):
        synthetic.extend(map(probes.make_workload, probes.WORKLOADS))
    for probe in synthetic:
        subject = to_explained_pod(probe.object, probes.NAMESPACE)
        yield ObjectSource(subject, probe.name, is_synthetic=True)
