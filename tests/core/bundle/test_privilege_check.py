"""Anyone who can only write a bundle cannot grant more than the owner of the policy allowed."""

import base64
import dataclasses
import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from podgraft.base.jsonvalue import JSON
from podgraft.base.trace import Trace
from podgraft.cli import main
from podgraft.service.http import Auth, create_app
from podgraft.service.http.metrics import Metric, record_measures
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.memory_store import MemoryStore, cached_store
from support.mutating_policies import PRIVILEGED
from support.mutating_policies import make_bundle as make_policy_bundle
from support.store_fixture import BUNDLE, write_injector

ROOT = "securityContext: {privileged: true, capabilities: {add: [SYS_ADMIN]}}"
OVERLAY = """\
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: side}
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: ["", apps]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [pods, deployments]
  template: |
    {{- define "container" }}{name: side, image: example.com/side:1, SETTINGS}{{ end }}
    spec:
      {{- if eq .Object.kind "Pod" }}
      initContainers: [{{ template "container" . }}]
      {{- else }}
      template: {spec: {containers: [{{ template "container" . }}]}}
      {{- end }}
"""


def make_bundle(settings: str) -> Mapping[str, bytes]:
    return {"overlay.yaml": OVERLAY.replace("SETTINGS", settings).encode()}


HARMLESS, HARMFUL = make_bundle("args: [run]"), make_bundle(ROOT)
POD: dict[str, JSON] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "annotations": {"example.com/secret": "hunter2"}},
    "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]},
}
DEPLOYMENT: dict[str, JSON] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {"template": {"metadata": {}, "spec": POD["spec"]}},
}


