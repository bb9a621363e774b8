"""The objects of the test cluster: two revisions of Istio, workloads, and registrations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podgraft.kube import yaml

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "samples"
OLD_TAG, NEW_TAG = "1.30.3", "1.31.0"

# Another injector, which is called after Istio's: it appends a container.
AGENT = """
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: agent}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  matchConditions:
  - name: has-a-role
    expression: >-
      has(object.metadata.annotations) && 'secrets.example.com/role' in object.metadata.annotations
  template: |
    spec:
      containers:
      - {name: agent, image: example.com/agent:1}
"""

NAMESPACES: Mapping[str, Mapping[str, str]] = {
    "istio-system": {},
    "shop": {"istio-injection": "enabled"},
    "canary": {"istio.io/rev": "canary"},
    "moved": {"istio.io/rev": "podgraft"},
    "plain": {},
}
# The access that docs/explain.md grants.
PAGE = ROOT / "docs" / "explain.md"


def config_maps(revision: str, *, replace: tuple[str, str] | None = None) -> list[Any]:
    """The ConfigMaps of one revision, from the sample."""
    suffix = "" if revision == "default" else f"-{revision}"
    manifests: list[Any] = []
    for file in sorted((SAMPLES / "istio" / "bundle").iterdir()):
        text = file.read_text()
        manifest: Any = yaml.load(text.replace(*replace) if replace else text)
        manifest["metadata"]["name"] += suffix
        manifests.append(manifest)
    return manifests


def istiod(revision: str, *env: Mapping[str, Any], tag: str = OLD_TAG) -> Any:
    """The deployment of istiod."""
    labels = {"app": "istiod", "istio.io/rev": revision}
    container = {"name": "discovery", "image": f"docker.io/istio/pilot:{tag}", "env": [*env]}
    return deployment(
        "istiod" if revision == "default" else f"istiod-{revision}", labels, container
    )


def deployment(name: str, labels: Mapping[str, str], *containers: Mapping[str, Any]) -> Any:
    """A Deployment."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": {
            "selector": {"matchLabels": dict(labels)},
            "template": {
                "metadata": {"labels": dict(labels)},
                "spec": {"containers": [*containers]},
            },
        },
    }


def replica_set(name: str, template: Mapping[str, Any]) -> Any:
    """A ReplicaSet with a pod template."""
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": template["metadata"]["labels"]}, "template": template},
    }


def pod_of(owner: Any, suffix: str) -> Any:
    """The pod that the controller of a ReplicaSet creates."""
    name = owner["metadata"]["name"]
    template = owner["spec"]["template"]
    reference = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": name,
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    metadata = {
        **template["metadata"],
        "name": f"{name}-{suffix}",
        "generateName": f"{name}-",
        "ownerReferences": [reference],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def web_template(name: str, **annotations: str) -> Any:
    """A pod template with probes, ports, metrics, resources, and an environment."""
    probe = {"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 5}
    return {
        "metadata": {
            "labels": {"app": name, "version": "v1", "pod-template-hash": "6d4cf56db6"},
            "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9102"}
            | annotations,
        },
        "spec": {
            "containers": [
                {
                    "name": name,
                    "image": "registry.example.com/shop/web:3.14.2",
                    "ports": [{"name": "http", "containerPort": 8080}],
                    "env": [{"name": "PASSWORD", "value": "plain-text-password"}],
                    "readinessProbe": probe,
                    "livenessProbe": {"tcpSocket": {"port": 8080}},
                    "resources": {"requests": {"cpu": "0.25", "memory": "262144Ki"}},
                }
            ]
        },
    }


def webhook_configuration(name: str, labels: Mapping[str, str], *webhooks: Any) -> Any:
    """A MutatingWebhookConfiguration."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name, "labels": dict(labels)},
        "webhooks": [*webhooks],
    }


def webhook(name: str, client: Any, namespaces: Any, **fields: Any) -> Any:
    """A webhook for new pods."""
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
    }
    return {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": client,
        "namespaceSelector": namespaces,
        "rules": [rule],
        "sideEffects": "None",
    } | fields


def match_expression(key: str, *values: str) -> Any:
    """A selector: the label has one of the values, or is missing without values."""
    operator = {"operator": "In", "values": [*values]} if values else {"operator": "DoesNotExist"}
    return {"key": key, **operator}


def read_access() -> list[Any]:
    """The RBAC objects in docs/explain.md."""
    block = PAGE.read_text().split("```yaml\n")[-1].split("```")[0]
    return [document for document in yaml.load_all(block) if isinstance(document, dict)]
