"""New tokens, and how long they are valid."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

import click
from msgspec import Struct

from podgraft.base import system
from podgraft.cli import folders, outputs
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.cli.outputs import SECRET, Output
from podgraft.cli.regions import is_in_several
from podgraft.cli.wording import format_count
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import Callers, TokenHash, TokensError
from podgraft.service.store.caller_token import ID_BYTES, SECRET_BYTES, make_token, parse_token

from .storage_factory import CallerRepository

DEFAULT_LIFETIME = "90d"
NEVER = "never"
_DAYS = re.compile(r"([0-9]{1,4})d")
_LEGACY_BYTES = 32


class IssuedToken(Struct, frozen=True):
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


expires_option = click.option(
    "--expires",
    type=Lifetime(),
    default=DEFAULT_LIFETIME,
    help="Last day of the token: YYYY-MM-DD, a number of days such as 90d, or never.",
)


def make_issued(note: str, expires: str, *, has_ids: bool = True) -> IssuedToken:
    """Return a new token; without *has_ids*, of the form of earlier versions, without an end."""
    created = system.timestamp()
    if not has_ids:
        text = system.random_bytes(_LEGACY_BYTES).hex()
        return IssuedToken(text, TokenHash(caller_document.hash_token(text), created, note))
    text = make_token(system.random_bytes(ID_BYTES), system.random_bytes(SECRET_BYTES), expires)
    public = parse_token(text)
    id_ = "" if public is None else public.id
    digest = caller_document.hash_token(text)
    return IssuedToken(text, TokenHash(digest, created, note, id_, expires))


@dataclass(slots=True)
class PendingToken:
    """A token to issue: one for all regions, so the registrations fit each of them.

    *check* raises ``TokensError`` for callers that must not get it.
    """

    cluster: str
    output: Path | None
    check: Callable[[Callers], None]
    _issued: IssuedToken | None = field(default=None, repr=False)
    _is_written: bool = False

    def prepare(self, repository: CallerRepository) -> None:
        """Check the callers of one of several regions.

        A token in the file that another region has is issued again, after a failed command.
        """
        if not is_in_several():
            return
        if self.output is None:
            raise click.UsageError("--regions: requires --output, to repeat a failed command")
        if not repository.has_ids:
            raise CommandError("its function reads no ids of tokens; deploy the stack first")
        callers = repository.read(self.cluster)
        text = folders.read_text(self.output).strip() if self.output.exists() else ""
        known = callers.find_tokens(caller_document.hash_token(text))
        if known:
            self._issued, self._is_written = IssuedToken(text, known[0]), True
        else:
            with convert_errors(TokensError):
                self.check(callers)

    def store(
        self, repository: CallerRepository, note: str, expires: str
    ) -> tuple[IssuedToken, Callers]:
        """Store the hash; write the token to the file, if it is set.

        The file is written first, and deleted if no hash is stored. So every issued token works.
        """
        issued = self._issued = self._issued or make_issued(
            note, expires, has_ids=repository.has_ids
        )

        def add(callers: Callers) -> Callers:
            if issued.hash in callers.tokens:  # an earlier attempt, whose response was lost
                return callers
            self.check(callers)
            changed = callers.with_token(issued.hash)
            if self.output is not None and not self._is_written:
                content = Output(self.output, f"{issued.text}\n".encode(), SECRET)
                remedy = "name another file with --output"
                outputs.write_files([content], force=False, remedy=remedy)
                self._is_written = True
            return changed

        is_new = not self._is_written
        try:
            callers = repository.change(self.cluster, add)
        except BaseException:
            if self.output is not None and is_new and self._is_written:
                self.output.unlink(missing_ok=True)
            raise
        return issued, callers


def format_expiry(token: TokenHash, now: datetime) -> str:
    """Return when a token ends, in words."""
    if not token.expires:
        return "does not expire"
    days = (date.fromisoformat(token.expires) - now.date()).days
    if days < 0:
        return f"expired {token.expires}"
    return f"expires {token.expires} ({format_count(days, 'day')})"
