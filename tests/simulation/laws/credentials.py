"""Laws about callers: who is accepted, and that no secret is shown."""

from __future__ import annotations

import gzip
from collections import defaultdict
from ipaddress import ip_address, ip_network
from typing import Any

from simulation.ledger import Event

from .facts import (
    BOUND_SECONDS,
    FORBIDDEN,
    GRACE_SECONDS,
    LAG_SECONDS,
    OK,
    POINTER,
    SKEW_SECONDS,
    THROTTLED,
    UNAUTHORIZED,
    Reader,
    find_expiry,
    identify_credential,
)
from .law import Law, Review
from .states import as_object, load_clusters

# The limits of docs/monitoring.md, with the error of a clock; the source of a monitor.
MAX_FAILURES, MAX_ALL_FAILURES, MINUTE_SECONDS = 60, 600, 60.0 + SKEW_SECONDS
DEFAULT_SOURCE = "198.51.100.24"
SECRETS = ("secret-annotation-value",)


class Authentication(Law):
    """Only a credential of the callers that an environment read is accepted, and each of them."""

    name = "14 authentication"

    def see_review(self, review: Review) -> None:
        hashed = identify_credential(review.event.facts["_token"])
        reader = self.facts.reader(review.env)
        texts = reader.known if review.is_marked else reader.credentials.values()
        is_known = any(hashed in text for text in texts)
        if review.code == OK and not is_known:
            self.violate(f"{review}; the environment never read this token")
        if review.is_expired:
            return
        if review.code == UNAUTHORIZED and is_known and reader.credentials_is_current:
            self.violate(f"{review}; the environment has read this token")


_BOUND = ("groups", "sources")
_REVOCATIONS = ("tokens revoke", "tokens forbid")


def _has_callers(name: str) -> bool:
    return name == POINTER or name.startswith("auth/")


class Revocation(Law):
    """Without a mark, a revoked token is accepted for the bound at most.

    It is revoked when it is in no document any more, or when the command says so.
    """

    name = "15 revocation"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._revoked: dict[tuple[str, str], float] = {}  # when, by cluster and identity

    def see(self, event: Event) -> None:
        facts = event.facts
        if event.kind == "parameter" and facts["by"] == "hand" and _has_callers(facts["name"]):
            self._revoked.clear()  # a person can restore what was revoked meanwhile
        is_revoked = event.kind == "command" and facts["line"].startswith(_REVOCATIONS)
        if is_revoked and facts["status"] == 0:
            *_, cluster, identity = facts["line"].split()
            self._revoked[cluster, identity] = event.time

    def see_review(self, review: Review) -> None:
        if review.code != OK or review.is_marked:
            return
        hashed = identify_credential(review.event.facts["_token"])
        for (cluster, identity), time in self._revoked.items():
            shown = identity in review.event.facts["_token"] or hashed.startswith(identity)
            if cluster == review.cluster and shown and review.began - time > BOUND_SECONDS:
                self.violate(f"{review}; a command revoked its token at {time:.0f}")
        ended = self._find_end(hashed, self.facts.reader(review.env))
        if ended is not None and review.began - ended > BOUND_SECONDS:
            self.violate(f"{review}; its token was revoked {review.began - ended:.0f} s before")

    def _find_end(self, hashed: str, reader: Reader) -> float | None:
        """Return since when a token does not count any more."""
        ended: float | None = None
        had = False
        for time, has in self.facts.had_token(hashed, reader):
            ended = time if had and not has else None if has else ended
            had = has
        return ended


class ValidTokens(Law):
    """The token in the configuration of a cluster counts, unless somebody revoked it."""

    name = "16 valid tokens"

    def see_review(self, review: Review) -> None:
        if review.event.facts["verb"] == "attack" or review.code != UNAUTHORIZED:
            return
        if review.is_expired:
            return
        hashed = identify_credential(review.event.facts["_token"])
        reader = self.facts.reader(review.env)
        if reader.registry_failed or not self.facts.has_valid_callers(review.began):
            return
        since = min((time for time, has in self.facts.had_token(hashed) if has), default=1e18)
        if review.began - since > BOUND_SECONDS and reader.credentials_time > since + LAG_SECONDS:
            self.violate(f"{review}; its cluster has this token since {since:.0f}")


