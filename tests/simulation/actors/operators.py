"""Operators and machines: each command is the real one, in a process that can die at any call."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from podgraft.cli import main
from simulation.baton import Baton, Node
from simulation.bundles import read_policy_tag, write_folder
from simulation.ledger import Ledger
from simulation.plan import BUCKET, EXPIRY_DATES, INJECTOR, PREFIX, Action, Plan
from simulation.world.aws import Aws

from .apiserver import ApiServers
from .guard import Guard

POLICY, BRAKE, DENIED = f"{INJECTOR}/policy", f"{INJECTOR}/brake", "denied"
SIGNERS = ("alias/signer-0", "alias/signer-1")
TARGET = ("--parameter-prefix", PREFIX)
STORE = ("--injector", INJECTOR, "--bucket", BUCKET, "--bundle-prefix", "bundles/", *TARGET)
_TOKEN_ID = re.compile(r"\ttoken (\S+)")
ATTEMPTS, PAUSE_SECONDS, ROTATION_SECONDS = 4, 20.0, 120.0


class Operators:
    """Those who change the configuration."""

    def __init__(
        self, plan: Plan, baton: Baton, ledger: Ledger, aws: Aws, clusters: ApiServers, folder: Path
    ) -> None:
        self._plan, self._baton, self._ledger = plan, baton, ledger
        self._aws, self._clusters, self._folder = aws, clusters, folder
        self._pushes = 0
        self._processes = 0
        self._rollouts = 0
        self._signer = 0
        self._guard = Guard(baton, ledger)
        self.deploy: Callable[[], None] = lambda: None

    def prepare(self) -> None:
        """Write the owner of the prefix, issue a token for each cluster, and push a policy."""
        owner = {"stack": "simulated", "bucket": BUCKET, "bundlePrefix": "bundles/", "documents": 2}
        self._put("stack", json.dumps(owner))
        for number in range(self._plan.clusters):
            line = ["tokens", "issue", "--cluster", f"c{number}", *TARGET]
            if "expiry" in self._plan.features and number % 2 == 0:
                line += ["--expires", EXPIRY_DATES[number // 2 % len(EXPIRY_DATES)]]
            status, output = self._run(line)
            assert status == 0, output
            self._clusters.tokens[f"c{number}"] = output.split("\n", 1)[0]
        if "registry" in self._plan.features:
            self._run(["fleet", "adopt", *TARGET])
            if "finished" in self._plan.features:
                self._run(["fleet", "adopt", "--finish", *TARGET])
        self.act(Action("command/first", 0.0, "push", "c0", {"bundle": 1}))

    def act(self, action: Action) -> None:
        """Do one action; a person repeats a command that failed, or that died."""
        handler: Callable[[Action], Any] = getattr(self, f"_{action.verb.replace('-', '_')}")
        handler(action)

    def _push(self, action: Action) -> None:
        self._repeat(action, ["policy", "push", self._make_folder(action), *STORE, *self._sign()])

    def _dry_run(self, action: Action) -> None:
        folder = self._make_folder(action)
        self._run(["policy", "push", folder, "--dry-run", *STORE, *self._sign()], action)

    def _rollback(self, action: Action) -> None:
        newest = self._aws.parameters.newest(f"{PREFIX}/{POLICY}")
        number = newest.number - action.options["back"] if newest else 0
        if number > 0:
            line = ["policy", "rollback", str(number), *STORE, *self._sign()]
            self._repeat(action, line)

    def _recreate(self, action: Action) -> None:
        status, _ = self._run(["policy", "delete", "--yes", *STORE], action)
        if status == 0:
            self._baton.wait(5)
        self._push(action)

    def _deny(self, action: Action) -> None:
        digest = self._find_digest(action.options["bundle"])
        if digest:
            self._repeat(action, ["policy", "deny", digest, "--reason", "CVE", *TARGET])

    def _undeny(self, action: Action) -> None:
        digest = self._find_digest(action.options["bundle"])
        if digest:
            self._run(["policy", "undeny", digest, *TARGET], action)

    def _rotate(self, action: Action) -> None:
        cluster = action.subject
        status, output = self._repeat(
            action, ["tokens", "rotate", "--cluster", cluster, *TARGET], prints_secret=True
        )
        if status == 0:
            # Every environment reads the new token before the cluster sends it.
            self._baton.wait(ROTATION_SECONDS)
            before = self._clusters.tokens[cluster]
            self._clusters.old_tokens.append((cluster, before))
            self._clusters.tokens[cluster] = output.split("\n", 1)[0]

    def _revoke(self, action: Action) -> None:
        """Revoke every token of a cluster that its webhook configuration had before."""
        cluster = action.subject
        _, output = self._run(["tokens", "list", "--cluster", cluster, *TARGET])
        # A token contains its id; that of an earlier release is the start of its hash.
        old = [token for name, token in self._clusters.old_tokens if name == cluster]
        old += [sha256(token.encode()).hexdigest() for token in old]
        for identity in _TOKEN_ID.findall(output):
            if any(identity in each for each in old):
                line = ["tokens", "revoke", "--cluster", cluster, identity, *TARGET]
                self._repeat(action, line)

    def _prune(self, action: Action) -> None:
        self._repeat(
            action,
            ["policy", "prune", "--older-than", str(action.options["days"]), "--yes", *STORE],
        )

    def _rollout(self, action: Action) -> None:
        self._rollouts += 1
        options = action.options
        line = ["policy", "rollout", options["mode"], self._make_folder(action)]
        line += ["--id", f"r{self._rollouts}", "--share", str(options["share"])]
        self._run([*line, *STORE, *self._sign()], action)

    def _step(self, action: Action) -> None:
        share = str(action.options["share"])
        self._run(["policy", "rollout", "step", share, *STORE, *self._sign()], action)

    def _pause(self, action: Action) -> None:
        self._run(["policy", "rollout", "pause", *STORE, *self._sign()], action)

    def _promote(self, action: Action) -> None:
        self._run(["policy", "rollout", "promote", *STORE, *self._sign()], action)

    def _abort(self, action: Action) -> None:
        line = ["policy", "rollout", "abort", "--reason", "errors", *STORE, *self._sign()]
        self._repeat(action, line)

    def _release(self, action: Action) -> None:
        for scope in ([], ["--all"]):
            self._run(["policy", "rollout", "release", *scope, *STORE], action)

    def _flood(self, action: Action) -> None:
        """Send many requests with an unknown token, as an attacker does."""
        for number in range(80):
            self._clusters.create_pod(replace(action, id=f"{action.id}/{number}", verb="attack"))

    def _alarm(self, action: Action) -> None:
        self._guard.ring(action.options["deliveries"])

    def _keys(self, action: Action) -> None:
        """Rotate the signing key, as docs/privileges.md says: both keys, sign, the new key."""
        old, new = self._signer, 1 - self._signer
        self._trust(old, new)
        self._signer = new
        self._baton.wait(PAUSE_SECONDS)
        self._push(action)
        self._baton.wait(PAUSE_SECONDS)
        self._trust(new)

    def _trust(self, *numbers: int) -> None:
        """Deploy the function with the public keys of signers."""
        signers = [SIGNERS[each] for each in numbers]
        os.environ["PODGRAFT_SIGNER"] = "".join(map(self._aws.keys.public_pem, signers))
        self._ledger.add("world", "signers", signers=signers)
        self.deploy()

    def _hand(self, action: Action) -> None:
        """Edit what is stored by hand, with mistakes."""
        newest = self._aws.parameters.newest(f"{PREFIX}/{POLICY}")
        text = newest.value if newest else ""
        match action.options["kind"]:
            case "yaml":
                self._put(POLICY, f"# broken\npolicy: [{text}")
            case "key":
                self._put(POLICY, f"# broken\nunknown: 1\n{text}")
            case "missing":
                digest = "sha256:" + "0" * 64
                self._put(
                    POLICY, re.sub("sha256:[0-9a-f]{64}", digest, f"# broken\n{text}", count=1)
                )
            case "replay":
                old = self._aws.parameters.parameters.get(f"{PREFIX}/{POLICY}", [])
                self._put(POLICY, old[0].value if old else text)
            case "unsigned":
                self._put(POLICY, re.sub("\n# signature:.*", "", text))
            case "brake":
                self._put(BRAKE, "id: [unfinished")
            case "denied":
                self._put(DENIED, "- not a map of digests")
            case "restore":
                self._remove(DENIED)
                self._remove(BRAKE)
            case "object":
                self._damage(action.options["bundle"], b"proxy:x")
            case _:
                self._damage(action.options["bundle"], b"proxy:b")

    def _damage(self, bundle: int, mark: bytes) -> None:
        digest = self._find_digest(bundle).removeprefix("sha256:")
        objects = self._aws.objects.objects
        for key, stored in list(objects.items()):
            if digest and digest in key:
                content = re.sub(b"proxy:[bx]", mark, stored.content)
                objects[key] = type(stored)(content, stored.time)
        self._ledger.add("operator/hand", "damage", digest=digest, mark=mark.decode())

    def _put(self, name: str, text: str) -> None:
        given = {"Name": f"{PREFIX}/{name}", "Value": text, "Type": "String", "Overwrite": True}
        response = self._aws.parameters.call("PutParameter", given, self._baton.now, "hand")
        version = response["Version"]
        self._ledger.add("aws/ssm", "parameter", name=name, version=version, by="hand", _text=text)

    def _remove(self, name: str) -> None:
        if self._aws.parameters.parameters.pop(f"{PREFIX}/{name}", None) is not None:
            self._ledger.add("aws/ssm", "parameter", name=name, version=0, by="hand", _text=None)

    def _find_digest(self, bundle: int) -> str:
        for key, stored in self._aws.objects.objects.items():
            if re.search(rb"proxy:[bx]%d\b" % bundle, stored.content):
                return "sha256:" + key.split("/")[2]
        return ""

    def _make_folder(self, action: Action) -> str:
        self._pushes += 1
        is_bad = action.options.get("kind") == "bad"
        folder = write_folder(self._folder, self._pushes, action.options["bundle"], is_bad=is_bad)
        return str(folder)

    def _sign(self) -> list[str]:
        return ["--sign", SIGNERS[self._signer]] if "signatures" in self._plan.features else []

    def _repeat(
        self, action: Action, line: list[str], *, prints_secret: bool = False
    ) -> tuple[int | None, str]:
        """Run a command until it succeeds, as a person does; the result of the last attempt."""
        status, output = self._run(line, action, prints_secret=prints_secret)
        for attempt in range(1, ATTEMPTS):
            if status == 0:
                break
            self._baton.wait(PAUSE_SECONDS * 3**attempt)
            status, output = self._run(line, prints_secret=prints_secret)
        return status, output

    def _run(
        self, line: list[str], action: Action | None = None, *, prints_secret: bool = False
    ) -> tuple[int | None, str]:
        """Run a command in its own process; the status is None if it was killed."""
        self._processes += 1
        node = Node(f"operator/{self._processes}")
        node.killed_at_call = action.kill if action else 0
        began = self._baton.now
        task = self._baton.spawn(node, lambda: main(line))
        while not task.done and not node.killed:
            task.join(0.25 if node.killed_at_call else None)
        status = task.result if task.done and task.error is None else None
        output = "".join(node.output)
        words = [word for word in line if word not in STORE]
        self._ledger.add(
            node.name,
            "command",
            line=" ".join(words).replace(str(self._folder), ""),
            status=status,
            killed=node.killed,
            error=repr(task.error) if task.error else "",
            began=began,
            output=""
            if prints_secret or "issue" in line
            else output.replace(str(self._folder), ""),
            policy=read_policy_tag(line),
        )
        return status if isinstance(status, int) else None, output
