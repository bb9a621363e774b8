#!/usr/bin/env python3
"""Tokens by which clusters call the webhook: shown once, kept as hashes, rotated without a gap."""

import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path

import click

import outputs
import program
from credentials import Shelf, ShelfError, open_shelf
from outputs import SECRET, Output, OutputError
from podgraft import kubeyaml
from podgraft.store import tokens as hashes
from podgraft.store.tokens import Callers, TokenHash, TokensError
from podgraft.web.subjects import parse

TOKEN_BYTES = 32  # 256 random bits; base64url makes them one segment of a URL's path as they are

FAULTS = (ShelfError, TokensError, OutputError, OSError)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is 0 where everything went well."""
    return program.run(tokens, argv, faults=FAULTS)


@dataclass(frozen=True, slots=True)
class Book:
    """The callers of all clusters, in one store."""

    shelf: Shelf

    def read(self, cluster: str) -> Callers:
        """The callers of *cluster*; nobody where nothing is written yet."""
        text = self.shelf.read(cluster)
        if text is None:
            return Callers()
        try:
            return hashes.parse(kubeyaml.load(text))
        except kubeyaml.NotYAMLError as error:
            # Without its words: they may quote what somebody wrote in place of a hash.
            place = f"{self.shelf.place(cluster)}, line {error.line} column {error.column}"
            raise TokensError(f"{place}: is not YAML") from error

    def write(self, cluster: str, callers: Callers) -> None:
        """Replace the callers of *cluster*."""
        self.shelf.write(cluster, kubeyaml.dump(hashes.document(callers)))


def in_store(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name the store to *command*, which is given its book first."""

    @wraps(command)
    def opened(*, store: str, parameter_prefix: str, **own: object) -> None:
        command(Book(open_shelf(store, parameter_prefix)), **own)

    for option in (
        click.option(
            "--parameter-prefix",
            envvar="PODGRAFT_PARAMETER_PREFIX",
            default="/podgraft",
            show_default=True,
            show_envvar=True,
        ),
        click.option(
            "--store",
            envvar="PODGRAFT_STORE",
            default="aws",
            show_default=True,
            show_envvar=True,
            help="Where the webhook looks: aws, or file:<folder>.",
        ),
    ):
        opened = option(opened)
    return opened


@click.group("tokens.py", context_settings={"help_option_names": ["-h", "--help"]})
def tokens() -> None:
    """Issue, rotate, revoke and list the tokens of clusters."""


in_cluster = click.option("--cluster", required=True, help="The id of the calling cluster.")
with_note = click.option("--note", default="", help="Why, or for whom; kept beside the hash.")
to_file = click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Write the token into this new file (0600) and not to standard output.",
)


@tokens.command()
@in_cluster
@with_note
@to_file
@in_store
def issue(book: Book, cluster: str, note: str, output: Path | None) -> None:
    """Make a cluster's first token."""
    callers = book.read(cluster)
    if callers.tokens:
        raise TokensError(f"{cluster} has a token already; replace it with: tokens.py rotate")
    _hand_out(book, cluster, callers, note, output)
    _then_register(cluster, output)


@tokens.command()
@in_cluster
@with_note
@to_file
@in_store
def rotate(book: Book, cluster: str, note: str, output: Path | None) -> None:
    """Make a second token beside the first, which stays valid until it is revoked."""
    callers = book.read(cluster)
    if not callers.tokens:
        raise TokensError(f"{cluster} has no token yet; make one with: tokens.py issue")
    _hand_out(book, cluster, callers, note, output)
    old = ", ".join(token.identity for token in callers.tokens)
    _then_register(
        cluster,
        output,
        f"once that is applied: scripts/tokens.py revoke --cluster {cluster} {old}",
    )


@tokens.command()
@in_cluster
@click.argument("identity")
@in_store
def revoke(book: Book, cluster: str, identity: str) -> None:
    """Forget the token whose hash begins with IDENTITY, as list shows it."""
    callers = book.read(cluster).without_token(identity)
    book.write(cluster, callers)
    click.echo(f"{cluster}: revoked {identity}")
    if callers.tokens or callers.subjects:
        program.then("the webhook refuses it from its next refresh on")
    else:
        program.then(
            f"nobody can call for {cluster} any more: issue a token, or delete its webhook"
        )


@tokens.command("list")
@click.option("--cluster", help="Only this one; by default all.")
@in_store
def list_(book: Book, cluster: str | None) -> None:
    """Show who may call for which cluster."""
    found = [cluster] if cluster else book.shelf.clusters()
    for name in found:
        callers = book.read(name)
        for token in callers.tokens:
            click.echo(f"{name}\ttoken {token.identity}\t{token.created}\t{token.note}".rstrip())
        for subject in callers.subjects:
            click.echo(f"{name}\tcertificate {subject}")
    if not found:
        program.then("scripts/tokens.py issue --cluster CLUSTER: nobody may call yet")


@tokens.command()
@in_cluster
@click.argument("subject")
@in_store
def allow(book: Book, cluster: str, subject: str) -> None:
    """Let a client certificate with SUBJECT (as certs.py client prints it) call for a cluster."""
    callers = book.read(cluster)
    if parse(subject) is None:
        raise TokensError(
            f"subject: got {subject!r}, which can match no certificate; "
            "use the form CN=prod-eu,O=podgraft-clusters, with one attribute in each part"
        )
    subjects = tuple(dict.fromkeys((*callers.subjects, subject)))
    book.write(cluster, replace(callers, subjects=subjects))
    click.echo(f"{cluster}: {subject} may call")
    program.then("PODGRAFT_AUTH=mtls makes the webhook ask for certificates")


@tokens.command()
@in_cluster
@click.argument("subject")
@in_store
def forbid(book: Book, cluster: str, subject: str) -> None:
    """Take back what allow gave."""
    callers = book.read(cluster)
    if subject not in callers.subjects:
        known = "; ".join(callers.subjects) or "none"
        raise TokensError(f"{subject!r} is not among the subjects of {cluster}: {known}")
    subjects = tuple(one for one in callers.subjects if one != subject)
    book.write(cluster, replace(callers, subjects=subjects))
    click.echo(f"{cluster}: {subject} may no longer call")
    program.then("the webhook refuses it from its next refresh on")


def _hand_out(book: Book, cluster: str, callers: Callers, note: str, output: Path | None) -> None:
    """Make a token, keep its hash, and only then show it: what is shown works."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    created = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    known = callers.with_token(TokenHash(hashes.digest(token), created, note))
    if output is not None:
        outputs.write([Output(output, f"{token}\n".encode(), SECRET)], force=False)
    book.write(cluster, known)
    if output is None:
        click.echo(token)
    click.echo(
        f"{cluster}: hash in {book.shelf.place(cluster)}; the token is kept nowhere", err=True
    )


def _then_register(cluster: str, output: Path | None, *further: str) -> None:
    program.then(
        f"scripts/register.py --url https://HOST --cluster {cluster} "
        f"--token-file {output or 'FILE'}, and kubectl apply what it prints",
        *further,
    )


if __name__ == "__main__":
    sys.exit(main())
