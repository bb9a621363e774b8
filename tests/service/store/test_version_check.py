"""Signatures and the deny list: what may not load is not loaded, whatever the store."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from werkzeug.test import Client, TestResponse

from podgraft.base.deadline import Deadline
from podgraft.base.jsonvalue import JSON
from podgraft.core import bundle
from podgraft.core.signing.verifier import Verifier
from podgraft.core.versions.errors import UnavailableError, UnknownInjectorError, UntrustedError
from podgraft.core.versions.snapshot import Snapshot, Store
from podgraft.service.http import Auth, create_app
from podgraft.service.http.metrics import Metric, record_measures
from podgraft.service.store.folder import FolderCallers, FolderStore
from podgraft.service.store.last_known_good import FileLastKnownGoodStore
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.signers import MemorySigner
from support.store_fixture import write, write_injector

SIGNER, OTHER = MemorySigner(), MemorySigner()
VERIFIER = Verifier((SIGNER.public_key,))
POLICY = "policy: enabled\n"
FIRST, SECOND = labelled_bundle("1"), labelled_bundle("2")


class Cloud:
    """A policy and bundles in AWS, and a function that verifies signatures."""

    subject = "/podgraft/default/policy"

    def __init__(self, _folder: Path, verifier: Verifier | None = VERIFIER) -> None:
        self.now = 0.0
        self.verifier = verifier
        self.memory = MemoryStore()
        self.version = 0
        self.restart()

    def restart(self) -> None:
        self.store: Store = cached_store(
            self.memory, 30, lambda: self.now, deferred=True, verifier=self.verifier
        )

    def publish(self, files: Mapping[str, bytes]) -> str:
        return self.memory.upload(files)

    def make_document(self, digest: str) -> str:
        return f"{POLICY}bundle: {digest}\n"

    def put(self, document: str) -> None:
        self.version = int(self.memory.put("default", document))

    def deny(self, text: str) -> None:
        self.memory.denied = text

    def delete(self) -> None:
        self.memory.delete("default")
        self.version = 0

    def look(self) -> Snapshot:
        self.now += 31
        return self.store.snapshot("default", None, Deadline.from_timeout(10.0, lambda: self.now))


class Folder:
    """The same in a folder, in which the policy does not have to name the bundle."""

    subject = "folder:default"

    def __init__(self, folder: Path, verifier: Verifier | None = VERIFIER) -> None:
        self.folder = folder
        self.verifier = verifier
        self.version = 0
        self.restart()

    def restart(self) -> None:
        self.store: Store = FolderStore(self.folder, verifier=self.verifier)

    def publish(self, files: Mapping[str, bytes]) -> str:
        write_injector(self.folder, files=files)
        return bundle.digest(files)

    def make_document(self, digest: str) -> str:
        del digest
        return POLICY

    def put(self, document: str) -> None:
        self.version += 1
        write_injector(self.folder, policy=document, files={})

    def deny(self, text: str) -> None:
        write(self.folder / "denied.yaml", text.encode())

    def look(self) -> Snapshot:
        return self.store.snapshot("default", None)


World = Cloud | Folder


@pytest.fixture(params=[Cloud, Folder], ids=["aws", "folder"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return request.param(tmp_path)


def push(
    world: World,
    files: Mapping[str, bytes],
    signer: MemorySigner = SIGNER,
    *,
    subject: str = "",
    version: int = 0,
) -> str:
    """Publish a bundle with a policy for it, signed for the next version."""
    digest = world.publish(files)
    number = version or world.version + 1
    document = world.make_document(digest)
    signed = signer.sign_document(document, subject or world.subject, number, digest)
    world.put(signed)
    return signed


# What a second version is, and the problem that the function reports.
INVALID = {
    "unsigned": "is not signed; sign it",
    "wrong key": f"signed with the key {OTHER.public_key.id}; use the key {SIGNER.public_key.id}",
    "other parameter": "the signature is not valid for",
    "other version": "is signed for version",
    "changed text": "or the text was changed",
    "changed signature": "or the text was changed",
    "damaged line": "is not the last line, or is damaged",
    "text after the signature": "is not the last line, or is damaged",
    "other bundle": "is signed for bundle",
}


def put_invalid(world: World, kind: str, first: str) -> None:
    """Put an invalid second version in force."""
    match kind:
        case "wrong key":
            push(world, SECOND, OTHER)
        case "other parameter":
            push(world, SECOND, subject=world.subject.replace("default", "other"))
        case "other version":
            # The replay of the first version, as it was stored.
            if isinstance(world, Folder):
                push(world, SECOND)
                world.look()
                world.publish(FIRST)
            world.put(first)
        case "other bundle":
            digest = bundle.digest(FIRST)
            document = world.make_document(world.publish(SECOND))
            number = world.version + 1
            world.put(SIGNER.sign_document(document, world.subject, number, digest))
        case _:
            digest = world.publish(SECOND)
            document = world.make_document(digest)
            number = world.version + 1
            signed = SIGNER.sign_document(document, world.subject, number, digest)
            changed = {
                "unsigned": document,
                "changed text": signed.replace("enabled", "disabled"),
                "changed signature": signed[:-10]
                + ("A" if signed[-10] != "A" else "B")
                + signed[-9:],
                "damaged line": signed[:-3] + "\n",
                "text after the signature": f"{signed}policy: disabled\n",
            }
            world.put(changed[kind])


@pytest.mark.parametrize("kind", INVALID)
def test_a_running_function_stays_with_the_last_good_version(world: World, kind: str) -> None:
    first = push(world, FIRST)
    digest = world.look().bundle.digest
    assert digest == bundle.digest(FIRST)
    put_invalid(world, kind, first)
    after = world.look()
    expected = digest
    if kind == "other version" and isinstance(world, Folder):
        expected = bundle.digest(SECOND)
    assert after.bundle.digest == expected
    assert after.stale is not None
    assert after.stale.is_invalid
    assert INVALID[kind] in after.stale.reason
    world.version = max(world.version, 8)
    if isinstance(world, Cloud):
        world.version = 2
    push(world, SECOND)
    assert world.look().bundle.digest == bundle.digest(SECOND)
    assert world.look().stale is None


@pytest.mark.parametrize("kind", [kind for kind in INVALID if kind != "other version"])
def test_a_cold_start_without_a_valid_version_loads_nothing(world: World, kind: str) -> None:
    put_invalid(world, kind, "")
    for _ in range(2):
        with pytest.raises(UntrustedError) as caught:
            world.look()
        assert INVALID[kind] in str(caught.value)


def test_a_cold_start_uses_the_newest_earlier_version_with_a_signature(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path)
    first = push(cloud, FIRST)
    push(cloud, SECOND)
    cloud.put(first)  # a replay, in a new version
    cloud.put(f"{POLICY}bundle: {bundle.digest(FIRST)}\n")
    snapshot = cloud.look()
    assert (snapshot.policy_version, snapshot.bundle.digest) == ("2", bundle.digest(SECOND))
    assert snapshot.stale is not None
    assert snapshot.stale.is_invalid


def test_the_rotation_of_keys(tmp_path: Path) -> None:
    both = Verifier((SIGNER.public_key, OTHER.public_key))
    for kind in (Cloud, Folder):
        world = kind(tmp_path / kind.__name__, both)
        push(world, FIRST)
        world.look()
        push(world, SECOND, OTHER)
        assert world.look().stale is None


def test_without_the_requirement_only_existing_signatures_are_verified(tmp_path: Path) -> None:
    world = Folder(tmp_path, Verifier((SIGNER.public_key,), is_required=False))
    world.publish(FIRST)
    world.put(POLICY)
    assert world.look().stale is None
    push(world, SECOND, OTHER)
    assert world.look().stale is not None


def test_a_folder_without_a_policy_is_not_signed(tmp_path: Path) -> None:
    write_injector(tmp_path, files=FIRST)
    with pytest.raises(UntrustedError, match="the policy is not signed"):
        FolderStore(tmp_path, verifier=VERIFIER).snapshot("default", None)


def test_the_last_known_good_version_must_be_signed(tmp_path: Path) -> None:
    store, state = tmp_path / "store", tmp_path / "state"
    last_known_good = FileLastKnownGoodStore(state)
    write_injector(store, policy=POLICY, files=FIRST)
    FolderStore(store, last_known_good=last_known_good).snapshot("default", None)
    (store / "default" / "policy.yaml").write_text("policy: [")
    restarted = FolderStore(store, last_known_good=FileLastKnownGoodStore(state))
    assert restarted.snapshot("default", None).stale is not None
    with pytest.raises(UntrustedError):
        FolderStore(
            store, last_known_good=FileLastKnownGoodStore(state), verifier=VERIFIER
        ).snapshot("default", None)


# The deny list


def deny_text(files: Mapping[str, bytes]) -> str:
    return f"{bundle.digest(files)}: runs an old proxy\n"


@pytest.mark.parametrize("verifier", [VERIFIER, None], ids=["signed", "unsigned"])
@pytest.mark.parametrize("kind", [Cloud, Folder])
def test_a_denied_bundle_does_not_load(
    kind: type[World], verifier: Verifier | None, tmp_path: Path
) -> None:
    world = kind(tmp_path, verifier)
    world.deny(deny_text(FIRST))
    push(world, FIRST)
    with pytest.raises(UntrustedError, match="is denied: runs an old proxy; use another bundle"):
        world.look()
    world.deny("")
    assert world.look().bundle.digest == bundle.digest(FIRST)


def test_a_bundle_in_force_that_is_denied_is_replaced_by_an_earlier_one(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path)
    push(cloud, FIRST)
    push(cloud, SECOND)
    assert cloud.look().bundle.digest == bundle.digest(SECOND)
    cloud.deny(deny_text(SECOND))
    after = cloud.look()
    assert after.bundle.digest == bundle.digest(FIRST)
    assert after.stale is not None
    assert "is denied: runs an old proxy" in after.stale.reason
    cloud.deny("")
    assert cloud.look().bundle.digest == bundle.digest(SECOND)


def test_a_bundle_in_force_that_is_denied_and_has_no_replacement_is_not_used(world: World) -> None:
    push(world, FIRST)
    world.look()
    world.deny(deny_text(FIRST))
    for _ in range(2):
        with pytest.raises(UntrustedError, match="is denied"):
            world.look()
    push(world, SECOND)
    assert world.look().bundle.digest == bundle.digest(SECOND)


def test_an_unreachable_store_does_not_bring_a_denied_bundle_back(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path)
    push(cloud, FIRST)
    cloud.look()
    cloud.deny(deny_text(FIRST))
    with pytest.raises(UntrustedError):
        cloud.look()
    cloud.memory.reachable = False
    with pytest.raises(UntrustedError):
        cloud.look()


def test_a_denied_bundle_is_replaced_by_the_review_that_reads_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No review waits for the next refresh: none has a version, as in a cold start."""
    cloud = Cloud(tmp_path)
    push(cloud, FIRST)
    cloud.look()
    push(cloud, SECOND)
    cloud.deny(deny_text(FIRST))

    def fail(*_: object) -> Mapping[str, bytes]:
        raise UnavailableError("out of reach on purpose")

    with monkeypatch.context() as patch:
        patch.setattr(cloud.memory, "files", fail)
        for seconds in (0, -31):
            cloud.now += seconds
            with pytest.raises(UnavailableError, match="out of reach"):
                cloud.look()
    cloud.now -= 31
    assert cloud.look().bundle.digest == bundle.digest(SECOND)


