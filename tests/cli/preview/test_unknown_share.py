"""The share of unknown results in a preview of Istio's test pods and of reviews from clusters.

Run with ``-s`` to print the counts of each change. ``PODGRAFT_CORPUS`` names the corpus.
"""

import json
import tempfile
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance import corpus
from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.cli.offline import FixedStore
from podgraft.cli.policy.preview.replay import PreviewOutcome, PreviewResult, preview_record
from podgraft.core import review
from podgraft.core.census.record import Record, decode_record
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission, yaml
from podgraft.service.store.census import CensusWriter
from podgraft.service.store.folder import FolderStore
from podgraft.service.store.folder.census import FolderCensus

ROOT = Path(__file__).parents[3]
REVIEWS = ROOT / "tests" / "support" / "events" / "wire"
SAMPLE = ROOT / "samples" / "istio" / "bundle"
MAX_SHARE = 0.05
POLICY = 'istioRelease: "{}"\npolicy: enabled\ncensus: {{}}\n'
Documents = dict[str, Any]  # config, values, and mesh


def set_image(documents: Documents) -> None:
    documents["values"]["global"]["tag"] = "9.9.9"


def set_resources(documents: Documents) -> None:
    requests = {"cpu": "200m", "memory": "256Mi"}
    documents["values"]["global"]["proxy"]["resources"] = {"requests": requests}


def add_annotation(documents: Documents) -> None:
    config = documents["config"]
    config["templates"]["team"] = "metadata:\n  annotations:\n    example.com/mesh: v2\n"
    config["defaultTemplates"] = [*config["defaultTemplates"], "team"]


CHANGES = {"image": set_image, "resources": set_resources, "annotation": add_annotation}


class Pods:
    """Pods with their namespaces, and the configuration that injects them."""

    def __init__(
        self, release: str, documents: Documents, pods: Sequence[tuple[str, Object]]
    ) -> None:
        self.release, self.documents, self.pods = release, documents, pods

    def load(self, folder: Path, change: Callable[[Documents], None] | None = None) -> Snapshot:
        """Load the configuration, perhaps changed."""
        documents = json.loads(json.dumps(self.documents))
        if change is not None:
            change(documents)
        data: Object = {
            "config": yaml.dump(documents["config"]),
            "values": json.dumps(documents["values"]),
        }
        bundle = folder / "istio" / "bundle"
        bundle.mkdir(parents=True)
        write_config_map(bundle, "istio-sidecar-injector", data)
        write_config_map(bundle, "istio", {"mesh": documents["mesh"]})
        (folder / "istio" / "policy.yaml").write_text(POLICY.format(self.release))
        return FolderStore(folder).snapshot("istio", None)


def write_config_map(folder: Path, name: str, data: JSON) -> None:
    metadata: Object = {"name": name, "namespace": "istio-system"}
    manifest: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    (folder / f"{name}.yaml").write_text(yaml.dump(manifest))


def read_sample(name: str, key: str) -> Any:
    document: Any = yaml.load((SAMPLE / name).read_text())
    return document["data"][key]


def find_reviewed_pods() -> Pods:
    """The pods of recorded reviews of kube-apiserver, and the configuration of the sample."""
    requests: list[Any] = [
        json.loads(path.read_text())["request"]["body"]["request"]
        for path in sorted(REVIEWS.glob("*.json"))
        if not path.name.endswith(".validate.json")
    ]
    pods = [
        (each["namespace"], each["object"])
        for each in requests
        if object_at(each, "object").get("kind") == "Pod"
    ]
    documents: Documents = {
        "config": yaml.load(read_sample("injector.yaml", "config")),
        "values": yaml.load(read_sample("injector.yaml", "values")),
        "mesh": read_sample("mesh.yaml", "mesh"),
    }
    return Pods("1.30", documents, pods)


def find_corpus_pods() -> Pods:
    """All distinct pods of Istio's golden tests, and the newest release's own configuration."""
    root = corpus.find_root()
    if root is None:
        pytest.skip(f"no corpus: set {corpus.VARIABLE} to its folder")
    pods: dict[str, tuple[str, Object]] = {}
    for path in sorted(root.glob("*/webhook/*.json")):
        for each in json.loads(path.read_text()):
            text = json.dumps(each["pod"], sort_keys=True)
            pods.setdefault(text, (each["namespace"] or "default", each["pod"]))
    folder = max(root.glob("*/meta.json"), key=lambda path: int(path.parent.name[2:])).parent
    settings = folder / "settings" / "default"
    documents: Documents = {
        "config": yaml.load((settings / "config.yaml").read_text()),
        "values": json.loads((settings / "values.json").read_text()),
        "mesh": (settings / "mesh.yaml").read_text(),
    }
    return Pods(folder.name, documents, [*pods.values()])


def record_pods(pods: Pods, stable: Snapshot, folder: Path) -> Iterator[tuple[Record, Object]]:
    """Review and record each pod as the webhook does; the records with the complete pods."""
    (folder / "istio").mkdir(parents=True, exist_ok=True)
    (folder / "istio" / "census.key").write_text(b64encode(bytes(32)).decode())
    for number, (namespace, pod) in enumerate(pods.pods):
        request: Object = {
            "uid": "u",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "namespace": namespace,
            "operation": "CREATE",
            "object": pod,
        }
        body: Object = {
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": request,
        }
        context = ReviewContext(injector="istio").with_request(
            admission.decode(json.dumps(body).encode())
        )
        done = review.inject(context, FixedStore(stable)).record
        place = folder / str(number)
        writer = CensusWriter(FolderCensus(place, folder), cap_seconds=1e6)
        writer.record(context, stable, "inject", done)
        for path in place.rglob("*.json.gz"):
            yield decode_record(path.read_bytes()), pod


@cache
def record_all(find: Callable[[], Pods]) -> tuple[Pods, Snapshot, list[tuple[Record, Object]]]:
    """The pods, their configuration, and the records."""
    pods = find()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stable = pods.load(folder / "stable")
        return pods, stable, [*record_pods(pods, stable, folder / "census")]


@cache
def preview_pods(
    find: Callable[[], Pods], change: str
) -> list[tuple[PreviewResult, PreviewResult]]:
    """The results for the records, and those for the complete pods."""
    pods, stable, records = record_all(find)
    with tempfile.TemporaryDirectory() as name:
        candidate = pods.load(Path(name), CHANGES[change])
    return [
        (
            preview_record(record, stable, candidate),
            preview_record(replace(record, object=pod), stable, candidate),
        )
        for record, pod in records
    ]


SOURCES = (find_reviewed_pods, find_corpus_pods)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("find", SOURCES, ids=["reviews", "corpus"])
def test_less_than_five_percent_of_results_are_unknown(
    find: Callable[[], Pods], change: str
) -> None:
    results = [result for result, _ in preview_pods(find, change)]
    counts = Counter(str(result.outcome) for result in results)
    share = counts[PreviewOutcome.UNKNOWN] / len(results)
    print(f"\n{len(results)} workloads, {change}: {dict(counts)}, unknown {share:.1%}")  # noqa: T201
    assert counts[PreviewOutcome.CHANGED] > len(results) / 2
    reasons = [result.reason for result in results if result.outcome is PreviewOutcome.UNKNOWN]
    assert share < MAX_SHARE, reasons


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("find", SOURCES, ids=["reviews", "corpus"])
def test_a_known_result_is_that_of_the_complete_pod(find: Callable[[], Pods], change: str) -> None:
    for result, complete in preview_pods(find, change):
        if result.outcome is not PreviewOutcome.UNKNOWN:
            assert (result.outcome, result.lines) == (complete.outcome, complete.lines)