class Serials(Law):
    """An environment reads only the last registry whose serial is the number of its version."""

    name = "18 serials"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._read: dict[str, list[str]] = defaultdict(list)

    def see(self, event: Event) -> None:
        if event.kind != "aws" or not event.lane.startswith("env/"):
            return
        is_newest = event.facts.get("_names") == [POINTER]  # not an earlier one
        if is_newest and POINTER in event.facts.get("versions", {}):
            self._read[event.lane].append(self._find_key(event.facts["versions"][POINTER]))
        key: str = event.facts.get("key", "")
        # An abandoned call can read the object of an earlier pointer.
        keys = self._read[event.lane][-3:]
        if key.startswith("callers/") and key not in keys:
            self.violate(f"{event.lane} read {key}, and none of {keys} counts")

    def _find_key(self, number: int) -> str:
        """Return the key of the registry that counts if a version is the newest one."""
        counted = self.facts.counted
        return counted.get(max((each for each in counted if each <= number), default=0), "")


class Expiry(Law):
    """After the last day of a token, it is refused; before, ``ValidTokens`` accepts it."""

    name = "17 expiry"

    def see_review(self, review: Review) -> None:
        end = find_expiry(review.event.facts["_token"])
        if review.code == OK and review.began > end + GRACE_SECONDS + SKEW_SECONDS:
            self.violate(f"{review}; its token ended {review.began - end:.0f} s before")


class Sources(Law):
    """A cluster with sources is accepted from these alone, and without sources from everywhere."""

    name = "14 sources"

    def see_review(self, review: Review) -> None:
        reader = self.facts.reader(review.env)
        text = reader.credentials.get(POINTER, "")
        is_certain = reader.credentials_is_current and not review.is_marked
        is_certain = is_certain and self.facts.has_valid_callers(review.began)
        # After an invalid document, the earlier callers of its cluster remain in force.
        is_certain = is_certain and self.facts.had_valid_callers(reader.credentials_time)
        if not text or not is_certain or review.event.facts["verb"] == "attack":
            return
        sources = _find_sources(text, review.cluster)
        is_admitted = not sources or any(_admits(each, review) for each in sources)
        if review.code == OK and not is_admitted:
            self.violate(f"{review}; {review.event.facts['source']} is in none of {sources}")
        if review.code == FORBIDDEN and is_admitted:
            self.violate(f"{review}; {review.event.facts['source']} is in {sources}")


def _find_sources(registry: str, cluster: str) -> list[str]:
    own: list[str] = as_object(load_clusters(registry).get(cluster)).get("sources", [])
    return own


def _admits(source: str, review: Review) -> bool:
    own: str = review.event.facts["source"]
    if own.startswith("vpce-") or "/" not in source:
        return own == source
    try:
        address = ip_address(own)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address in ip_network(source)


class Adoption(Law):
    """If somebody deletes the registry, no caller loses an end, groups, or sources.

    It judges a registry that a command stored without dying, because its copies are complete.
    """

    name = "42 adoption"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._stored: tuple[str, str] = "", ""  # who stored the newest object of a registry
        self._finished = ""
        self._deleted = ""  # the registry that somebody deleted

    def see(self, event: Event) -> None:
        facts = event.facts
        if event.kind == "store" and facts["key"].startswith("callers/"):
            self._stored = event.facts["by"], facts["key"]
        elif event.kind == "command" and event.lane == self._stored[0] and facts["status"] == 0:
            self._finished = self._stored[1]
        elif event.kind == "parameter" and facts["name"] == POINTER:
            if facts["_text"] is None:
                self._deleted = self._find_complete()
            elif self._deleted and facts["version"] in self.facts.counted:
                self._judge_restored(self.facts.callers[POINTER][-1][1])
                self._deleted = ""

    def _find_complete(self) -> str:
        """Return the registry in force; empty unless documents and bucket have just that."""
        text = self.facts.callers[POINTER][-1][1]
        return text if self._finished and self._finished == self._stored[1] else ""

    def _judge_restored(self, restored: str) -> None:
        clusters = load_clusters(restored)
        for name, own in load_clusters(self._deleted).items():
            if _is_less(as_object(clusters.get(name)), own):
                self.violate(f"after an adoption, {name} lacks what the registry had")

    def see_review(self, review: Review) -> None:
        is_read = POINTER in self.facts.reader(review.env).credentials
        sources = _find_sources(self._deleted or "{}", review.cluster)
        if review.code != OK or is_read or not sources:
            return
        if not any(_admits(each, review) for each in sources):
            self.violate(f"{review}; the deleted registry had the sources {sources}")


