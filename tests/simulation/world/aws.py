"""AWS below botocore: a request of a real client becomes a call of a model.

Serializers, parsers, and retries of botocore stay real. Only the event before-send is
answered here, after a virtual delay, and with the faults of the weather.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import boto3
import botocore.endpoint
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError, ConnectTimeoutError, ReadTimeoutError
from botocore.retries import quota, standard

from simulation.attributes import replace_attributes
from simulation.baton import Baton
from simulation.dice import Dice
from simulation.ledger import Ledger
from simulation.names import CENSUS, PREFIX
from simulation.plan import Plan

from .bucket import Bucket
from .keys import KeyModel
from .objects import ObjectModel
from .parameters import ParameterModel
from .responses import AwsError, encode_error, encode_json, make_response
from .tape import Tape
from .weather import Fault, Weather

SERVICES = ("ssm", "s3", "kms", "cloudformation")
_SESSION: Any = boto3.session.Session
ENVIRONMENT_SECONDS = 0.8  # the timeouts of a client that names a configuration
COMMAND_SECONDS = 60.0  # botocore's default
CPU_PER_BYTE = 291e-9  # of a load; code runs in no virtual time, so it is charged with the object
READS = ("GetParameters", "GetParametersByPath")
READS_PER_SECOND = 40.0  # of an account, without higher throughput


class Aws:
    """The services of one run."""

    current: Aws | None = None

    def __init__(self, plan: Plan, baton: Baton, dice: Dice, ledger: Ledger, start: float) -> None:
        self.parameters = ParameterModel(start)
        self.objects = ObjectModel(start)
        self.records = ObjectModel(start)
        self.keys = KeyModel(plan.seed)
        self.weather = Weather(plan, dice)
        limit = READS_PER_SECOND / plan.sample
        self._reads = Bucket(limit, limit) if "fleet" in plan.features else None
        self._baton, self._dice, self._ledger = baton, dice, ledger

    def wait(self, seconds: float) -> None:
        """Wait before a retry."""
        self._baton.wait(seconds)

    def random(self) -> float:
        """Return a number from 0 to 1, for the pause before a retry."""
        node = self._baton.current.node
        return self._dice.unit(f"{node.name}/retry/{node.calls}")

    def answer(self, service: str, operation: str, request: Any, *, patient: bool) -> Any:
        """Return the response to a request, or raise an error of the HTTP client."""
        tape: Tape | None = self._baton.current.node.tape
        if tape is None:
            return self._answer(service, operation, request, patient=patient)
        return tape.answer(
            operation,
            request,
            lambda: self._answer(service, operation, request, patient=patient),
        )

    def _answer(self, service: str, operation: str, request: Any, *, patient: bool) -> Any:
        baton, node = self._baton, self._baton.current.node
        node.calls += 1
        path = f"{node.name}/call/{node.calls}"
        if node.killed_at_call == node.calls:
            self._ledger.add(node.name, "killed", before=f"{service}:{operation}")
            baton.die()
        began = baton.now
        fault = self.weather.find_fault(service, operation, node.name, path, baton.now)
        if self._reads and operation in READS and not self._reads.takes(baton.now):
            fault = Fault("throttle")
        if service in node.dead:
            node.dead.discard(service)
            self._note(operation, "reset", _names=_read_names(service, request), began=began)
            raise ConnectionClosedError(endpoint_url=request.url)
        limit = COMMAND_SECONDS if patient else ENVIRONMENT_SECONDS
        delay = self._dice.scale(f"{path}/delay", 0.004, 0.08) * fault.slowness
        if fault.kind == "timeout" or delay > limit:
            self._wait_in_vain(service, operation, request, limit, fault)
        baton.wait(delay)
        if node.killed_at_call == -node.calls:
            with suppress(AwsError):
                self._apply(service, operation, request, fault)
            self._ledger.add(node.name, "killed", after=f"{service}:{operation}")
            baton.die()
        return self._respond(service, operation, request, fault, (limit, began))

    def _wait_in_vain(
        self, service: str, operation: str, request: Any, limit: float, fault: Fault
    ) -> None:
        began = self._baton.now
        self._baton.wait(limit)
        self._note(operation, "timeout", _names=_read_names(service, request), began=began)
        if fault.kind == "timeout":
            raise ConnectTimeoutError(endpoint_url=request.url)
        raise ReadTimeoutError(endpoint_url=request.url)

    def _respond(
        self,
        service: str,
        operation: str,
        request: Any,
        fault: Fault,
        times: tuple[float, float],
    ) -> Any:
        """Return the response; *times* are the limit of the client, and when it sent."""
        url, (limit, began) = request.url, times
        names = _read_names(service, request)
        error = fault.make_error(service)
        if error is not None:
            self._note(operation, error.code, _names=names, began=began)
            body, headers = encode_error(service, error)
            return make_response(url, error.status, body, headers)
        try:
            status, body, headers, note = self._apply(service, operation, request, fault)
        except AwsError as failure:
            self._note(operation, failure.code, _names=names, began=began)
            body, headers = encode_error(service, failure)
            return make_response(url, failure.status, body, headers)
        if fault.kind == "lost":
            self._baton.wait(limit)
            self._note(operation, "lost", _names=names, began=began)
            raise ReadTimeoutError(endpoint_url=url)
        if fault.kind == "truncated" and len(body) > 1:
            body, note = body[: len(body) // 2], {**note, "result": "truncated"}
        if fault.kind == "damaged" and operation == "GetObject" and b"proxy:b" in body:
            body, note = body.replace(b"proxy:b", b"proxy:x"), {**note, "result": "damaged"}
        seconds = self._baton.now - began
        self._note(operation, _names=names, seconds=seconds, began=began, **note)
        if operation == "GetObject":
            self._baton.wait(len(body) * CPU_PER_BYTE)
        return make_response(url, status, body, headers)

    def _note(self, operation: str, result: str = "ok", **facts: Any) -> None:
        self._ledger.add(
            self._baton.current.node.name, "aws", operation=operation, result=result, **facts
        )

    def _apply(
        self, service: str, operation: str, request: Any, fault: Fault
    ) -> tuple[int, bytes, dict[str, str], Any]:
        now, node = self._baton.now, self._baton.current.node
        if service == "s3":
            is_record = f"//{CENSUS}." in request.url
            model = self.records if is_record else self.objects
            status, body, headers = model.call(operation, request, now)
            note: dict[str, Any] = {
                "key": request.url.split("?")[0].rpartition(".amazonaws.com/")[2]
            }
            stored = model.objects.get(note["key"])
            content = stored.content if stored else b""
            if is_record and operation == "PutObject":
                self._ledger.add("aws/s3", "record", by=node.name, _content=content, **note)
            elif not is_record and operation in {"PutObject", "DeleteObject"}:
                self._ledger.add(
                    "aws/s3", "store", operation=operation, by=node.name, _content=content, **note
                )
            return status, body, headers, note
        if service == "cloudformation":
            raise AwsError("ValidationError")  # nobody deployed the function with a stack
        given = json.loads(request.body)
        if service == "kms":
            response = self.keys.call(operation, given)
            if operation == "Sign":
                key, digest = given["KeyId"], given["Message"]
                self._ledger.add("aws/kms", "sign", by=node.name, key=key, digest=digest)
            body, headers = encode_json(response)
            return 200, body, headers, {}
        given["_lag"] = fault.lag if operation in READS else 0.0
        given["_undecryptable"] = fault.kind == "undecryptable" and operation in READS
        response = self.parameters.call(operation, given, now, node.name.replace("/", "-"))
        body, headers = encode_json(response)
        self._record_write(operation, given, response)
        return 200, body, headers, _describe_parameters(operation, given, response)

    def _record_write(self, operation: str, given: dict[str, Any], response: Any) -> None:
        if operation not in {"PutParameter", "DeleteParameter"}:
            return
        self._ledger.add(
            "aws/ssm",
            "parameter",
            name=given["Name"].removeprefix(f"{PREFIX}/"),
            version=response.get("Version", 0),
            by=self._baton.current.node.name,
            _text=given.get("Value"),
        )


def _read_names(service: str, request: Any) -> list[str]:
    """Return the parameters that a request names."""
    names: list[str] = json.loads(request.body).get("Names", []) if service == "ssm" else []
    return [name.removeprefix(f"{PREFIX}/") for name in names]


def _describe_parameters(operation: str, given: dict[str, Any], response: Any) -> dict[str, Any]:
    """Return what a read delivered: the versions by name."""
    if operation == "GetParameterHistory":
        return {"history": max(each["Version"] for each in response["Parameters"])}
    if operation not in READS:
        return {"name": given.get("Name", "").removeprefix(f"{PREFIX}/")}
    versions = {
        each["Name"].removeprefix(f"{PREFIX}/"): each["Version"] for each in response["Parameters"]
    }
    more = "NextToken" in response
    return {"versions": versions, "_texts": response["Parameters"], "_more": more}


def _draw() -> float:
    assert Aws.current is not None
    return Aws.current.random()


def _choose_no_signer(**_: Any) -> Any:
    return UNSIGNED


class _Backoff(standard.ExponentialBackoff):
    """The pauses between retries, with the random numbers of the run."""

    def __init__(self, **options: Any) -> None:
        super().__init__(random=_draw, **options)


class _Quotas:
    """The retries that each client has left. Each run starts with all of them."""

    def __init__(self) -> None:
        self.made: list[quota.RetryQuota] = []

    def RetryQuota(self) -> quota.RetryQuota:  # noqa: N802
        """Return the retries of a new client."""
        self.made.append(quota.RetryQuota())
        return self.made[-1]

    def fill(self) -> None:
        """Give each client all its retries."""
        for each in self.made:
            each.release(quota.RetryQuota.INITIAL_CAPACITY)


_QUOTAS = _Quotas()


@cache
def _open_session() -> Any:
    """Return the one session, which reads the models of a service once."""
    return _SESSION(
        aws_access_key_id="simulated",
        aws_secret_access_key="simulated",
        region_name="eu-central-1",
    )


@cache
def _make_client(service: str, *, patient: bool) -> Any:
    """Return a real client of botocore whose requests the current run answers."""
    short = Config(
        connect_timeout=0.5,
        read_timeout=ENVIRONMENT_SECONDS,
        retries={"total_max_attempts": 1},
        parameter_validation=False,
    )
    with patch.multiple(standard, ExponentialBackoff=_Backoff, quota=_QUOTAS):
        client = _open_session().client(service, config=None if patient else short)

    def answer(request: Any, event_name: str, **_: Any) -> Any:
        assert Aws.current is not None, "a client of a run is used outside of it"
        operation = event_name.rpartition(".")[2]
        return Aws.current.answer(service, operation, request, patient=patient)

    client.meta.events.register(f"before-send.{service}", answer)
    # A signature and a new user agent for each request would take a third of its time, and no model
    # reads them.
    client.meta.events.register(f"choose-signer.{service}", _choose_no_signer)
    client.meta.events.unregister(
        f"request-created.{client.meta.service_model.service_id.hyphenize()}",
        client._user_agent_creator.rebuild_and_replace_user_agent_handler,
    )
    client._user_agent_creator = SimpleNamespace(to_string=lambda: "simulated")
    return client


@contextmanager
def use_aws(aws: Aws) -> Generator[None]:
    """Let boto3 return clients of this run, and let the retries of botocore wait virtually."""
    for service in SERVICES:
        for patient in (False, True):
            _make_client(service, patient=patient)

    def client(service: str, config: Any = None, **_: Any) -> Any:
        return _make_client(service, patient=config is None)

    def make_session(**_: Any) -> Any:
        return SimpleNamespace(client=client)

    replaced = [
        (boto3, "client", client),
        (boto3.session, "Session", make_session),
        (botocore.endpoint, "time", SimpleNamespace(sleep=aws.wait)),
    ]
    Aws.current = aws
    _QUOTAS.fill()
    try:
        with replace_attributes(replaced):
            yield
    finally:
        Aws.current = None
