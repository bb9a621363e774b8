"""The planted faults of ``podgraft doctor`` in a real kube-apiserver: those of the endpoint and of
the stores. ``test_doctor.py`` has the others.
"""

import json
import threading
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cli.doctor.conftest import HOOKS, Site, make_response, operator, port, site
from cli.doctor.test_faults import PLANTS, Plant, register
from e2e.live.control_plane import ControlPlane, find_program, start_control_plane
from e2e.live.exchanges import record_exchanges, write_kubeconfig
from e2e.live.test_doctor import CASES
from podgraft.cli.certs import keys, pem
from podgraft.cli.doctor import report
from podgraft.cli.doctor.diagnosis import Diagnosis, Request, State, examine
from podgraft.cli.endpoint_check.faults import Fault
from podgraft.cli.live.options import ClusterAccess
from support.tls_endpoint import serve_posts

__all__ = ["operator", "port", "site"]  # fixtures

# Tests of their own: no registration, a changed one, and two.
_OWN_TESTS = {"D20", "D21", "D22"}
_REAL = {number for number, *_ in CASES if number} | _OWN_TESTS
_ROWS = [row for row in PLANTS if row[0] not in _REAL]
# Their endpoints answer the synthetic review only, so the call by kube-apiserver fails too.
_FIXED = {"D03", "D13", "D16"}


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    """A cluster with a namespace that the registrations select."""
    with start_control_plane(find_program(), tmp_path_factory.mktemp("plane")) as running:
        labels = {"istio-injection": "enabled"}
        running.create("/api/v1/namespaces", {"metadata": {"name": "shop", "labels": labels}})
        account = {"metadata": {"name": "default"}}
        running.create("/api/v1/namespaces/shop/serviceaccounts", account)
        yield running


def plant_slow_endpoint(own: Site) -> Plant:
    """An endpoint that needs most of the timeout of the registration."""
    body = json.dumps(make_response())

    def respond(_path: str) -> tuple[int, str]:
        threading.Event().wait(0.7)
        return 200, body

    folder = own.folder / "certificates"
    chain = pem.read_certificates(folder / "server.pem")
    key = keys.read_key(folder / "server.key", None)
    served = own.stack.enter_context(serve_posts(chain, key, folder, respond))
    return register(own, fails=False, port=served.port, timeoutSeconds=1)


@pytest.mark.parametrize("row", _ROWS, ids=[row[0] for row in _ROWS])
def test_a_planted_fault_in_a_real_cluster(
    row: tuple[str, Any, str], plane: ControlPlane, site: Site, tmp_path: Path
) -> None:
    number, plant, text = row
    planted: Plant = (plant_slow_endpoint if number == "D16" else plant)(site)
    result = diagnose(plane, planted, tmp_path)
    causes = {each.finding.fault.value for each in result.findings if each.cause is None}
    assert causes == {number} | ({"D25"} if number in _FIXED else set())
    assert result.state(Fault(number)) == (State.FAULT, "")
    assert any(text in str(each.finding) for each in result.findings), result.findings
    assert all(each.finding.remedy for each in result.findings)
    assert site.token() not in report.format_json([result])


def diagnose(plane: ControlPlane, planted: Plant, folder: Path) -> Diagnosis:
    """Register what is planted, and examine the cluster as the command does."""
    with ExitStack() as stack, record_exchanges(plane) as (own_port, exchanges):
        for manifest in planted.objects[HOOKS]:
            plane.create(HOOKS, manifest)
            path = f"{HOOKS}/{manifest['metadata']['name']}"
            stack.callback(plane.request, "DELETE", path)
        write_kubeconfig(folder / "kubeconfig", own_port)
        kubeconfig = folder / "kubeconfig"
        access = ClusterAccess(context="admin", kubeconfig=kubeconfig, request_timeout=5)
        result = examine(access.open_cluster(), "admin", Request(**planted.request))
        assert exchanges.methods <= {"GET", "POST"}
    return result


def test_each_fault_is_planted_in_a_real_cluster() -> None:
    assert _REAL | {row[0] for row in _ROWS} == {*Fault}
