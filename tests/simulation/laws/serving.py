"""Laws about availability, rollouts, the log, and convergence after the weather has healed."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from hashlib import sha256
from typing import Any

from simulation.ledger import Event
from simulation.plan import PROCESSOR, REFRESH_SECONDS, SLOW_SECONDS

from .facts import (
    BOUND_SECONDS,
    BRAKES,
    DENIED,
    FORBIDDEN,
    LAG_SECONDS,
    MARGIN_SECONDS,
    OK,
    THROTTLED,
    UNAUTHORIZED,
    WAIT_SECONDS,
    Reader,
    StoredPolicy,
    identify_credential,
)
from .law import Law, Review
from .states import as_object, stops

SERVER_ERROR = 500
ALMOST_A_DAY = 86_000.0  # podgraft uses no value that was confirmed a day ago
INIT_LIMIT_SECONDS = 10.0
RETRY_SECONDS = 5.0  # after a failed read, until the next one
MOST_ATTEMPTS = 7  # of one call in a second
SHORT_SECONDS = 5  # a timeout that leaves no time to connect again


class LastKnownGood(Law):
    """An environment that has responded goes on while its stores fail, except for a denial."""

    name = "4 last known good version"

    def see_review(self, review: Review) -> None:
        reader = self.facts.reader(review.env)
        if review.code == OK:
            reader.answered = True
            return
        if not reader.answered or not (review.code >= SERVER_ERROR or review.code == 404):
            return
        if review.event.facts["verb"] != "review":
            return
        if DENIED in reader.texts:
            reader.answered = False  # it discarded its version, and has to load one again
            return
        confirmed = min(reader.policy_time, reader.credentials_time)
        if review.event.time - confirmed > ALMOST_A_DAY:
            return
        if not self.facts.has_valid_callers(review.began):
            return  # it never had callers of this cluster, perhaps
        hashed = identify_credential(review.event.facts["_token"])
        if not any(hashed in text for text in reader.credentials.values()):
            return  # newer callers, which it cannot read, can have the credential
        self.violate(f"{review}; it had a loaded version: {review.event.facts.get('_body')}")


class Deadlines(Law):
    """Waiting for stores makes no response later than the caller's timeout."""

    name = "5 deadlines"

    def see(self, event: Event) -> None:
        if event.kind == "init" and event.facts["seconds"] > INIT_LIMIT_SECONDS:
            self.violate(f"{event.lane}: the init took {event.facts['seconds']:.1f} s")

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.env == "gateway" or facts["cold"] or facts["killed"]:
            return
        slow = [each for each in self.facts.plan.windows if each.service == PROCESSOR]
        is_slow = any(w.start < review.event.time and review.began < w.end for w in slow)
        if is_slow and facts["timeout"] <= SLOW_SECONDS:
            return  # it had no time to wait
        # An attempt that kube-apiserver repeats has less time than the review says.
        if review.code == 0 and facts["seconds"] >= facts["timeout"]:
            self.violate(f"{review}; no response within {facts['timeout']} s")


class Brakes(Law):
    """After an environment read a brake, or read none for long, no candidate responds."""

    name = "9 brakes"

    def see_review(self, review: Review) -> None:
        if review.code != OK or review.track != "candidate":
            return
        reader = self.facts.reader(review.env)
        version = self.facts.find_version(review.version, review.event.facts["policy"])
        rollout = as_object(version.fields.get("rollout") if version else None).get("id")
        if reader.certain and any(stops(reader.texts.get(each), rollout) for each in BRAKES):
            self.violate(f"{review}; the environment has read a brake")
        for name in BRAKES:
            since = self._find_start(name, rollout)
            is_read = since is not None and reader.policy_time > since + LAG_SECONDS
            if since is not None and review.began - since > BOUND_SECONDS and is_read:
                self.violate(f"{review}; the brake {name} stops its rollout since {since:.0f}")
        age = review.began - reader.policy_time
        if age > 3 * REFRESH_SECONDS + WAIT_SECONDS + MARGIN_SECONDS:
            self.violate(f"{review}; it last read the brakes {age:.0f} s before")

    def _find_start(self, name: str, rollout: object) -> float | None:
        """Return since when a brake stops a rollout without a break."""
        start: float | None = None
        for time, text, _ in self.facts.parameters.get(name, []):
            start = None if not stops(text, rollout) else time if start is None else start
        return start


def compute_bucket(rollout: str, cluster: str, workload: str, namespace: str) -> int:
    """Return the bucket of a workload, by the formula of docs/rollouts.md."""
    text = f"{rollout}\0{cluster}\0{namespace}\0{workload}"
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % 10_000


