"""``podgraft serve``: workers that share a folder, and the people who edit its files by hand.

The front of a worker is left out: its application and stores run, as ``cli/serve.py`` opens them.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from mangum import Mangum

from podgraft.core.bundle import digest
from podgraft.core.signing.verifier import make_verifier
from podgraft.service import http as web
from podgraft.service.http.request_log import make_stream_log
from podgraft.service.settings import Auth
from podgraft.service.store import FolderStoreConfig, open_census
from podgraft.service.store.folder import FolderCallers, FolderStore
from podgraft.service.store.last_known_good import FileLastKnownGoodStore
from simulation.bundles import write_folder
from simulation.names import INJECTOR
from simulation.plan import Action

from .functions import Environment, Functions
from .hands import BRAKE, DENIED, POLICY
from .operators import Operators
from .releases import Release

START_SECONDS, REVIEW_SECONDS = 1.0, 0.005
HALF_SECONDS = 2.0  # between both halves of a file that an editor writes
FILES = ("bundle/injector.yaml", "policy.yaml")
AUTH = {False: Auth.TOKEN, True: Auth.MTLS}


BROKEN = (b"", b"\xff\xfe: no text")


def _spoil(file: Path, kind: str) -> None:
    """Let a file be a folder, empty, no text, or a link to nowhere or to a folder above it."""
    if kind in {"empty", "bytes"}:
        file.write_bytes(BROKEN[kind == "bytes"])
        return
    file.unlink()
    if kind == "folder":
        file.mkdir()
    else:
        file.symlink_to({"loop": "..", "self": file.name}.get(kind, "nowhere"))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.is_dir() or file.is_symlink():
        _remove(file)
    file.write_text(text)


def _read_text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""


def _remove(file: Path) -> None:
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)


class Workers(Functions):
    """Workers instead of environments of Lambda: no freeze, no snapshot, one application each."""

    def prepare_snapshot(self, release: Release) -> None:
        """No worker waits for a snapshot."""

    def _initialize(self, environment: Environment) -> None:
        self._baton.wait(START_SECONDS)
        shared = self.folder / "store"
        # All workers of one process share the state of the folder.
        state = FileLastKnownGoodStore(self.folder / "state")
        keys, is_required = os.environ.get("PODGRAFT_SIGNER"), "PODGRAFT_REQUIRE_SIGNATURE"
        verifier = keys and make_verifier(keys, is_required=is_required in os.environ)
        store = FolderStore(shared, last_known_good=state, verifier=verifier or None)
        callers, log = FolderCallers(shared), make_stream_log()
        app = web.create_app(
            store,
            callers,
            auth=AUTH["certificates" in self._plan.features],
            request_log=log,
            census=open_census(FolderStoreConfig(shared, self.folder / "census")),
        )
        environment.handler = web.catch_errors(Mangum(web.WsgiToAsgi(app), lifespan="off"), log)
        environment.initialized_at = self._baton.now
        self._ledger.add(environment.node.name, "init", seconds=START_SECONDS)

    def _rest(self, environment: Environment) -> None:
        environment.busy = False
        environment.frozen_at = self._baton.now


class Editors(Operators):
    """Those who edit the files of the folder, and run commands on it."""

    _is_folder = True

    def prepare(self) -> None:
        """Issue a token for each cluster, and write the first policy."""
        self._shared = self._folder / "store"
        self._shared.mkdir()
        self._store = ("--injector", INJECTOR, "--config", str(self._shared))
        self._target = ("--config", str(self._shared))
        self._files: dict[str, str] = {}
        self._earlier: list[str] = []
        self._written: set[str] = set()
        self._push(Action("command/first", 0.0, "push", "c0", {"bundle": 1}))
        self._enroll()
        self.stack = None

    def _push(self, action: Action) -> None:
        """Write the bundle, and then the policy; an editor can write a file in two halves."""
        source, target = Path(self._make_folder(action)), self._shared / INJECTOR
        if self._sign():
            number = ("--version", str(self._pushes))
            self._run(["policy", "sign", str(source), *number, *self._sign()])
        _write(target / "bundle" / "NOTES", "no manifest")
        for name in FILES:
            text, file = (source / name).read_text(), target / name
            if action.options.get("halves"):
                _write(file.with_name(f".#{file.name}"), "the lock of an editor")
                _write(file, text[: len(text) // 2 if action.options["bundle"] > 1 else 0])
                self._note_files()
                self._baton.wait(HALF_SECONDS)
            _write(file, text)
            self._written.add(text)
            self._note_files()
        self._earlier.append((source / "policy.yaml").read_text())

    def _settle(self, action: Action) -> None:
        self._remove(DENIED)
        self._remove(BRAKE)
        if action.options["pushes"] or any(map(self._is_torn, FILES)):
            self._push(action)

    def _is_torn(self, name: str) -> bool:
        """Whether a file is only a part of what somebody wrote while the disk was away."""
        text = _read_text(self._shared / INJECTOR / name)
        return any(each.startswith(text) and each != text for each in self._written)

    def _dry_run(self, action: Action) -> None:
        self._run(["check", self._make_folder(action)], action)

    def _rollback(self, action: Action) -> None:
        self._put(POLICY, self._earlier[-action.options["back"] :][0])

    def _recreate(self, action: Action) -> None:
        shutil.rmtree(self._shared / INJECTOR, ignore_errors=True)
        self._note_files()
        self._baton.wait(action.options.get("seconds", 5))
        self._push(action)

    def _unmount(self, action: Action) -> None:
        """Lose the disk for a while: the folder is missing, or empty, as its mount point is."""
        hidden = self._folder / f"lost-{action.id.replace('/', '-')}"
        if not self._shared.exists():
            return
        self._shared.rename(hidden)
        self._ledger.add("operator/hand", "disk", is_lost=True)
        if action.options["empty"]:
            self._shared.mkdir()
            self.deploy()  # new workers find no store
        self._ready(action)
        self._baton.wait(action.options["seconds"])
        if self._shared.exists():
            shutil.rmtree(self._shared)
        hidden.rename(self._shared)
        self._note_files()
        self._ledger.add("operator/hand", "disk", is_lost=False)

    def _link(self, action: Action) -> None:
        """Replace a file by what cannot be read, and repair it later."""
        file = self._shared / action.options["file"]
        if not file.is_file():
            return
        content = file.read_bytes()
        _spoil(file, action.options["kind"])
        self._note_files()
        self._baton.wait(action.options["seconds"])
        if file.is_file() and not file.is_symlink() and file.read_bytes() not in BROKEN:
            return  # somebody wrote it again
        _write(file, "")
        file.write_bytes(content)
        self._note_files()

    def act(self, action: Action) -> None:
        """Do one action; a folder has no versions, no alarms of CloudWatch, and no registry."""
        if action.verb not in {"prune", "keys", "alarm", "apply", "shift", "watch", "cleanup"}:
            super().act(action)

    def _hand_aws(self, kind: str, action: Action, text: str) -> None:
        """None of these mistakes is possible."""

    def _run(self, line: list[str], *arguments: Any, **options: Any) -> tuple[int | None, str]:
        result = super()._run(line, *arguments, **options)
        self._note_files()
        return result

    def _read(self, name: str) -> str:
        return _read_text(self._shared / f"{name}.yaml")

    def _put(self, name: str, text: str, kind: str = "") -> None:
        del kind
        file = self._shared / f"{name}.yaml"
        if file.parent.is_dir():
            _write(file, text)
            self._note_files()

    def _remove(self, name: str) -> None:
        _remove(self._shared / f"{name}.yaml")
        self._note_files()

    def _damage(self, bundle: int, mark: bytes) -> None:
        del bundle  # each one of the folder
        found = sorted(self._shared.glob(f"{INJECTOR}/bundle*/**/injector.yaml"))
        for file in filter(Path.is_file, found):
            file.write_bytes(re.sub(b"proxy:[bx]", mark, file.read_bytes()))
        self._note_files()

    def _find_digest(self, bundle: int) -> str:
        folder = write_folder(self._folder / "named", 0, bundle) / "bundle"
        return digest({"injector.yaml": (folder / "injector.yaml").read_bytes()})

    def _note_files(self) -> None:
        """Record which files changed."""
        files = {
            str(file.relative_to(self._shared)): _read_text(file)
            for file in sorted(self._shared.rglob("*.yaml"))
        } if self._shared.exists() else self._files  # fmt: skip
        for name in sorted(files.keys() | self._files.keys()):
            if files.get(name) != self._files.get(name):
                self._ledger.add("folder", "file", name=name, _text=files.get(name))
        self._files = files
