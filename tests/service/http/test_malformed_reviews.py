"""Reviews with anything anywhere: the caller's fault or the object's, and never ours.

``PODGRAFT_MALFORMED_REVIEWS`` sets how many are sent; the suite sends a few thousand.
"""

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from werkzeug.test import Client

from podgraft.base.jsonvalue import JSON
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.effort import scaled

SAMPLES = Path(__file__).parents[3] / "samples"
BUNDLES = sorted(
    str(path.parent.relative_to(SAMPLES)) for path in SAMPLES.glob("**/bundle") if path.is_dir()
)
REVIEWS = int(os.environ.get("PODGRAFT_MALFORMED_REVIEWS", scaled(3000)))
ROUTES = ("inject", "mutate", "validate")

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "p",
        "namespace": "shop",
        "labels": {"app": "web"},
        "annotations": {"logging.example.com/path": "/var/log"},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1"}],
        "creationTimestamp": None,
    },
    "spec": {
        "containers": [
            {
                "name": "app",
                "image": "nginx",
                "env": [{"name": "A", "value": "b"}],
                "ports": [{"containerPort": 80}],
                "resources": {"limits": {"cpu": "1"}},
                "volumeMounts": [{"name": "v", "mountPath": "/v"}],
            }
        ],
        "volumes": [{"name": "v", "emptyDir": {}}],
    },
}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d", "namespace": "shop"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD["spec"]},
    },
}
WIDGET: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "namespace": "shop", "labels": {}, "annotations": {}},
    "spec": {"size": 3},
}
RESOURCES = {
    "Pod": ("", "pods"),
    "Deployment": ("apps", "deployments"),
    "Widget": ("example.com", "widgets"),
}
ODD: tuple[JSON, ...] = (
    None,
    True,
    0,
    -1,
    5,
    1.5,
    2**70,
    "",
    "x",
    "a: [",
    "\u2028{{",
    [],
    ["a"],
    [None],
    [[]],
    {},
    {"a": 1},
    {"": None},
    {"name": ["a"]},
)


