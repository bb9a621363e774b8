"""What the laws know: what is stored since when, and what each environment has read."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from simulation.ledger import Event
from simulation.names import INJECTOR, PREFIX, format_registry_key
from simulation.plan import REFRESH_SECONDS, START_SECONDS, Plan

from .states import State, as_object, load, load_clusters, note_file

BUNDLE_FILE, OVERRIDES = "injector.yaml", ("clusters.yaml", "groups.yaml")
POLICY, BRAKES, DENIED, POINTER = (
    f"{INJECTOR}/policy",
    (f"{INJECTOR}/brake", "brake"),
    "denied",
    "callers",
)
SIGNATURE = "# signature: v1 "
NO_BUNDLE = f"sha256:{'0' * 64}"  # which a person names by mistake
MAX_REGISTRY_BYTES = 16 * 1024 * 1024
REGISTRY_DOCUMENTS, OVERRIDES_DOCUMENTS, FIRST_SIGNER = 2, 3, "alias/signer-0"
MEMBER = "c3"  # of the group ring-1, by the policy
LAG_SECONDS, WAIT_SECONDS, MARGIN_SECONDS = 5.0, 1.4, 0.6
# The time after which everybody who can read has read a change.
BOUND_SECONDS = REFRESH_SECONDS + WAIT_SECONDS + LAG_SECONDS + MARGIN_SECONDS
# An abandoned call can deliver its response to nobody, so a slow read proves nothing.
CERTAIN_SECONDS = 0.3
# No value is in force that was confirmed more than a day ago, plus the rounding of this law.
MAX_AGE_SECONDS = 86_400 + 60.0
THROTTLING = "ThrottlingException"
OK, UNAVAILABLE, UNAUTHORIZED, FORBIDDEN, THROTTLED = 200, 503, 401, 403, 429


@dataclass(slots=True)
class StoredPolicy:
    """A version of the policy, as the world stored it. ``ended`` is when it was replaced."""

    number: int
    text: str
    time: float
    by: str
    overrides: str = ""  # the digest of the bundle that has its clusters, and their text
    moved: str = ""
    ended: float | None = None

    @property
    def digests(self) -> tuple[str, ...]:
        """What must be stored, and must not be denied: its bundle, and its overrides."""
        own = str(self.fields.get("bundle", ""))
        return (own, self.overrides) if self.overrides else (own,)

    @property
    def is_broken(self) -> bool:
        """Whether a person wrote it by hand with a mistake, which no promotion replaced since."""
        if "# broken" not in self.text:
            return False
        bundle = str(self.fields.get("bundle", NO_BUNDLE))
        return "unknown" in self.fields or bundle == NO_BUNDLE

    @property
    def fields(self) -> dict[str, Any]:
        """The parsed document, with its overrides."""
        return {**load(self.text), **load(self.moved)} if self.moved else load(self.text)

    def describe(self, track: str) -> dict[str, Any]:
        """Return the fields of a track."""
        if track != "candidate":
            return self.fields
        rollout = as_object(self.fields.get("rollout"))
        return {**self.fields, **as_object(rollout.get("candidate"))}


_OVERRIDES = re.compile(r"^overrides: (sha256:[0-9a-f]{64})$", re.MULTILINE)
_CREATED = re.compile(r'["\']?created["\']?: *["\']?(\d{4}-\d\d-\d\dT[0-9:]+Z)')
_EXPIRY = re.compile(r"pg1-[^-]+-(\d{4})(\d\d)(\d\d)-")
# A clock of an environment is wrong by at most five seconds; podgraft grants five minutes.
SKEW_SECONDS, GRACE_SECONDS = 6.0, 300.0


@lru_cache(maxsize=4_000)
def find_expiry(token: str) -> float:
    """Return when a token ends: at midnight UTC, after the day that its text names."""
    match = _EXPIRY.match(token)
    if match is None or match[1] == "0000":
        return 1e18
    day = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    return day.timestamp() + 86_400 - START_SECONDS


@lru_cache(maxsize=4_000)
def identify_credential(credential: str) -> str:
    """Return what a document of callers has of a credential: a hash, or the subject itself."""
    if credential.startswith("CN="):
        return credential
    return hashlib.sha256(credential.encode()).hexdigest()


@dataclass(slots=True)
class Reader:
    """What an environment read last; ``certain`` if its responses cannot have been abandoned."""

    policy: int = 0
    policy_time: float = -1.0
    certain: bool = True
    failed: bool = False
    texts: dict[str, str] = field(default_factory=dict[str, str])
    credentials: dict[str, str] = field(default_factory=dict[str, str])
    credentials_time: float = -1.0
    reset_time: float = -1.0  # when a connection of its snapshot was dead
    credentials_failed: bool = False
    registry_failed: bool = False  # its object, which the pointer in Parameter Store names
    answered: bool = False
    reads: int = 0
    failures: int = 0
    started: float = 0.0
    signers: set[str] = field(default_factory=set[str])
    documents: int = OVERRIDES_DOCUMENTS  # that its release reads
    known: list[str] = field(default_factory=list[str])  # all texts of callers that it ever read

    @property
    def credentials_is_current(self) -> bool:
        """Whether the last read of the callers succeeded, certainly."""
        return self.certain and not self.credentials_failed


class Facts:
    """The state of the world. Names of parameters are relative to the prefix."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.signs = "signatures" in plan.features
        self.versions: dict[int, StoredPolicy] = {}
        self.removed: list[StoredPolicy] = []
        self.newest = 0
        self.objects: dict[str, set[str]] = {}
        self._moved: dict[str, str] = {}  # the text of overrides by digest
        self.damaged: dict[str, float] = {}
        self.bundle_tags: dict[str, str] = {}
        self.parameters: dict[str, list[tuple[float, str | None, str]]] = {}
        self.readers: dict[str, Reader] = {}
        self.signed: dict[str, set[str]] = {}  # the keys that signed a digest
        self.signers: set[str] = {FIRST_SIGNER}  # whose signatures count
        self.releases: list[dict[str, Any]] = []  # to which the alias routes
        # What is in force of the callers, by name of the document; the registry is one document.
        self.callers: dict[str, list[tuple[float, str]]] = {}
        self._registries: dict[str, str] = {}
        self._commanded: list[tuple[float, str]] = []  # the registries of commands, not of hands
        self.counted: dict[int, str] = {}  # the keys of the registries that counted, by serial
        # Emptied when a document changes.
        self._had: dict[tuple[str, bool], list[tuple[float, bool]]] = {}
        self.last_change, self.last_throttle = 0.0, 0.0
        self.states = [State(0.0, {})]  # of the folder
        self.mistakes: dict[float, float] = {}  # when callers became invalid, until when

    def reader(self, name: str) -> Reader:
        """Return what an environment read."""
        found = self.readers.get(name)
        if found is None:
            found = self.readers[name] = Reader()
        return found

    def note(self, event: Event) -> None:
        """Update the state by an event."""
        note = getattr(self, f"_note_{event.kind}", None)
        if note is not None:
            note(event)

    def _note_file(self, event: Event) -> None:
        note_file(self.states, event)

    _note_disk = _note_file

    def _note_invalid(self, event: Event) -> None:
        self.last_change = event.time
        # A mistake is noted when it begins, and when it is repaired.
        began, is_repaired = event.facts["began"], event.facts["repaired"]
        self.mistakes[began] = event.time if is_repaired else 1e18

    def _note_damage(self, event: Event) -> None:
        self.last_change = event.time
        if event.facts["mark"] == "proxy:x":
            self.damaged[event.facts["digest"]] = event.time
        else:
            self.damaged.pop(event.facts["digest"], None)

    def _note_sign(self, event: Event) -> None:
        self.signed.setdefault(event.facts["digest"], set()).add(event.facts["key"])

    def _note_signers(self, event: Event) -> None:
        self.last_change = event.time
        self.signers = set(event.facts["signers"])

    def _note_init(self, event: Event) -> None:
        reader = self.reader(event.lane)
        reader.signers = set(event.facts.get("signers", ())) or {FIRST_SIGNER}
        reader.documents = event.facts.get("documents", reader.documents)

    def _note_alias(self, event: Event) -> None:
        self.releases = event.facts["releases"]

    def _note_restore(self, event: Event) -> None:
        """An environment has what its snapshot read, but for the callers: they can be revoked."""
        before, own = self.reader(event.facts["snapshot"]), self.reader(event.lane)
        own.policy, own.policy_time = before.policy, before.policy_time
        own.texts, own.failed = dict(before.texts), before.failed

    def _note_start(self, event: Event) -> None:
        self.reader(event.lane).started = event.time

    def _note_aws(self, event: Event) -> None:
        if event.lane.startswith("env/"):
            self._note_read(event)

    def _note_parameter(self, event: Event) -> None:
        name, text = event.facts["name"], event.facts["_text"]
        self.last_change = event.time
        self.parameters.setdefault(name, []).append((event.time, text, event.facts["by"]))
        if name != POLICY:
            self._note_callers(name, text, event)
            return
        before = self.versions.get(self.newest)
        if before is not None:
            before.ended = event.time
        if text is None:
            self.removed += self.versions.values()
            self.versions, self.newest = {}, 0
            return
        number = event.facts["version"]
        found = _OVERRIDES.search(text)
        digest = found[1] if found else ""
        own = number, text, event.time, event.facts["by"]
        self.versions[number] = StoredPolicy(*own, digest, self._moved.get(digest, ""))
        self.newest = number

    def _note_callers(self, name: str, text: str | None, event: Event) -> None:
        """Note the documents below auth/, or the registry if its pointer counts."""
        self._had.clear()
        if name == POINTER and text is None:  # its versions count from 1 again
            self.counted.clear()
        elif name == POINTER and text is not None:
            pointer = load(text)
            digest = str(pointer.get("callers"))
            if pointer.get("serial") != event.facts["version"] or not digest.startswith("sha256:"):
                return  # another writer was first, so this version does not count
            key = format_registry_key(digest)
            self.counted[event.facts["version"]] = key
            registry = self._registries.get(key)
            if registry is None:
                return  # it does not load
            self.callers.setdefault(POINTER, []).append((event.time, registry))
            self._commanded += [(event.time, registry)] if event.facts["by"] != "hand" else []
        elif (
            name.startswith("auth/") and not name.endswith("/lock") and POINTER not in self.callers
        ):
            self.callers.setdefault(name, []).append((event.time, text or ""))

    def had_token(self, hashed: str, reader: Reader | None = None) -> list[tuple[float, bool]]:
        """Return since when a token counts, and since when not, for an environment or everybody.

        An environment of an earlier release reads copies of the registry: a command writes them,
        and a person who edits the registry by hand does not (docs/fleet.md).
        """
        reads_copies = reader is not None and reader.documents < REGISTRY_DOCUMENTS
        key = hashed, reads_copies
        if key not in self._had:
            self._had[key] = self._find_times(hashed, reads_copies=reads_copies)
        return self._had[key]

    def _find_times(self, hashed: str, *, reads_copies: bool) -> list[tuple[float, bool]]:
        if POINTER in self.callers:
            documents = self._commanded if reads_copies else self.callers[POINTER]
            earlier = [
                each for name, texts in self.callers.items() if name != POINTER for each in texts
            ]
            documents = [*[each for each in earlier if hashed in each[1]][:1], *documents]
            return [(time, hashed in text) for time, text in documents]
        has: dict[str, bool] = {}
        times: list[tuple[float, bool]] = []
        stored = [(time, name, text) for name in self.callers for time, text in self.callers[name]]
        for time, name, text in sorted(stored):
            has[name] = hashed in text
            times.append((time, any(has.values())))
        return times if any(found for _, found in times) else []

    def _note_store(self, event: Event) -> None:
        self.last_change = event.time
        key: str = event.facts["key"]
        if not key.startswith("bundles/"):
            registry = _read_registry(event.facts["_content"])
            if registry:
                self._registries[key] = registry
            return
        _, _, digest, path = key.split("/", 3)
        files = self.objects.setdefault(digest, set())
        if event.facts["operation"] == "PutObject":
            files.add(path)
            if path in OVERRIDES:
                name, text = f"sha256:{digest}", event.facts["_content"].decode()
                self._moved[name] = f"{self._moved.get(name, '')}{text}"
            self.damaged.pop(digest, None)
        else:
            files.discard(path)

    def _note_read(self, event: Event) -> None:
        reader, facts = self.reader(event.lane), event.facts
        if facts["result"] == "reset":
            reader.reset_time = event.time
        if facts["result"] == THROTTLING:
            self.last_throttle = event.time
        operation: str = facts["operation"]
        names: list[str] = facts.get("_names") or []
        if operation == "GetObject" and "key" not in facts:  # it failed: perhaps for the callers
            reader.credentials_failed = reader.registry_failed = True
            return
        if operation == "GetObject" and facts["key"].startswith("callers/"):
            is_read = facts["result"] == "ok" and facts["key"] in self._registries
            reader.credentials_failed = reader.registry_failed = not is_read
            if is_read:
                reader.credentials = {POINTER: self._registries[facts["key"]]}
                reader.known.append(self._registries[facts["key"]])
            return
        if operation == "GetParametersByPath" or POINTER in names:
            self._note_credentials(reader, event)
            return
        if POLICY not in names:
            return
        reader.reads += 1
        if facts["result"] != "ok":
            reader.failed = True
            reader.failures += 1
            return
        reader.certain = facts["seconds"] < CERTAIN_SECONDS
        reader.failed = False
        versions = facts["versions"]
        reader.texts = {
            each["Name"].removeprefix(f"{PREFIX}/"): each["Value"] for each in facts["_texts"]
        }
        if POLICY in versions:
            reader.policy, reader.policy_time = versions[POLICY], event.time

    def _note_credentials(self, reader: Reader, event: Event) -> None:
        facts = event.facts
        is_pointer = facts["operation"] == "GetParameters"
        if facts["result"] == "ok" and is_pointer and POINTER not in facts["versions"]:
            return  # no registry: the documents follow
        reader.credentials_failed = facts["result"] != "ok"
        if facts["result"] != "ok":
            return
        reader.certain = facts["seconds"] < CERTAIN_SECONDS
        if facts["operation"] == "GetParametersByPath" and POINTER not in reader.credentials:
            texts = {each["Name"]: each["Value"] for each in facts["_texts"]}
            reader.credentials.update(texts)
            reader.known += texts.values()
        if not facts.get("_more"):  # the other pages follow
            reader.credentials_time = event.time

    def find_created(self) -> list[str]:
        """Return when the tokens that count were created."""
        newest = [texts[-1][1] for texts in self.callers.values()]
        if POINTER in self.callers:
            newest = [self.callers[POINTER][-1][1]]
        return [each for text in newest for each in _CREATED.findall(text)]

    def has_valid_callers(self, now: float) -> bool:
        """Whether each environment that can read has read valid callers."""
        return all(end + BOUND_SECONDS < now for end in self.mistakes.values())

    def had_valid_callers(self, time: float) -> bool:
        """Whether no invalid callers were stored at a time."""
        return not any(began <= time <= end for began, end in self.mistakes.items())

    def find_groups(self, reader: Reader, cluster: str) -> list[str]:
        """Return the groups of a cluster in the registry that an environment read last."""
        text = reader.credentials.get(POINTER, "{}")
        own = as_object(load_clusters(text).get(cluster))
        groups: list[str] = own.get("groups", [])
        return ["ring-1"] if cluster == MEMBER or "ring-1" in groups else []

    def text_at(self, name: str, time: float) -> str | None:
        """Return the text of a parameter at a time."""
        found = [text for stored, text, _ in self.parameters.get(name, []) if stored <= time]
        return found[-1] if found else None

    def is_denied(self, digest: str, text: str | None) -> bool:
        """Whether a deny list names a digest; an invalid list denies all."""
        return bool(text) and (digest in str(text) or str(text).startswith("# broken"))

    def is_complete(self, digest: str) -> bool:
        """Whether all files of a bundle, or of overrides, are stored, without damage."""
        name = digest.removeprefix("sha256:")
        files = self.objects.get(name, set[str]())
        return bool(files & {BUNDLE_FILE, OVERRIDES[0]}) and name not in self.damaged

    def is_signed(self, version: StoredPolicy, digest: str, signers: set[str]) -> bool:
        """Whether KMS signed exactly this name, number, digest, and text, with one of the keys."""
        number = self.find_number(f"{PREFIX}/{POLICY}", version.text, digest, signers)
        return number == version.number

    def find_number(self, name: str, document: str, digest: str, signers: set[str]) -> int:
        """Return the number that KMS signed a document for; 0 if it did not.

        Without *digest*, the signature can be for any bundle.
        """
        text, _, line = document.rpartition(SIGNATURE)
        words = line.split()
        if not text or len(words) != 4 or len(words[3]) != 88:  # it was cut
            return 0
        if digest and words[1] != digest:
            return 0
        payload = f"podgraft policy signature v1\n{name}\n{words[0]}\n{words[1]}\n{text}"
        hashed = hashlib.sha256(payload.encode()).digest()
        return int(words[0]) if self.signed.get(_encode(hashed), set()) & signers else 0

    def needs_signature(self, document: str) -> bool:
        """Whether the function accepts a document only with a valid signature."""
        return self.signs and not ("optional" in self.plan.features and SIGNATURE not in document)

    def is_trusted(self, version: StoredPolicy, digest: str, signers: set[str]) -> bool:
        """Whether the function accepts the signature of a version, or its absence."""
        return not self.needs_signature(version.text) or self.is_signed(version, digest, signers)

    def is_valid(self, version: StoredPolicy, reader: Reader | None = None) -> bool:
        """Whether a version can remain in force, in an environment of any release."""
        if reader is not None and version.overrides and reader.documents < OVERRIDES_DOCUMENTS:
            return False
        digest = str(version.fields.get("bundle", ""))
        return (
            not version.is_broken
            and not any(
                self.is_denied(each, self.text_at(DENIED, 1e18)) for each in version.digests
            )
            and self.is_trusted(version, digest, reader.signers if reader else self.signers)
        )

    def is_loadable(self, version: StoredPolicy, reader: Reader | None = None) -> bool:
        """Whether a version can load now."""
        return self.is_valid(version, reader) and all(map(self.is_complete, version.digests))

    def find_versions(self, number: int, tag: str) -> list[StoredPolicy]:
        """Return the versions of this number and tag, also of earlier parameters."""
        found = [each for each in self.removed if each.number == number]
        found += [self.versions[number]] if number in self.versions else []
        return [each for each in found if tag in each.text]

    def find_version(self, number: int, tag: str) -> StoredPolicy | None:
        """Return a version; after a deletion, that of an earlier parameter with this tag.

        A mistake of a person has the tag of the text that it changes.
        """
        found = self.find_versions(number, tag)[::-1]
        found.sort(key=lambda each: each.is_broken)
        return next(iter(found), self.versions.get(number))


def _encode(digest: bytes) -> str:
    return b64encode(digest).decode()


def _read_registry(content: bytes) -> str:
    """Return the text of a registry; empty for an object that is none."""
    try:
        text = gzip.decompress(content).decode()
        document = as_object(json.loads(text))
    except (OSError, ValueError, EOFError):
        return ""
    is_registry = isinstance(document.get("clusters"), dict)
    return text if is_registry and len(text) <= MAX_REGISTRY_BYTES else ""
