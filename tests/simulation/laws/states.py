"""What a folder contained, and since when."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, cast

import yaml

from simulation.ledger import Event
from simulation.names import INJECTOR

BUNDLE_FILE = re.compile(r"proxy:([bx]\d+)")
DENIED, BRAKES = "denied.yaml", (f"{INJECTOR}/brake.yaml", "brake.yaml")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
BUNDLE, POLICY = f"{INJECTOR}/bundle/injector.yaml", f"{INJECTOR}/policy.yaml"


@dataclass(slots=True)
class State:
    """The files at one time, and since when."""

    time: float
    files: dict[str, str]
    is_lost: bool = False

    def tag(self, digest: str | None) -> str:
        """Return the tag of the bundle that a policy names."""
        named = f"{INJECTOR}/bundles/{str(digest).removeprefix('sha256:')}/injector.yaml"
        found = BUNDLE_FILE.search(self.files.get(named) or self.files.get(BUNDLE, ""))
        return found[1] if found else ""

    @property
    def is_readable(self) -> bool:
        """Whether each file has a text, and nobody cut the bundle."""
        is_complete = self.files.get(BUNDLE, "").endswith("}\n")
        return is_complete and all(text and "\ufffd" not in text for text in self.files.values())

    @property
    def policy(self) -> dict[str, Any]:
        """The policy; empty if it is none."""
        return load(self.files.get(POLICY, ""))

    @property
    def rollout(self) -> dict[str, Any]:
        """The rollout; empty without one."""
        return as_object(self.policy.get("rollout"))

    @property
    def digest(self) -> str:
        """The digest of the bundle, which consists of one file."""
        content = self.files.get(BUNDLE, "").encode()
        listing = f"{sha256(content).hexdigest()}  injector.yaml\n".encode()
        return f"sha256:{sha256(listing).hexdigest()}"

    def pairs(self) -> Iterator[tuple[str, str, str]]:
        """Yield what can respond: track, tag of the policy, and tag of the bundle."""
        policy = self.policy
        candidate = as_object(self.rollout.get("candidate"))
        for track, fields in (("stable", policy), ("candidate", {**policy, **candidate})):
            annotations = as_object(fields.get("injectedAnnotations"))
            yield track, annotations.get("simulation/policy", ""), self.tag(fields.get("bundle"))


def as_object(value: object) -> dict[str, Any]:
    """Return a mapping; empty for any other value."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@lru_cache(maxsize=2_000)
def load(text: str) -> dict[str, Any]:
    """Return a document; empty if it is no mapping."""
    try:
        return as_object(yaml.load(text, _LOADER))  # noqa: S506 — both loaders are safe
    except yaml.YAMLError:
        return {}


@lru_cache(maxsize=20)
def load_clusters(registry: str) -> dict[str, Any]:
    """Return the clusters of a registry, which many reviews of a fleet read."""
    return as_object(json.loads(registry).get("clusters"))


def stops(brake: str | None, rollout: object) -> bool:
    """Whether a brake stops a rollout: one that is invalid, or without an id, stops all."""
    if brake is None:
        return False
    id_ = load(brake).get("id")
    return not isinstance(id_, str) or id_ in {"", "*", rollout}


def note_file(states: list[State], event: Event) -> None:
    """Add the state after a change of a file, or of the disk."""
    last = states[-1]
    if event.kind == "disk":
        states.append(State(event.time, last.files, event.facts["is_lost"]))
        return
    files = {**last.files, event.facts["name"]: event.facts["_text"]}
    kept = {name: text for name, text in files.items() if text is not None}
    states.append(State(event.time, kept, last.is_lost))
