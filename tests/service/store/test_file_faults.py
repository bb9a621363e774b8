"""Files that are missing, unreadable, linked in strange ways, or being written, as clusters see it.

What was loaded goes on answering and says so. What never was is 503, which kube-apiserver repeats.
"""

import errno
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from podgraft.base.jsonvalue import JSON
from podgraft.core.versions.errors import UnavailableError
from podgraft.service.http import create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from podgraft.service.store.last_known_good import FileLastKnownGoodStore
from service.http.conftest import Clock
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, OTHER_TOKEN, TOKEN, admit, write, write_injector

BODY = load_request("24-bearer-token").body
EMACS_LOCK = "user@host.123:1"


class Site:
    """A store with one injector and one cluster, and processes that read it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = root / "store"
        write_injector(self.store, policy="policy: enabled")
        admit(self.store, "prod-eu", TOKEN)
        self.records: list[Mapping[str, JSON]] = []

    def process(self, *, kept: bool = False) -> FlaskClient:
        """A new process, which shares what it keeps with others or not."""
        last_known_good = FileLastKnownGoodStore(self.root / "state") if kept else None
        store = FolderStore(self.store, last_known_good=last_known_good)
        app = create_app(
            store, FolderCallers(self.store), request_log=self.records.append, clock=Clock()
        )
        return app.test_client()


class Seen(NamedTuple):
    """What a cluster sees of an answer: its status, whether a pod was injected, and warnings."""

    code: int
    injected: bool
    stale: bool


def ask(process: FlaskClient, token: str = TOKEN) -> Seen:
    answer = post(process, token)
    body: Any = json.loads(answer.data)
    response = body.get("response", {})
    stale = any("older configuration" in text for text in response.get("warnings", []))
    return Seen(answer.status_code, "patch" in response, stale)


def post(process: FlaskClient, token: str = TOKEN) -> TestResponse:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    return process.post("/inject", data=BODY, headers=headers)


def readiness(process: FlaskClient) -> int:
    return process.get("/readyz").status_code


GOOD, STALE = Seen(200, injected=True, stale=False), Seen(200, injected=True, stale=True)
AWAY = Seen(503, injected=False, stale=False)


@pytest.fixture
def at(own_folder: Path) -> Site:
    return Site(own_folder)


# --- F4: unreadable files and folders, and links that lead nowhere or upwards

Break = Callable[[Path], object]
UNREADABLE: Mapping[str, Break] = {
    "bundle/": lambda store: (store / "default" / "bundle").chmod(0),
    "injector": lambda store: (store / "default").chmod(0),
    "auth/": lambda store: (store / "auth").chmod(0),
    "store": lambda store: store.chmod(0),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_folder_that_cannot_be_read_is_no_bug(name: str, at: Site) -> None:
    warm = at.process()
    assert ask(warm) == GOOD
    UNREADABLE[name](at.store)
    try:
        cold = at.process()
        assert ask(warm) == STALE
        assert "Permission denied" in str(at.records[-1]["stale"])
        assert (readiness(warm), ask(cold)) == (200, AWAY)
        assert readiness(cold) in {200, 503}
    finally:
        for path in (
            at.store,
            at.store / "auth",
            at.store / "default",
            at.store / "default/bundle",
        ):
            path.chmod(0o700)
    assert (ask(warm), ask(cold)) == (GOOD, GOOD)


def test_one_file_that_cannot_be_read_is_no_bug(at: Site) -> None:
    warm = at.process()
    assert ask(warm) == GOOD
    write(at.store / "default" / "bundle" / "injector.yaml", BUNDLE["injector.yaml"] + b"\n")
    (at.store / "default" / "bundle" / "injector.yaml").chmod(0)
    assert (ask(warm), ask(at.process())) == (STALE, AWAY)
    assert at.records[-1]["message"] == (
        "injector default cannot be read: Permission denied (default/bundle/injector.yaml)"
    )


LINKS: Mapping[str, tuple[str, str]] = {
    "to itself": ("loop", "loop"),
    "to its folder": ("self", "."),
    "to the injector": ("up", ".."),
    "to the store": ("far", "../.."),
    "to nothing": ("dangling", "nowhere"),
    "of an editor": (".#injector.yaml", EMACS_LOCK),
}


@pytest.mark.parametrize("name", LINKS)
def test_links_that_lead_nowhere_or_upwards_are_not_followed(name: str, at: Site) -> None:
    warm = at.process()
    assert ask(warm) == GOOD
    link, target = LINKS[name]
    (at.store / "default" / "bundle" / link).symlink_to(target)
    cold = at.process()
    for process in (warm, cold):
        assert ask(process) == GOOD
        assert readiness(process) == 200


def test_links_between_two_folders_end(at: Site) -> None:
    bundle = at.store / "default" / "bundle"
    for folder, other in (("a", "b"), ("b", "a")):
        (bundle / folder).mkdir()
        (bundle / folder / "other").symlink_to(f"../{other}")
    assert ask(at.process()) == GOOD


def test_a_broken_link_in_place_of_a_manifest_leaves_no_half_of_a_bundle(at: Site) -> None:
    warm = at.process()
    assert ask(warm) == GOOD
    (at.store / "default" / "bundle" / "mesh.yaml").unlink()
    (at.store / "default" / "bundle" / "mesh.yaml").symlink_to("gone/mesh.yaml")
    assert (ask(warm), ask(at.process())) == (STALE, AWAY)


def test_a_broken_link_in_place_of_a_policy_is_not_no_policy(at: Site) -> None:
    write_injector(at.store, policy="policy: disabled")
    warm = at.process()
    assert ask(warm) == Seen(200, injected=False, stale=False)
    (at.store / "default" / "policy.yaml").unlink()
    (at.store / "default" / "policy.yaml").symlink_to("gone/policy.yaml")
    assert (ask(warm), ask(at.process())) == (Seen(200, injected=False, stale=True), AWAY)


def test_folders_are_linked_as_mounted_config_maps_are(at: Site) -> None:
    """Kubernetes' AtomicWriter: ``sub -> ..data/sub``, and ``..data`` is replaced as a whole."""
    bundle = at.store / "default" / "bundle"
    for version, label in (("..1", b"first"), ("..2", b"second")):
        write(bundle / version / "sub" / "namespace.yaml", NAMESPACE.replace(b"NAME", label))
    (bundle / "..data").symlink_to("..1")
    (bundle / "sub").symlink_to("..data/sub")
    store = FolderStore(at.store)
    assert store.snapshot("default", None).bundle.namespaces.keys() == {"first"}
    (bundle / "..next").symlink_to("..2")
    (bundle / "..next").replace(bundle / "..data")
    assert store.snapshot("default", None).bundle.namespaces.keys() == {"second"}