def find_shares(rollout: dict[str, Any], cluster: str) -> list[float]:
    """Return which percentages a cluster can have; an environment can have older groups of it."""
    clusters, groups = rollout.get("clusters"), rollout.get("groups")
    if isinstance(clusters, dict) and cluster in clusters:
        return [clusters[cluster]]
    return [rollout.get("share") or 0, *(groups.values() if isinstance(groups, dict) else ())]


def find_selection(rollout: dict[str, Any], review: Review) -> tuple[bool, bool]:
    """Return whether a rollout certainly selects the workload of a review, and whether it can."""
    facts = review.event.facts
    workload = "" if rollout.get("by") == "namespace" else f"Deployment/web-{facts['pod']}"
    bucket = compute_bucket(rollout["id"], review.cluster, workload, facts["namespace"])
    shares = find_shares(rollout, review.cluster)
    return bucket < round(min(shares) * 100), bucket < round(max(shares) * 100)


class Shares(Law):
    """The track is that of the documented hash; a shadow and a pause add no candidate."""

    name = "11 tracks"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        version = self._find_version(review)
        if version is None:
            return
        rollout: dict[str, Any] = version.fields.get("rollout") or {}
        is_candidate = review.track == "candidate"
        if not rollout:
            if is_candidate:
                self.violate(f"{review}; the version has no rollout")
            return
        is_selected, can_be_selected = find_selection(rollout, review)
        if is_candidate and not (can_be_selected and rollout["mode"] == "share"):
            self.violate(f"{review}; it is not selected by {rollout}")
        outcome = facts["log"].get("candidate")
        served = rollout["mode"] == "share" and outcome in {"same", "changed"}
        if served and is_selected and not is_candidate and facts["policy"]:
            self.violate(f"{review}; it is selected by {rollout}")

    def _find_version(self, review: Review) -> StoredPolicy | None:
        if review.code != OK or not review.event.facts["policy"]:
            return None
        return self.facts.find_version(review.version, review.event.facts["policy"])


class Outcomes(Law):
    """The track that responds follows from the mode and the outcome, as docs/rollouts.md says."""

    name = "13 candidate outcomes"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["policy"]:
            return
        version = self.facts.find_version(review.version, facts["policy"])
        rollout: dict[str, Any] = (version.fields.get("rollout") if version else None) or {}
        if version is None or not rollout:
            return
        stable, candidate = (
            version.describe(each).get("injectedAnnotations", {}).get("simulation/policy")
            for each in ("stable", "candidate")
        )
        outcome = facts["log"].get("candidate")
        is_due = rollout["mode"] == "share" and outcome in {"same", "changed"}
        if stable != candidate and (facts["policy"] == candidate) != is_due:
            self.violate(f"{review}; mode {rollout['mode']}, outcome {outcome}")


class SameBytes(Law):
    """Equal pods get equal patches of one version and track, from every environment."""

    name = "36 equal environments"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._patches: dict[object, tuple[bytes, str]] = {}

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK:
            return
        key = (review.event.lane, facts["pod"], facts["namespace"], review.version)
        key = (*key, facts["policy"], review.track, facts["log"].get("groups"))
        patch = sha256(facts["_patch"].encode()).digest()
        known, first = self._patches.setdefault(key, (patch, review.env))
        if known != patch:
            self.violate(f"{review}; {first} responded with other bytes")


class Twins(Law):
    """With a rollout, each track gets the bytes that its policy gives without a rollout."""

    name = "12 twins"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._pods: dict[object, tuple[bytes, str]] = {}

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["policy"]:
            return
        pod = (review.cluster, facts["pod"], facts["namespace"], facts["log"].get("groups"))
        digest = sha256(facts["_twin"].encode()).digest()
        key = (*pod, facts["policy"], facts["audit"].get("bundle"))
        known, first = self._pods.setdefault(key, (digest, str(review)))
        if known != digest:
            self.violate(f"{review}; but {first}, with other bytes")


class LogLines(Law):
    """Each request has one log line, with the code of its response."""

    name = "31 log lines"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code in {0, THROTTLED} or review.env == "gateway":
            return
        log = facts["log"]
        if log.get("code") != review.code and review.code != UNAUTHORIZED:
            self.violate(f"{review}; the log has {log}")
        if review.code == OK and (facts["track"] or log.get("track")):
            track = log.get("track") or "stable"
            if track != review.track and facts["policy"]:
                self.violate(f"{review}; the log has the track {track}")


