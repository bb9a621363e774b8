"""The folder kubernetes: its manifests are those of the chart, and serve loads their store."""

import base64
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from charts.rendering import render
from podgraft import cli
from podgraft.base.jsonvalue import Object
from podgraft.kube import yaml
from podgraft.service.store.folder.census import FolderCensus
from support.kube_schemas import validate
from support.programs import PYTHON, write_shell_program

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "deploy" / "kubernetes" / "podgraft.yaml"
CASE = Path(__file__).parent / "cases" / "kubernetes.yaml"
_HEADING = (
    "# Generated from deploy/charts/podgraft by tests/charts/test_kubernetes.py --update-goldens.\n"
)


def make_manifests() -> str:
    """The rendering of the chart without what kustomize creates, and without labels of Helm."""
    values: Any = yaml.load(CASE.read_text())
    documents: list[Any] = [each for each in yaml.load_all(render(values)) if each]
    for document in documents:
        for metadata in _find_metadata(document):
            for label in ("helm.sh/chart", "app.kubernetes.io/managed-by"):
                metadata["labels"].pop(label, None)
    remaining = [each for each in documents if each["kind"] not in {"ConfigMap", "Pod", "Secret"}]
    return _HEADING + "---\n".join(map(yaml.dump, remaining))


def _find_metadata(document: Any) -> list[Any]:
    template = document.get("spec", {}).get("template", {})
    return [each["metadata"] for each in (document, template) if "metadata" in each]


def test_the_manifests_are_those_of_the_chart(request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you change the chart."""
    expected = make_manifests()
    if request.config.getoption("--update-goldens"):
        MANIFESTS.write_text(expected)
    assert MANIFESTS.read_text() == expected


def run_page(folder: Path) -> None:
    """Run the commands of README.md until kubectl."""
    page = (folder / "README.md").read_text()
    commands = re.findall(r"^ *\$ (.*)$", page, re.MULTILINE)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "LANG": "C.UTF-8"}
    write_shell_program(folder / "podgraft", f'exec {PYTHON} -m podgraft "$@"')
    for command in commands:
        if command.startswith("kubectl"):
            continue
        subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment, check=True, capture_output=True
        )
    (folder / "podgraft").unlink()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an operator, after all commands of the page."""
    folder = tmp_path_factory.mktemp("kubernetes")
    assert cli.main(["init", "--kind", "kubernetes", "--force", str(folder)]) == 0
    run_page(folder)
    return folder


@pytest.fixture(scope="module")
def manifests(folder: Path) -> list[Any]:
    """What kustomize builds, with the census."""
    if shutil.which("kubectl") is None:
        pytest.skip("needs kubectl")
    done = subprocess.run(
        ["kubectl", "kustomize", str(folder)], check=True, capture_output=True, text=True
    )
    return yaml.load_all(done.stdout)


def find(manifests: list[Any], kind: str, name: str | None = None) -> Any:
    """The one manifest of a kind, or the one with a name."""
    [manifest] = [
        each
        for each in manifests
        if each["kind"] == kind and name in {None, each["metadata"]["name"]}
    ]
    return manifest


def test_kubernetes_accepts_what_kustomize_builds(manifests: list[Any]) -> None:
    for manifest in manifests:
        if not manifest["apiVersion"].startswith("cert-manager.io/"):
            validate(manifest, "1.37")
        if manifest["kind"] != "Namespace":
            assert manifest["metadata"]["namespace"] == "podgraft"
    deployment = find(manifests, "Deployment")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/podgraft:0.2.0"


def test_the_registration_calls_the_service(folder: Path, manifests: list[Any]) -> None:
    [webhook] = yaml.load((folder / "webhook.yaml").read_text())["webhooks"]  # type: ignore[index]
    service = find(manifests, "Service")
    client: Object = webhook["clientConfig"]["service"]  # type: ignore[index]
    assert (client["namespace"], client["name"]) == ("podgraft", service["metadata"]["name"])
    assert client["port"] == service["spec"]["ports"][0]["port"]
    names = {each["metadata"]["name"] for each in manifests if each["kind"] == "Certificate"}
    annotation = yaml.load((folder / "webhook.yaml").read_text())["metadata"]["annotations"]  # type: ignore[index]
    assert annotation["cert-manager.io/inject-ca-from"].split("/")[1] in names  # type: ignore[index]


def test_the_component_records_workloads(folder: Path, manifests: list[Any]) -> None:
    pod = find(manifests, "Deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert "--census=/census" in container["args"]
    assert {"name": "census", "mountPath": "/census"} in container["volumeMounts"]
    claim = find(manifests, "PersistentVolumeClaim")["metadata"]["name"]
    [volume] = [each for each in pod["volumes"] if each["name"] == "census"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim
    secret = find(manifests, "Secret", "podgraft-census")
    key = (folder / "store" / "istio" / "census.key").read_text()
    assert _decode_base64(secret["data"]["istio"]) == key


def mount_store(folder: Path, manifests: list[Any]) -> Path:
    """Write the projected volume of the pod as kubelet does: links to a folder of this version."""
    pod = find(manifests, "Deployment")["spec"]["template"]["spec"]
    [volume] = [each for each in pod["volumes"] if each["name"] == "store"]
    target = folder / "..2026_11_22_12_00_00.1"
    for source in volume["projected"]["sources"]:
        for kind, reference in source.items():
            kinds = {"configMap": "ConfigMap", "secret": "Secret"}
            manifest = find(manifests, kinds[kind], reference["name"])
            for item in reference["items"]:
                path = target / item["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                text = manifest["data"][item["key"]]
                path.write_text(text if kind == "configMap" else _decode_base64(text))
    (folder / "..data").symlink_to(target.name)
    for path in target.iterdir():
        (folder / path.name).symlink_to(Path("..data") / path.name)
    return folder


def _decode_base64(text: str) -> str:
    return base64.b64decode(text).decode()


def test_serve_loads_the_store_of_the_pod(
    manifests: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("ca --key-type p-256", "server podgraft.podgraft.svc --key-type p-256"):
        assert cli.main(["certs", *line.split()]) == 0
    store = tmp_path / "store"
    store.mkdir()
    mount_store(store, manifests)
    [container] = find(manifests, "Deployment")["spec"]["template"]["spec"]["containers"]
    files = {
        "/store": str(store),
        "/state": str(tmp_path / "state"),
        "/census": str(tmp_path / "census"),
        "/tls/tls.crt": "certificates/server.pem",
        "/tls/tls.key": "certificates/server.key",
    }
    arguments: list[str] = []
    for argument in container["args"]:
        option, equals, value = argument.partition("=")
        arguments.append(f"{option}{equals}{files.get(value, value)}")
    capsys.readouterr()
    assert cli.main([*arguments, "--check"]) == 0
    report = capsys.readouterr().out
    assert "istio" in report
    assert "prod" in report
    census = FolderCensus(tmp_path / "census", store)
    assert census.read_key("istio", 1) is not None
