"""New tokens, and how long they are valid."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import click

from podgraft.base import system
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import TokenHash
from podgraft.service.store.caller_token import ID_BYTES, SECRET_BYTES, make_token, parse_token

from .repository import CallerRepository

DEFAULT_LIFETIME = "90d"
NEVER = "never"
_DAYS = re.compile(r"([0-9]{1,4})d")
_LEGACY_BYTES = 32


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token: its text, which is never stored, and the stored hash."""

    text: str
    hash: TokenHash


class Lifetime(click.ParamType[str]):
    """The last day of a token: ``YYYY-MM-DD``, a number of days such as ``90d``, or ``never``."""

    name = "DATE|DAYS|never"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return ``YYYY-MM-DD``, or an empty text for ``never``."""
        today = system.now().date()
        if value in {NEVER, ""}:
            return ""
        days = _DAYS.fullmatch(value)
        try:
            last = today + timedelta(int(days[1])) if days else date.fromisoformat(value)
        except ValueError:
            self.fail(f"got {value!r}; use a day such as 2027-02-22, 90d, or never", param, ctx)
        if last < today:
            self.fail(f"{last} is over; use a later day", param, ctx)
        return last.isoformat()


def make_issued(repository: CallerRepository, note: str, expires: str) -> IssuedToken:
    """Return a new token; of the form without an end for a function of an earlier version."""
    created = f"{system.now():%Y-%m-%dT%H:%M:%SZ}"
    if not repository.has_ids:
        text = system.random_bytes(_LEGACY_BYTES).hex()
        return IssuedToken(text, TokenHash(caller_document.hash_token(text), created, note))
    text = make_token(system.random_bytes(ID_BYTES), system.random_bytes(SECRET_BYTES), expires)
    public = parse_token(text)
    id_ = "" if public is None else public.id
    digest = caller_document.hash_token(text)
    return IssuedToken(text, TokenHash(digest, created, note, id_, expires))


def format_expiry(token: TokenHash, now: datetime) -> str:
    """Return when a token ends, in words."""
    if not token.expires:
        return "does not expire"
    days = (date.fromisoformat(token.expires) - now.date()).days
    if days < 0:
        return f"expired {token.expires}"
    return f"expires {token.expires} ({'1 day' if days == 1 else f'{days} days'})"