class Converged(Law):
    """In calm weather, every environment serves the newest version that loads."""

    name = "33 convergence"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._seen: dict[str, float] = {}
        self._retries: dict[str, float] = {}  # when the next read is due, after a dead connection
        self._expected: dict[object, tuple[float, int]] = {}  # since which change

    def see_review(self, review: Review) -> None:
        # From another address, ``Sources`` judges it.
        if review.env == "gateway" or review.code == FORBIDDEN:
            return
        if review.event.facts["verb"] != "review" or review.is_expired:
            return
        if not self.facts.has_valid_callers(review.began):
            return
        is_reset = self.facts.reader(review.env).reset_time >= review.began
        if is_reset and review.event.facts["timeout"] <= SHORT_SECONDS:
            self._retries[review.env] = review.event.time + RETRY_SECONDS
        if review.began < self._retries.get(review.env, -1.0):
            return
        calm = self._find_calm(review)
        first = self._seen.get(review.env, -1.0)
        if first < calm:
            first = self._seen[review.env] = review.began
        if review.began < calm:
            return
        expected = self._find_expected(self.facts.reader(review.env))
        if expected and review.began - first >= BOUND_SECONDS:
            self._judge(review, expected)

    def _find_expected(self, reader: Reader) -> int:
        """Return the newest version that loads in an environment; 0 without one."""
        key = reader.documents, *sorted(reader.signers)
        time, expected = self._expected.get(key, (-1.0, 0))
        if time != self.facts.last_change:
            loadable = (
                each
                for each in self.facts.versions.values()
                if self.facts.is_loadable(each, reader)
            )
            expected = max((each.number for each in loadable), default=0)
            self._expected[key] = self.facts.last_change, expected
        return expected

    def _find_calm(self, review: Review) -> float:
        """Return the time after which everybody has read what is stored."""
        windows = self.facts.plan.windows
        ends = [min(w.end, review.began) for w in windows if w.start < review.event.time]
        # The reads of a fleet can be more than Parameter Store answers.
        return max([self.facts.last_change, self.facts.last_throttle, *ends]) + 2 * BOUND_SECONDS

    def _judge(self, review: Review, expected: int) -> None:
        newest = self.facts.newest
        if review.code != OK:
            self.violate(f"{review}; version {expected} loads: {review.event.facts.get('_body')}")
            return
        served = self.facts.versions.get(review.version)
        # It was loaded before its bundle was damaged.
        is_kept = (
            served is not None
            and served.number > expected
            and self.facts.is_valid(served, self.facts.reader(review.env))
        )
        if review.version != expected and not is_kept:
            self.violate(f"{review}; version {expected} loads")
        elif review.is_marked != (review.version != newest):
            self.violate(f"{review}; the newest version is {newest}")


class Storms(Law):
    """An environment reads at most as often as its refresh interval and its failures allow.

    A review that finds nothing in force reads again, and fails if the bundle cannot be read. The
    pauses between attempts that fail become longer.
    """

    name = "37 request storms"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._failed = Counter[str]()
        self._attempts = defaultdict[str, defaultdict[object, deque[float]]](
            lambda: defaultdict(lambda: deque(maxlen=MOST_ATTEMPTS))
        )

    def see_review(self, review: Review) -> None:
        self._failed[review.env] += review.code >= SERVER_ERROR
        self._begin_again(review.env)

    def see(self, event: Event) -> None:
        facts = event.facts
        if event.kind == "init":
            self._begin_again(event.lane)
        if event.kind == "aws" and event.lane.startswith("env/") and facts["result"] != "ok":
            self._see_attempt(event.lane, (facts["operation"], *facts["_names"]), facts["began"])
        if event.kind == "end" and event.lane == "world":
            self._judge_reads(event)

    def _begin_again(self, lane: str) -> None:
        """Forget attempts: in a fleet, a review begins right after an init or another review."""
        if "fleet" in self.facts.plan.features:
            self._attempts[lane].clear()

    def _see_attempt(self, lane: str, call: tuple[str, ...], began: float) -> None:
        attempts = self._attempts[lane][call]
        # An init reads a bundle and the callers at once, both with GetObject.
        started = self.facts.readers[lane].started
        is_one = call[0] != "GetObject" or began - started > INIT_LIMIT_SECONDS
        if is_one and len(attempts) == MOST_ATTEMPTS and began - attempts[0] < 1:
            self.violate(f"{lane}: {call[0]} failed {MOST_ATTEMPTS + 1} times in a second")
        attempts.append(began)

    def _judge_reads(self, event: Event) -> None:
        for name, reader in self.facts.readers.items():
            seconds = event.time - reader.started
            writes = sum(map(len, self.facts.parameters.values())) + len(self.facts.objects)
            failures = 4 * reader.failures + 2 * self._failed[name]
            allowed = 20 + 2 * seconds / REFRESH_SECONDS + failures + 8 * writes
            if reader.reads > allowed:
                self.violate(f"{name}: {reader.reads} reads in {seconds:.0f} s")


LAWS: tuple[type[Law], ...] = (
    LastKnownGood,
    Deadlines,
    Brakes,
    Shares,
    SameBytes,
    Twins,
    LogLines,
    Converged,
    Storms,
)
