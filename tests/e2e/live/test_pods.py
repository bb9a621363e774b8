"""The CronJob of a registrar and the Job of doctor, as processes with the rights of the manifest.

They have all the rights that they need, and none that they do not need.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from e2e.live.pod_processes import PodProcesses
from e2e.live.test_doctor import Place
from e2e.live.test_doctor import place as place  # noqa: PLC0414  a fixture
from podgraft.cli import main
from podgraft.kube import yaml

PODGRAFT = Path(sys.executable).with_name("podgraft")
JOB = Path(__file__).parents[3] / "deploy" / "kubernetes" / "doctor.yaml"
TOKEN = "0123456789abcdef" * 4
HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
NAME = "podgraft-istio"
FLEET = """
apiVersion: podgraft.dev/v1
kind: Fleet
metadata: {name: prod}
spec:
  url: https://localhost:9
  defaults: {injectors: [{name: istio, namespaceSelector: mesh=on}]}
  clusters: {a: {}}
"""
_ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
_PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/podgraft/serviceaccounts",
    "ConfigMap": "/api/v1/namespaces/podgraft/configmaps",
    "ClusterRole": _ROLES,
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "CronJob": "/apis/batch/v1/namespaces/podgraft/cronjobs",
    "Job": "/apis/batch/v1/namespaces/podgraft/jobs",
}


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    with start_control_plane(find_program(), tmp_path_factory.mktemp("pods")) as found:
        yield found


def create_all(plane: ControlPlane, manifests: Sequence[Any]) -> dict[str, Any]:
    """Create objects, as kubectl apply does; by their kind, as they are stored."""
    created: dict[str, Any] = {}
    for each in manifests:
        path = _PATHS[each["kind"]]
        status, body = plane.request("POST", path, each)
        assert status in {201, 409}, body.decode()
        created[each["kind"]] = json.loads(plane.request("GET", f"{path}/{name_of(each)}")[1])
    return created


def name_of(manifest: Any) -> str:
    return str(manifest["metadata"]["name"])


def find_pod(job: Any) -> Any:
    return job["spec"]["template"]["spec"]


@contextmanager
def without_each_right(plane: ControlPlane, role: Any) -> Generator[Iterator[str]]:
    """Remove one right after the other from a stored role, and restore it."""
    path = f"{_ROLES}/{name_of(role)}"

    def remove() -> Iterator[str]:
        for index, rule in enumerate(role["rules"]):
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    rest = {**rule, "verbs": [each for each in rule["verbs"] if each != verb]}
                    others = [each for each in rule["resources"] if each != resource]
                    rules = [*role["rules"], {**rule, "resources": others}]
                    rules[index] = {**rest, "resources": [resource]}
                    usable = [each for each in rules if each["resources"] and each["verbs"]]
                    replace_rules(plane, path, usable)
                    yield f"{verb} {resource}"

    yield remove()
    replace_rules(plane, path, role["rules"])


def replace_rules(plane: ControlPlane, path: str, rules: Sequence[Any]) -> None:
    stored = json.loads(plane.request("GET", path)[1])
    plane.replace(path, {**stored, "rules": rules})


@pytest.fixture
def registrar(
    plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[PodProcesses, Any]:
    """The pod of the CronJob, with the token in its Secret, and the stored role."""
    monkeypatch.chdir(tmp_path)
    Path("fleet.yaml").write_text(FLEET)
    assert main(["fleet", "render", "fleet.yaml", "out", "--registrar", "podgraft:1"]) == 0
    manifests = [*yaml.load_all(Path("out/a/registrar.yaml").read_text())]
    created = create_all(plane, manifests)
    spec = find_pod(created["CronJob"]["spec"]["jobTemplate"])
    volumes = {name: tmp_path / f"volume-{name}" for name in ("out", "fleet", "token")}
    for each in volumes.values():
        each.mkdir()
    for name, content in created["ConfigMap"]["data"].items():
        (volumes["fleet"] / name).write_text(content)
    [volume] = [each for each in spec["volumes"] if each["name"] == "token"]
    [item] = volume["secret"]["items"]
    (volumes["token"] / item["path"]).write_text(TOKEN)
    pod = PodProcesses(plane, "podgraft", spec, tmp_path / "pod", volumes)
    pod.folder.mkdir()
    return pod, created["ClusterRole"]


def register(pod: PodProcesses) -> subprocess.CompletedProcess[str]:
    """Run the containers, one after the other; the last one, or that which failed."""
    kubectl = shutil.which("kubectl")
    assert kubectl is not None
    shutil.rmtree(pod.volumes["out"])
    pod.volumes["out"].mkdir()
    [render], [apply] = pod.spec["initContainers"], pod.spec["containers"]
    done = pod.run(render, PODGRAFT)
    return done if done.returncode else pod.run(apply, Path(kubectl))


def test_a_registrar_registers_its_cluster_with_its_rights_alone(
    plane: ControlPlane, registrar: tuple[PodProcesses, Any]
) -> None:
    pod, role = registrar
    path, stored = f"{HOOKS}/{NAME}", dict[str, Any]()
    for _ in range(2):  # creates, and changes nothing
        done = register(pod)
        assert done.returncode == 0, done.stderr
        stored = json.loads(plane.request("GET", path)[1])
        [url] = {each["clientConfig"]["url"] for each in stored["webhooks"]}
        assert url.startswith(f"https://localhost:9/k/{TOKEN}/")
        assert TOKEN not in done.stdout + done.stderr
    other = {**stored, "metadata": {"name": "other"}}
    assert plane.request("POST", HOOKS, other)[0] == 201
    assert pod.request("DELETE", path) == 403
    assert pod.request("GET", f"{HOOKS}/other") == 403
    assert pod.request("PUT", f"{HOOKS}/other", other) == 403
    assert pod.request("GET", HOOKS) == 403
    assert pod.request("GET", "/api/v1/namespaces/podgraft/secrets") == 403
    unneeded: list[str] = []
    with without_each_right(plane, role) as removed:
        for right in removed:
            plane.request("DELETE", path)
            if register(pod).returncode == 0:
                unneeded.append(right)
    assert not unneeded


def test_the_job_of_doctor_reads_all_and_changes_nothing(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plane = place.plane
    manifest = place.register(capsys, "--failure-policy", "Ignore")
    plane.create(HOOKS, manifest)
    created = create_all(plane, [*yaml.load_all(JOB.read_text())])
    pod = PodProcesses(plane, "podgraft", find_pod(created["Job"]), tmp_path / "pod", {})
    pod.folder.mkdir()
    expected = diagnose(pod)
    assert "1 fault" in expected
    assert "D24" in expected  # all other checks are those of a cluster that works
    assert pod.request("GET", HOOKS) == 200
    path = f"{HOOKS}/podgraft-podgraft"
    assert pod.request("DELETE", path) == 403
    assert pod.request("GET", "/api/v1/namespaces/shop/secrets") == 403
    assert pod.request("GET", "/api/v1/namespaces/shop/pods") == 403
    with without_each_right(plane, created["ClusterRole"]) as removed:
        unneeded = [right for right in removed if diagnose(pod) == expected]
    assert unneeded == ["get services"]  # the registration has a URL
    service = {"namespace": "podgraft", "name": "absent", "path": "/inject"}
    for each in manifest["webhooks"]:
        each["clientConfig"] = {"service": service}
    plane.create(HOOKS, {**manifest, "metadata": {"name": "of-a-service"}})
    problem = "service podgraft/absent: not found"
    assert problem in diagnose(pod)
    with without_each_right(plane, created["ClusterRole"]) as removed:
        needed = [right for right in removed if problem not in diagnose(pod)]
    assert "get services" in needed


def diagnose(pod: PodProcesses) -> str:
    [container] = pod.spec["containers"]
    done = pod.run(container, PODGRAFT)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return done.stdout
