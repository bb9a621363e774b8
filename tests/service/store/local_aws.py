"""AWS with one injector in it that fails at will, and a function that reads it.

Time stands still but for the clients' own limits, which are far longer than any answer takes: no
test depends on how busy the machine is.
"""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import botocore.session
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from podgraft.base import deadline, system
from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON
from podgraft.core import bundle
from podgraft.service.http import Auth, create_app
from podgraft.service.store import CallerRegistry
from podgraft.service.store.aws import clients, s3, ssm
from podgraft.service.store.aws.store import CachedStore
from service.store.aws_fault_proxy import Fault, FaultyAws, Service
from support.patience import GENEROUS_SECONDS, PATIENT_CONFIG
from support.recorded_requests import load_request

BUCKET, PREFIX, INJECTOR = "bundles-of-the-test", "bundles/", "istio"
PARAMETER = f"/podgraft/{INJECTOR}/policy"
REFRESH_SECONDS = 30.0
LITTLE_SECONDS = 0.3
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
    patch: pytest.MonkeyPatch
    records: list[Mapping[str, JSON]]
    now: float = 0.0
    deferred: bool = True

    def clock(self) -> float:
        """Time that stands still until a test lets it pass, however busy the machine is."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """The pause before another try: nearly all of the patience that there is."""
        del seconds
        self.now += GENEROUS_SECONDS - LITTLE_SECONDS

    def fail(self, service: Service, fault: Fault) -> None:
        """Let a service fail. Only for one that hangs, the clients wait for a short time."""
        self.faulty.faults[service] = fault
        if fault is Fault.TIMEOUT:
            self.limits(LITTLE_SECONDS)

    def limits(self, seconds: float) -> None:
        """How long one review waits for AWS, by the clock of the machine."""
        self.patch.setattr(deadline, "MAX_WAIT_SECONDS", seconds)

    def mend(self) -> None:
        """Let all services answer."""
        self.faulty.faults.clear()
        self.limits(GENEROUS_SECONDS)

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

    def delete_policy(self) -> None:
        """Delete the parameter, and so all its versions."""
        self.ssm.delete_parameters(Names=[PARAMETER])

    def function(self) -> FlaskClient:
        """A cold function."""
        made = [_client(self.faulty.endpoint, service, PATIENT_CONFIG) for service in ("ssm", "s3")]
        parameters = ssm.ParameterReader(clients.Ssm(made[0]), "/podgraft")
        bundles = s3.BundleReader(clients.S3(made[1]), BUCKET, PREFIX)
        store = CachedStore(
            parameters, bundles, REFRESH_SECONDS, self.clock, deferred=self.deferred
        )
        app = create_app(
            store, _Nobody(), auth=Auth.NONE, request_log=self.records.append, clock=self.clock
        )
        return app.test_client()


class _Nobody:
    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        return CallerRegistry({})


@cache
def _client(endpoint: str, service: str, config: Any = None) -> Any:
    """A client of botocore's; making one takes longer than all that a test does with it."""
    return botocore.session.get_session().create_client(
        service,
        region_name="eu-central-1",
        endpoint_url=endpoint,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=config,
    )


def _clients(faulty: FaultyAws) -> tuple[Any, Any]:
    return _client(faulty.endpoint, "ssm"), _client(faulty.endpoint, "s3")


@contextmanager
def aws_world(faulty: FaultyAws) -> Generator[World]:
    """A bundle in S3 and a policy that names it; everything works until a test says otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        world = World(faulty, *_clients(faulty), patch, [])
        patch.setattr(system, "sleep", world.sleep)
        world.mend()
        world.s3.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        world.put_policy(f"bundle: {world.put_bundle(BUNDLE)}\n")
        try:
            yield world
        finally:
            faulty.faults.clear()
            for entry in world.s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
                world.s3.delete_object(Bucket=BUCKET, Key=entry["Key"])
            world.s3.delete_bucket(Bucket=BUCKET)
            world.delete_policy()


def review(function: FlaskClient) -> TestResponse:
    request = load_request("01-deployment-pod")
    return function.post(
        f"/{INJECTOR}/inject?timeout=600s",
        data=request.body,
        headers={"Content-Type": "application/json"},
    )


def is_injected(answer: TestResponse) -> bool:
    return answer.status_code == 200 and bool(answer.get_json()["response"].get("patch"))
