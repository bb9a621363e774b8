"""Operators and machines: each command is the real one, in a process that can die at any call."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from podgraft.cli import main
from simulation.baton import Baton, Node
from simulation.bundles import read_policy_tag, write_folder
from simulation.ledger import Ledger
from simulation.names import BUCKET, CENSUS, INJECTOR, PREFIX
from simulation.plan import EXPIRY_DATES, REFRESH_SECONDS, Action, Plan
from simulation.world.aws import Aws

from . import mistakes
from .apiserver import ROUTES, ApiServers
from .guard import Guard
from .hands import BRAKE, DENIED, POLICY, ROUNDS, Hands
from .releases import Signers
from .stack import Stack

SIGNERS = ("alias/signer-0", "alias/signer-1")
TARGET = ("--parameter-prefix", PREFIX)
STORE = ("--injector", INJECTOR, *TARGET)
_TOKEN_ID = re.compile(r"\ttoken (\S+)")
_LOCK = re.compile(r"aws ssm delete-parameter --name (\S+)")
_PUT = re.compile(r"aws ssm put-parameter --name (\S+) --type String --value '(.*?)'")
# The remedies of messages that name another command.
REMEDIES = {
    "create one: podgraft tokens issue": "issue",
    "replace it: podgraft tokens rotate": "rotate",
}
TOO_MANY = "revoke one of them first"
ATTEMPTS, PAUSE_SECONDS, ROTATION_SECONDS = 4, 20.0, 120.0
CREATED = "2026-01-15T12:00:00Z"  # of earlier tokens: more than a year before a long run ends
LOCK_SECONDS = 60.0  # after which a lock is of an interrupted command
MOST_PUSHES = 8  # after a deletion


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class Operators(Hands):
    """Those who change the configuration."""

    def __init__(
        self, plan: Plan, baton: Baton, ledger: Ledger, aws: Aws, clusters: ApiServers, folder: Path
    ) -> None:
        self._plan, self._baton, self._ledger = plan, baton, ledger
        self._aws, self._clusters, self._folder = aws, clusters, folder
        self._store, self._target = STORE, TARGET
        self._pushes = 0
        self._processes = 0
        self._rollouts = 0
        self._signer = 0
        self._settled = False
        self._rotating = Counter[str]()  # how many people rotate the tokens of a cluster
        self._raced: dict[Node, bool] = {}  # whether another command ran at the same time
        self._was_raced = False  # the command that ended last
        self._unfinished: set[str] = set()  # clusters whose last command for tokens failed
        self._deleted = ""  # the digest of the registry whose pointer a person deleted
        self._is_gone = False  # a registry without copies
        self._is_bad = False  # the candidate fails, which people see
        self._guard = Guard(baton, ledger)
        self.deploy: Callable[[], None] = lambda: None
        self.stack: Stack | None = None

    def prepare(self) -> None:
        """Write the owner of the prefix, issue a token for each cluster, and push a policy."""
        assert self.stack is not None
        self.stack.begin(self._announce, self._describe_signers(0))
        self._enroll()
        if "registry" in self._plan.features:
            self._run(["fleet", "adopt", *self._target])
            if "finished" in self._plan.features:
                self._run(["fleet", "adopt", "--finish", *self._target])
        self.act(Action("command/first", 0.0, "push", "c0", {"bundle": 1}))

    def _announce(self, documents: int) -> None:
        """Write the owner of the prefix, as CloudFormation does."""
        owner = {"stack": "simulated", "bucket": BUCKET, "bundlePrefix": "bundles/"}
        self._put("stack", json.dumps({**owner, "documents": documents}))

    def _enroll(self) -> None:
        """Let each cluster call: by a token, one of an earlier release, or a certificate."""
        features = self._plan.features
        for number in range(self._plan.clusters):
            if "certificates" in features:
                self._allow(f"c{number}")
                continue
            if "legacy" in features and number % 2:
                token = sha256(f"{self._plan.seed}/{number}".encode()).hexdigest()
                entry = {"sha256": _hash(token), "created": CREATED, "note": ""}
                self._put(f"auth/c{number}", json.dumps({"tokens": [entry]}), "SecureString")
                self._clusters.tokens[f"c{number}"] = token
                continue
            line = ["tokens", "issue", "--cluster", f"c{number}", *self._target]
            if "expiry" in self._plan.features and number % 2 == 0:
                line += ["--expires", EXPIRY_DATES[number // 2 % len(EXPIRY_DATES)]]
            status, output = self._run(line)
            assert status == 0, output
            self._clusters.tokens[f"c{number}"] = output.split("\n", 1)[0]

    def _allow(self, cluster: str) -> None:
        """Allow a new certificate, and let the cluster use it when everybody knows it."""
        self._processes += 1
        subject = f"CN={cluster}-{self._processes},O=clusters"
        line = ["tokens", "allow", "--cluster", cluster, subject, *self._target]
        if self._repeat(Action("command/allow", 0.0, "rotate", cluster), line)[0] != 0:
            return
        before = self._clusters.tokens.get(cluster)
        if before:
            self._baton.wait(ROTATION_SECONDS)
            self._clusters.old_tokens.append((cluster, before))
        self._clusters.tokens[cluster] = subject

    def act(self, action: Action) -> None:
        """Do one action; a person repeats a command that failed, or that died."""
        if self.stack is not None and action.verb in {"shift", "watch", "cleanup"}:
            getattr(self.stack, action.verb)(action)
            return
        handler: Callable[[Action], Any] = getattr(self, f"_{action.verb.replace('-', '_')}")
        handler(action)

    def _push(self, action: Action) -> None:
        self._repeat(
            action, ["policy", "push", self._make_folder(action), *self._store, *self._sign()]
        )

    def _dry_run(self, action: Action) -> None:
        folder = self._make_folder(action)
        self._run(["policy", "push", folder, "--dry-run", *self._store, *self._sign()], action)

    def _rollback(self, action: Action) -> None:
        number = self._count_versions() - action.options["back"]
        if number > 0:
            line = ["policy", "rollback", str(number), *self._store, *self._sign()]
            self._repeat(action, line)

    def _recreate(self, action: Action) -> None:
        """Delete the policy, and push another one later; meanwhile, deny the bundle in force.

        Without a denial, the policy can be an invalid one, whose number a valid one gets later.
        """
        broken = self._break_policy() if action.options.get("broken") else 0
        found = re.search("bundle: (sha256:[0-9a-f]{64})", self._read(POLICY))
        status, _ = self._run(["policy", "delete", "--yes", *self._store], action)
        if status == 0:
            gap: float = action.options.get("seconds", 5)
            self._baton.wait(gap / 2)
            if "deny" in self._plan.features and found and not broken:
                self._run(["policy", "deny", found[1], "--reason", "CVE", *self._target])
            self._baton.wait(gap / 2)
        self._push(action)
        for _ in range(self._count_versions(), broken):
            self._push(action)

    def _break_policy(self) -> int:
        """Write an invalid policy, which every environment reads; return its number."""
        self._put(POLICY, f"# broken\npolicy: [{self._read(POLICY)}")
        self._baton.wait(2 * REFRESH_SECONDS)
        return min(self._count_versions(), MOST_PUSHES)

    def _count_versions(self) -> int:
        newest = self._aws.parameters.newest(f"{PREFIX}/{POLICY}")
        return newest.number if newest else 0

    def _deny(self, action: Action) -> None:
        digest = self._choose_digest(action)
        if digest:
            self._repeat(action, ["policy", "deny", digest, "--reason", "CVE", *self._target])

    def _undeny(self, action: Action) -> None:
        denied = re.search("sha256:[0-9a-f]{64}", self._read(DENIED))
        digest = self._choose_digest(action)
        if "large" in self._plan.features and denied:
            digest = denied[0]
        if digest:
            self._run(["policy", "undeny", digest, *self._target], action)

    def _choose_digest(self, action: Action) -> str:
        """Return the digest of a bundle: one of all, or that of the overrides in force."""
        own = self._find_overrides() if action.options.get("large") else ""
        return own or self._find_digest(action.options["bundle"])

    def _rotate(self, action: Action) -> None:
        cluster = action.subject
        if "certificates" in self._plan.features:
            self._allow(cluster)
            return
        self._rotating[cluster] += 1
        status, output = self._repeat(
            action, ["tokens", "rotate", "--cluster", cluster, *self._target], prints_secret=True
        )
        if status == 0:
            # Every environment reads the new token before the cluster sends it.
            self._baton.wait(ROTATION_SECONDS)
            before = self._clusters.tokens[cluster]
            self._clusters.old_tokens.append((cluster, before))
            self._clusters.tokens[cluster] = output.split("\n", 1)[0]
        self._rotating[cluster] -= 1

    def _revoke(self, action: Action, waiting: int = 0) -> None:
        """Revoke every token of a cluster that its webhook configuration had before.

        Of the rotations of this cluster, *waiting* ones have stored no token.
        """
        cluster = action.subject
        if "certificates" in self._plan.features:
            _, listed = self._run(["tokens", "list", "--cluster", cluster, *self._target])
            old = [each for name, each in self._clusters.old_tokens if name == cluster]
            for subject in [each for each in old if each in listed]:
                self._repeat(
                    action, ["tokens", "forbid", "--cluster", cluster, subject, *self._target]
                )
            return
        _, output = self._repeat(action, ["tokens", "list", "--cluster", cluster, *self._target])
        # A token contains its id; that of an earlier release is the start of its hash.
        old = [token for name, token in self._clusters.old_tokens if name == cluster]
        old += [_hash(token) for token in old]
        used = self._clusters.tokens[cluster]
        for identity in _TOKEN_ID.findall(output):
            # A command that died can have stored a token that nobody got, or will use soon.
            is_used = any(identity in each for each in (used, _hash(used)))
            is_lost = self._settled and not is_used and self._rotating[cluster] <= waiting
            if is_lost or any(identity in each for each in old):
                line = ["tokens", "revoke", "--cluster", cluster, identity, *self._target]
                self._repeat(action, line)

    def _prune(self, action: Action) -> None:
        self._repeat(
            action,
            ["policy", "prune", "--older-than", str(action.options["days"]), "--yes", *self._store],
        )

    def _rollout(self, action: Action) -> None:
        self._rollouts += 1
        self._is_bad = action.options.get("kind") == "bad"
        options = action.options
        mode = ["--shadow"] if options["mode"] == "shadow" else []
        line = ["policy", "rollout", "start", *mode, self._make_folder(action)]
        line += ["--id", f"r{self._rollouts}", "--share", str(options["share"])]
        has_groups = "sources" in self._plan.features and options.get("group")
        line += ["--group-share", "ring-1", "100"] if has_groups else []
        self._run([*line, *self._store, *self._sign()], action)

    def _step(self, action: Action) -> None:
        share = str(action.options["share"])
        self._run(["policy", "rollout", "step", share, *self._store, *self._sign()], action)

    def _pause(self, action: Action) -> None:
        self._run(["policy", "rollout", "pause", *self._store, *self._sign()], action)

    def _promote(self, action: Action) -> None:
        if not self._is_bad:
            self._run(["policy", "rollout", "promote", *self._store, *self._sign()], action)

    def _abort(self, action: Action) -> None:
        line = ["policy", "rollout", "abort", "--reason", "errors", *self._store, *self._sign()]
        self._repeat(action, line)

    def _release(self, action: Action) -> None:
        for scope in ([], ["--all"]):
            self._run(["policy", "rollout", "release", *scope, *self._store], action)

    def _flood(self, action: Action) -> None:
        """Send many requests with an unknown token, as an attacker does."""
        for number in range(80):
            self._clusters.create_pod(replace(action, id=f"{action.id}/{number}", verb="attack"))

    def _wander(self, action: Action) -> None:
        """Call injectors that do not exist, other routes, and review pods without an owner."""
        calls: list[dict[str, Any]] = [{"injector": f"mesh-{number}"} for number in range(40)]
        calls += [{"route": route, "bare": number} for number in range(4) for route in ROUTES]
        for number, call in enumerate(calls):
            options = {**action.options, **call}
            changed = replace(action, id=f"{action.id}/{number}", verb="wander", options=options)
            self._clusters.create_pod(changed)

    def _ready(self, action: Action) -> None:
        """Ask for the readiness, as a monitor does, with and without a credential."""
        for form in ("header", ""):
            self._clusters.ask_readiness(action, form)

    def _settle(self, action: Action) -> None:
        """Repair what is broken, and repeat the commands that can have failed or died."""
        lock = self._aws.parameters.newest(f"{PREFIX}/{DENIED}/lock")
        if lock is not None and lock.time < self._baton.now - LOCK_SECONDS:
            self._remove(f"{DENIED}/lock")  # of a command that died, as its message says
        self._remove(DENIED)
        self._remove(BRAKE)
        for bundle in range(1, 5):
            self._damage(bundle, b"proxy:b")
        self._settled = True
        if action.options["pushes"]:
            line = ["policy", "push", self._make_folder(action), "--end-rollout"]
            self._repeat(action, [*line, *self._store, *self._sign()])
        for cluster in sorted(self._unfinished - {action.subject}):
            other = replace(action, subject=cluster)
            self._baton.spawn(self._baton.current.node, lambda other=other: self._renew(other))
        self._renew(action)

    def _renew(self, action: Action) -> None:
        self._revoke(action)
        self._rotate(action)

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
        signers = self._describe_signers(*numbers)
        if self.stack is not None:
            self.stack.trust(signers)
            return
        os.environ["PODGRAFT_SIGNER"] = signers.keys
        self._ledger.add("world", "signers", signers=[*signers.names])
        self.deploy()

    def _describe_signers(self, *numbers: int) -> Signers:
        names = tuple(SIGNERS[each] for each in numbers)
        return Signers(names, "".join(map(self._aws.keys.public_pem, names)))

    def _census(self, action: Action) -> None:
        kind = action.options["action"]
        place = ["--census", f"s3://{CENSUS}"] if kind in {"stats", "purge"} else []
        place += ["--yes"] if kind == "purge" else []
        self._run(["policy", "census", kind, *place, *self._store], action)

    def _apply(self, action: Action) -> None:
        """Change the groups and sources of clusters by the file of the fleet."""
        if "registry" not in self._plan.features:
            return
        file = self._folder / f"fleet-{self._pushes}.yaml"
        file.write_text(mistakes.make_fleet(self._plan.clusters, action.options["pick"]))
        self._repeat(action, ["fleet", "apply", str(file), *self._target])

    def _adopt(self, action: Action) -> None:
        """Delete the registry, and adopt the documents, as the message of the function says."""
        while self._is_wrong:
            self._baton.wait(PAUSE_SECONDS)
        if not self._read(mistakes.POINTER):
            return
        self._is_wrong, began = True, self._baton.now
        self._ledger.add("operator/hand", "invalid", began=began, repaired=False)
        self._deleted = str(json.loads(self._read(mistakes.POINTER)).get("callers"))
        self._remove(mistakes.POINTER)
        self._is_gone = "finished" in self._plan.features
        self._baton.wait(action.options["seconds"])
        for _ in range(ROUNDS):
            if self._repeat(action, ["fleet", "adopt", *self._target])[0] == 0:
                break
        self._is_wrong = self._is_gone = False
        self._ledger.add("operator/hand", "invalid", began=began, repaired=True)

    def _make_folder(self, action: Action) -> str:
        self._pushes += 1
        is_bad = action.options.get("kind") == "bad"
        bundle, features, large = action.options["bundle"], self._plan.features, 0
        if action.verb == "rollout":  # a candidate has the clusters of the policy in force
            large = self._read_large()
        elif "large" in features and action.options.get("large"):
            large = 2 + self._pushes % 8
        folder = write_folder(
            self._folder, self._pushes, bundle, features, is_bad=is_bad, large=large
        )
        return str(folder)

    def _sign(self) -> list[str]:
        return ["--sign", SIGNERS[self._signer]] if "signatures" in self._plan.features else []

    def _repeat(
        self, action: Action, line: list[str], *, prints_secret: bool = False
    ) -> tuple[int | None, str]:
        """Run a command until it succeeds, as a person does; the result of the last attempt."""
        token = self._clusters.tokens.get(action.subject)
        status, output = self._run(line, action, prints_secret=prints_secret)
        is_first = status == 0
        for attempt in range(1, ATTEMPTS):
            if status == 0:
                break
            self._baton.wait(PAUSE_SECONDS * 3**attempt)
            lock = _LOCK.search(output)
            if self._settled and lock:  # the remedy of the message
                self._remove(lock[1].removeprefix(f"{PREFIX}/"))
            if puts := _PUT.findall(output):  # S3 stores seconds, so there can be several
                name, text = next((each for each in puts if self._deleted in each[1]), puts[0])
                self._put(name.removeprefix(f"{PREFIX}/"), text)
            for remedy, verb in REMEDIES.items():
                if self._settled and remedy in output:
                    line = ["tokens", verb, *line[2:]]
            status, output = self._run(line, prints_secret=prints_secret)
        if self._settled and TOO_MANY in output:
            self._revoke(replace(action, kill=0), waiting=1)
            status, output = self._run(line, prints_secret=prints_secret)
        if line[0] == "tokens" and line[1] != "list":  # which needs no lock
            change = self._unfinished.discard if status == 0 else self._unfinished.add
            change(action.subject)
        if self._settled:
            facts = {"line": " ".join(line[:2]), "status": status, "output": output[-300:]}
            is_other = self._clusters.tokens.get(action.subject) != token
            is_other = line[0] == "tokens" and (is_other or self._rotating[action.subject] > 1)
            facts |= {"raced": is_other or self._was_raced, "first": is_first}
            self._ledger.add("operator/settled", "settled", **facts)
        return status, output

    def _run(
        self, line: list[str], action: Action | None = None, *, prints_secret: bool = False
    ) -> tuple[int | None, str]:
        """Run a command in its own process; the status is None if it was killed."""
        # Adoption refuses a document that a command creates meanwhile.
        while self._is_gone and line[0] == "tokens":
            self._baton.wait(PAUSE_SECONDS)
        self._processes += 1
        node = Node(f"operator/{self._processes}")
        node.killed_at_call = action.kill if action else 0
        began = self._baton.now
        self._raced = dict.fromkeys(self._raced, True) | {node: bool(self._raced)}
        task = self._baton.spawn(node, lambda: main(line))
        while not task.done and not node.killed:
            task.join(0.25 if node.killed_at_call else None)
        self._was_raced = self._raced.pop(node)
        status = task.result if task.done and task.error is None else None
        output = "".join(node.output)
        prints_secret = (prints_secret or "issue" in line) and output.startswith("pg1-")
        token, _, shown = output.partition("\n") if prints_secret else ("", "", output)
        words = [word for word in line if word not in self._store]
        self._ledger.add(
            node.name,
            "command",
            line=" ".join(words).replace(str(self._folder), ""),
            status=status,
            killed=node.killed,
            error=repr(task.error) if task.error else "",
            began=began,
            output=shown.replace(str(self._folder), ""),
            _token=token,
            policy=read_policy_tag(line),
        )
        return status if isinstance(status, int) else None, output
