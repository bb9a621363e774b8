"""What happens in a cluster that is registered with podgraft: one table for both ways to look.

test_live.py plays the scenes before kube-apiserver's own admission plugins and records what was
said on the wire; test_replay.py says the API server's part again to the app, without Go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from podgraft.base.jsonvalue import JSON, Object

HOST = "webhook.example.com"
SERVICE = "podgraft/podgraft"
SERVICE_HOST = "podgraft.podgraft.svc"
CLUSTER = "prod-eu"

ENABLED = {"istio-injection": "enabled"}
BEFORE = ("app",)  # the containers of a pod as its author wrote it
AFTER = ("app", "istio-proxy")


class Server(Enum):
    """Who answers at the endpoint's address."""

    SERVE = "podgraft serve with tokens"
    MTLS = "podgraft serve with client certificates"
    EXPIRED = "a server with an expired certificate"
    ELSEWHERE = "podgraft serve with a certificate for another host"
    SILENT = "something that never answers"
    DOWN = "nobody"


class PresentedCredentials(Enum):
    """How the API server shows who it is."""

    PATH = "the token in the path"
    BEARER = "the token in a header, by an AdmissionConfiguration"
    CERTIFICATE = "a client certificate, by an AdmissionConfiguration"
    NOTHING = "nothing"


def pod(**changes: Any) -> Object:
    """A pod as a ReplicaSet makes it, with *changes* to metadata, and to spec under ``spec``."""
    spec: Object = {"containers": [{"name": "app", "image": "registry.example.com/app:1"}]}
    spec |= changes.pop("spec", {})
    metadata: Object = {
        "generateName": "web-6d5f8b7c4-",
        "namespace": "shop",
        "labels": {"app": "web", "pod-template-hash": "6d5f8b7c4"} | changes.pop("labels", {}),
        "ownerReferences": [_OWNER],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata | changes, "spec": spec}


_OWNER: JSON = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "name": "web-6d5f8b7c4",
    "uid": "7c1f5a52-7f0e-4f51-9d3e-2b8f6a4f0c11",
    "controller": True,
    "blockOwnerDeletion": True,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterScenario:
    """One pod, created in one cluster, and what must come of it."""

    name: str
    register: tuple[str, ...] = ()  # further words of register.py's command line
    more_webhooks: tuple[str, ...] = ()  # a second registration
    service: bool = False  # clientConfig.service, for podgraft serve in the cluster
    replace: tuple[tuple[str, str], ...] = ()  # in the manifests, for what register.py never writes
    server: Server = Server.SERVE
    credentials: PresentedCredentials = PresentedCredentials.PATH
    namespace: Mapping[str, str] = field(default_factory=lambda: ENABLED)
    pod: Object = field(default_factory=pod)
    dry_run: bool = False
    foreign_ca: bool = False
    # What must come of it: containers, or the words that kubectl shows.
    containers: tuple[str, ...] = AFTER
    refused: str = ""
    calls: int = 1
    failed_open: bool = False


UNKNOWN_CA = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
EXPIRED = "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"
MISMATCH = "x509: certificate is valid for elsewhere.example.com, not webhook.example.com"
TIMEOUT = "context deadline exceeded"
REFUSED = "connect: connection refused"
GUARDED = "the pod should carry the sidecar istio-proxy and does not"

IGNORE = ("--failure-policy", "Ignore")
QUICK = ("--timeout", "1")
_CHECK = "--sidecar-check"
POLICY = (str(Path(__file__).parent / "guarded"), _CHECK, *IGNORE)
V1BETA1 = (("- v1\n  - v1beta1\n", "- v1beta1\n"),)

