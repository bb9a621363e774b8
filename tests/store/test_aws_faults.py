"""Every way in which AWS can fail, cold and warm, for both services, with what the cluster gets.

Cold, nothing is loaded yet: a failure of the world is 503, which kube-apiserver repeats, and one
of the operator's 500. Warm, the last good snapshot answers: every pod is injected whole, with a
warning that says why the configuration may be old.
"""

import json
from collections.abc import Callable, Generator
from dataclasses import dataclass
from time import monotonic
from typing import Any

import botocore.session
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.recorded import recorded
from podgraft import bundle
from podgraft.store import Book, Deadline, aws, direct, s3, sdk, ssm
from podgraft.store.cached import CachedStore
from podgraft.web import Auth, create_app
from store.aws_fault_proxy import Fault, FaultyAws, Service, faulty_aws

BUCKET, PREFIX, INJECTOR = "bundles-of-the-test", "bundles/", "istio"
PARAMETER = f"/podgraft/{INJECTOR}/policy"
REFRESH_SECONDS = 30.0

ENVIRONMENT = {
    "AWS_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_SESSION_TOKEN": "test",
}

BUNDLE = {
    "injector.yaml": json.dumps(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "istio-sidecar-injector"},
            "data": {
                "config": "policy: enabled\ntemplates:\n  sidecar: |\n    spec:\n"
                "      containers:\n      - name: istio-proxy\n        image: proxy:1\n",
                "values": json.dumps({"global": {"proxy": {"image": "proxy"}, "tag": "1.30.0"}}),
            },
        }
    ).encode()
}
NEXT = {"injector.yaml": BUNDLE["injector.yaml"].replace(b"proxy:1", b"proxy:2")}
GONE = bundle.digest({"injector.yaml": b"was deleted"})
BROKEN = {"injector.yaml": b"apiVersion: [v1\n"}


@dataclass
class World:
    """AWS with a bundle and a policy in it, and a function that reads them."""

    faulty: FaultyAws
    ssm: Any
    s3: Any
    way: str
    later: float = 0.0

    def clock(self) -> float:
        """Real time, so that patience ends, plus what a test lets pass."""
        return monotonic() + self.later

    def put_bundle(self, files: dict[str, bytes], digest: str | None = None) -> str:
        """Store a bundle under its digest, or under another's."""
        digest = digest or bundle.digest(files)
        for path, content in files.items():
            key = f"{PREFIX}{INJECTOR}/{digest.removeprefix('sha256:')}/{path}"
            self.s3.put_object(Bucket=BUCKET, Key=key, Body=content)
        return digest

    def put_policy(self, text: str) -> None:
        """Store a version of the policy."""
        self.ssm.put_parameter(Name=PARAMETER, Value=text, Type="String", Overwrite=True)

    def function(self) -> FlaskClient:
        """A cold function."""
        parameter_store, object_store = self._clients()
        parameters = ssm.Parameters(parameter_store, "/podgraft")
        bundles = s3.Bundles(object_store, BUCKET, PREFIX)
        store = CachedStore(parameters, bundles, REFRESH_SECONDS, self.clock)
        return create_app(store, _Nobody(), auth=Auth.NONE).test_client()

    def _clients(self) -> tuple[aws.ParameterStore, aws.ObjectStore]:
        if self.way == "direct":
            account = direct.account(ENVIRONMENT | {"AWS_ENDPOINT_URL": self.faulty.endpoint})
            assert account is not None
            return direct.Ssm(account), direct.S3(account)
        made = [_client(self.faulty, service, sdk.CONFIG) for service in ("ssm", "s3")]
        return sdk.Ssm(made[0]), sdk.S3(made[1])


class _Nobody:
    def callers(self, deadline: Deadline | None = None) -> Book:
        del deadline
        return Book({})


def _client(faulty: FaultyAws, service: str, config: Any = None) -> Any:
    return botocore.session.get_session().create_client(
        service,
        region_name="eu-central-1",
        endpoint_url=faulty.endpoint,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=config,
    )


@pytest.fixture(scope="module")
def faulty() -> Generator[FaultyAws]:
    """One AWS for the module."""
    with faulty_aws() as running:
        yield running


@pytest.fixture(params=["direct", "sdk"])
def world(faulty: FaultyAws, request: pytest.FixtureRequest) -> Generator[World]:
    """A bundle in S3 and a policy that names it; everything works until a test says otherwise."""
    faulty.faults.clear()
    made = World(faulty, _client(faulty, "ssm"), _client(faulty, "s3"), request.param)
    made.s3.create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
    )
    made.put_policy(f"bundle: {made.put_bundle(BUNDLE)}\n")
    yield made
    faulty.faults.clear()
    for entry in made.s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        made.s3.delete_object(Bucket=BUCKET, Key=entry["Key"])
    made.s3.delete_bucket(Bucket=BUCKET)
    _delete_policy(made)


