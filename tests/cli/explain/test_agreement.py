"""What explain reports is what the webhook answers, for every sample: through both front doors.

The webhook is the Flask application over ``samples/``, called with bytes in the order in which
kube-apiserver calls; explain is called as a command with the same objects in a file.
"""

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from werkzeug.test import Client

from cli.explain import generated
from podgraft import cli
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.kube import patch, yaml
from podgraft.kube.matching import constraints
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.effort import scaled

SAMPLES = Path(__file__).parents[3] / "samples"
INPUTS = sorted(SAMPLES.glob("*/input.*.yaml"))
INJECTORS = sorted({path.parent.name for path in INPUTS})
SEED, PODS, DEPLOYMENTS = 20261122, scaled(1000, by=10), scaled(50)

STATUSES = {"injected": 0, "changed": 0, "skipped": 3, "denied": 4, "failed": 1}
# The verdict that a decision of the webhook amounts to, in the order in which the first counts.
VERDICTS = {"fail": "failed", "deny": "denied", "inject": "injected", "mutate": "changed"}

# Sends an object's review to a route of an injector: its HTTP status, and the response.
Send = Callable[[str, str, Object], tuple[int, Object]]


@pytest.fixture(scope="module")
def send(tmp_path_factory: pytest.TempPathFactory) -> Send:
    """The webhook, without credentials."""
    callers = FolderCallers(tmp_path_factory.mktemp("callers"))
    store = FolderStore(SAMPLES, seconds=3600)
    app = create_app(store, callers, auth=Auth.NONE, request_log=lambda _: None, clock=lambda: 0.0)
    client = Client(app)

    def sent(injector: str, route: str, value: Object) -> tuple[int, Object]:
        reply = client.post(
            f"/{injector}/{route}", data=review_of(value), content_type="application/json"
        )
        body: Object = json.loads(reply.data)
        return reply.status_code, object_at(body, "response")

    return sent


def review_of(value: Object) -> bytes:
    """The AdmissionReview of the object's creation, with the namespace that kube-apiserver sets."""
    namespace = string_at(object_at(value, "metadata"), "namespace") or "default"
    value = {**value, "metadata": {**object_at(value, "metadata"), "namespace": namespace}}
    request = constraints.make_create_request(value, namespace)
    review: Object = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    return json.dumps(review | {"request": {**request.raw, "uid": "1", "object": value}}).encode()


@cache
def served(injector: str) -> tuple[str, ...]:
    bundle = FolderStore(SAMPLES).snapshot(injector, None).bundle
    parts = {
        "inject": bundle.pod_mutators,
        "mutate": bundle.object_mutators,
        "validate": bundle.validators,
    }
    return tuple(route for route, some in parts.items() if some)


def called(injector: str, value: Object, send: Send) -> Iterator[Object]:
    """What each route answers, in kube-apiserver's order, up to the one that ends the request.

    Those routes are called that the bundle serves, as a registration of it names them.
    """
    for route in served(injector):
        if route == "inject" and value["kind"] != "Pod":
            continue
        status, response = send(injector, route, value)
        audit, refusal = object_at(response, "auditAnnotations"), object_at(response, "status")
        yield {
            "route": route,
            "decision": audit.get("decision", "fail"),
            "reason": audit.get("reason", "operator"),
            "allowed": response.get("allowed"),
            "changed": "patch" in response,
            "code": refusal.get("code"),
            "message": refusal.get("message", ""),
            "warnings": response.get("warnings", []),
        }
        if status != 200 or not response["allowed"]:
            return
        changes = base64.b64decode(string_at(response, "patch")) or b"[]"
        after = patch.apply(value, json.loads(changes))
        assert isinstance(after, dict)
        value = after


def verdict(answers: Sequence[Object]) -> str:
    decisions = [answer["decision"] for answer in answers]
    return next((word for key, word in VERDICTS.items() if key in decisions), "skipped")


def explained(path: Path, sample: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, JSON]:
    """The exit status of the command, and what it prints."""
    folder = SAMPLES / sample
    options = ["--config", str(folder)]
    status = cli.main(["explain", "-f", str(path), *options, "--output", "json"])
    return status, json.loads(capsys.readouterr().out)


def compare(told: JSON, value: Object, answers: Sequence[Object]) -> None:
    """The reviews of the object itself are the webhook's responses."""
    assert isinstance(told, dict)
    own = object_at(value, "metadata")
    name = f"{value['kind']}/{own.get('name') or own.get('generateName')}"
    reviews = told["reviews"]
    assert isinstance(reviews, list)
    assert [without(review, "object") for review in reviews if is_of(review, name)] == answers


def without(value: JSON, left_out: str) -> Object:
    assert isinstance(value, dict)
    return {key: each for key, each in value.items() if key != left_out}


def is_of(review: JSON, name: str) -> bool:
    return isinstance(review, dict) and review["object"] == name


@pytest.mark.parametrize("path", INPUTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_input_of_a_sample_has_the_webhooks_verdict(
    path: Path, send: Send, capsys: pytest.CaptureFixture[str]
) -> None:
    value = yaml.load(path.read_text())
    assert isinstance(value, dict)
    answers = [*called(path.parent.name, value, send)]
    status, told = explained(path, path.parent.name, capsys)

    compare(told, value, answers)
    assert isinstance(told, dict)
    assert told["verdict"] == verdict(answers)
    assert status == STATUSES[verdict(answers)]


@pytest.mark.parametrize("path", INPUTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_input_of_a_sample_agrees_with_its_golden(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The routes that explain does not call, for which the bundle has nothing, change nothing."""
    golden = json.loads((path.parent / f"want.{path.name.split('.')[1]}.json").read_text())
    _, told = explained(path, path.parent.name, capsys)

    assert isinstance(told, dict)
    name = string_at(told, "subject").split(" in ")[0]
    reviews = {
        string_at(each, "route"): without(each, "object")
        for each in objects_at(told, "reviews")
        if is_of(each, name)
    }
    for route, expected in golden.items():
        if route in reviews:
            assert reviews[route]["decision"] == expected["audit"]["decision"]
            assert reviews[route]["allowed"] == expected["allowed"]
            assert reviews[route]["message"] == expected.get("status", {}).get("message", "")
        else:
            assert (expected["allowed"], "patch" in expected) == (True, False)


@pytest.mark.parametrize("injector", INJECTORS)
def test_generated_pods_have_the_webhooks_verdict(
    injector: str, send: Send, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = Random(SEED)  # noqa: S311 - the same pods each time
    pods = [generated.pod(random, number) for number in range(PODS)]
    deployments = [generated.deployment(random, number) for number in range(DEPLOYMENTS)]
    items: list[JSON] = [*pods, *deployments]
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    status, told = explained(path, injector, capsys)

    assert isinstance(told, list)
    assert len(told) == len(items)
    met: Counter[str] = Counter()
    for one, value in zip(told, [*pods, *deployments], strict=True):
        answers = [*called(injector, value, send)]
        compare(one, value, answers)
        assert isinstance(one, dict)
        if value["kind"] == "Pod":
            assert one["verdict"] == verdict(answers), value
            met[str(one["verdict"])] += 1
    worst = next(word for word in ("failed", "denied", "skipped") if met[word])
    assert status == STATUSES[worst]
    assert len(met) > 1, met
