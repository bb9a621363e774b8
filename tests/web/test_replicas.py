"""Replicas: equal pods get the response of a review without one, and others never do."""

import base64
import copy
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from podgraft import bundle, yaml
from podgraft.cli.bench import pods
from podgraft.cli.bench.bench_input import review_body, sample_input
from podgraft.jsonvalue import JSON
from podgraft.store.folder import FolderStore
from podgraft.web import replicas
from podgraft.web.replicas import normalize_request
from podgraft.web.webhook import HANDLERS
from support.effort import scaled
from support.generated_pod import make_pod
from support.store_fixture import BUNDLE, CONFIG, OTHER_TOKEN, TOKEN, admit, write, write_injector

from .conftest import ApplicationFixture, make_application

Review = dict[str, Any]
INPUT = sample_input()
VOLUME = "kube-api-access-00000"
UID = str(UUID(int=0))


@pytest.fixture
def reviews(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The uids of all reviews that the engine did."""
    found: list[str] = []
    inject = HANDLERS["inject"]

    def count(context: Any, store: Any) -> Any:
        found.append(context.uid)
        return inject(context, store)

    monkeypatch.setitem(HANDLERS, "inject", count)  # type: ignore[misc]
    return found


@pytest.fixture
def application(tmp_path: Path) -> ApplicationFixture:
    return make_application(write_store(tmp_path, BUNDLE))


def write_store(folder: Path, files: Mapping[str, bytes], policy: str | None = None) -> Path:
    admit(folder, "prod-eu", TOKEN)
    admit(folder, "staging", OTHER_TOKEN)
    write_injector(folder, "other", files=BUNDLE)
    return write_injector(folder, files=files, policy=policy)


def make_review(number: int, pod: Review | None = None) -> Review:
    """One more pod of a ReplicaSet, with other generated texts."""
    text = json.dumps(INPUT.pod if pod is None else pod)
    replica: Review = json.loads(text.replace(VOLUME, f"kube-api-access-{number:05d}"))
    for entry in replica["metadata"].get("managedFields", []):
        entry["time"] = f"2026-11-21T00:00:{number:02d}Z"
    return json.loads(review_body(replica, number))


def send(application: ApplicationFixture, review: Review, **options: Any) -> TestResponse:
    return application.post(json.dumps(review, separators=(",", ":")).encode(), **options)


def warm(application: ApplicationFixture, pod: Review | None = None) -> None:
    """Send two replicas: the response of the second one is stored."""
    for number in (1, 2):
        assert send(application, make_review(number, pod)).status_code == 200


def test_the_third_replica_needs_no_review(
    application: ApplicationFixture, reviews: list[str]
) -> None:
    warm(application)
    response = send(application, make_review(3))
    assert len(reviews) == 2
    assert response.json is not None
    assert response.json["response"]["uid"] == str(UUID(int=3))
    patch = json.loads(base64.b64decode(response.json["response"]["patch"]))
    assert any(operation["path"].startswith("/spec/containers") for operation in patch)


def test_a_replica_gets_the_response_and_the_log_line_of_a_review(
    application: ApplicationFixture, tmp_path: Path, reviews: list[str]
) -> None:
    warm(application)
    stored = send(application, make_review(3))
    assert len(reviews) == 2
    reviewed = make_application(tmp_path)
    assert stored.data == send(reviewed, make_review(3)).data
    assert dict(stored.headers) == dict(send(reviewed, make_review(3)).headers)
    ours, theirs = application.records[-1], reviewed.records[-1]
    assert {**ours, "milliseconds": 0} == {**theirs, "milliseconds": 0}
    assert ours["uid"] == str(UUID(int=3))


def test_a_skipped_pod_has_replicas_too(tmp_path: Path, reviews: list[str]) -> None:
    application = make_application(write_store(tmp_path, BUNDLE, "policy: disabled"))
    warm(application)
    response = send(application, make_review(3)).json
    assert len(reviews) == 2
    assert response is not None
    assert "patch" not in response["response"]
    assert application.records[-1]["decision"] == "skip"


CANDIDATE = {
    name: content.replace(b"registry.example.com", b"other.example.com")
    for name, content in BUNDLE.items()
}


def write_rollout(folder: Path, mode: str, share: int, files: Mapping[str, bytes]) -> Path:
    """A store with a rollout of a candidate with these files."""
    digest = bundle.digest(files)
    for name, content in files.items():
        path = f"default/bundles/{digest.removeprefix('sha256:')}/{name}"
        write(folder / path, content)
    rollout = f"{{id: r1, mode: {mode}, share: {share}, candidate: {{bundle: '{digest}'}}}}"
    return write_store(folder, BUNDLE, f"rollout: {rollout}\n")


ROLLOUTS = {
    ("shadow", 100): "changed",
    ("share", 100): "changed",
    ("share", 0): "outside",
    ("shadow", 0): "outside",
}


@pytest.mark.parametrize(("rollout", "outcome"), ROLLOUTS.items())
def test_a_replica_has_the_track_of_its_workload(
    tmp_path: Path, reviews: list[str], rollout: tuple[str, int], outcome: str
) -> None:
    folder = write_rollout(tmp_path, *rollout, CANDIDATE)
    application, reviewed = make_application(folder), make_application(folder)
    warm(application)
    stored = send(application, make_review(3))
    assert len(reviews) == 2
    assert stored.data == send(reviewed, make_review(3)).data
    ours, theirs = application.records[-1], reviewed.records[-1]
    assert ours["candidate"] == outcome
    assert {**ours, "milliseconds": 0} == {
        key: value
        for key, value in {**theirs, "milliseconds": 0}.items()
        if key != "candidate_milliseconds"
    }


def test_a_brake_stops_the_candidate_for_replicas(tmp_path: Path, reviews: list[str]) -> None:
    application = make_application(write_rollout(tmp_path, "share", 100, CANDIDATE))
    warm(application)
    write(tmp_path / "default" / "brake.yaml", b"id: r1\n")
    send(application, make_review(3))
    assert len(reviews) == 3
    assert application.records[-1]["candidate"] == "disabled"
    assert application.records[-1]["candidate_reason"] == "brake"


def test_a_candidate_that_fails_is_tried_in_each_review(tmp_path: Path, reviews: list[str]) -> None:
    failing = {
        name: content.replace(b"{{ .Values.global.tag }}", b'{{ fail "no" }}')
        for name, content in BUNDLE.items()
    }
    application = make_application(write_rollout(tmp_path, "share", 100, failing))
    for number in range(1, 5):
        send(application, make_review(number))
        assert application.records[-1]["candidate"] == "fallback"
    assert len(reviews) == 4


def test_a_candidate_that_reads_generated_texts_has_no_replicas(
    tmp_path: Path, reviews: list[str]
) -> None:
    reading = {
        name: content.replace(
            b"{{ .Values.global.tag }}", b"{{ .Values.global.tag }}{{ if .Spec.Volumes }}{{ end }}"
        )
        for name, content in BUNDLE.items()
    }
    assert reading != BUNDLE
    application = make_application(write_rollout(tmp_path, "shadow", 100, reading))
    for number in range(1, 5):
        send(application, make_review(number))
    assert len(reviews) == 4


def set_path(*path: Any, to: Any) -> Callable[[Review], None]:
    def change(review: Review) -> None:
        target = review["request"]
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = to

    return change


POD = ("object",)
DIFFERENT = {
    "a label": set_path(*POD, "metadata", "labels", "tier", to="web"),
    "an annotation": set_path(*POD, "metadata", "annotations", to={"a": "b"}),
    "a managed field": set_path(*POD, "metadata", "managedFields", 0, "manager", to="kubectl"),
    "the name": set_path(*POD, "metadata", "generateName", to="other-"),
    "an owner": set_path(*POD, "metadata", "ownerReferences", to=[]),
    "the image": set_path(*POD, "spec", "containers", 0, "image", to="example.com/app:2"),
    "a volume": set_path(*POD, "spec", "volumes", 0, "emptyDir", to={}),
    "a mount": set_path(*POD, "spec", "containers", 0, "volumeMounts", 0, "name", to="token"),
    "the namespace": set_path("namespace", to="shop"),
    "the operation": set_path("operation", to="UPDATE"),
    "a dry run": set_path("dryRun", to=True),
    "the user": set_path("userInfo", "username", to="jo"),
    "the version": set_path("kind", "version", to="v2"),
    "the old object": set_path("oldObject", to={}),
    "an unknown field": set_path("new", to=1),
}


@pytest.mark.parametrize("change", DIFFERENT.values(), ids=DIFFERENT)
def test_any_other_difference_needs_a_review(
    application: ApplicationFixture, reviews: list[str], change: Callable[[Review], None]
) -> None:
    warm(application)
    review = make_review(3)
    change(review)
    send(application, review)
    assert len(reviews) == 3


OPTIONS = {
    "the variables in the path": {"path": "/inject/cluster/west"},
    "the injector": {"path": "/other/inject"},
    "the cluster": {"token": OTHER_TOKEN},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_another_configuration_needs_a_review(
    application: ApplicationFixture, reviews: list[str], options: Any
) -> None:
    warm(application)
    send(application, make_review(3), **options)
    assert len(reviews) == 3


def test_a_new_policy_is_in_force_at_once(
    application: ApplicationFixture, reviews: list[str]
) -> None:
    warm(application)
    write(application.folder / "default" / "policy.yaml", b"policy: disabled")
    response = send(application, make_review(3)).json
    assert len(reviews) == 3
    assert response is not None
    assert "patch" not in response["response"]


def test_a_revoked_token_is_rejected_at_once(application: ApplicationFixture) -> None:
    warm(application)
    (application.folder / "auth" / "prod-eu.yaml").unlink()
    assert send(application, make_review(3)).status_code == 401


def test_a_stale_policy_is_reported_as_in_a_review(
    application: ApplicationFixture, reviews: list[str]
) -> None:
    warm(application)
    write(application.folder / "default" / "policy.yaml", b"policy: [")
    response = send(application, make_review(3)).json
    assert len(reviews) == 3
    assert response is not None
    assert "older configuration" in response["response"]["warnings"][0]


# A generated text in a place where it is none.
ELSEWHERE = {
    "in an annotation": ("annotations", "copy", VOLUME),
    "as a label with the key name": ("labels", "name", VOLUME),
    "as a label with the key time": ("labels", "time", "2026-11-21T00:00:00Z"),
}


@pytest.mark.parametrize(("kind", "key", "value"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_generated_texts_elsewhere_need_reviews(
    application: ApplicationFixture, reviews: list[str], kind: str, key: str, value: str
) -> None:
    pod = copy.deepcopy(INPUT.pod)
    pod["metadata"].setdefault(kind, {})[key] = value
    for number in (1, 2, 3):
        send(application, make_review(number, pod))
    assert len(reviews) == 3


def test_the_uid_of_another_field_is_not_that_of_the_request(
    application: ApplicationFixture, reviews: list[str]
) -> None:
    for number in (1, 2, 3):
        request = make_review(number)["request"]
        request = {"userInfo": {"uid": UID}} | {key: request[key] for key in request}
        request["userInfo"] = {"uid": str(UUID(int=number))}
        request["uid"] = UID
        body = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
        response = send(application, body).json
        assert response is not None
        assert response["response"]["uid"] == UID
    assert len(reviews) == 3


# What a template prints of the pod: whether replicas get the same.
TEMPLATES = {
    "nothing of the pod": ("x", True),
    "a label": ("{{ index .ObjectMeta.Labels `app` }}", True),
    "names of containers": ("{{ range .Spec.Containers }}{{ .Name }}{{ end }}", True),
    "names of volumes": ("{{ range .Spec.Volumes }}{{ .Name }}{{ end }}", False),
    "a hash of the volumes": ("{{ toJson .Spec.Volumes | sha256sum }}", False),
    "the mounts": ("{{ (index .Spec.Containers 0).VolumeMounts | toJson | quote }}", False),
    "the whole spec": ("{{ toJson .Spec | len }}", False),
    "the times": ("{{ range .ObjectMeta.ManagedFields }}{{ .Time }}{{ end }}", False),
    "all metadata": ("{{ toJson .ObjectMeta | sha256sum }}", False),
}


@pytest.mark.parametrize(("text", "same"), TEMPLATES.values(), ids=TEMPLATES)
def test_templates_that_read_generated_texts(
    tmp_path: Path, reviews: list[str], text: str, same: bool
) -> None:
    config = CONFIG.replace("{{ .DeploymentMeta.Name }}", "x" + text.replace('"', "`"))
    application = make_application(write_store(tmp_path, {"injector.yaml": config.encode()}))
    for number in (1, 2, 3):
        assert send(application, make_review(number)).status_code in {200, 500}
    assert len(reviews) == (2 if same else 3)


OVERLAY: JSON = {
    "apiVersion": "podgraft.dev/v1",
    "kind": "Overlay",
    "metadata": {"name": "volumes"},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["pods"],
                }
            ]
        },
        "template": "metadata: {annotations: {v: '{{ (index .Object.spec.volumes 0).name }}'}}",
    },
}


def test_a_bundle_with_overlays_has_no_replicas(tmp_path: Path, reviews: list[str]) -> None:
    files = {**BUNDLE, "overlay.yaml": yaml.dump(OVERLAY).encode()}
    application = make_application(write_store(tmp_path, files))
    for number in (1, 2, 3):
        assert send(application, make_review(number)).status_code == 200
    assert len(reviews) == 3


def test_a_denied_pod_is_reviewed_each_time(
    application: ApplicationFixture, reviews: list[str]
) -> None:
    pod = copy.deepcopy(INPUT.pod)
    pod["metadata"]["annotations"] = {"status.sidecar.istio.io/port": "x"}
    for number in (1, 2, 3):
        response = send(application, make_review(number, pod)).json
        assert response is not None
        assert not response["response"]["allowed"]
    assert len(reviews) == 3


@pytest.mark.parametrize("mark", [b"\x00u", b"\x00v", b"\x00t", b"\x00"])
def test_a_mark_in_a_request_is_invalid_json(application: ApplicationFixture, mark: bytes) -> None:
    """With its marks, the stored text of a request must not equal another request."""
    warm(application)
    body = json.dumps(make_review(3), separators=(",", ":")).encode()
    for text in (VOLUME.encode()[:-1] + b"3", b"2026-11-21T00:00:03Z", UID[:-1].encode() + b"3"):
        assert text in body
        assert application.post(body.replace(text, mark)).status_code == 400


UNUSUAL = {
    "no uid": b'{"a":1}',
    "a short uid": b'{"uid":"12"}',
    "an escape in the uid": b'{"uid":"%s"}' % (b"\\" * 36),
    "a long request": b'{"uid":"%s","a":"%s"}' % (UID.encode(), b"a" * replicas.MAX_BYTES),
    "an empty body": b"",
}


@pytest.mark.parametrize("body", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_requests_are_reviewed(body: bytes) -> None:
    assert normalize_request(body, "default", None, "") is None


def test_the_latest_workloads_have_replicas(
    application: ApplicationFixture, reviews: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "MAX_SEEN", 2)
    workloads = [copy.deepcopy(INPUT.pod) for _ in range(4)]
    for number, pod in enumerate(workloads):
        pod["metadata"]["labels"]["app"] = f"app-{number}"
        warm(application, pod)
    reviews.clear()
    for pod in (workloads[0], workloads[-1]):
        send(application, make_review(3, pod))
    assert len(reviews) == 1


def variants() -> Iterator[tuple[str, Review]]:
    yield "sample", INPUT.pod
    yield "every field", make_pod()
    for name, annotations in {
        "held": {"proxy.istio.io/config": "holdApplicationUntilProxyStarts: true"},
        "probes": {"sidecar.istio.io/rewriteAppHTTPProbers": "false"},
        "user volume": {"sidecar.istio.io/userVolume": '{"v": {"emptyDir": {}}}'},
        "resources": {"sidecar.istio.io/proxyCPU": "10m"},
        "ports": {"prometheus.io/port": "15020", "prometheus.io/scrape": "true"},
    }.items():
        pod = copy.deepcopy(INPUT.pod)
        pod["metadata"]["annotations"] = annotations
        yield name, pod
    pod = copy.deepcopy(INPUT.pod)
    mount = {"name": VOLUME, "mountPath": "/token"}
    pod["spec"]["containers"].append({"name": "istio-proxy", "volumeMounts": [mount]})
    pod["spec"]["initContainers"] = [{"name": "i", "image": "i", "volumeMounts": [mount]}]
    yield "own sidecar with the token", pod


VARIANTS = dict(variants())


@pytest.mark.parametrize("pod", VARIANTS.values(), ids=VARIANTS)
def test_responses_are_those_of_reviews(tmp_path: Path, pod: Review) -> None:
    folder = write_store(tmp_path, BUNDLE)
    cached = make_application(folder)
    for number in range(1, 6):
        review = make_review(number, pod)
        assert send(cached, review).data == send(make_application(folder), review).data


TEXTS = ["", VOLUME, f'"{VOLUME}"', "2026-11-21T00:00:00Z", '"time":"2026-11-21T00:00:00Z"', UID]


def make_pod_with_texts(annotation: str, inject: str, image: str, name: str) -> Review:
    pod = copy.deepcopy(INPUT.pod)
    pod["metadata"]["annotations"] = {"example.com/text": annotation}
    pod["metadata"]["labels"]["sidecar.istio.io/inject"] = inject
    pod["spec"]["containers"][0] |= {"image": image, "name": name}
    return pod


PODS = st.builds(
    make_pod_with_texts,
    st.sampled_from(TEXTS),
    st.sampled_from(["true", "false"]),
    st.sampled_from(TEXTS),
    st.sampled_from(["app", VOLUME]),
)


REQUESTS = st.lists(st.tuples(PODS, st.sampled_from([1, 2, 3])), min_size=3, max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=scaled(60))
@given(requests=REQUESTS)
def test_no_sequence_of_requests_changes_a_response(
    tmp_path: Path, requests: list[tuple[Review, int]]
) -> None:
    folder = write_store(tmp_path, BUNDLE)
    cached, responses = make_application(folder), dict[str, bytes]()
    for pod, number in requests:
        review = make_review(number, pod)
        key = json.dumps(review)
        if key not in responses:
            responses[key] = send(make_application(folder), review).data
        assert send(cached, review).data == responses[key]


def test_pods_seen_before_in_the_benchmark_are_replicas() -> None:
    bodies = {
        maker: {
            normalize_request(maker(INPUT, number)["body"].encode(), "default", None, "").text  # type: ignore[union-attr]
            for number in range(3)
        }
        for maker in (pods.similar_pod, pods.unseen_pod)
    }
    assert len(bodies[pods.similar_pod]) == 1
    assert len(bodies[pods.unseen_pod]) == 3


def test_a_segment_that_is_no_name_never_reaches_the_store(
    application: ApplicationFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a segment can be a token."""
    asked: list[str] = []
    snapshot = FolderStore.snapshot

    def note(store: FolderStore, injector: str, *arguments: Any) -> Any:
        asked.append(injector)
        return snapshot(store, injector, *arguments)

    monkeypatch.setattr(FolderStore, "snapshot", note)
    for number in (1, 2, 3):
        send(application, make_review(number), path="/Token-4wCkq0Zy1mB7n2/inject")
    assert not asked
