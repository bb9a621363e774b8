"""A folder as store: pairs of policy and bundle, changes seen at once, the last good one kept."""

import re
from pathlib import Path

import pytest

from podgraft.core import bundle
from podgraft.core.review_context import Staleness
from podgraft.core.versions.errors import NotLoadedError, UnavailableError, UnknownInjectorError
from podgraft.service.store import caller_document
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.store_fixture import BUNDLE, TOKEN, admit, write, write_injector

DIGEST = bundle.digest(BUNDLE)
CHANGED = {**BUNDLE, "namespace.yaml": b"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"}


def test_a_snapshot_is_a_policy_and_its_bundle(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path, policy="policy: disabled"))
    snapshot = store.snapshot("default", None)
    assert (snapshot.policy.policy, snapshot.bundle.rules.policy) == ("disabled", "disabled")
    assert snapshot.bundle.digest == DIGEST
    assert re.fullmatch(r"sha256:[0-9a-f]{12}", snapshot.policy_version)
    assert snapshot.stale is None


def test_without_a_policy_the_bundles_own_rules_hold(tmp_path: Path) -> None:
    snapshot = FolderStore(write_injector(tmp_path)).snapshot("default", None)
    assert (snapshot.bundle.rules.policy, snapshot.policy_version) == ("enabled", "none")


def test_nothing_is_read_again_while_nothing_changes(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path))
    assert store.snapshot("default", None) is store.snapshot("default", "prod-eu")


def test_a_changed_policy_is_seen_at_the_next_look(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path, policy="policy: enabled"))
    before = store.snapshot("default", None)
    write_injector(tmp_path, policy="policy: disabled")
    after = store.snapshot("default", None)
    assert (before.bundle.rules.policy, after.bundle.rules.policy) == ("enabled", "disabled")
    assert before.policy_version != after.policy_version


def test_a_changed_bundle_is_seen_at_the_next_look(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path))
    assert store.snapshot("default", None).bundle.namespaces == {}
    write_injector(tmp_path, files=CHANGED)
    snapshot = store.snapshot("default", None)
    assert snapshot.bundle.digest == bundle.digest(CHANGED)
    assert snapshot.bundle.namespaces.keys() == {"shop"}


BROKEN = (
    ("policy", "policy.yaml", b"polcy: enabled", "policy: /polcy: unknown key"),
    ("no UTF-8", "policy.yaml", b"\xff", "policy: 'utf-8' codec can't decode"),
    ("bundle", "bundle/mesh.yaml", b"{", "bundle: mesh.yaml: invalid YAML"),
)


@pytest.mark.parametrize(("name", "file", "content", "why"), BROKEN, ids=[b[0] for b in BROKEN])
def test_the_last_good_snapshot_responds_and_states_the_reason(
    name: str, file: str, content: bytes, why: str, tmp_path: Path
) -> None:
    store = FolderStore(write_injector(tmp_path))
    good = store.snapshot("default", None)
    write(tmp_path / "default" / file, content)
    stale = store.snapshot("default", None)
    assert (stale.bundle, stale.policy_version) == (good.bundle, good.policy_version), name
    assert stale.stale is not None
    assert stale.stale.is_invalid is True
    assert stale.stale.reason.startswith(f"injector default does not load: {why}")


def test_a_repaired_file_ends_the_staleness(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path, policy="policy: enabled"))
    store.snapshot("default", None)
    write_injector(tmp_path, policy="policy: [")
    assert store.snapshot("default", None).stale
    write_injector(tmp_path, policy="policy: disabled")
    repaired = store.snapshot("default", None)
    assert (repaired.stale, repaired.bundle.rules.policy) == (None, "disabled")


def test_what_never_loaded_fails_with_every_fault_each_time(tmp_path: Path) -> None:
    store = FolderStore(write_injector(tmp_path, policy="polcy: 1\nbundle: 2"))
    for _ in range(2):
        with pytest.raises(NotLoadedError, match=r"/bundle: .*\. /polcy: "):
            store.snapshot("default", None)


@pytest.mark.parametrize("files", [{}, {"README.md": b"# hello"}, {".hidden.yaml": b"{}"}])
def test_an_empty_bundle_does_not_load(tmp_path: Path, files: dict[str, bytes]) -> None:
    (tmp_path / "default" / "bundle").mkdir(parents=True)
    store = FolderStore(write_injector(tmp_path, files=files))
    with pytest.raises(NotLoadedError, match="bundle: the folder: contains no manifest; add"):
        store.snapshot("default", None)


UNKNOWN = ("other", "..", ".", "", "a/b", "auth", "inject", "ping", "k", "Default", "default/")


@pytest.mark.parametrize("name", UNKNOWN)
def test_no_other_folder_is_an_injector(name: str, tmp_path: Path) -> None:
    for folder in ("auth", "inject", "ping", "k"):
        write_injector(tmp_path, folder)
    with pytest.raises(UnknownInjectorError):
        FolderStore(write_injector(tmp_path)).snapshot(name, None)


def test_injectors_are_the_folders_that_can_be_some(tmp_path: Path) -> None:
    admit(
        write_injector(write_injector(write_injector(tmp_path), "istio"), "inject"),
        "prod-eu",
        TOKEN,
    )
    assert FolderStore(tmp_path).injectors() == ("default", "istio")


