"""The input of the benchmark: a store with the injector of Istio 1.30, and admission reviews.

The templates come from the conformance corpus if it is available (PODGRAFT_CORPUS), else from
samples/istio. The pod is ``hello`` of the corpus, with the additions of the API server.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from podgraft.cli.assets import ROOT
from podgraft.kube import yaml
from podgraft.service.store import caller_document

# The value of PYTHONPATH for programs of these measurements.
ENGINE_PATH = f"{ROOT / 'layers' / 'engine'}{os.pathsep}{ROOT / 'tools'}"
TOKEN = "benchmark-token-that-opens-nothing"  # noqa: S105 — of a store that lives for a minute
CLUSTER = "bench"


@dataclass(frozen=True, slots=True)
class BenchmarkInput:
    """A bundle, and the pod that is reviewed."""

    source: str
    files: dict[str, bytes]
    pod: dict[str, Any]

    def write_store(self, folder: Path) -> Path:
        """Write a file store with this bundle and one caller."""
        for name, content in self.files.items():
            _write_file(folder / "default" / "bundle" / name, content)
        callers = json.dumps({"tokens": [{"sha256": caller_document.hash_token(TOKEN)}]})
        _write_file(folder / "auth" / f"{CLUSTER}.yaml", callers.encode())
        return folder


def load_benchmark_input() -> BenchmarkInput:
    """The corpus' injector and pod, or the sample's."""
    corpus = os.environ.get("PODGRAFT_CORPUS")
    release = Path(corpus or os.devnull) / "1.30"
    return _corpus_input(release) if release.is_dir() else sample_input()


def sample_input() -> BenchmarkInput:
    """Return the input from samples/istio, which is always available."""
    folder = ROOT / "samples" / "istio"
    files = {path.name: path.read_bytes() for path in (folder / "bundle").iterdir()}
    pod: Any = yaml.load((folder / "input.web.yaml").read_text())
    return BenchmarkInput("samples/istio", files, _add_admission_defaults(pod))


def review_body(pod: dict[str, Any], number: int = 0, namespace: str = "default") -> bytes:
    """The review of a pod's creation."""
    resource = {"group": "", "version": "v1", "resource": "pods"}
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    request = {
        "uid": str(UUID(int=number)),
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "namespace": namespace,
        "operation": "CREATE",
        "userInfo": {
            "username": "system:serviceaccount:kube-system:replicaset-controller",
            "uid": str(UUID(int=1)),
            "groups": [
                "system:serviceaccounts",
                "system:serviceaccounts:kube-system",
                "system:authenticated",
            ],
        },
        "object": pod,
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    review = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    return json.dumps(review, separators=(",", ":")).encode()


def api_gateway_event(text: bytes, path: str = f"/inject/cluster/{CLUSTER}") -> dict[str, Any]:
    """The event that API Gateway (payload format 2.0) makes of a review."""
    http = {"method": "POST", "path": path, "protocol": "HTTP/1.1", "sourceIp": "198.51.100.24"}
    return {
        "version": "2.0",
        "routeKey": "POST /{proxy+}",
        "rawPath": path,
        "rawQueryString": "timeout=10s",
        "headers": {
            "authorization": f"Bearer {TOKEN}",
            "content-length": str(len(text)),
            "content-type": "application/json",
            "host": "injector.example.com",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
        },
        "requestContext": {"http": http, "domainName": "injector.example.com", "stage": "$default"},
        "body": text.decode(),
        "isBase64Encoded": False,
    }


def _corpus_input(release: Path) -> BenchmarkInput:
    settings = release / "settings" / "default"
    config = {name: (settings / name).read_text() for name in ("config.yaml", "values.json")}
    injector = {"config": config["config.yaml"], "values": config["values.json"]}
    mesh = {"mesh": (settings / "mesh.yaml").read_text()}
    files = {
        "injector.yaml": _make_config_map("istio-sidecar-injector", injector),
        "mesh.yaml": _make_config_map("istio", mesh),
    }
    case = json.loads((release / "webhook" / "hello-old-version.yaml.json").read_text())
    return BenchmarkInput(
        "Istio 1.30.3's own templates", files, _add_admission_defaults(case[0]["pod"])
    )


def _make_config_map(name: str, data: dict[str, str]) -> bytes:
    metadata = {"name": name, "namespace": "istio-system"}
    return json.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    ).encode()


def _add_admission_defaults(pod: dict[str, Any]) -> dict[str, Any]:
    """The pod as a webhook meets it: defaulted, with a service account's token."""
    spec = pod["spec"]
    mount = {
        "name": "kube-api-access-00000",
        "readOnly": True,
        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    }
    containers = [
        each
        | {"volumeMounts": [*_without_token(each.get("volumeMounts", [])), mount]}
        | {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
        for each in spec["containers"]
    ]
    seconds = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    tolerations = [{"key": f"node.kubernetes.io/{key}", **seconds} for key in _TAINTS]
    added: dict[str, Any] = {
        "volumes": [*_without_token(spec.get("volumes", [])), _TOKEN_VOLUME],
        "containers": containers,
        "tolerations": tolerations,
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "securityContext": {},
    }
    spec = added | {**spec, **added}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {**pod["metadata"], "managedFields": [_managed_fields(pod["metadata"], spec)]},
        "spec": spec,
    }


def _without_token(named: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The volumes or mounts, without the one of the token that the pod already has."""
    return [each for each in named if not each["name"].startswith("kube-api-access-")]


def _managed_fields(metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    """Who wrote what, as kube-apiserver notes it of the controller that makes the pod."""
    return {
        "manager": "kube-controller-manager",
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-11-21T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": _fields_v1(metadata), "f:spec": _fields_v1(spec)},
    }


def _fields_v1(value: Any) -> dict[str, Any]:
    """The fields of a value, as FieldsV1 names them; without those that admission adds."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {f"f:{key}": _fields_v1(members[key]) for key in members if key not in _OF_ADMISSION}
    elements = cast("list[Any]", value) if isinstance(value, list) else []
    if not all(isinstance(each, dict) and "name" in each for each in elements):
        return {}
    by_name = {f'k:{{"name":"{each["name"]}"}}': _fields_v1(each) for each in elements}
    return {".": {}, **by_name} if by_name else {}


_OF_ADMISSION = {
    *("preemptionPolicy", "priority", "serviceAccount", "serviceAccountName", "tolerations"),
    *("volumeMounts", "volumes"),
}

_TAINTS = ("not-ready", "unreachable")
_TOKEN_VOLUME = {
    "name": "kube-api-access-00000",
    "projected": {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {
                "configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{"key": "ca.crt", "path": "ca.crt"}],
                }
            },
            {
                "downwardAPI": {
                    "items": [
                        {
                            "path": "namespace",
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                        }
                    ]
                }
            },
        ],
        "defaultMode": 420,
    },
}


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