def make_review(value: Mapping[str, JSON]) -> bytes:
    is_pod = value["kind"] == "Pod"
    resource = {"version": "v1", "group": "" if is_pod else "apps"}
    request = {
        "uid": "1",
        "kind": {**resource, "kind": value["kind"]},
        "resource": {**resource, "resource": f"{str(value['kind']).lower()}s"},
        "operation": "CREATE",
        "namespace": "default",
        "object": value,
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return json.dumps(review).encode()


@dataclasses.dataclass
class Function:
    """The web application over a folder, as a cold start has it, and its log."""

    folder: Path
    records: list[Mapping[str, JSON]] = dataclasses.field(default_factory=list[Mapping[str, JSON]])

    def __post_init__(self) -> None:
        app = create_app(
            FolderStore(self.folder, deferred=True),
            FolderCallers(self.folder),
            auth=Auth.NONE,
            request_log=self.records.append,
            clock=lambda: 0.0,
        )
        self.client = Client(app)

    def send(self, value: Mapping[str, JSON] = POD, route: str = "inject") -> TestResponse:
        data = make_review(value)
        return self.client.post(f"/{route}", data=data, content_type="application/json")

    @property
    def metrics(self) -> set[StrEnum]:
        return {measure.metric for measure in record_measures(self.records[-1])}


def answer_of(response: TestResponse) -> Any:
    assert response.status_code == 200, response.text
    return json.loads(response.data)["response"]


def operations_of(response: TestResponse) -> Any:
    return json.loads(base64.b64decode(answer_of(response)["patch"]))


ROUTES = (("inject", POD), ("mutate", POD), ("mutate", DEPLOYMENT))


@pytest.mark.parametrize(("route", "value"), ROUTES, ids=("inject", "mutate", "Deployment"))
def test_an_unlisted_privilege_fails_the_review(
    route: str, value: Mapping[str, JSON], tmp_path: Path
) -> None:
    """A cold start over a replaced bundle: nothing is injected, and the alarm rises."""
    write_injector(tmp_path, policy="policy: enabled\nallows: {}\n", files=HARMFUL)
    function = Function(tmp_path)
    response = function.send(value, route)
    assert response.status_code == 500
    status = json.loads(response.data)
    assert (status["kind"], status["code"]) == ("Status", 500)
    message = status["message"]
    assert message.startswith("bundle sha256:")
    assert message.endswith(
        ": container side is privileged, and container side adds the capability SYS_ADMIN; "
        "list them under allows.privileged, allows.capabilities in the policy, "
        "or remove them from the bundle"
    )
    assert "hunter2" not in response.text
    record = function.records[-1]
    assert (record["origin"], record["fault"]) == ("operator", "PrivilegeError")
    assert Metric.FAILURE in function.metrics


@pytest.mark.parametrize(("route", "value"), ROUTES, ids=("inject", "mutate", "Deployment"))
@pytest.mark.parametrize(
    ("allows", "files"),
    [
        ("allows: {}\n", HARMLESS),
        ("", HARMFUL),
        ("allows: {privileged: [side], capabilities: {side: [SYS_ADMIN]}}\n", HARMFUL),
        ("clusters: {other: {allows: {}}}\n", HARMFUL),
    ],
    ids=("harmless", "without-allows", "listed", "another-cluster"),
)
def test_a_listed_privilege_is_injected(
    route: str, value: Mapping[str, JSON], allows: str, files: Mapping[str, bytes], tmp_path: Path
) -> None:
    write_injector(tmp_path, policy=f"policy: enabled\n{allows}", files=files)
    assert "example.com/side:1" in json.dumps(operations_of(Function(tmp_path).send(value, route)))


def test_a_running_function_stays_with_the_bundle_that_adds_nothing(tmp_path: Path) -> None:
    write_injector(tmp_path, policy="policy: enabled\nallows: {}\n", files=HARMLESS)
    function = Function(tmp_path)
    expected = operations_of(function.send())
    write_injector(tmp_path, files=HARMFUL)
    response = function.send()
    assert operations_of(response) == expected
    assert "container side is privileged" in answer_of(response)["warnings"][0]
    assert Metric.REFUSED in function.metrics


def test_a_cold_start_in_aws_serves_the_earlier_version() -> None:
    """The review fails with the newest version, so the store checks it completely."""
    from podgraft.core import review
    from podgraft.core.review.results import ReviewResponse
    from podgraft.core.review_context import ReviewContext
    from podgraft.kube import admission

    memory = MemoryStore()
    for files in (HARMLESS, HARMFUL):
        digest = memory.upload(files)
        memory.put("default", f"policy: enabled\nallows: {{}}\nbundle: {digest}\n")
    store = cached_store(memory, 30, lambda: 0.0, deferred=True)
    context = ReviewContext(injector="default").with_request(admission.decode(make_review(POD)))
    result = review.inject(context, store)
    assert isinstance(result, ReviewResponse)
    assert result.record.policy_version == "1"
    assert result.record.refused


PLAIN_POD: dict[str, JSON] = {**POD, "spec": {"containers": [{"name": "w", "image": "i"}]}}


def test_the_privileges_of_the_author_need_no_name(tmp_path: Path) -> None:
    own: JSON = {
        "name": "own",
        "image": "i",
        "securityContext": {"privileged": True, "runAsUser": 0},
    }
    spec: JSON = {
        "containers": [own],
        "hostPID": True,
        "volumes": [{"name": "v", "hostPath": {"path": "/"}}],
    }
    write_injector(tmp_path, policy="policy: enabled\nallows: {}\n", files=HARMLESS)
    assert operations_of(Function(tmp_path).send({**POD, "spec": spec}))


def test_a_value_of_the_author_is_not_in_the_message(tmp_path: Path) -> None:
    """The template copies an annotation of the pod to a path: the path is the author's value."""
    volume = b'{name: v, hostPath: {path: {{ index .ObjectMeta.Annotations "p" | quote }}}}'
    bundle = HARMLESS["overlay.yaml"].replace(
        b'initContainers: [{{ template "container" . }}]', b"volumes: [" + volume + b"]"
    )
    write_injector(tmp_path, policy="policy: enabled\nallows: {}\n", files={"overlay.yaml": bundle})
    metadata: JSON = {"name": "web", "annotations": {"p": "/home/hunter2"}}
    function = Function(tmp_path)
    response = function.send({**POD, "metadata": metadata})
    assert response.status_code == 500
    assert "the pod mounts the host path; list it under allows.hostPath" in response.text
    assert "hunter2" not in response.text + json.dumps(function.records)


def test_registries_cover_added_and_changed_images(tmp_path: Path) -> None:
    write_injector(
        tmp_path, policy="policy: enabled\nallows: {registries: [docker.io/x]}\n", files=HARMLESS
    )
    response = Function(tmp_path).send()
    assert response.status_code == 500
    assert "container side uses an image of a registry that is not listed" in response.text
    assert "example.com" not in response.text
    policy = "policy: enabled\nallows: {registries: [example.com]}\n"
    write_injector(tmp_path, policy=policy, files=HARMLESS)
    assert operations_of(Function(tmp_path).send())


def check(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    capsys.readouterr()
    status = main(["policy", "check", str(folder / "default"), *more])
    return status, capsys.readouterr().err.replace(str(folder), "")


def test_policy_check_finds_it_before_the_push(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_injector(tmp_path, policy="policy: enabled\nallows: {}\n", files=HARMFUL)
    status, text = check(tmp_path, capsys)
    assert status == 1
    assert text.splitlines() == [
        (
            "error: overlay.yaml /spec/template: container side is privileged; "
            "list it under allows.privileged in the policy, or remove it"
        ),
        (
            "error: overlay.yaml /spec/template: container side adds the capability SYS_ADMIN; "
            "list it under allows.capabilities in the policy, or remove it"
        ),
    ]


def test_policy_check_covers_the_overrides_of_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = (
        "allows: {privileged: [side], capabilities: {side: [ALL]}}\nclusters: {eu: {allows: {}}}\n"
    )
    write_injector(tmp_path, policy=policy, files=HARMFUL)
    status, text = check(tmp_path, capsys)
    assert status == 1
    assert "container side is privileged" in text


def test_without_allows_a_warning_names_the_privileges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_injector(tmp_path, policy="policy: enabled\n", files=HARMFUL)
    status, text = check(tmp_path, capsys)
    assert status == 0
    assert text.splitlines() == [
        (
            "warning: /default/policy.yaml /allows: is missing, so podgraft does not check these "
            "privileges: container side is privileged, container side adds the capability "
            "SYS_ADMIN; list them with podgraft policy allows --write"
        )
    ]
    assert check(tmp_path, capsys, "--strict")[0] == 1


def test_a_bundle_without_privileges_needs_no_allows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_injector(tmp_path, policy="policy: enabled\n", files=BUNDLE)
    assert check(tmp_path, capsys) == (0, "")


@pytest.mark.parametrize(
    ("level", "checks"),
    [
        ("baseline", ["privileged", "capabilities_baseline"]),
        (
            "restricted",
            [
                "privileged",
                "allowPrivilegeEscalation",
                "capabilities_restricted",
                "capabilities_restricted",
                "runAsNonRoot",
                "seccompProfile_restricted",
            ],
        ),
    ],
)
def test_violations_of_a_level_of_the_pod_security_standards(
    level: str, checks: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = "allows: {privileged: [side], capabilities: {side: [ALL]}}\n"
    write_injector(tmp_path, policy=policy, files=HARMFUL)
    status, text = check(tmp_path, capsys, "--pss", level)
    assert status == 1
    place = f"error: overlay.yaml /spec/template: container side violates Pod Security {level} ("
    found = sorted(line.removeprefix(place).partition(")")[0] for line in text.splitlines())
    assert found == sorted(checks)
    write_injector(tmp_path, policy=policy, files=HARMLESS)
    assert check(tmp_path, capsys, "--pss", "baseline") == (0, "")


def test_the_trace_contains_the_check() -> None:
    from podgraft.core import bundle, policy
    from podgraft.core.bundle.privilege_check import check_privileges
    from podgraft.core.injectors.errors import PrivilegeError

    def observe(allows: str, after: dict[str, JSON]) -> str:
        read = policy.parse(f"allows: {allows}")
        trace = Trace()
        try:
            check_privileges(bundle.compile_(HARMLESS, read), POD, after, trace)
        except PrivilegeError:
            assert trace.steps[-1].outcome == "fails"
        return trace.steps[-1].observed

    privileged: dict[str, JSON] = {
        **POD,
        "spec": {"containers": [{"name": "s", "securityContext": {"privileged": True}}]},
    }
    assert observe("{}", POD) == "the change adds none"
    assert observe("{}", privileged) == "not allowed by the policy: container s is privileged"
    expected = "allowed by the policy: container s is privileged"
    assert observe("{privileged: [s]}", privileged) == expected


@pytest.mark.parametrize("route", ["inject", "mutate"])
def test_a_mutating_policy_adds_only_listed_privileges(route: str, tmp_path: Path) -> None:
    files = make_policy_bundle(PRIVILEGED)
    write_injector(tmp_path / "a", policy="policy: enabled\nallows: {}\n", files=files)
    response = Function(tmp_path / "a").send(route=route)
    assert response.status_code == 500
    assert "container web is privileged; list it under allows.privileged" in response.text
    listed = "policy: enabled\nallows: {privileged: [web]}\n"
    write_injector(tmp_path / "b", policy=listed, files=files)
    operations = operations_of(Function(tmp_path / "b").send(route=route))
    assert [each["value"] for each in operations] == [{"privileged": True}]
