"""``podgraft status`` and ``explain`` on a cluster in memory."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli import main, offline
from podgraft.cli.live.api_errors import ForbiddenError, NotFoundError
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml
from support.fake_cluster import use_cluster
from support.local_snapshot import load_snapshot

SAMPLE = Path(__file__).parents[3] / "samples" / "istio" / "bundle"
MAPS = "/api/v1/namespaces/istio-system/configmaps"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
FILES = {file.name: file.read_bytes() for file in SAMPLE.iterdir()}
RULE = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "operations": ["CREATE"],
    "resources": ["pods"],
}


def namespace(name: str, **labels: str) -> Any:
    keys = {key.replace("_", "-"): value for key, value in labels.items()}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": keys}}


def pod(name: str, *, injected: bool, finished: bool = False) -> Any:
    """A pod of the namespace shop."""
    original: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"containers": [{"name": "app", "image": "a:1"}]},
    }
    result: Any = original
    if injected:
        snapshot = load_snapshot("", FILES)
        result = offline.apply_response(
            original, offline.review_pod(original, "shop", snapshot, ReviewContext(injector="i"))
        )
    return {**result, "status": {"phase": "Succeeded" if finished else "Running"}}


def webhook(name: str, client: Any, **selector: str) -> Any:
    keys = {key.replace("_", "-"): value for key, value in selector.items()}
    return {
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name, "labels": {"istio.io/rev": "default"}},
        "webhooks": [
            {
                "name": name,
                "clientConfig": client,
                "namespaceSelector": {"matchLabels": keys},
                "rules": [RULE],
            }
        ],
    }


SERVICE = {"service": {"namespace": "istio-system", "name": "istiod", "path": "/inject"}}
ISTIOD = webhook("sidecar-injector.istio.io", SERVICE, istio_injection="enabled")
PODGRAFT = webhook("inject.podgraft.dev", {"url": "https://h/inject"}, istio_injection="enabled")
PODGRAFT["metadata"]["labels"] = {"app.kubernetes.io/name": "podgraft"}
CLUSTER: Any = {
    f"{MAPS}/istio-sidecar-injector": yaml.load(FILES["injector.yaml"].decode()),
    f"{MAPS}/istio": yaml.load(FILES["mesh.yaml"].decode()),
    "/apis/apps/v1/namespaces/istio-system/deployments": [],
    "/api/v1/namespaces/istio-system/services/istiod": {},
    "/api/v1/nodes": [{"status": {"nodeInfo": {"kubeletVersion": "v1.30.0"}}}],
    "/api/v1/namespaces": [namespace("shop", istio_injection="enabled"), namespace("plain")],
    "/api/v1/namespaces/shop": namespace("shop", istio_injection="enabled"),
    "/api/v1/pods": [
        pod("new", injected=True),
        pod("early", injected=False),
        pod("done", injected=False, finished=True),
    ],
    "/api/v1/namespaces/shop/pods/early": pod("early", injected=False),
    "/api/v1/namespaces/shop/pods/new": pod("new", injected=True),
    WEBHOOKS: [ISTIOD],
}


def run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    **responses: Any,
) -> tuple[int, str, str]:
    paths = {WEBHOOKS: responses["webhooks"]} if "webhooks" in responses else {}
    objects = CLUSTER | paths | responses.get("responses", {})
    use_cluster(monkeypatch, objects)
    status = main(shlex.split(command))
    out, err = capsys.readouterr()
    return status, out, err


def test_counts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Pods that have finished do not count."""
    _, out, _ = run(monkeypatch, capsys, "status -o json")
    report = json.loads(out)
    assert report["namespaces"] == [
        {"namespace": "plain", "webhooks": [], "pods": 0, "injected": 0, "missing": [],
         "outdated": [], "unchecked": 0},
        {"namespace": "shop", "webhooks": ["sidecar-injector.istio.io"], "pods": 2, "injected": 1,
         "missing": ["early"], "outdated": [], "unchecked": 0},
    ]  # fmt: skip
    (registration,) = report["webhooks"]
    assert registration["problems"] == []


CASES: Any = (
    ("two injectors", "status", {"webhooks": [ISTIOD, PODGRAFT]},
     ("namespace shop: inject.podgraft.dev and sidecar-injector.istio.io inject the same pods; "
      "change the labels, or delete one registration")),
    ("no registration", "status", {"webhooks": []},
     "no webhook of podgraft or istiod is registered"),
    ("no configuration", "status",
     {"responses": {f"{MAPS}/istio-sidecar-injector": NotFoundError}},
     "revision default: not checked: ConfigMap istio-system/istio-sidecar-injector: not found"),
    ("an unreadable one", "status",
     {"responses": {f"{MAPS}/istio-sidecar-injector": ForbiddenError}},
     "revision default: not checked: GET"),
    ("a namespace", "status -n shop", {}, "shop"),
    ("an invalid URL", "status --url https://[", {}, "--url: got 'https://['"),
    ("both options", "status -n shop -A", {}, "-n and -A exclude each other; use one of them"),
    # explain
    ("without a sidecar", "explain pod/early", {}, "the pod runs without a sidecar"),
    ("injected", "explain pod/new", {}, "injected, decided by policy"),
    ("nothing registered", "explain pod/new", {"webhooks": []},
     "the cluster has no webhook of podgraft or istiod for the object"),
    ("with a bundle", f"explain pod/new --config '{SAMPLE}'", {"webhooks": [PODGRAFT]},
     "kube-apiserver, webhook inject.podgraft.dev"),
    ("with a bundle, before the registration", f"explain pod/new --config '{SAMPLE}'", {},
     "no webhook of podgraft is registered; the webhooks are those of istiod"),
    ("a name and -A", "explain pod/new -A", {}, "-A excludes names; use -n NAMESPACE"),
    ("no object", "explain pods -l a=b",
     {"responses": {"/api/v1/namespaces/shop/pods": []}}, "pods: no object in namespace shop"),
    ("two inputs", "explain pod/new -f x", {}, "-f"),
    ("no input", "explain", {}, "give either TARGET or -f"),
    ("labels of a file", "explain pod/new --namespace-labels a=b", {},
     "--namespace-labels: only with -f; for TARGET, the cluster is read"),
    # configurations
    ("two sources", f"compare --config cluster --injectConfigFile '{SAMPLE}/injector.yaml'", {},
     "use --config alone, or --injectConfigFile and its files"),
    ("compare", "compare", {}, "1 of 1 injected pods are identical"),
    ("another revision", "compare --revision canary --config cluster", {},
     "not compared: 1 of revision default; use --revision default"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("what", "command", "responses", "text"), CASES, ids=lambda value: str(value)[:40]
)
def test_cases(
    what: str,
    command: str,
    responses: Any,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del what
    _, out, err = run(monkeypatch, capsys, command, **responses)
    assert text in out + err, out + err
