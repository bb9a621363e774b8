"""A CronJob that registers its cluster: the token comes from a Secret, and never from Git.

No controller can put a value of a ``Secret`` into the URL of a webhook. So the CronJob renders the
registration of its cluster, with the token as a file, and kubectl applies it. GitOps controllers
do not know the registration, and so they do not delete it.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at, without_keys
from podgraft.cli import documents
from podgraft.cli.certs import pem
from podgraft.kube import yaml

from .file import Fleet
from .registrations import MANAGER, RESOURCES, name_of
from .rotation import Front
from .settings import make_manifests

FILE = "registrar.yaml"
NAMESPACE, NAME, TOKEN = "podgraft", "podgraft-registrar", "podgraft-token"
_KUBECTL = "registry.k8s.io/kubectl:v1.36.1"
_GROUP = "rbac.authorization.k8s.io"
_SCHEDULE = "*/10 * * * *"
_USER = 65532  # that of the image


def make_registrar(
    path: Path, fleet: Fleet, front: Front, image: str, cluster: str
) -> list[Object]:
    """Return the manifests; the CronJob reads the key ``token`` of the Secret ``podgraft-token``.

    ``path`` is the fleet file, and ``image`` that of podgraft. Raises ``CommandError``.
    """
    metadata: Object = {"name": NAME, "namespace": NAMESPACE}
    settings = fleet.clusters[cluster]
    registrations = make_manifests(front.endpoint, None, settings, None)
    files: Object = {"fleet.yaml": _reduce_file(path, front, cluster)}
    if fleet.ca_bundle is not None:
        # Certificates alone: the file can contain a key, too.
        files["ca.pem"] = pem.dump_certificates(pem.read_certificates(fleet.ca_bundle)).decode()
    subject: JSON = {"kind": "ServiceAccount", **metadata}
    role: JSON = {"apiGroup": _GROUP, "kind": "ClusterRole", "name": NAME}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": files},
        {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "ClusterRole",
            "metadata": {"name": NAME},
            "rules": [*_make_rules(registrations)],
        },
        {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": role,
            "subjects": [subject],
        },
        _make_cron_job(metadata, cluster, image),
    ]


def _reduce_file(path: Path, front: Front, cluster: str) -> str:
    """Return the fleet file with one cluster and a URL, without a context."""
    document = yaml.load_document(documents.read_text(path))
    found: Object = document if isinstance(document, dict) else {}
    spec = object_at(found, "spec")
    own = object_at(spec, "clusters", cluster)
    reduced: Object = {
        **without_keys(spec, "caBundle"),
        "url": f"https://{front.endpoint.authority}{front.endpoint.stage}",
        "clusters": {cluster: without_keys(own, "context")},
    }
    if "caBundle" in spec:
        reduced["caBundle"] = "ca.pem"
    return yaml.dump({**found, "spec": reduced})


def _make_rules(registrations: Sequence[Object]) -> Iterator[JSON]:
    """Yield the rights that kubectl apply --server-side needs, for each kind of registration."""
    for resource in RESOURCES:
        names: list[JSON] = [
            name_of(each)
            for each in registrations
            if f"{string_at(each, 'kind').lower()}s" == resource
        ]
        common: Object = {"apiGroups": ["admissionregistration.k8s.io"], "resources": [resource]}
        if names:
            yield {**common, "verbs": ["create"]}
            yield {**common, "verbs": ["patch"], "resourceNames": names}


def _make_cron_job(metadata: Object, cluster: str, image: str) -> Object:
    render = ("fleet", "render", "/fleet/fleet.yaml", "/out", "--tokens", "/token")
    apply = ("apply", "--server-side", "--validate=false", f"--field-manager={MANAGER}")
    mounts = {"out": "/out", "fleet": "/fleet", "token": "/token"}
    containers: list[JSON] = [
        _make_container("render", image, render, mounts),
        _make_container(
            "apply",
            _KUBECTL,
            (*apply, f"--filename=/out/{cluster}/registration.yaml"),
            {"out": "/out"},
        ),
    ]
    items: JSON = [{"key": "token", "path": cluster}]
    pod: Object = {
        "serviceAccountName": NAME,
        "restartPolicy": "Never",
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "initContainers": containers[:1],
        "containers": containers[1:],
        "volumes": [
            {"name": "out", "emptyDir": {"medium": "Memory"}},
            {"name": "fleet", "configMap": {"name": NAME}},
            {"name": "token", "secret": {"secretName": TOKEN, "items": items}},
        ],
    }
    job: Object = {"spec": {"backoffLimit": 2, "template": {"spec": pod}}}
    spec: Object = {"schedule": _SCHEDULE, "concurrencyPolicy": "Forbid", "jobTemplate": job}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": spec}


def _make_container(
    name: str, image: str, arguments: Iterable[str], mounts: dict[str, str]
) -> Object:
    return {
        "name": name,
        "image": image,
        "args": [*arguments],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [{"name": each, "mountPath": path} for each, path in mounts.items()],
    }