def test_a_deleted_policy_does_not_keep_a_denied_bundle_in_force(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path)
    push(cloud, FIRST)
    cloud.look()
    cloud.delete()
    assert cloud.look().stale is not None
    cloud.deny(deny_text(FIRST))
    for _ in range(2):
        with pytest.raises(UnknownInjectorError, match="has no policy"):
            cloud.look()
    push(cloud, SECOND)
    assert cloud.look().bundle.digest == bundle.digest(SECOND)


@pytest.mark.parametrize("policy", [b"\xff", b"", b"policy: ["], ids=["bytes", "empty", "YAML"])
def test_a_damaged_policy_does_not_keep_a_denied_bundle_in_force(
    policy: bytes, tmp_path: Path
) -> None:
    folder = Folder(tmp_path)
    push(folder, FIRST)
    folder.look()
    write(tmp_path / "default" / "policy.yaml", policy)
    assert folder.look().stale is not None
    folder.deny(deny_text(FIRST))
    for _ in range(2):
        with pytest.raises(UntrustedError, match="is denied"):
            folder.look()
    folder.deny("")
    assert folder.look().bundle.digest == bundle.digest(FIRST)


@pytest.mark.parametrize(
    "text", ["- a\n", "sha256:00: x\n", f"{bundle.digest(FIRST)}: 1\n", "a: ["]
)
def test_with_an_invalid_deny_list_no_version_loads(world: World, text: str) -> None:
    push(world, FIRST)
    digest = world.look().bundle.digest
    world.deny(text)
    push(world, SECOND)
    after = world.look()
    assert after.bundle.digest == digest
    assert after.stale is not None
    assert after.stale.is_invalid
    world.restart()
    with pytest.raises(UntrustedError, match=r"denied(\.yaml)? does not load"):
        world.look()


