"""Every sample works as it is: its tests pass, by ``podgraft test`` and over HTTP alike.

``samples/`` is a store: each folder is an injector. An input goes the way that kube-apiserver
would send it, to /inject if it is a pod, then what came of it to /mutate and to /validate, as far
as the bundle serves them. ``pytest --update-goldens`` writes the goldens with ``podgraft test``.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from podgraft import cli
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.explain.pod_source import to_explained_pod
from podgraft.cli.explain.webhooks import select_routes
from podgraft.core import review
from podgraft.core.review.results import ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission, patch, yaml
from podgraft.kube.matching import constraints
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore

SAMPLES = Path(__file__).parents[2] / "samples"
INPUTS = sorted(SAMPLES.glob("*/input.*.yaml"))
SAMPLE_FOLDERS = sorted({path.parent for path in INPUTS})
STORE = FolderStore(SAMPLES)

# Sends a review to a route of an injector and gives the AdmissionReview that answers.
Send = Callable[[str, str, bytes], Object]


def check_object(value: JSON) -> Object:
    assert isinstance(value, dict)
    return value


def review_with_engine(injector: str, route: str, body: bytes) -> Object:
    """The response of the engine."""
    ways = {"inject": review.inject, "mutate": review.mutate, "validate": review.validate}
    outcome = ways[route](
        ReviewContext(injector=injector).with_request(admission.decode(body)), STORE
    )
    assert isinstance(outcome, ReviewResponse), outcome
    return check_object(json.loads(admission.encode(outcome.response)))


@pytest.fixture(scope="module")
def review_over_http(tmp_path_factory: pytest.TempPathFactory) -> Send:
    """The response of the Flask application with the same store."""
    callers = FolderCallers(tmp_path_factory.mktemp("callers"))
    app = create_app(STORE, callers, auth=Auth.NONE, request_log=lambda _: None, clock=lambda: 0.0)
    client = Client(app)

    def send(injector: str, route: str, body: bytes) -> Object:
        answer = client.post(
            f"/{injector}/{route}?timeout=10s", data=body, content_type="application/json"
        )
        assert answer.status_code == 200, answer.text
        return check_object(json.loads(answer.data))

    return send


def make_review(value: Object) -> bytes:
    """The AdmissionReview of the object's creation."""
    request = constraints.make_create_request(value, "default")
    kind, resource = request.kind, request.resource
    return json.dumps(
        {
            "apiVersion": "admission.k8s.io/v1",
            "kind": "AdmissionReview",
            "request": {
                "uid": "1",
                "kind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
                "resource": {
                    "group": resource.group,
                    "version": resource.version,
                    "resource": resource.resource,
                },
                "operation": "CREATE",
                "name": request.name,
                "namespace": request.namespace,
                "object": value,
            },
        }
    ).encode()


def run_sample(path: Path, send: Send) -> dict[str, str]:
    """The goldens of one input: the response of each route, and the final object."""
    value = to_explained_pod(check_object(yaml.load(path.read_text())), "default").object
    name = path.name.removeprefix("input.").removesuffix(".yaml")
    said: Object = {}
    served = select_routes(STORE.snapshot(path.parent.name, None).bundle)
    routes = [each.route for each in served if each.route != "inject" or value["kind"] == "Pod"]
    for route in routes:
        response = check_object(send(path.parent.name, route, make_review(value))["response"])
        operations = patch_operations(response)
        said[route] = comparable_response(response, operations)
        value = check_object(patch.apply(value, operations))
        if not response["allowed"]:
            break
    return {
        f"want.{name}.json": json.dumps(said, indent=2, ensure_ascii=False) + "\n",
        f"want.{name}.yaml": yaml.dump(value),
    }


def patch_operations(response: Object) -> list[patch.Operation]:
    text = response.get("patch")
    return json.loads(base64.b64decode(text)) if isinstance(text, str) else []


def comparable_response(response: Object, operations: list[patch.Operation]) -> Object:
    """The visible part of a response, without values that change with every edit of the bundle."""
    audit = check_object(response.get("auditAnnotations", {}))
    kept: Object = {key: audit[key] for key in audit if key not in {"bundle", "policy-version"}}
    said: Object = {"allowed": response["allowed"], "audit": kept}
    if "status" in response:
        said["status"] = response["status"]
    if "warnings" in response:
        said["warnings"] = response["warnings"]
    if operations:
        said["patch"] = [dict(operation) for operation in operations]  # type: ignore[misc] - JSON
    return said


@pytest.mark.parametrize("sample", SAMPLE_FOLDERS, ids=lambda p: p.name)
def test_the_tests_of_a_sample_pass(
    sample: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    update = ["--update"] if request.config.getoption("--update-goldens") else []

    assert cli.main(["test", str(sample), *update]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", INPUTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_an_input_has_its_golden_output(path: Path, review_over_http: Send) -> None:
    got = run_sample(path, review_with_engine)

    assert got == run_sample(path, review_over_http)
    assert got == {name: (path.parent / name).read_text() for name in got}


@pytest.mark.parametrize("path", INPUTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_second_call_changes_nothing(path: Path) -> None:
    """The object that came out goes in again, as reinvocation may do."""
    _, name, _ = path.name.split(".")
    after = check_object(yaml.load((path.parent / f"want.{name}.yaml").read_text()))
    for route in ("inject", "mutate") if after["kind"] == "Pod" else ("mutate",):
        response = check_object(
            review_with_engine(path.parent.name, route, make_review(after))["response"]
        )
        assert not patch_operations(response)


@pytest.mark.parametrize("sample", SAMPLE_FOLDERS, ids=lambda p: p.name)
def test_a_sample_is_complete(sample: Path) -> None:
    """It is explained in three sentences, has a policy, and a test for each input and golden."""
    tests = (sample / "podgraft-test.yaml").read_text()
    explained = (sample / "README.md").read_text().split("\n\n", 1)[1]
    wanted = {path.name.split(".")[1] for path in sample.glob("want.*")}
    given = {path.name.split(".")[1] for path in sample.glob("input.*.yaml")}

    assert sum(explained.count(end) for end in (". ", ".\n")) == 3
    assert (sample / "policy.yaml").exists()
    assert wanted == given
    assert all(f": {path.name}\n" in tests for path in sample.glob("[iw]*.*.*"))
    assert not STORE.snapshot(sample.name, None).bundle.warnings


def find_templates(value: JSON) -> Iterator[str]:
    """The texts with actions in a manifest, also in the texts of a ConfigMap."""
    match value:
        case dict():
            for member in value.values():
                yield from find_templates(member)
        case list():
            for element in value:
                yield from find_templates(element)
        case str() if "templates:" in value and "\n" in value:
            yield from find_templates(yaml.load(value))
        case str() if "{{" in value:
            yield value
        case _:
            pass


@pytest.mark.parametrize("sample", SAMPLE_FOLDERS, ids=lambda p: p.name)
def test_an_inserted_block_has_the_column_of_its_action(sample: Path) -> None:
    """A column is that of the template, not that of the manifest around it."""
    for path in sorted((sample / "bundle").rglob("*.yaml")):
        for template in find_templates([*yaml.load_all(path.read_text())]):
            for indent, width in re.findall(
                r"^( *)\{\{-?[^\n]*\| nindent (\d+)", template, re.MULTILINE
            ):
                assert len(indent) == int(width), (path, width)
