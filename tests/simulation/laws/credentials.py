"""Laws about callers: who is accepted, and that no secret is shown."""

from __future__ import annotations

from hashlib import sha256

from simulation.ledger import Event

from .facts import (
    BOUND_SECONDS,
    GRACE_SECONDS,
    LAG_SECONDS,
    OK,
    SKEW_SECONDS,
    THROTTLED,
    UNAUTHORIZED,
    Law,
    Review,
    find_expiry,
)

SECRETS = ("secret-annotation-value",)


class Authentication(Law):
    """Only a credential of the callers that an environment read is accepted, and each of them."""

    name = "14 authentication"

    def see_review(self, review: Review) -> None:
        token = review.event.facts["_token"]
        hashed = sha256(token.encode()).hexdigest()
        reader = self.facts.reader(review.env)
        is_known = any(hashed in text for text in reader.credentials.values())
        if review.code == OK and not is_known:
            self.violate(f"{review}; the environment never read this token")
        if review.is_expired:
            return
        if review.code == UNAUTHORIZED and is_known and reader.credentials_is_current:
            self.violate(f"{review}; the environment has read this token")


class Revocation(Law):
    """Without a mark, a revoked token is accepted for the bound at most."""

    name = "15 revocation"

    def see_review(self, review: Review) -> None:
        if review.code != OK or review.is_marked:
            return
        hashed = sha256(review.event.facts["_token"].encode()).hexdigest()
        ended = self._find_end(hashed)
        if ended is not None and review.began - ended > BOUND_SECONDS:
            self.violate(f"{review}; its token was revoked {review.began - ended:.0f} s before")

    def _find_end(self, hashed: str) -> float | None:
        """Return since when a token does not count any more."""
        ended: float | None = None
        had = False
        for time, has in self.facts.had_token(hashed):
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
        hashed = sha256(review.event.facts["_token"].encode()).hexdigest()
        since = min(time for time, has in self.facts.had_token(hashed) if has)
        reader = self.facts.reader(review.env)
        if review.began - since > BOUND_SECONDS and reader.credentials_time > since + LAG_SECONDS:
            self.violate(f"{review}; its cluster has this token since {since:.0f}")


class Expiry(Law):
    """After the last day of a token, it is refused; before, ``ValidTokens`` accepts it."""

    name = "17 expiry"

    def see_review(self, review: Review) -> None:
        end = find_expiry(review.event.facts["_token"])
        if review.code == OK and review.began > end + GRACE_SECONDS + SKEW_SECONDS:
            self.violate(f"{review}; its token ended {review.began - end:.0f} s before")


class Throttled(Law):
    """A valid credential is never throttled."""

    name = "28 throttle"

    def see_review(self, review: Review) -> None:
        is_valid = review.event.facts["verb"] == "review" and review.env != "gateway"
        is_valid = is_valid and not review.is_expired
        if review.code == THROTTLED and is_valid:
            self.violate(f"{review}; its credential is valid")


class Secrets(Law):
    """No token, and no value of an annotation, is in a response, a log line, or an output."""

    name = "29 secrets"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._tokens: set[str] = set()
        self._starts: set[str] = set()

    def see(self, event: Event) -> None:
        if event.kind == "review":
            token = event.facts["_token"]
            self._tokens.add(token)
            self._starts.add(token[:4])
            shown = f"{event.facts.get('_body', '')}{event.facts.get('_lines', '')}"
        elif event.kind == "command":
            shown = event.facts["output"]
        else:
            return
        tokens = self._tokens if any(each in shown for each in self._starts) else ()
        for secret in (*tokens, *SECRETS):
            if secret in shown:
                self.violate(f"{event.lane}: {event.kind} shows a secret of {len(secret)} letters")


LAWS: tuple[type[Law], ...] = (
    Authentication, Revocation, ValidTokens, Expiry, Throttled, Secrets,
)  # fmt: skip