def _delete_policy(world: World) -> None:
    world.ssm.delete_parameters(Names=[PARAMETER])


def _review(function: FlaskClient) -> TestResponse:
    request = recorded("01-deployment-pod")
    return function.post(
        f"/{INJECTOR}/inject?timeout=10s",
        data=request.body,
        headers={"Content-Type": "application/json"},
    )


def _injected(answer: TestResponse) -> bool:
    return answer.status_code == 200 and bool(answer.get_json()["response"].get("patch"))


# What makes each fault, and the status of a cold review that meets it.
Make = Callable[[World], object]


def _failing(service: Service, fault: Fault) -> Make:
    return lambda world: world.faulty.faults.update({service: fault})


def _wrong_digest(world: World) -> None:
    world.put_policy(f"bundle: {world.put_bundle(BUNDLE, bundle.digest(NEXT))}\n")


def _invalid_bundle(world: World) -> None:
    world.put_policy(f"bundle: {world.put_bundle(BROKEN)}\n")


def _deleted_bundle(world: World) -> None:
    world.put_policy(f"bundle: {GONE}\n")


CASES: tuple[tuple[str, Make, int], ...] = (
    *(
        (f"{s} {f}", _failing(s, f), 500 if f is Fault.DENIED else 503)
        for s in Service
        for f in Fault
    ),
    ("s3 wrong digest", _wrong_digest, 500),
    ("s3 invalid YAML", _invalid_bundle, 500),
    ("s3 bundle deleted", _deleted_bundle, 500),
    ("ssm invalid YAML", lambda world: world.put_policy("policy: ["), 500),
    ("ssm parameter deleted", _delete_policy, 404),
)
IDS = [name for name, _, _ in CASES]


@pytest.mark.parametrize(("_name", "make", "status"), CASES, ids=IDS)
def test_cold(world: World, _name: str, make: Make, status: int) -> None:
    """The call fails with the status that says whose fault it is, soon enough to be repeated."""
    make(world)
    function = world.function()
    answer = _review(function)
    assert answer.status_code == status, answer.get_json()
    assert answer.get_json()["kind"] == "Status"
    assert (answer.headers.get("Retry-After") == "1") == (status == 503)


@pytest.mark.parametrize(("_name", "make", "status"), CASES, ids=IDS)
def test_warm(world: World, _name: str, make: Make, status: int) -> None:
    """The last good snapshot goes on answering, says why, and gives way to the next good one."""
    del status
    function = world.function()
    assert _injected(_review(function))
    if "s3" in _name:  # the bucket is asked only for a bundle that is not loaded yet
        world.put_policy(f"bundle: {world.put_bundle(NEXT)}\n")
    make(world)
    world.later += REFRESH_SECONDS
    answer = _review(function)
    assert _injected(answer)
    assert any("older configuration" in text for text in answer.get_json()["response"]["warnings"])

    world.faulty.faults.clear()
    world.put_policy(f"bundle: {world.put_bundle(NEXT)}\npolicy: enabled\n")
    world.later += REFRESH_SECONDS
    answer = _review(function)
    assert _injected(answer)
    assert "warnings" not in answer.get_json()["response"]


def test_a_service_that_hangs_is_asked_once(world: World) -> None:
    """One attempt is all that patience leaves time for."""
    world.faulty.faults.update(dict.fromkeys(Service, Fault.TIMEOUT))
    world.faulty.calls.clear()
    answer = _review(world.function())
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert world.faulty.calls == [Service.SSM]


def test_a_fresh_snapshot_asks_nothing_of_the_network(world: World) -> None:
    """Only the first of many reviews reads anything."""
    function = world.function()
    _review(function)
    world.faulty.calls.clear()
    for _ in range(5):
        assert _injected(_review(function))
    assert world.faulty.calls == []


def test_an_unchanged_policy_reads_no_bundle(world: World) -> None:
    """A refresh that finds the same version is one call to Parameter Store."""
    function = world.function()
    _review(function)
    world.faulty.calls.clear()
    world.later += REFRESH_SECONDS
    _review(function)
    assert world.faulty.calls == [Service.SSM]


def test_a_refused_version_is_compiled_once(world: World) -> None:
    """Until the parameter changes again, a refresh reads no bundle for it."""
    function = world.function()
    _review(function)
    _invalid_bundle(world)
    for expected in ([Service.SSM, Service.S3, Service.S3], [Service.SSM]):
        world.faulty.calls.clear()
        world.later += REFRESH_SECONDS
        assert _injected(_review(function))
        assert world.faulty.calls == expected
