"""``podgraft import istio``: files, warnings, and a second import."""

from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.cli.live.api_errors import ForbiddenError, NotFoundError
from podgraft.kube import yaml
from support import fake_cluster

SAMPLE = Path(__file__).parents[3] / "samples" / "istio" / "bundle"
MAPS = "/api/v1/namespaces/istio-system/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/istio-system/deployments"
NODES = "/api/v1/nodes"
PROXY_CONFIGS = "/apis/networking.istio.io/v1beta1/proxyconfigs"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


def config_map(file: str, **metadata: Any) -> Any:
    manifest: Any = yaml.load((SAMPLE / file).read_text())
    manifest["metadata"] |= {"namespace": "istio-system", "uid": "u", "resourceVersion": "9"}
    manifest["metadata"] |= metadata
    return manifest


def istiod(*env: Any) -> Any:
    container = {"name": "discovery", "image": "docker.io/istio/pilot:1.29.1", "env": [*env]}
    metadata = {"name": "istiod"}
    return {"metadata": metadata, "spec": {"template": {"spec": {"containers": [container]}}}}


def node(version: str) -> Any:
    return {"status": {"nodeInfo": {"kubeletVersion": version}}}


def tag(revision: str, name: str) -> Any:
    hook = {
        "name": "sidecar-injector.istio.io",
        "clientConfig": {"service": {"name": "istiod", "namespace": "istio-system"}},
    }
    labels = {"istio.io/rev": revision, "istio.io/tag": name}
    return {"metadata": {"name": name, "labels": labels}, "webhooks": [hook]}


CLUSTER: Any = {
    f"{MAPS}/istio-sidecar-injector": config_map("injector.yaml"),
    f"{MAPS}/istio": config_map("mesh.yaml"),
    DEPLOYMENTS: [istiod()],
    NODES: [node("v1.33.0"), node("v1.37.2")],
}


