"""A bundle in podgraft, and its exported policies in podgraft's engine for Kubernetes' policies.

The policies are loaded without ``allows``, which Kubernetes does not have.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.cli.offline import FixedStore
from podgraft.cli.policy.export.documents import Export, export_bundle
from podgraft.core import review
from podgraft.core.bundle import PolicyMutator, compile_
from podgraft.core.injectors.errors import PolicyDenialError
from podgraft.core.policy import parse
from podgraft.core.review.results import ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import defaults, yaml
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.matching import constraints
from support.local_snapshot import load_snapshot, make_snapshot

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


# The words of a bundle: keys, names, paths, and the constants that templates compare.
_WORD = re.compile(
    r"[a-z][a-z0-9]*(?:[-./][a-zA-Z0-9]+)+|[A-Z][A-Z_]{3,}[A-Z]"
    r'|(?<=name: )[a-z_][a-zA-Z0-9_-]*|(?<=")[A-Za-z0-9]+(?=")|(?<=[ "])(?:/[a-z0-9.-]+)+'
)
_TEXTS = (
    *("on", "off", "true", "false", "", "/var/log", "web", 'a "b" \\ c', "# x: y", "é\n- z"),
    *("enabled", "ingress", "web,app", "700", "+90000.5", "12x", "0", "100m", "1Gi", "1e3"),
    *(" a ", "a\tb", "a\r\nb", "\u0085", "a\u2028b", "\ufeffa", "\U0001f600", "\x7f", "\x00"),
    *("null", "~", "*a", "&a", "!a", "'a'", "{{ .a }}", "$(A)", "%s", "a: b", "- a", "-", "a #b"),
    *("1_000", ".inf", "1:30", "<<", "=", "@", "`", "[a", "{a", "|", ">", "?", ",", "a" * 300),
)
# Keys that templates compose.
_KEYS = (
    *("config.linkerd.io/proxy-cpu-request", "config.linkerd.io/proxy-memory-limit"),
    *("config.linkerd.io/opaque-ports", "config.linkerd.io/skip-inbound-ports"),
    *("instrumentation.opentelemetry.io/inject-java", "secrets.example.com/file.b"),
    *("instrumentation.opentelemetry.io/inject-dotnet", "secrets.example.com/file.a"),
    *("instrumentation.opentelemetry.io/container-names", "secrets.example.com/file."),
)
_IMAGES = (
    *("nginx", "nginx:1", "a.b/c@sha256:0", "docker.io/library/nginx", "quay.io/a/b:v1"),
    *("localhost/x:2", "team/app", "registry.k8s.io/pause:3.10", "localhost:5000/x"),
)
_OWNERS = ("ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Node")
_WORKLOADS = {"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "Job": "batch"}
_SOURCES: tuple[Object, ...] = (
    {"emptyDir": {}},
    {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
    {"hostPath": {"path": "/a"}},
    {"secret": {"secretName": "a"}},
    {"projected": {"sources": [{"configMap": {"name": "a"}}]}},
    {},
)
_VALUES: tuple[Object, ...] = (
    {"value": "1"},
    {"value": ""},
    {},
    {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    {"valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}},
)
# Fields of a pod: kube-apiserver drops a list or a map that is empty or null.
_FIELDS: tuple[Object, ...] = (
    *({"volumes": None}, {"volumes": []}, {"initContainers": None}, {"initContainers": []}),
    *({"securityContext": {}}, {"securityContext": {"runAsUser": 3, "fsGroup": 4}}),
    *({"nodeSelector": None}, {"nodeSelector": {}}, {"serviceAccountName": ""}, {"dnsPolicy": ""}),
    *({"hostPID": True}, {"hostNetwork": False}, {"priorityClassName": "logs"}),
    *({"terminationGracePeriodSeconds": 0}, {"imagePullSecrets": [{"name": "web"}, {}]}),
    *({"tolerations": [{"key": "b"}]}, {"hostAliases": [{"ip": "10.0.0.1", "hostnames": ["c"]}]}),
    {"dnsConfig": {"options": [{"name": "ndots", "value": "2"}]}},
)
_CONTAINER_FIELDS: tuple[Object, ...] = (
    *({"env": None}, {"env": []}, {"volumeMounts": None}, {"resources": None}, {"ports": []}),
    *({"resources": {"limits": {}}}, {"securityContext": {}}, {"args": ["a", ""]}, {"image": ""}),
    *({"imagePullPolicy": "Never"}, {"command": ["a"]}, {"restartPolicy": "Always"}),
    {"securityContext": {"capabilities": {"drop": ["NET_RAW"]}, "runAsUser": 1}},
)


class Generator:
    """Objects with the words of a bundle in their keys, names, and values."""

    def __init__(self, texts: str, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - objects for tests
        composed = [key for key in _KEYS if key.partition("/")[0] in texts]
        self.words = sorted({*_WORD.findall(texts), *composed})
        keys = [word for word in self.words if "/" in word and not word.startswith("/")]
        self.keys = [*self.words, *keys * 15, "app", "team", "sidecar.istio.io/inject"]
        named = [word for word in self.words if re.fullmatch(r"[a-z][a-z0-9-]*", word)]
        self.names = sorted({*named, "web", "app", "setup", "data", "logs", "secrets"})
        named = [word for word in self.words if re.fullmatch(r"[A-Z_]+|_[a-zA-Z_]+", word)]
        self.variables = sorted({*named, "A"})
        named = [word for word in self.words if word.startswith("/")]
        self.paths = sorted({*named, "/secrets", "/data", "/var/log", "/etc/otelcol"})

    def make(self) -> Object:
        """A pod, or a workload with a pod's template, as kube-apiserver sends it."""
        metadata, spec = self._metadata(), self._spec()
        if self._flip(0.8):
            if self._flip(0.4):
                metadata["generateName"] = f"{metadata.pop('name')}-"
            return defaults.complete(
                {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
            )
        kind = self._choose(*_WORKLOADS, "Deployment", "Deployment")
        template: Object = {"metadata": self._metadata(), "spec": spec}
        owner: Object = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
        value: Object = {"kind": kind, "metadata": metadata, "spec": owner}
        return defaults.complete({"apiVersion": f"{_WORKLOADS[kind]}/v1", **value})

    def _metadata(self) -> Object:
        metadata: Object = {
            "name": self._choose("web", "api-1"),
            "namespace": self._choose("shop", "observed", "meshed", "default", "kube-system"),
        }
        for key in ("labels", "annotations"):
            if self._flip(0.8):
                metadata[key] = self._map() if self._flip(0.9) else None
        if self._flip(0.3):
            metadata["ownerReferences"] = [
                {"apiVersion": "v1", "kind": kind, "name": self._choose("web-5d8", "api", "-x-")}
                for kind in self.random.sample(_OWNERS, self.random.randint(1, 2))
            ]
        return metadata

    def _map(self) -> Object:
        chosen = self.random.sample(self.keys, min(len(self.keys), self.random.randint(0, 5)))
        chosen += ["app"] if self._flip(0.3) else []
        return {key: self._value(key) for key in chosen}

    def _value(self, key: str) -> str:
        texts = (*_TEXTS, *self.names, *["web"] * 9 * (key == "app"))
        return self._choose(*texts) if self._flip(0.7) else self._choose(*_TEXTS[:12])

    def _spec(self) -> Object:
        spec: Object = {"containers": self._containers(1)}
        if self._flip(0.5):
            spec["initContainers"] = self._containers(0)
        if self._flip(0.5):
            spec["volumes"] = [
                {"name": name, **self.random.choice(_SOURCES)} for name in self._names(3)
            ]
        if self._flip(0.1):
            spec["hostNetwork"] = True
        if self._flip(0.1):
            spec["resources"] = {"requests": {"cpu": "3", "memory": self._choose("7Gi", "9G")}}
        if self._flip(0.7):
            spec["serviceAccountName"] = self._choose("web", "api", "default")
        if self._flip(0.3):
            key = self._choose("kubernetes.io/os", "beta.kubernetes.io/os")
            spec["nodeSelector"] = {key: self._choose("windows", "linux")}
        return spec | (self.random.choice(_FIELDS) if self._flip(0.3) else {})

    def _containers(self, least: int) -> list[JSON]:
        return [self._container(name) for name in self._names(3, least)]

    def _container(self, name: str) -> Object:
        container: Object = {"name": name, "image": self._choose(*_IMAGES)}
        if self._flip(0.3):
            ports = self.random.sample([80, 443, 8080, 9000], self.random.randint(1, 2))
            container["ports"] = [{"containerPort": each} for each in ports]
        if self._flip(0.5):
            most = min(3, len(self.variables))
            chosen = self.random.sample(self.variables, self.random.randint(0, most))
            container["env"] = [{"name": each, **self.random.choice(_VALUES)} for each in chosen]
        if self._flip(0.4):
            paths = self.random.sample(self.paths, 2)
            names = self.random.sample([*self.names, "d"], 2)
            container["volumeMounts"] = [
                {"name": name, "mountPath": path, **({"readOnly": True} if self._flip(0.2) else {})}
                for name, path in zip(names, paths, strict=True)
            ]
        if self._flip(0.3):
            container["securityContext"] = {"runAsUser": 1}
        if self._flip(0.4):
            limits: Object = {"memory": self._choose("1Gi", "8Gi")}
            requests: Object = {"cpu": self._choose("1", "250m", "1500m", "0", "2k")}
            if self._flip(0.7):
                requests["memory"] = self._choose("64Mi", "100M", "1536", "1e9", "3Gi", "500m")
            container["resources"] = {"limits": limits, "requests": requests}
        return container | (self.random.choice(_CONTAINER_FIELDS) if self._flip(0.3) else {})

    def _names(self, most: int, least: int = 0) -> list[str]:
        return self.random.sample(self.names, self.random.randint(least, most))

    def _flip(self, share: float) -> bool:
        return self.random.random() < share

    def _choose(self, *texts: str) -> str:
        return self.random.choice(texts)


def read_texts(folder: Path) -> str:
    """The text of a bundle."""
    return "".join(path.read_text() for path in sorted((folder / "bundle").rglob("*.yaml")))