NAMESPACE = b"{apiVersion: v1, kind: Namespace, metadata: {name: NAME}}"


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EMFILE])
def test_a_disk_that_fails_while_folders_are_listed_is_no_bug(
    number: int, at: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm, cold = at.process(), at.process()
    assert ask(warm) == GOOD

    def failing(path: str) -> object:
        raise OSError(number, os.strerror(number), path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", failing)
        assert (ask(warm), ask(cold), readiness(warm)) == (STALE, AWAY, 200)
    assert (ask(warm), ask(cold)) == (GOOD, GOOD)


# --- F5: the store is gone


def unmount(store: Path) -> None:
    for path in store.iterdir():
        rmtree(path)


@pytest.mark.parametrize("go", [rmtree, unmount], ids=["removed", "emptied"])
def test_a_store_that_is_gone_revokes_no_one(go: Break, at: Site) -> None:
    warm, cold = at.process(), at.process()
    assert ask(warm) == GOOD
    go(at.store)
    assert (ask(warm), readiness(warm), ask(cold)) == (STALE, 200, AWAY)
    assert ask(warm, OTHER_TOKEN).code == 503  # it can be a token that was issued meanwhile
    assert Site(at.root)
    assert (ask(warm), ask(cold)) == (GOOD, GOOD)


@pytest.mark.parametrize("go", [rmtree, unmount], ids=["removed", "emptied"])
def test_a_missing_store_has_callers_that_no_process_read(go: Break, at: Site) -> None:
    rmtree(at.store / "auth")
    warm = at.process()
    assert ask(warm).code == 401
    go(at.store)
    assert ask(warm) == AWAY


def test_auth_that_is_gone_revokes_no_one_and_a_file_in_it_does(at: Site) -> None:
    admit(at.store, "staging", OTHER_TOKEN)
    warm = at.process()
    assert (ask(warm), ask(warm, OTHER_TOKEN)) == (GOOD, GOOD)
    (at.store / "auth").rename(at.root / "aside")
    assert (ask(warm), ask(warm, OTHER_TOKEN)) == (STALE, STALE)
    (at.root / "aside").rename(at.store / "auth")
    (at.store / "auth" / "staging.yaml").unlink()
    assert (ask(warm), ask(warm, OTHER_TOKEN).code) == (GOOD, 401)


def test_an_injector_that_is_gone_stays_in_force_and_is_unknown_to_others(at: Site) -> None:
    warm, cold = at.process(), at.process()
    assert ask(warm) == GOOD
    rmtree(at.store / "default")
    assert (ask(warm), readiness(warm), ask(cold).code) == (STALE, 200, 404)


# --- F8: an editor's lock hides no edit


@pytest.mark.parametrize("folder", ["default", "default/bundle", "auth"])
@pytest.mark.parametrize("link", [".#policy.yaml", ".#prod-eu.yaml", "dangling"])
def test_every_edit_is_seen_while_a_link_dangles(folder: str, link: str, at: Site) -> None:
    for number in range(50):  # so many that some are listed before the files
        (at.store / folder / f"{link}{number or ''}").symlink_to(EMACS_LOCK)
    process = at.process()
    for number in range(10):
        write_injector(at.store, policy=("policy: disabled", "policy: enabled")[number % 2])
        assert ask(process) == Seen(200, injected=bool(number % 2), stale=False)
    write_injector(at.store, policy="policy: enabled")
    admit(at.store, "prod-eu", OTHER_TOKEN)
    assert (ask(process).code, ask(process, OTHER_TOKEN)) == (401, GOOD)


def test_an_edit_of_a_bundle_is_seen_while_a_link_dangles(at: Site) -> None:
    (at.store / "default" / "bundle" / ".#injector.yaml").symlink_to(EMACS_LOCK)
    store = FolderStore(at.store)
    assert store.snapshot("default", None).bundle.namespaces.keys() == set()
    write(at.store / "default" / "bundle" / "namespace.yaml", NAMESPACE)
    assert store.snapshot("default", None).bundle.namespaces.keys() == {"NAME"}


def test_no_lock_is_a_cluster(at: Site) -> None:
    (at.store / "auth" / ".#prod-eu.yaml").symlink_to(EMACS_LOCK)
    process = at.process()
    assert (ask(process), ask(process, "guess").code) == (GOOD, 401)


# --- F20: files that are being rewritten in place

EMPTY = {
    "nothing": b"",
    "blanks": b" \n\n",
    "a comment": b"# yaml-language-server: x\n",
    "---": b"---\n",
}


@pytest.mark.parametrize("content", EMPTY.values(), ids=EMPTY)
def test_an_empty_policy_replaces_none(content: bytes, at: Site) -> None:
    write_injector(at.store, policy="policy: disabled")
    warm = at.process()
    assert ask(warm) == Seen(200, injected=False, stale=False)
    with (at.store / "default" / "policy.yaml").open("r+b") as file:
        file.truncate()
        file.write(content)
    assert ask(warm) == Seen(200, injected=False, stale=True)
    assert at.records[-1]["refused"] is True
    assert at.records[-1]["stale"] == (
        "injector default does not load: policy.yaml: is empty; "
        "write {} for a policy that sets nothing, or delete the file"
    )
    assert ask(at.process()).code == 500
    write_injector(at.store, policy="{}")
    assert ask(warm) == GOOD
    (at.store / "default" / "policy.yaml").unlink()
    assert ask(warm) == GOOD


def test_an_empty_manifest_replaces_none(at: Site) -> None:
    warm = at.process()
    assert ask(warm) == GOOD
    (at.store / "default" / "bundle" / "mesh.yaml").write_bytes(b"")
    assert ask(warm) == STALE
    assert "bundle: mesh.yaml: is empty" in str(at.records[-1]["stale"])


def test_an_empty_document_of_callers_revokes_no_one(at: Site) -> None:
    warm = at.process()
    assert ask(warm) == GOOD
    (at.store / "auth" / "prod-eu.yaml").write_bytes(b"")
    assert ask(warm) == STALE
    assert ask(at.process()).code == 500


def test_a_policy_that_is_cut_inside_its_value_warns_in_the_response(at: Site) -> None:
    process = at.process()
    write_injector(at.store, policy="policy: ena")
    response: Any = json.loads(post(process).data)["response"]
    assert "patch" not in response
    assert response["warnings"] == [
        'policy: got "ena", which injects no pod; use enabled or disabled'
    ]


def test_a_store_without_auth_that_cannot_be_listed_is_away(own_folder: Path) -> None:
    with pytest.raises(UnavailableError, match="callers cannot be read: No such file"):
        FolderCallers(own_folder / "missing").callers()


# --- F21: many files


def test_warm_reviews_do_not_look_at_every_file_each_time(
    at: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = at.store / "default" / "bundle" / "many"
    folder.mkdir()
    for number in range(1000):
        text = f"{{apiVersion: v1, kind: Namespace, metadata: {{name: n{number}}}}}"
        (folder / f"{number}.yaml").write_text(text)
    listed: list[str] = []
    scandir = os.scandir

    def listing(path: str) -> object:
        listed.append(path)
        return scandir(path)

    now = Clock()
    monkeypatch.setattr("podgraft.base.system.age_clock", now)
    store = FolderStore(at.store)
    store.snapshot("default", None)
    monkeypatch.setattr(os, "scandir", listing)
    for _ in range(10):
        assert store.snapshot("default", None).stale is None
    assert not listed
    write_injector(at.store, policy="policy: disabled")
    now.seconds += 1
    assert store.snapshot("default", None).bundle.rules.policy == "disabled"
    assert listed
