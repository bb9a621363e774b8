"""A bundle in podgraft, and its exported policies in podgraft's engine for Kubernetes' policies.

``python tests/support/native_reviews.py COUNT SEED [SAMPLE…]`` compares generated objects.

The policies are loaded without ``allows``, which Kubernetes does not have.
"""

from __future__ import annotations

import json
import random
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.cli.offline import FixedStore, make_snapshot
from podgraft.cli.policy.export.documents import Export, export_bundle
from podgraft.core import review
from podgraft.core.bundle import PolicyMutator, compile_
from podgraft.core.injectors import PolicyDenialError
from podgraft.core.policy import parse
from podgraft.core.review import ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube import defaults, yaml
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints
from podgraft.service.store import Snapshot
from support.local_snapshot import load_snapshot

SAMPLES = Path(__file__).parents[2] / "samples"
MINOR = 37


@dataclass(frozen=True)
class Pair:
    """The original bundle with its policy, and the bundle of the exported documents."""

    original: Snapshot
    export: Export

    @cached_property
    def native(self) -> Snapshot:
        """The exported documents, with the namespaces that clusters have themselves."""
        namespaces = [each.object for each in self.original.bundle.manifests.of_kind("Namespace")]
        documents = [*self.export.documents, *namespaces]
        text = "---\n".join(map(yaml.dump, documents))
        return load_snapshot(f'kubernetesRelease: "1.{MINOR}"\n', {"native.yaml": text.encode()})

    def review_with_podgraft(self, value: Object) -> tuple[JSON, bool]:
        """The object, completed with defaults, and whether it is allowed."""
        is_pod = value["kind"] == "Pod"
        after: Object = value
        for use_case in (review.inject if is_pod else review.mutate, review.validate):
            context = ReviewContext().with_request(make_request(after))
            result = use_case(context, FixedStore(self.original))
            assert isinstance(result, ReviewResponse), result
            if not result.response.allowed:
                return None, False
            after = result.object or after
        return clean(after), True

    def review_natively(self, value: Object) -> tuple[JSON, bool]:
        """The same, by the exported documents."""
        request = make_request(value)
        after = value
        for mutator in self.native.bundle.object_mutators:
            assert isinstance(mutator, PolicyMutator)
            try:
                after = mutator(after, ReviewContext().with_request(request)).object
            except PolicyDenialError:
                return None, False
        for validator in self.native.bundle.validators:
            if validator(make_request(after)).denials:
                return None, False
        return clean(after), True


def load_pair(folder: Path, minor: int = MINOR) -> Pair:
    """The pair of a folder with policy.yaml and bundle/."""
    files = {
        str(path.relative_to(folder / "bundle")): path.read_bytes()
        for path in (folder / "bundle").rglob("*.yaml")
    }
    policy = replace(parse((folder / "policy.yaml").read_text()), allows=None)
    snapshot = make_snapshot(policy, compile_(files, policy))
    return Pair(snapshot, export_bundle(snapshot.bundle, snapshot.policy, minor))


def make_request(value: Object) -> AdmissionRequest:
    """The request that creates the object."""
    namespace = str(object_at(value, "metadata").get("namespace") or "default")
    return constraints.make_create_request(value, namespace)


def clean(value: Object) -> JSON:
    """The object with defaults and without empty lists and maps, which kube-apiserver drops."""
    return _drop_empty(defaults.complete(value))


def _drop_empty(value: JSON) -> JSON:
    match value:
        case dict():
            members = {key: _drop_empty(member) for key, member in value.items()}
            return {key: member for key, member in members.items() if member not in ([], {})}
        case list():
            return [_drop_empty(element) for element in value]
        case _:
            return value


_WORD = re.compile(r"[a-z][a-z0-9]*(?:[-./][a-zA-Z0-9]+)+|[A-Z][A-Z_]{3,}[A-Z]")
_TEXTS = (
    *("on", "off", "true", "false", "", "/var/log", "web", 'a "b" \\ c', "# x: y", "é\n- z"),
    *("enabled", "ingress", "web,app", "700", "+90000.5", "12x", "0", "100m", "1Gi", "1e3"),
)
# Keys that templates compose.
_KEYS = (
    *("config.linkerd.io/proxy-cpu-request", "config.linkerd.io/proxy-memory-limit"),
    *("config.linkerd.io/opaque-ports", "config.linkerd.io/skip-inbound-ports"),
    *("instrumentation.opentelemetry.io/inject-java", "secrets.example.com/file.b"),
    *("instrumentation.opentelemetry.io/inject-dotnet", "secrets.example.com/file.a"),
    "instrumentation.opentelemetry.io/container-names",
)
_IMAGES = (
    *("nginx", "nginx:1", "a.b/c@sha256:0", "docker.io/library/nginx", "quay.io/a/b:v1"),
    *("localhost/x:2", "team/app", "registry.k8s.io/pause:3.10", "localhost:5000/x"),
)
_OWNERS = ("ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Node")