SCENES = (
    # who is injected
    ClusterScenario(name="injection"),
    ClusterScenario(name="dry run", dry_run=True),
    ClusterScenario(name="a revision by the namespace", register=("--revision", "canary"),
          namespace={"istio.io/rev": "canary"}),
    ClusterScenario(name="a revision by the pod", register=("--revision", "canary"), namespace={},
          pod=pod(labels={"istio.io/rev": "canary"})),
    ClusterScenario(name="the default revision", register=("--revision", "default")),
    # who is not asked about
    ClusterScenario(name="kube-system", pod=pod(namespace="kube-system"), containers=BEFORE,
          calls=0),
    ClusterScenario(name="an excluded namespace", register=("--exclude-namespace", "shop"),
          containers=BEFORE, calls=0),
    ClusterScenario(name="namespaceSelector",
          register=("--namespace-selector", "istio-injection=enabled"), namespace={},
          containers=BEFORE, calls=0),
    ClusterScenario(name="objectSelector", register=("--object-selector", "!legacy"),
          pod=pod(labels={"legacy": "yes"}), containers=BEFORE, calls=0),
    ClusterScenario(name="matchConditions",
          register=("--match-condition", "not-a-job=!has(object.metadata.labels.job)"),
          pod=pod(labels={"job": "import"}), containers=BEFORE, calls=0),
    ClusterScenario(name="matchConditions that hold",
          register=("--match-condition", "not-a-job=!has(object.metadata.labels.job)")),
    ClusterScenario(name="another revision", register=("--revision", "canary"), containers=BEFORE,
          calls=0),
    ClusterScenario(name="the pod refuses", register=("--revision", "default"),
          pod=pod(labels={"sidecar.istio.io/inject": "false"}), containers=BEFORE, calls=0),
    # pods that are skipped or rejected
    ClusterScenario(name="host network", pod=pod(spec={"hostNetwork": True}), containers=BEFORE),
    ClusterScenario(name="denial",
          pod=pod(annotations={"sidecar.istio.io/interceptionMode": "SIDEWAYS"}),
          refused='admission webhook "inject.podgraft.dev" denied the request: '),
    ClusterScenario(name="no such injector", register=("--injector", "nobody"),
          refused='failed calling webhook "nobody.inject.podgraft.dev"'),
    # how callers prove who they are
    ClusterScenario(name="bearer token", credentials=PresentedCredentials.BEARER),
    ClusterScenario(name="client certificate", credentials=PresentedCredentials.CERTIFICATE,
          server=Server.MTLS),
    ClusterScenario(name="a service", service=True),
    ClusterScenario(name="a service with a port and an injector", service=True,
          register=("--service", f"{SERVICE}:8443/default")),
    ClusterScenario(name="a service, another certificate", service=True, server=Server.ELSEWHERE,
          refused="x509: certificate is valid for elsewhere.example.com, not " + SERVICE_HOST),
    ClusterScenario(name="no token", credentials=PresentedCredentials.NOTHING,
          refused='failed calling webhook "inject.podgraft.dev": failed to call webhook: '),
    ClusterScenario(name="no token, ignored", credentials=PresentedCredentials.NOTHING,
          register=IGNORE, containers=BEFORE, failed_open=True),
    # certificates that are not trusted
    ClusterScenario(name="wrong CA", foreign_ca=True, refused=UNKNOWN_CA),
    ClusterScenario(name="wrong CA, ignored", foreign_ca=True, register=IGNORE, containers=BEFORE,
          failed_open=True),
    ClusterScenario(name="expired certificate", server=Server.EXPIRED, refused=EXPIRED),
    ClusterScenario(name="certificate of another host", server=Server.ELSEWHERE, refused=MISMATCH),
    # an endpoint that is not there
    ClusterScenario(name="timeout", server=Server.SILENT, register=QUICK, refused=TIMEOUT),
    ClusterScenario(name="timeout, ignored", server=Server.SILENT, register=(*QUICK, *IGNORE),
          containers=BEFORE, failed_open=True),
    ClusterScenario(name="down", server=Server.DOWN, refused=REFUSED),
    ClusterScenario(name="down, ignored", server=Server.DOWN, register=IGNORE, containers=BEFORE,
          failed_open=True),
    # other webhooks and other versions
    ClusterScenario(name="reinvocation", register=("--reinvocation-policy", "IfNeeded"),
          more_webhooks=("--injector", "logging"), calls=3,
          containers=("log-shipper", "app", "istio-proxy")),
    ClusterScenario(name="v1beta1", replace=V1BETA1),
    # the sidecar check
    ClusterScenario(name="guarded, injected", register=(_CHECK, *IGNORE)),
    ClusterScenario(name="guarded, missed", register=(_CHECK, *IGNORE), server=Server.DOWN,
          refused=GUARDED, failed_open=True),
    ClusterScenario(name="guarded, refused by the pod", register=(_CHECK, *IGNORE),
          server=Server.DOWN, pod=pod(labels={"sidecar.istio.io/inject": "false"}),
          containers=BEFORE, failed_open=True),
    ClusterScenario(name="guarded, host network", register=(_CHECK, *IGNORE),
          server=Server.DOWN, pod=pod(spec={"hostNetwork": True}), containers=BEFORE,
          failed_open=True),
    ClusterScenario(name="guarded, kube-system", register=(_CHECK, *IGNORE), server=Server.DOWN,
          pod=pod(namespace="kube-system"), containers=BEFORE, calls=0),
    ClusterScenario(name="guarded by a policy, undecided", register=POLICY, server=Server.DOWN,
          containers=BEFORE, failed_open=True),
    ClusterScenario(name="guarded by a policy, always", register=POLICY, server=Server.DOWN,
          pod=pod(labels={"tier": "front"}), refused=GUARDED, failed_open=True),
    ClusterScenario(name="guarded by a policy, never", register=POLICY, server=Server.DOWN,
          pod=pod(labels={"tier": "front", "job": "import"}), containers=BEFORE, failed_open=True),
    ClusterScenario(name="guarded by a policy, marked", register=POLICY, server=Server.DOWN,
          pod=pod(annotations={"sidecar.istio.io/inject": "true"}), refused=GUARDED,
          failed_open=True),
    ClusterScenario(name="guarded, another revision",
          register=("--revision", "canary", _CHECK, *IGNORE), server=Server.DOWN,
          containers=BEFORE, calls=0),
    ClusterScenario(name="guarded, a revision missed",
          register=("--revision", "default", _CHECK, *IGNORE), server=Server.DOWN,
          refused=GUARDED, failed_open=True),
)  # fmt: skip