# Over HTTP


REVIEW: JSON = {
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {
        "uid": "1",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": "CREATE",
        "namespace": "default",
        "object": {"kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": []}},
    },
}


def send(folder: Path, store: Store, records: list[Mapping[str, JSON]]) -> TestResponse:
    callers = FolderCallers(folder)
    app = create_app(store, callers, auth=Auth.NONE, request_log=records.append, clock=lambda: 0.0)
    body = json.dumps(REVIEW).encode()
    return Client(app).post("/inject", data=body, content_type="application/json")


def test_a_cold_start_without_a_valid_version_is_unavailable(world: World, tmp_path: Path) -> None:
    put_invalid(world, "unsigned", "")
    records: list[Mapping[str, JSON]] = []
    response = send(tmp_path, world.store, records)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert "the policy is not signed" in json.loads(response.data)["message"]
    assert (records[-1]["origin"], records[-1]["fault"]) == ("operator", "UntrustedError")
    assert Metric.FAILURE in {each.metric for each in record_measures(records[-1])}


def test_the_last_good_version_has_a_warning_and_the_metric(world: World, tmp_path: Path) -> None:
    push(world, FIRST)
    world.look()
    put_invalid(world, "wrong key", "")
    world.look()
    records: list[Mapping[str, JSON]] = []
    response = send(tmp_path, world.store, records)
    assert response.status_code == 200
    (warning,) = json.loads(response.data)["response"]["warnings"]
    assert warning.startswith("podgraft used an older configuration: ")
    assert OTHER.public_key.id in warning
    assert Metric.REFUSED in {each.metric for each in record_measures(records[-1])}