class Generator:
    """Objects with the words of a bundle in their keys, names, and values."""

    def __init__(self, texts: str, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - objects for tests
        composed = [key for key in _KEYS if key.partition("/")[0] in texts]
        self.words = sorted({*_WORD.findall(texts), *composed})
        keys = [word for word in self.words if "/" in word and not word.startswith("/")]
        self.keys = [*self.words, *keys * 5, "app", "team", "sidecar.istio.io/inject"]

    def make(self) -> Object:
        """A pod, or a workload with a pod's template."""
        metadata, spec = self._metadata(), self._spec()
        if self.random.random() < 0.8:
            value: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        else:
            template: Object = {"metadata": self._metadata(), "spec": spec}
            value = {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": metadata,
                "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
            }
        return defaults.complete(value)

    def _metadata(self) -> Object:
        metadata: Object = {
            "name": self._choose("web", "api-1"),
            "namespace": self._choose("shop", "observed", "meshed", "default", "kube-system"),
        }
        for key in ("labels", "annotations"):
            if self._flip(0.7):
                metadata[key] = self._map()
        if self._flip(0.3):
            metadata["ownerReferences"] = [
                {"apiVersion": "v1", "kind": kind, "name": self._choose("web-5d8", "api", "-x-")}
                for kind in self.random.sample(_OWNERS, self.random.randint(1, 2))
            ]
        return metadata

    def _map(self) -> Object:
        chosen = self.random.sample(self.keys, min(len(self.keys), self.random.randint(0, 5)))
        chosen += ["app"] if self._flip(0.3) else []
        return {key: self._choose(*_TEXTS, *["web"] * 9 * (key == "app")) for key in chosen}

    def _spec(self) -> Object:
        spec: Object = {"containers": self._containers(1)}
        if self._flip(0.5):
            spec["initContainers"] = self._containers(0)
        if self._flip(0.5):
            names = self._names(2)
            spec["volumes"] = [{"name": name, "emptyDir": {}} for name in names]
        if self._flip(0.1):
            spec["hostNetwork"] = True
        if self._flip(0.1):
            spec["resources"] = {"requests": {"cpu": "3", "memory": self._choose("7Gi", "9G")}}
        if self._flip(0.7):
            spec["serviceAccountName"] = self._choose("web", "api", "default")
        if self._flip(0.3):
            key = self._choose("kubernetes.io/os", "beta.kubernetes.io/os")
            spec["nodeSelector"] = {key: self._choose("windows", "linux")}
        return spec

    def _containers(self, least: int) -> list[JSON]:
        return [self._container(name) for name in self._names(3, least)]

    def _container(self, name: str) -> Object:
        container: Object = {"name": name, "image": self._choose(*_IMAGES)}
        if self._flip(0.3):
            ports = self.random.sample([80, 443, 8080, 9000], self.random.randint(1, 2))
            container["ports"] = [{"containerPort": each} for each in ports]
        if self._flip(0.5):
            names = [word for word in (*self.words, "A") if word.isupper()]
            chosen = self.random.sample(names, self.random.randint(0, min(2, len(names))))
            container["env"] = [{"name": each, "value": "1"} for each in chosen]
        if self._flip(0.4):
            paths = self.random.sample(["/secrets", "/data", "/var/log", "/etc/otelcol"], 2)
            container["volumeMounts"] = [{"name": "d", "mountPath": path} for path in paths]
        if self._flip(0.3):
            container["securityContext"] = {"runAsUser": 1}
        if self._flip(0.4):
            limits: Object = {"memory": self._choose("1Gi", "8Gi")}
            requests: Object = {"cpu": self._choose("1", "250m", "1500m", "0", "2k")}
            if self._flip(0.7):
                requests["memory"] = self._choose("64Mi", "100M", "1536", "1e9", "3Gi", "500m")
            container["resources"] = {"limits": limits, "requests": requests}
        if self._flip(0.1):
            container["restartPolicy"] = "Always"
        return container

    def _names(self, most: int, least: int = 0) -> list[str]:
        names = [word for word in self.words if re.fullmatch(r"[a-z-]+", word)]
        names += ["web", "app", "setup", "data", "logs", "secrets"]
        return self.random.sample(names, self.random.randint(least, most))

    def _flip(self, share: float) -> bool:
        return self.random.random() < share

    def _choose(self, *texts: str) -> str:
        return self.random.choice(texts)


def list_samples() -> list[Path]:
    """The folders of the samples."""
    return sorted(path.parent for path in SAMPLES.glob("*/policy.yaml"))


def read_texts(folder: Path) -> str:
    """The text of a bundle."""
    return "".join(path.read_text() for path in sorted((folder / "bundle").rglob("*.yaml")))


def main(count: int, seed: int, samples: list[str]) -> None:
    """Compare generated objects for each sample that can be exported completely."""
    for folder in list_samples():
        if not samples or folder.name in samples:
            sys.stdout.write(f"{folder.name}: {describe_comparison(folder, count, seed)}\n")


def describe_comparison(folder: Path, count: int, seed: int) -> str:
    """Compare generated objects for one sample; the first one that differs is in the text."""
    pair = load_pair(folder)
    if pair.export.refused:
        return f"refused: {'; '.join(map(str, pair.export.refused))}"
    generator = Generator(read_texts(folder), seed)
    denied = changed = 0
    for _ in range(count):
        value = generator.make()
        expected, actual = pair.review_with_podgraft(value), pair.review_natively(value)
        if expected != actual:
            return "\n".join(map(json.dumps, (value, expected[0], actual[0])))
        denied += not expected[1]
        changed += expected[1] and expected[0] != clean(value)
    return f"{count} objects, {changed} changed, {denied} denied, no difference"


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
