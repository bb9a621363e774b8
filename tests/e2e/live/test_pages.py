"""Every command of the start page and of the tutorials, with a real kube-apiserver and kubectl.

SAM deploys the stack to an AWS of this machine. Of the programs, only istioctl is a stub: its
commands remove the webhook of istiod and restore it. The page about App Mesh needs no cluster.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs.limits import DOCS
from e2e.aws.cloud import Cloud, find_tools, ministack
from e2e.aws.page_cloud import render_sam, serve_stacks
from e2e.live.cluster_setup import ClusterSetup
from e2e.live.control_plane import (
    ControlPlane,
    find_program,
    start_control_plane,
    write_admin_kubeconfig,
)
from e2e.live.deployments import roll_out
from support.page_run import PageRun

_DEPLOY = "(podgraft init stack && cd stack && sam build && sam deploy)"
_WORKLOAD = "kubectl -n {namespace} create deployment web --image=registry.example.com/web:1"
_KIND = "mutatingwebhookconfiguration.admissionregistration.k8s.io"
_ISTIO = "mutatingwebhookconfiguration istio-sidecar-injector"
# As the page uses it: with operatorManageWebhooks=false, istiod has its webhook again.
_ISTIOCTL = """\
case "$*" in
  *operatorManageWebhooks=false*) kubectl create -f {saved} ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A cluster, an AWS without a stack, and the URL that forwards to the API of its stack."""

    plane: ControlPlane
    cloud: Cloud
    endpoint: str
    kubeconfig: Path

    def make_run(self, folder: Path, ca: Path | None = None, **stubs: str) -> PageRun:
        """A reader with this cluster and this AWS; *ca* is the CA of the endpoint."""
        programs = {"sam": render_sam(self.cloud, self.endpoint), **stubs}
        environment = {
            **self.cloud.environment,
            "KUBECONFIG": str(self.kubeconfig),
            "SSL_CERT_FILE": str(self.cloud.authority),
        }
        authority = ca or self.cloud.authority
        return PageRun(folder, programs, authority, environment, timeout_seconds=900)


@pytest.fixture
def place(tmp_path: Path) -> Generator[Place]:
    """kube-apiserver has the CA of the endpoint as a public one, as that of AWS is."""
    program, tools = find_program(), find_tools()
    for name in ("aws", "plane"):
        (tmp_path / name).mkdir()
    with ExitStack() as ended:
        cloud = ended.enter_context(ministack(tools, tmp_path / "aws"))
        endpoint = ended.enter_context(serve_stacks(cloud))
        trust = {"SSL_CERT_FILE": str(cloud.authority)}
        plane = ended.enter_context(start_control_plane(program, tmp_path / "plane", trust))
        # No controller creates it.
        account = "/api/v1/namespaces/default/serviceaccounts"
        plane.create(account, {"metadata": {"name": "default"}})
        kubeconfig = tmp_path / "kubeconfig"
        write_admin_kubeconfig(kubeconfig, {"dev": plane})
        yield Place(plane, cloud, endpoint, kubeconfig)


def read_page(name: str, *titles: str) -> str:
    """The page, or its sections with these titles."""
    page = (DOCS / f"{name}.md").read_text()
    if not titles:
        return page
    sections = {part.partition("\n")[0]: part for part in page.split("\n## ")[1:]}
    return "\n".join(sections[title] for title in titles)


def find_output(run: PageRun, start: str) -> str:
    """The output of the only command with this start."""
    [text] = [text for line, text in run.outputs.items() if line.startswith(start)]
    return text


def as_block(commands: Sequence[str]) -> str:
    return "\n```sh\n" + "\n".join(commands) + "\n```\n"


def test_start_on_aws(place: Place, tmp_path: Path) -> None:
    """With the commands of its text: explain, and doctor."""
    explain, doctor = "podgraft explain pod/web --config stack:podgraft-dev", "podgraft doctor"
    gone = "kubectl get mutatingwebhookconfigurations,pods --all-namespaces -o name"
    page = read_page("start")
    assert all(f"`{command}`" in page for command in (explain, doctor))
    run = place.make_run(tmp_path)
    first, undo = read_page("start", "On AWS"), read_page("start", "Undo")
    run.run(first + as_block([explain, doctor]) + undo, after=[gone])
    assert find_output(run, "kubectl run") == "hello"
    assert "╰─ injected, decided by overlay hello: " in run.outputs[explain]
    assert "22 ok, 3 skipped" in run.outputs[doctor]
    assert run.outputs[gone] == ""


def test_start_on_this_machine(place: Place, tmp_path: Path) -> None:
    run = place.make_run(tmp_path, tmp_path / "work" / "certificates" / "ca.pem")
    section = read_page("start", "On this machine").replace("ADDRESS", "127.0.0.1")
    explain = "podgraft explain pod/web --config store"
    served = section.replace("--port 8443", "--host 127.0.0.1 --port 8443")
    run.run(served, after=["podgraft doctor", explain])
    assert "`--config store`" in read_page("start")
    assert "╰─ injected, decided by overlay hello: " in run.outputs[explain]
    assert find_output(run, "kubectl run") == "hello"
    assert "22 ok, 3 skipped" in run.outputs["podgraft doctor"]


def test_from_istio(place: Place, tmp_path: Path) -> None:
    """The pods of shop move to podgraft, and return to istiod."""
    with ExitStack() as ended:
        istiod = tmp_path / "istiod"
        istiod.mkdir()
        ClusterSetup(place.plane, istiod, ended).create_default_revision()
        ended.enter_context(roll_out(place.plane, "shop"))
        run = place.make_run(tmp_path, istioctl=_ISTIOCTL.format(saved=tmp_path / "saved.yaml"))
        ready = "kubectl -n shop rollout status deployment web --timeout=60s"
        owners = "kubectl get mutatingwebhookconfigurations -o name"
        pods = "kubectl -n shop get pods -o jsonpath='{.items[*].spec.containers[*].name}'"
        run.run(
            read_page("from-istio"),
            before=[
                _DEPLOY,
                f"kubectl get {_ISTIO} -o yaml | sed '/resourceVersion/d;/uid:/d' > ../saved.yaml",
                _WORKLOAD.format(namespace="shop"),
                ready,
            ],
            after=[ready, pods, owners],
        )
    assert "1 of 1 injected pods are identical" in find_output(run, "podgraft compare -A")
    status = find_output(run, "podgraft status --config mesh")
    assert "podgraft (istio) at localhost" in status
    assert "without sidecar" not in status
    assert run.outputs[pods] == "web istio-proxy"
    assert run.outputs[owners].split() == [f"{_KIND}/istio-sidecar-injector"]


def test_selective_injection_and_files(place: Place, tmp_path: Path) -> None:
    """The ConfigMaps come from the cluster."""
    with ExitStack() as ended:
        istiod = tmp_path / "istiod"
        istiod.mkdir()
        ClusterSetup(place.plane, istiod, ended).create_default_revision()
        for name, after in (
            ("selective-injection", ["podgraft import istio mesh --force"]),
            ("kube-inject", ["podgraft inject -f web.yaml --config cluster -o from-cluster.yaml"]),
        ):
            folder = tmp_path / name
            folder.mkdir()
            place.make_run(folder).run(read_page(name), after=after)
    work = tmp_path / "kube-inject" / "work"
    injected = (work / "injected.yaml").read_text()
    assert "name: istio-proxy" in injected
    assert (work / "from-cluster.yaml").read_text() == injected
    assert "istio-proxy" not in (work / "web-again.yaml").read_text()


def test_a_webhook_from_scratch(place: Place, tmp_path: Path) -> None:
    """kube-apiserver calls it: a Deployment gets the annotation, and one is denied."""
    run = place.make_run(tmp_path, tmp_path / "work" / "certificates" / "ca.pem")
    page = read_page("webhook-from-scratch").replace("hooks.example.com", "localhost")
    made = "kubectl -n shop get deployment web -o jsonpath='{.metadata.annotations.web/Allow}'"
    other = _WORKLOAD.format(namespace="shop").replace("deployment web", "deployment other")
    other += " --dry-run=client -o yaml | kubectl annotate --local -f - other/Allow=false -o yaml"
    denied = "! kubectl create -f other.yaml 2> denied.txt"
    run.run(
        page,
        before=["kubectl create namespace shop", "kubectl label namespace shop team=shop"],
        after=[_WORKLOAD.format(namespace="shop"), made, f"{other} > other.yaml", denied],
    )
    assert run.outputs[made] == "true"
    message = (tmp_path / "work" / "denied.txt").read_text()
    assert 'annotation other/Allow says "false"; only "true" lets a Deployment in' in message