@pytest.fixture
def use_cluster(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make the commands read these objects."""

    def use(**changes: Any) -> None:
        responses = CLUSTER | changes.get("responses", {})
        fake_cluster.use_cluster(monkeypatch, responses)

    return use


def run(folder: Path, *words: str) -> int:
    return main(["import", "istio", str(folder / "mesh"), *words])


def policy(folder: Path) -> Any:
    return yaml.load((folder / "mesh" / "policy.yaml").read_text())


def test_files(use_cluster: Any, tmp_path: Path) -> None:
    """The manifests have no fields that change without the configuration."""
    use_cluster()
    assert run(tmp_path) == 0
    manifest: Any = yaml.load((tmp_path / "mesh" / "bundle" / "injector.yaml").read_text())
    original = config_map("injector.yaml")
    assert manifest["data"] == original["data"]
    assert set(manifest["metadata"]) <= {"name", "namespace", "labels"}
    assert policy(tmp_path) == {"istioRelease": "1.29.1", "features": {"nativeSidecars": True}}


ENV = [{"name": "PLATFORM", "value": "openshift"}, {"name": "ENABLE_NATIVE_SIDECARS", "value": "x"}]
NAMESPACE = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {
        "name": "shop",
        "annotations": {"openshift.io/sa.scc.uid-range": "1000/10", "secret": "x"},
    },
}


def test_openshift(use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The namespaces are in the bundle, with the annotations of OpenShift only."""
    use_cluster(responses={DEPLOYMENTS: [istiod(*ENV)], "/api/v1/namespaces": [NAMESPACE]})
    assert run(tmp_path) == 0
    text = (tmp_path / "mesh" / "bundle" / "namespaces.yaml").read_text()
    assert "1000/10" in text
    assert "secret" not in text
    assert policy(tmp_path)["features"] == {"nativeSidecars": False, "platform": "openshift"}
    assert "ids of OpenShift of the present namespaces only" in capsys.readouterr().err


WARNINGS: Any = (
    ({NODES: ForbiddenError}, "nodes: not readable, so the kubelet versions are unknown"),
    ({PROXY_CONFIGS: ForbiddenError}, "proxyconfigs: not readable"),
    ({f"{MAPS}/istio": NotFoundError}, "ConfigMap istio-system/istio: not found"),
    ({DEPLOYMENTS: []}, "no deployment of istiod with revision default"),
    ({DEPLOYMENTS: [istiod(), istiod()]}, "several deployments of istiod: istiod, istiod"),
    (
        {DEPLOYMENTS: [istiod({"name": "CLUSTER_ID", "value": "east"})]},
        "register with --istio-cluster-id east",
    ),
)


@pytest.mark.parametrize(("responses", "warning"), WARNINGS, ids=lambda value: str(value)[-40:])
def test_warnings(
    responses: Any,
    warning: str,
    use_cluster: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_cluster(responses=responses)
    assert run(tmp_path) == 0
    assert warning in capsys.readouterr().err


def test_proxy_configs_keep_their_creation_time(use_cluster: Any, tmp_path: Path) -> None:
    """Istio uses the oldest one."""
    metadata = {"name": "a", "namespace": "shop", "creationTimestamp": "2026-01-01T00:00:00Z"}
    spec = {"concurrency": 2}
    item = {"metadata": metadata, "spec": spec, "kind": "ProxyConfig"}
    item["apiVersion"] = "networking.istio.io/v1beta1"
    use_cluster(responses={PROXY_CONFIGS: [item, item | {"metadata": metadata | {"name": "b"}}]})
    assert run(tmp_path) == 0
    text = (tmp_path / "mesh" / "bundle" / "proxyconfigs.yaml").read_text()
    assert text.count("2026-01-01T00:00:00Z") == 2


def test_a_tag_is_its_revision(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maps = {
        f"{MAPS}/{name}-canary": CLUSTER[f"{MAPS}/{name}"]
        for name in ("istio", "istio-sidecar-injector")
    }
    use_cluster(responses={**maps, WEBHOOKS: [tag("canary", "prod")]})
    assert run(tmp_path, "--revision", "prod") == 0
    assert "imported revision canary" in capsys.readouterr().out
    assert policy(tmp_path)["revision"] == "canary"


def test_the_printed_commands_quote_the_folder(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use_cluster()
    folder = tmp_path / "my files"
    assert run(folder) == 0
    assert f"\n  podgraft check '{folder / 'mesh'}'\n" in capsys.readouterr().err


@pytest.mark.parametrize("revision", ["../../out", "/podgraft-out", "..", "a; reboot", "a\n"])
def test_a_revision_that_no_api_server_stores_writes_no_file(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], revision: str
) -> None:
    """It would name a folder, and a part of the printed command."""
    maps = {
        f"{MAPS}/{name}-{revision}": CLUSTER[f"{MAPS}/{name}"]
        for name in ("istio", "istio-sidecar-injector")
    }
    use_cluster(responses={**maps, WEBHOOKS: [tag(revision, "prod")]})
    for words in ((), ("--revision", "prod")):
        assert run(tmp_path / "in", *words) == 1
        assert "label istio.io/rev: got" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_an_existing_bundle_is_not_replaced_without_force(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With force, it is; the policy of the operator stays."""
    use_cluster()
    assert run(tmp_path) == 0
    (tmp_path / "mesh" / "bundle" / "old.yaml").write_text("{}")
    (tmp_path / "mesh" / "policy.yaml").write_text("policy: disabled\n")
    assert run(tmp_path) == 1
    assert "bundle: exists already; use --force" in capsys.readouterr().err
    assert run(tmp_path, "--force") == 0
    assert not (tmp_path / "mesh" / "bundle" / "old.yaml").exists()
    assert policy(tmp_path) == {"policy": "disabled"}
    expected = "is not changed; the cluster has other values of istioRelease, features"
    assert expected in capsys.readouterr().err


def test_files_that_are_in_the_way(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder below a file is an error; a policy that is no text stays, with a warning."""
    use_cluster()
    (tmp_path / "file").touch()
    assert run(tmp_path / "file") == 1
    assert "Not a directory" in capsys.readouterr().err
    assert run(tmp_path) == 0
    (tmp_path / "mesh" / "policy.yaml").write_bytes(b"\xff")
    assert run(tmp_path, "--force") == 0
    assert "is not changed; the cluster has other values" in capsys.readouterr().err


def test_an_invalid_configuration_writes_no_file(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = config_map("injector.yaml") | {"data": {"config": "templates: [", "values": "{}"}}
    use_cluster(responses={f"{MAPS}/istio-sidecar-injector": broken})
    assert run(tmp_path) == 1
    assert "injector.yaml" in capsys.readouterr().err
    assert not (tmp_path / "mesh").exists()


def test_a_cluster_without_istio_is_an_error(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use_cluster(responses={f"{MAPS}/istio-sidecar-injector": NotFoundError})
    assert run(tmp_path) == 1
    expected = "ConfigMap istio-system/istio-sidecar-injector: not found; set --istio-namespace"
    assert expected in capsys.readouterr().err


SHARED_MESH = {"name": "SHARED_MESH_CONFIG", "value": "shared"}
SHARED_MAP = {"data": {"mesh": "accessLogFile: /dev/shared\ndefaultConfig: {concurrency: 7}\n"}}


def test_the_shared_mesh_configuration_is_below_that_of_the_revision(
    use_cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = config_map("mesh.yaml")
    own["data"] = {"mesh": "defaultConfig: {statusPort: 9}\n", "meshNetworks": "networks: {}"}
    responses = {
        DEPLOYMENTS: [istiod(SHARED_MESH)],
        f"{MAPS}/shared": SHARED_MAP,
        f"{MAPS}/istio": own,
    }
    use_cluster(responses=responses)
    assert run(tmp_path) == 0
    manifest: Any = yaml.load((tmp_path / "mesh" / "bundle" / "mesh.yaml").read_text())
    assert manifest["metadata"]["name"] == "istio"
    assert manifest["data"]["meshNetworks"] == "networks: {}"
    assert yaml.load(manifest["data"]["mesh"]) == {
        "accessLogFile": "/dev/shared",
        "defaultConfig": {"concurrency": 7, "statusPort": 9},
    }
    assert "SHARED_MESH_CONFIG" not in capsys.readouterr().err


def test_the_shared_mesh_configuration_alone(use_cluster: Any, tmp_path: Path) -> None:
    responses = {
        DEPLOYMENTS: [istiod(SHARED_MESH)],
        f"{MAPS}/shared": SHARED_MAP,
        f"{MAPS}/istio": NotFoundError,
    }
    use_cluster(responses=responses)
    assert run(tmp_path) == 0
    manifest: Any = yaml.load((tmp_path / "mesh" / "bundle" / "mesh.yaml").read_text())
    assert manifest["metadata"] == {"name": "istio", "namespace": "istio-system"}
    assert "/dev/shared" in manifest["data"]["mesh"]


UNREAD_SHARED_MESH: Any = (
    (NotFoundError, "ConfigMap istio-system/shared: not found; istiod ignores it too"),
    (ForbiddenError, "ConfigMap istio-system/shared: not readable; merge its key mesh"),
    ({"data": {"mesh": "- a"}}, "of ConfigMaps shared and istio cannot be merged: line 1"),
)


@pytest.mark.parametrize(("response", "warning"), UNREAD_SHARED_MESH, ids=str)
def test_a_shared_mesh_configuration_that_cannot_be_read(
    response: Any,
    warning: str,
    use_cluster: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_cluster(responses={DEPLOYMENTS: [istiod(SHARED_MESH)], f"{MAPS}/shared": response})
    assert run(tmp_path) == 0
    assert warning in " ".join(capsys.readouterr().err.split())
    manifest: Any = yaml.load((tmp_path / "mesh" / "bundle" / "mesh.yaml").read_text())
    assert manifest["data"] == config_map("mesh.yaml")["data"]
