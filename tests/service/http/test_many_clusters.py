"""Three injectors and ten clusters on one function, while every policy changes again and again."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import count, product
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from werkzeug.test import Client

from podgraft.base.jsonvalue import Object
from podgraft.kube import patch
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.recorded_requests import load_request
from support.store_fixture import admit, write_injector

INJECTORS = ("blue", "green", "red")
CLUSTERS = tuple(f"cluster-{number}" for number in range(10))
PINNED, OFF = CLUSTERS[8:]
ROUNDS = 8
SENT = load_request("24-bearer-token")


class FleetFixture:
    """Every version of every policy that was ever in force, with the bundle it named."""

    def __init__(self, folder: Path) -> None:
        self.memory = MemoryStore()
        self.known: dict[tuple[str, str], str] = {}
        self.pinned = self.memory.upload(labelled_bundle("pinned"))
        for cluster in CLUSTERS:
            admit(folder, cluster, f"token-of-{cluster}")
        store = cached_store(self.memory, refresh_seconds=0)
        records = FolderCallers(folder)
        self.app = create_app(store, records, auth=Auth.TOKEN, request_log=lambda _: None)

    def change(self, injector: str, number: int) -> None:
        """A new bundle, and a policy that names it and says its number."""
        label = f"{injector}-{number}"
        digest = self.memory.upload(labelled_bundle(label))
        # Known before it is in force: a reader may see it at once.
        self.known[injector, str(number)] = digest
        self.memory.put(
            injector,
            f"bundle: {digest}\ninjectedAnnotations: {{example.com/policy: '{label}'}}\n"
            f"clusters:\n  {PINNED}: {{bundle: '{self.pinned}'}}\n  {OFF}: {{policy: disabled}}\n",
        )

    def review(self, injector: str, cluster: str, caller: str | None = None) -> tuple[int, Any]:
        """A review for one cluster with the token of the caller's, and from its address."""
        caller = caller or cluster
        answer = Client(self.app).post(
            f"/{injector}/inject/cluster/{cluster}",
            data=SENT.body,
            headers={
                "Content-Type": "application/json",
                "Authorization": f"Bearer token-of-{caller}",
            },
            environ_base={"REMOTE_ADDR": f"192.0.2.{CLUSTERS.index(caller)}"},
        )
        return answer.status_code, json.loads(answer.data)


def _change(world: FleetFixture, ended: Event) -> int:
    for number in count(2):
        for injector in INJECTORS:
            world.change(injector, number)
        if ended.wait(0.01):
            return number
    raise AssertionError


def _check(world: FleetFixture, injector: str, cluster: str, path: str | None = None) -> str:
    """One review from one pair, with any cluster in its path; the version that answered."""
    status, body = world.review(injector, path or cluster, cluster)
    assert status == 200, body
    told = body["response"]["auditAnnotations"]
    version = told["policy-version"]
    digest = world.known[injector, version]
    assert told["decision"] == ("skip" if cluster == OFF else "inject")
    assert told["bundle"] == (world.pinned if cluster == PINNED else digest)
    if cluster != OFF:
        image = "pinned" if cluster == PINNED else f"{injector}-{version}"
        assert _applied_versions(body) == (
            f"{injector}-{version}",
            f"registry.example.com/proxy:{image}",
        )
    return version


def _applied_versions(body: Any) -> tuple[str, str]:
    """What the policy and what the bundle left in the pod."""
    before: Any = SENT.review["request"]
    operations = json.loads(base64.b64decode(body["response"]["patch"]))
    pod: Any = patch.apply(before["object"], operations)
    [proxy] = [each for each in pod["spec"]["containers"] if each["name"] == "istio-proxy"]
    return pod["metadata"]["annotations"]["example.com/policy"], proxy["image"]


def test_every_response_is_of_one_policy_and_the_bundle_that_it_names(tmp_path: Path) -> None:
    world, ended = FleetFixture(tmp_path), Event()
    for injector in INJECTORS:
        world.change(injector, 1)
    pairs = [*product(INJECTORS, CLUSTERS)] * ROUNDS

    def check(pair: tuple[str, str]) -> str:
        return _check(world, *pair)

    with ThreadPoolExecutor(1) as writer, ThreadPoolExecutor(8) as clusters:
        changed = writer.submit(_change, world, ended)
        try:
            seen = set(clusters.map(check, pairs))
        finally:
            ended.set()
    assert changed.result() > 2
    assert len(seen) > 2, "no policy changed meanwhile"


@pytest.mark.parametrize("read_by_newer", ["cluster-0", "cluster-1"])
def test_the_release_of_the_bundle_alone_reads_the_path(read_by_newer: str, tmp_path: Path) -> None:
    """Istio 1.8 reads the path as no later release does; the caller stays the token's."""
    config = "policy: enabled\ntemplate: 'containers: [{name: istio-proxy, image: a/b}]'"
    values = '{"global": {"tag": "1.8.6"}}'
    manifest: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "istio-sidecar-injector"},
        "data": {"config": config, "values": values},
    }
    write_injector(tmp_path, files={"injector.json": json.dumps(manifest).encode()})
    admit(tmp_path, "cluster-0", "token-of-cluster-0")
    records: list[Any] = []
    store, callers = FolderStore(tmp_path), FolderCallers(tmp_path)
    client = Client(create_app(store, callers, auth=Auth.TOKEN, request_log=records.append))
    headers = {"Content-Type": "application/json", "Authorization": "Bearer token-of-cluster-0"}
    path = f"/inject/:ENV:cluster={read_by_newer}:ENV:x=/b/cluster/cluster-9"
    answer = client.post(path, data=SENT.body, headers=headers)
    body: Any = json.loads(answer.data)
    operations = json.loads(base64.b64decode(body["response"]["patch"]))
    variables = [
        each["value"]
        for operation in operations
        if isinstance(operation.get("value"), dict)
        for each in operation["value"].get("env", [])
        if each["name"] == "ISTIO_META_CLUSTER_ID"
    ]
    assert variables == ["cluster-9"]
    assert [record["cluster"] for record in records] == ["cluster-0"]


def test_the_token_alone_names_the_caller_whatever_the_path_states(tmp_path: Path) -> None:
    world = FleetFixture(tmp_path)
    for injector in INJECTORS:
        world.change(injector, 1)
    for injector, of, at in product(INJECTORS, CLUSTERS, CLUSTERS):
        _check(world, injector, of, at)