def review(object_: dict[str, Any]) -> dict[str, Any]:
    group, resource = RESOURCES[object_["kind"]]
    kind = {"group": group, "version": "v1", "kind": object_["kind"]}
    request = {
        "uid": "u",
        "kind": kind,
        "resource": {"group": group, "version": "v1", "resource": resource},
        "namespace": "shop",
        "operation": "CREATE",
        "userInfo": {"username": "a", "groups": ["b"]},
        "object": object_,
        "oldObject": None,
        "dryRun": False,
        "options": None,
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a document."""
    members: Any = ()
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        members = enumerate(cast("list[Any]", value))
    for step, child in members:
        yield (*path, step)
        yield from places(child, (*path, step))


def changed(document: dict[str, Any], path: tuple[Any, ...], value: JSON, how: str) -> None:
    """Put a value in a place, take the place away, or add a member beside."""
    *above, last = path
    holder: Any = document
    for step in above:
        holder = holder[step]
    if how == "remove":
        del holder[last]
    elif how == "add" and isinstance(holder, dict):
        holder[f"{last}x"] = value
    elif how == "double" and isinstance(holder, list):
        cast("list[Any]", holder).append(value)
    else:
        holder[last] = value


def malformed(chance: random.Random) -> dict[str, Any]:
    """A review with one, two or three odd values, most of them in the object."""
    document = copy.deepcopy(review(chance.choice((POD, POD, DEPLOYMENT, WIDGET))))
    for _ in range(chance.choice((1, 1, 2, 3))):
        # Without a resource a review is one of pods, which contradicts another kind.
        every = [path for path in places(document) if path[:2] != ("request", "resource")]
        deep = [path for path in every if path[:2] == ("request", "object")]
        path = chance.choice(deep if deep and chance.random() < 0.85 else every)
        how = chance.choice(("replace", "replace", "replace", "remove", "add", "double"))
        changed(document, path, copy.deepcopy(chance.choice(ODD)), how)
    return document


@pytest.fixture(scope="module")
def clients() -> dict[str, Client]:
    """An application for each of the samples."""
    made: dict[str, Client] = {}
    for name in BUNDLES:
        folder = (SAMPLES / name).parent
        app = create_app(
            FolderStore(folder), FolderCallers(folder), auth=Auth.NONE, request_log=lambda _: None
        )
        made[name] = Client(app)
    return made


def post(clients: dict[str, Client], sample: str, route: str, body: Any) -> tuple[int, Any]:
    response = clients[sample].post(
        f"/{Path(sample).name}/{route}",
        data=json.dumps(body),
        headers={"Content-Type": "application/json"},
    )
    return response.status_code, json.loads(response.data)


def test_no_malformed_review_is_a_failure(clients: dict[str, Client]) -> None:
    chance = random.Random(20261122)  # noqa: S311  reproducible on purpose
    for number in range(REVIEWS):
        document = malformed(chance)
        sample, route = chance.choice(BUNDLES), chance.choice(ROUTES)
        code, answer = post(clients, sample, route, document)
        assert code in {200, 400, 404}, (number, sample, route, json.dumps(document), answer)


def pod(**edits: Any) -> dict[str, Any]:
    made = copy.deepcopy(POD)
    for path, value in edits.items():
        holder: Any = made
        *above, last = [int(step) if step.isdigit() else step for step in path.split("__")]
        for step in above:
            holder = holder[step]
        if value is ...:
            del holder[last]
        else:
            holder[last] = value
    return made


REFUSED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("metadata is text", "datadog-env", pod(metadata="x")),
    ("spec is text", "datadog-env", pod(spec="x")),
    ("a container is a boolean", "datadog-env", pod(spec__containers=[True])),
    ("containers are text", "datadog-env", pod(spec__containers="x")),
    ("a variable is a number", "datadog-env", pod(spec__containers__0__env=[5])),
    ("labels are a list", "datadog-env", pod(metadata__labels=["a"])),
    ("kind is a list", "datadog-env", pod(kind=["Pod"])),
    ("a version is a list", "datadog-env", pod(apiVersion=["v1"])),
    ("a name is a number", "datadog-env", pod(spec__containers__0__name=5)),
    ("no metadata", "logging", pod(metadata=...)),
    ("no spec", "logging", pod(spec=...)),
    ("annotations are text", "logging", pod(metadata__annotations="a")),
)


@pytest.mark.parametrize(("name", "sample", "object_"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_does_not_decode_is_refused_as_by_inject(
    name: str, sample: str, object_: dict[str, Any], clients: dict[str, Client]
) -> None:
    body = review(POD)
    body["request"]["object"] = object_
    code, answer = post(clients, sample, "mutate", body)
    assert (code, answer["response"]["allowed"]) == (200, False), (name, answer)
    assert answer["response"]["status"]["message"].startswith("object"), name
    injected = post(clients, sample, "inject", body)[1]["response"]
    if isinstance(object_.get("kind"), str) and isinstance(object_.get("apiVersion"), str):
        assert injected["status"] == answer["response"]["status"], name


@pytest.mark.parametrize("route", ["inject", "mutate"])
@pytest.mark.parametrize("field", ["annotations", "labels", "ownerReferences", "finalizers"])
@pytest.mark.parametrize("sample", ["logging", "datadog-env"])
def test_null_metadata_is_absent(
    sample: str, field: str, route: str, clients: dict[str, Client]
) -> None:
    null, absent = review(copy.deepcopy(POD)), review(copy.deepcopy(POD))
    null["request"]["object"]["metadata"][field] = None
    absent["request"]["object"]["metadata"].pop(field, None)
    answers = [post(clients, sample, route, body) for body in (null, absent)]
    assert answers[0] == answers[1]
    assert (answers[0][0], answers[0][1]["response"]["allowed"]) == (200, True)