def test_a_cluster_has_its_own_policy_and_the_same_compiled_bundle(tmp_path: Path) -> None:
    policy = "clusters: {staging: {policy: disabled}, canary: {revision: canary}}"
    store = FolderStore(write_injector(tmp_path, policy=policy))
    every, staging, canary = (
        store.snapshot("default", c) for c in ("prod-eu", "staging", "canary")
    )
    assert [s.bundle.rules.policy for s in (every, staging, canary)] == [
        "enabled",
        "disabled",
        "enabled",
    ]
    assert every.bundle.istio is staging.bundle.istio
    assert every.bundle.istio is not canary.bundle.istio


def test_a_policy_names_its_bundle_by_digest(tmp_path: Path) -> None:
    further = bundle.digest(CHANGED)
    policy = f"bundle: {DIGEST}\nclusters: {{staging: {{bundle: '{further}'}}}}"
    write_injector(tmp_path, policy=policy)
    for path, content in CHANGED.items():
        write(tmp_path / "default" / "bundles" / further.removeprefix("sha256:") / path, content)
    store = FolderStore(tmp_path)
    digests = [store.snapshot("default", c).bundle.digest for c in (None, "staging")]
    assert digests == [DIGEST, further]


def test_a_bundle_that_is_not_the_one_named_is_refused(tmp_path: Path) -> None:
    wanted = "sha256:" + "0" * 64
    store = FolderStore(write_injector(tmp_path, policy=f"bundle: {wanted}"))
    with pytest.raises(NotLoadedError, match=f"{wanted}: bundle/ is {DIGEST}, and 0+ is not under"):
        store.snapshot("default", None)


def test_a_folder_that_cannot_be_read_is_no_fault_of_the_operator(tmp_path: Path) -> None:
    write_injector(tmp_path, policy="policy: enabled")
    (tmp_path / "default" / "policy.yaml").unlink()
    (tmp_path / "default" / "policy.yaml").mkdir()  # reading a folder fails for root as well
    with pytest.raises(UnavailableError, match="injector default cannot be read: Is a directory"):
        FolderStore(tmp_path).snapshot("default", None)


def test_callers_are_read_and_read_again(tmp_path: Path) -> None:
    book = FolderCallers(tmp_path)
    assert book.callers().callers == {}
    admit(tmp_path, "prod-eu", TOKEN)
    assert book.callers().callers["prod-eu"].find_tokens(caller_document.hash_token(TOKEN))
    admit(tmp_path, "prod-eu", "rotated")
    assert not book.callers().callers["prod-eu"].find_tokens(caller_document.hash_token(TOKEN))


def test_callers_that_cannot_be_read_are_no_fault_of_the_operator(tmp_path: Path) -> None:
    admit(tmp_path, "staging", TOKEN)
    (tmp_path / "auth" / "prod-eu.yaml").mkdir(parents=True)
    found = FolderCallers(tmp_path).callers()
    assert isinstance(found.load_errors["prod-eu"], UnavailableError)
    assert str(found.load_errors["prod-eu"]) == "auth/prod-eu.yaml cannot be read: Is a directory"
    assert found.callers.keys() == {"staging"}


def test_no_text_of_a_document_of_callers_is_quoted(tmp_path: Path) -> None:
    write(tmp_path / "auth" / "prod-eu.yaml", b"tokens: [s3cret")
    reason = str(FolderCallers(tmp_path).callers().load_errors["prod-eu"])
    assert "auth/prod-eu.yaml does not load: not one valid YAML document at line 2" in reason
    assert "s3cret" not in reason


def test_callers_that_could_not_be_read_are_read_though_no_file_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many open files, say: that ends without a trace in the folder."""
    admit(tmp_path, "prod-eu", TOKEN)
    book = FolderCallers(tmp_path)

    def unreadable(_: Path) -> str:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text", unreadable)
        assert book.callers().load_errors.keys() == {"prod-eu"}
    assert book.callers().callers.keys() == {"prod-eu"}


def test_callers_that_do_not_load_leave_their_own_clusters_last_good_ones(tmp_path: Path) -> None:
    admit(tmp_path, "prod-eu", TOKEN)
    admit(tmp_path, "staging", TOKEN)
    book = FolderCallers(tmp_path)
    before = book.callers()
    assert before.unread is None
    write(tmp_path / "auth" / "staging.yaml", b"tokens: nonsense")
    admit(tmp_path, "prod-eu", "rotated")
    now = book.callers()
    assert now.callers["staging"] is before.callers["staging"]
    why = "auth/staging.yaml does not load: tokens: expected a list"
    assert now.find_stale("staging") == Staleness(why, is_invalid=True)
    assert now.find_stale("prod-eu") is None
    assert not now.callers["prod-eu"].find_tokens(caller_document.hash_token(TOKEN))
    cold = FolderCallers(tmp_path).callers()
    assert (cold.callers.keys(), cold.load_errors.keys()) == ({"prod-eu"}, {"staging"})
    assert isinstance(cold.load_errors["staging"], NotLoadedError)


def test_a_refresh_of_one_injector_does_not_touch_the_others(tmp_path: Path) -> None:
    names = [f"team-{number}" for number in range(5)]
    for name in names:
        write_injector(tmp_path, name)
    store = FolderStore(tmp_path)
    before = {name: store.snapshot(name, None) for name in names}

    write_injector(tmp_path, "team-2", files=CHANGED)

    after = {name: store.snapshot(name, None) for name in names}
    changed = [name for name in names if after[name] is not before[name]]
    assert changed == ["team-2"]
