"""The objects to compare: from files and folders, or those of the bundle and of its trial."""

from collections.abc import Iterable, Iterator

import click
from msgspec import Struct

from podgraft.base.jsonvalue import object_at
from podgraft.cli import documents
from podgraft.cli.explain.pod_source import ExplainedPod, to_explained_pod
from podgraft.cli.failure import print_warnings
from podgraft.cli.manifest_files import FileSelection, make_file_options
from podgraft.cli.shared_options import gather_options
from podgraft.core.trial import probes
from podgraft.core.versions.snapshot import SnapshotSet

_STATUS = "sidecar.istio.io/status"


class ObjectSource(Struct, frozen=True):
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


class SampleOptions(Struct, frozen=True):
    """The options that select objects."""

    manifests: FileSelection
    namespace: str


sample_options = gather_options(
    SampleOptions,
    make_file_options(
        is_required=False,
        help_text="File or folder of workloads to review, can be repeated; - reads standard "
        "input. Default: the folder tests/ of the bundle, and synthetic pods and workloads.",
    ),
    click.option("--namespace", default="default", help="Namespace of objects without one."),
    name="samples",
)


def load_objects(
    options: SampleOptions, versions: Iterable[SnapshotSet | None]
) -> list[ObjectSource]:
    """Return the objects that the options select; by default, those of the bundles.

    Raises ``CommandError`` if there are none.
    """
    if not options.manifests.paths:
        return [*_find_default_objects(versions)]
    objects = [
        ObjectSource(to_explained_pod(value, options.namespace), str(path))
        for path, value in options.manifests.read_objects()
    ]
    print_warnings(_find_injected(objects))
    return objects


def _find_injected(objects: Iterable[ObjectSource]) -> Iterator[str]:
    """Yield a warning for each object that has sidecars already: its review can be a no-op."""
    for each in objects:
        if _STATUS in object_at(each.subject.object, "metadata", "annotations"):
            yield (
                f"{each.source}: {each.name} has sidecars already, so the result can be equal; "
                "remove them with podgraft uninject"
            )


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