def _is_less(after: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether the callers of a cluster lack what no command can have removed meanwhile."""
    ends = {each["sha256"]: each.get("expires") for each in after.get("tokens", [])}
    tokens = [(each["sha256"], each.get("expires")) for each in before["tokens"]]
    is_gone = not after and bool(tokens or before["subjects"])
    has_other_ends = any(ends.get(key, end) != end for key, end in tokens)
    return is_gone or has_other_ends or any(after.get(key) != before.get(key) for key in _BOUND)


class Throttled(Law):
    """A valid credential from its sources is never throttled, and nobody before the limit."""

    name = "28 throttle"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._failures: dict[str, list[tuple[float, str]]] = defaultdict(list)

    def see(self, event: Event) -> None:
        if event.kind == "ready":  # one of them has no credential
            self._failures[event.facts["env"]].append((event.time, DEFAULT_SOURCE))

    def _judge_limit(self, review: Review) -> None:
        """Judge whether a source, or all of them, failed often enough in the last minute."""
        time, source = review.event.time, review.event.facts["source"]
        recent = [each for each in self._failures[review.env] if each[0] > time - MINUTE_SECONDS]
        self._failures[review.env] = [*recent, (time, source)]
        own = sum(each == source for _, each in recent)
        if review.code == THROTTLED and own < MAX_FAILURES and len(recent) < MAX_ALL_FAILURES:
            self.violate(f"{review}; its source failed {own} times in a minute")

    def see_review(self, review: Review) -> None:
        # A review without a response can have failed, too.
        if review.env != "gateway" and review.code in {0, UNAUTHORIZED, FORBIDDEN, THROTTLED}:
            self._judge_limit(review)
        is_valid = review.event.facts["verb"] == "review" and review.env != "gateway"
        is_valid = is_valid and not review.is_expired and self._is_in_folder(review)
        text = self.facts.reader(review.env).credentials.get(POINTER, "{}")
        sources = _find_sources(text, review.cluster) if review.code == THROTTLED else []
        is_valid = is_valid and (not sources or any(_admits(each, review) for each in sources))
        if review.code == THROTTLED and is_valid:
            self.violate(f"{review}; its credential is valid")

    def _is_in_folder(self, review: Review) -> bool:
        """Whether the folder of workers has the credential; others have no folder."""
        files = self.facts.states[-1].files
        key = identify_credential(review.event.facts["_token"])
        is_shared = "serve" in self.facts.plan.features
        return not is_shared or any(key in files[each] for each in files if each.startswith("auth"))


class Secrets(Law):
    """No token, and no value of an annotation, is in a response, a log, an output, a record.

    A command prints a new token once, as its first line.
    """

    name = "29 secrets"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._tokens: set[str] = set()
        self._starts: set[str] = set()

    def see(self, event: Event) -> None:
        if event.kind == "review":
            self._keep(event.facts["_token"])
            shown = f"{event.facts.get('_body', '')}{event.facts.get('_lines', '')}"
        elif event.kind == "command":
            self._keep(event.facts["_token"])
            shown = event.facts["output"]
        elif event.kind in {"watch", "probe"}:
            shown = event.facts["output"]
        elif event.kind == "ready":
            shown = str(event.facts["_body"])
        elif event.kind == "record":
            shown = gzip.decompress(event.facts["_content"]).decode()
        else:
            return
        self._judge(event, shown)

    def _keep(self, token: str) -> None:
        if token and not token.startswith("CN="):  # a subject is no secret
            self._tokens.add(token)
            self._starts.add(token[:4])

    def _judge(self, event: Event, shown: str) -> None:
        tokens = self._tokens if any(each in shown for each in self._starts) else ()
        for secret in (*tokens, *SECRETS):
            if secret in shown:
                self.violate(f"{event.lane}: {event.kind} shows a secret of {len(secret)} letters")


LAWS: tuple[type[Law], ...] = (
    Authentication, Sources, Revocation, ValidTokens, Serials, Expiry, Adoption, Throttled,
    Secrets,
)  # fmt: skip
