"""Edits by hand, with mistakes: what a person stores without the commands."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from simulation.baton import Baton
from simulation.ledger import Ledger
from simulation.names import INJECTOR, PREFIX, format_registry_key
from simulation.plan import REFRESH_SECONDS, Action
from simulation.world.aws import Aws
from simulation.world.objects import StoredObject

from . import mistakes

POLICY, BRAKE, DENIED = f"{INJECTOR}/policy", f"{INJECTOR}/brake", "denied"
NOTICE_SECONDS = 150.0  # until somebody repairs a mistake
ROUNDS = 3  # a person tries several times
SHARED, OTHERS = 0.95, ("auth/c0", "auth/c1", "auth/c2")


def _spread(action: Action, rounds: int = ROUNDS) -> list[float]:
    """Return several picks, far from each other."""
    first: float = action.options["pick"]
    return [(first + number / rounds) % 1 for number in range(rounds)]


class Hands:
    """Those who write documents themselves."""

    _is_folder = False
    _is_wrong = False  # callers that somebody broke are not repaired yet
    _baton: Baton
    _ledger: Ledger
    _aws: Aws

    def _hand(self, action: Action) -> None:
        """Edit what is stored by hand, with mistakes."""
        text, kind = self._read(POLICY), action.options["kind"]
        edits = {
            "yaml": lambda: f"# broken\npolicy: [{text}",
            "key": lambda: f"# broken\nunknown: 1\n{text}",
            "missing": lambda: mistakes.name_no_bundle(text, is_folder=self._is_folder),
            "no bundle": lambda: "# broken\n" + re.sub(r"(^|\n)bundle:.*", "", text),
            "unsigned": lambda: re.sub("\n# signature:.*", "", text),
            "tampered": lambda: f"# changed\n{text}",
            "cut": lambda: text[:-40] if "# signature" in text else text,
        }
        match kind:
            case _ if kind in edits:
                self._put(POLICY, edits[kind]())
            case "rollout" if text and not re.search("^rollout:$", text, re.MULTILINE):
                for pick in _spread(action, 3 * ROUNDS):
                    self._put(POLICY, mistakes.add_rollout(text, pick))
                    self._baton.wait(2 * REFRESH_SECONDS)
            case "brake":
                self._put(BRAKE, mistakes.choose(mistakes.BRAKES, action.options["pick"]))
            case "denied":
                wrong = mistakes.choose(mistakes.DENIALS, action.options["pick"])
                self._put(DENIED, f"# broken\n{wrong}")
            case "restore":
                self._remove(DENIED)
                self._remove(BRAKE)
            case "object" | "mend":
                mark = b"proxy:x" if kind == "object" else b"proxy:b"
                self._damage(action.options["bundle"], mark)
            case "callers":
                for pick in (*_spread(action), SHARED):
                    options = {**action.options, "pick": pick}
                    self._break_callers(replace(action, options=options))
            case _:
                self._hand_aws(kind, action, text)

    def _hand_aws(self, kind: str, action: Action, text: str) -> None:
        """Make a mistake that only a store in AWS permits."""
        match kind:
            case "replay":
                old = self._aws.parameters.parameters.get(f"{PREFIX}/{POLICY}", [])
                self._put(POLICY, old[0].value if old else text)
            case "secure" if text:
                self._put(POLICY, text, "SecureString")
            case "overrides" if digest := self._find_overrides():
                name = digest.removeprefix("sha256:")
                self._aws.objects.spoil(name, "incomplete")
                self._ledger.add("operator/hand", "damage", digest=name, mark="proxy:x")
                self._baton.wait(NOTICE_SECONDS)
                self._aws.objects.mend(name)
                self._ledger.add("operator/hand", "damage", digest=name, mark="proxy:b")
            case "stray" | "incomplete":
                digest = self._find_digest(action.options["bundle"]).removeprefix("sha256:")
                self._aws.objects.spoil(digest, kind)
                self._ledger.add("operator/hand", "damage", digest=digest, mark="proxy:x")
            case "pointer" if self._read(mistakes.POINTER):
                for pick in _spread(action):
                    options = {**action.options, "pick": pick}
                    self._break_pointer(replace(action, options=options))
            case _:
                pass

    def _break_callers(self, action: Action) -> None:
        """Store an invalid document of a cluster, and repair it when somebody notices."""
        name, began = f"auth/{action.subject}", self._baton.now
        if self._read(mistakes.POINTER):
            self._break_pointer(action)
            return
        before, broken = self._read(name), mistakes.make_document(action.options["pick"])
        if action.options["pick"] >= SHARED:  # the credentials of another cluster
            broken = next(
                (each for each in map(self._read, OTHERS) if each not in {"", before}), ""
            )
        if not before or not broken or self._is_wrong:
            return
        self._is_wrong = True
        self._ledger.add("operator/hand", "invalid", began=began, repaired=False)
        self._put(name, broken, "SecureString")
        self._baton.wait(NOTICE_SECONDS)
        while self._is_folder and not self._read(name):  # the disk is lost
            self._baton.wait(NOTICE_SECONDS)
        if present := self._read(name):
            self._put(name, mistakes.repair(present, broken, before), "SecureString")
        self._is_wrong = False
        self._ledger.add("operator/hand", "invalid", began=began, repaired=True)

    def _break_pointer(self, action: Action) -> None:
        """Store a registry that does not count, does not load, or has an invalid cluster."""
        began, before = self._baton.now, self._read(mistakes.POINTER)
        pointer: dict[str, Any] = json.loads(before) if before.startswith("{") else {}
        newest = self._aws.parameters.newest(f"{PREFIX}/{mistakes.POINTER}")
        if newest is None or pointer.get("serial") != newest.number or self._is_wrong:
            return  # another mistake is not repaired yet
        digest = str(pointer.get("callers"))
        stored = self._aws.objects.objects.get(format_registry_key(digest))
        if stored is None:
            return
        oldest = next(each for each in self._aws.objects.objects if each.startswith("callers/"))
        first = f"sha256:{oldest.rpartition('/')[2].removesuffix('.json')}"
        broken = mistakes.make_registry(stored.content, first, action)
        self._is_wrong = True
        self._ledger.add("operator/hand", "invalid", began=began, repaired=False)
        if broken.content is not None:
            key = format_registry_key(broken.digest)
            self._aws.objects.objects[key] = StoredObject(broken.content, began)
            facts = {"operation": "PutObject", "by": "hand", "_content": broken.content}
            self._ledger.add("aws/s3", "store", key=key, **facts)
        for _ in range(broken.count):
            self._put(mistakes.POINTER, self._point(pointer, broken.digest, broken.serial))
        text = self._read(mistakes.POINTER)
        self._baton.wait(NOTICE_SECONDS)
        newest = self._aws.parameters.newest(f"{PREFIX}/{mistakes.POINTER}")
        # A command that read the mistake can have stored a version that does not count.
        is_lost = newest is not None and json.loads(newest.value).get("serial") != newest.number
        if is_lost or self._read(mistakes.POINTER) == text:
            self._put(mistakes.POINTER, self._point(pointer, digest))
        self._is_wrong = False
        self._ledger.add("operator/hand", "invalid", began=began, repaired=True)

    def _point(self, before: dict[str, Any], digest: str, serial: int | None = None) -> str:
        """Return a pointer; what an earlier release needs of the one before remains."""
        newest = self._aws.parameters.newest(f"{PREFIX}/{mistakes.POINTER}")
        number = newest.number + 1 if newest else 1
        own = {"serial": number if serial is None else serial, "callers": digest}
        return json.dumps({**before, **own})

    def _damage(self, bundle: int, mark: bytes) -> None:
        digest = self._find_digest(bundle).removeprefix("sha256:")
        objects = self._aws.objects.objects
        for key, stored in list(objects.items()):
            if digest and digest in key:
                content = re.sub(b"proxy:[bx]", mark, stored.content)
                objects[key] = type(stored)(content, stored.time)
        if mark == b"proxy:b":
            self._aws.objects.mend(digest)
        self._ledger.add("operator/hand", "damage", digest=digest, mark=mark.decode())

    def _read(self, name: str) -> str:
        newest = self._aws.parameters.newest(f"{PREFIX}/{name}")
        return newest.value if newest else ""

    def _put(self, name: str, text: str, kind: str = "String") -> None:
        given = {"Name": f"{PREFIX}/{name}", "Value": text, "Type": kind, "Overwrite": True}
        response = self._aws.parameters.call("PutParameter", given, self._baton.now, "hand")
        version = response["Version"]
        self._ledger.add("aws/ssm", "parameter", name=name, version=version, by="hand", _text=text)

    def _remove(self, name: str) -> None:
        if self._aws.parameters.parameters.pop(f"{PREFIX}/{name}", None) is not None:
            self._ledger.add("aws/ssm", "parameter", name=name, version=0, by="hand", _text=None)

    def _find_overrides(self) -> str:
        """Return the digest of the overrides in force; empty if the policy is complete."""
        found = re.search("^overrides: (.*)", self._read(POLICY), re.MULTILINE)
        return found[1] if found else ""

    def _read_large(self) -> int:
        """Return the pod that the overrides in force do not inject."""
        name = self._find_overrides().removeprefix("sha256:")
        objects = self._aws.objects.objects
        stored = objects.get(f"bundles/{INJECTOR}/{name}/clusters.yaml")
        found = re.search(rb"web-([2-9])", stored.content) if stored else None
        return int(found[1]) if found else 0

    def _find_digest(self, bundle: int) -> str:
        for key, stored in self._aws.objects.objects.items():
            if re.search(rb"proxy:[bx]%d\b" % bundle, stored.content):
                return "sha256:" + key.split("/")[2]
        return ""
