"""``podgraft tokens``: printed once, stored as hashes, rotated without downtime."""

import secrets
import shlex
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path

import click
from msgspec.structs import replace

from podgraft import yaml
from podgraft.cli import outputs, program
from podgraft.cli.outputs import SECRET, Output
from podgraft.store import caller_document as hashes
from podgraft.store.caller_document import Callers, TokenHash, TokensError
from podgraft.web.subjects import parse_subject

from .storage import CallerStorage, CallerStorageError, Entry, Location
from .storage_factory import open_storage

TOKEN_BYTES = 32  # 256 random bits; base64url makes them one segment of a URL's path as they are


@dataclass(frozen=True, slots=True)
class CallerRepository:
    """The callers of all clusters, in one store."""

    storage: CallerStorage
    location: Location

    def read(self, cluster: str) -> Callers:
        """The callers of *cluster*; nobody where nothing is written yet."""
        return self._parse(cluster, self.storage.read(cluster))

    @contextmanager
    def change(self, cluster: str) -> Generator["Change"]:
        """Read the callers of *cluster* to replace them; no other process can do so meanwhile."""
        with self.storage.lock(cluster):
            entry = self.storage.read(cluster)
            yield Change(self, cluster, self._parse(cluster, entry), entry)

    def command(self, *words: str) -> str:
        """A line that runs another command on the same store."""
        return shlex.join(["podgraft", "tokens", *words, *self.location.options])

    def _parse(self, cluster: str, entry: Entry) -> Callers:
        if entry.text is None:
            return Callers()
        try:
            return hashes.parse_callers(yaml.load(entry.text))
        except yaml.NotYAMLError as error:
            # Without its words: they may quote what somebody wrote in place of a hash.
            location = f"{self.storage.location(cluster)}, line {error.line} column {error.column}"
            raise TokensError(f"{location}: is not YAML") from error


@dataclass(frozen=True, slots=True)
class Change:
    """The callers of one cluster, under the lock of its document."""

    repository: CallerRepository
    cluster: str
    callers: Callers
    entry: Entry

    def write(self, callers: Callers) -> None:
        """Replace the callers, and check that they are what is stored then."""
        shelf, text = self.repository.storage, yaml.dump(hashes.to_document(callers))
        shelf.write(self.cluster, text, self.entry)
        if shelf.read(self.cluster).text != text:
            raise CallerStorageError(
                f"{shelf.location(self.cluster)}: is not what was written; check it with podgraft "
                "tokens list, then run the command again"
            )


def store_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name the store to *command*, which is given its book first."""

    @wraps(command)
    def run_in_store(
        *, store: str, stack_name: str | None, parameter_prefix: str | None, **own: object
    ) -> None:
        # A stack that is named wins over a prefix of the environment.
        prefix = None if stack_name is not None else parameter_prefix
        location = Location(store, stack_name, prefix)
        command(CallerRepository(open_storage(location), location), **own)

    for option in (
        click.option(
            "--parameter-prefix",
            envvar="PODGRAFT_PARAMETER_PREFIX",
            show_envvar=True,
            help="Stack output ParameterPrefix; instead of --stack-name.",
        ),
        click.option("--stack-name", help="Deployed stack whose clusters these are; with aws."),
        click.option(
            "--store",
            envvar="PODGRAFT_STORE",
            default="aws",
            show_default=True,
            show_envvar=True,
            help="Where the webhook looks: aws, or file:<folder>.",
        ),
    ):
        run_in_store = option(run_in_store)
    return run_in_store


class _Group(program.ReportingGroup):
    reported = (TokensError,)


@click.group("tokens", cls=_Group)
def command() -> None:
    """Issue, rotate, revoke, and list the tokens of clusters."""


cluster_option = click.option("--cluster", required=True, help="The id of the calling cluster.")
note_option = click.option("--note", default="", help="Why, or for whom; kept beside the hash.")
output_option = click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Write the token into this new file (0600) and not to standard output.",
)


@command.command()
@cluster_option
@note_option
@output_option
@store_options
def issue(repository: CallerRepository, cluster: str, note: str, output: Path | None) -> None:
    """Make a cluster's first token."""
    with repository.change(cluster) as change:
        if change.callers.tokens:
            raise TokensError(f"{cluster} has a token already; replace it: podgraft tokens rotate")
        token = _issue(change, note, output)
    _print_token(repository, cluster, token, output)
    _print_register_step(cluster, output)


@command.command()
@cluster_option
@note_option
@output_option
@store_options
def rotate(repository: CallerRepository, cluster: str, note: str, output: Path | None) -> None:
    """Make a second token beside the first, which stays valid until it is revoked."""
    with repository.change(cluster) as change:
        if not change.callers.tokens:
            raise TokensError(f"{cluster} has no token yet; create one: podgraft tokens issue")
        token = _issue(change, note, output)
    _print_token(repository, cluster, token, output)
    [old] = [token.identity for token in change.callers.tokens]
    revoke = repository.command("revoke", "--cluster", cluster, old)
    _print_register_step(cluster, output, f"once that is applied: {revoke}")


@command.command()
@cluster_option
@click.argument("identity")
@store_options
def revoke(repository: CallerRepository, cluster: str, identity: str) -> None:
    """Forget the token whose hash begins with IDENTITY, as list shows it."""
    with repository.change(cluster) as change:
        callers = change.callers.without_token(identity)
        change.write(callers)
    click.echo(f"{cluster}: revoked {identity}")
    if callers.tokens or callers.subjects:
        program.print_next_steps("the webhook refuses it from its next refresh on")
    else:
        program.print_next_steps(
            f"nobody can call for {cluster} any more: issue a token, or delete its webhook"
        )


@command.command("list")
@click.option("--cluster", help="Only this one; by default all.")
@store_options
def list_(repository: CallerRepository, cluster: str | None) -> None:
    """Show who may call for which cluster."""
    clusters = [cluster] if cluster else repository.storage.clusters()
    for name in clusters:
        callers = repository.read(name)
        for token in callers.tokens:
            click.echo(f"{name}\ttoken {token.identity}\t{token.created}\t{token.note}".rstrip())
        for subject in callers.subjects:
            click.echo(f"{name}\tcertificate {subject}")
    if not clusters:
        program.print_next_steps(
            f"{repository.command('issue', '--cluster', 'CLUSTER')}: nobody may call yet"
        )


@command.command()
@cluster_option
@click.argument("subject")
@store_options
def allow(repository: CallerRepository, cluster: str, subject: str) -> None:
    """Allow client certificates with SUBJECT, as podgraft certs client prints it."""
    if parse_subject(subject) is None:
        raise TokensError(
            f"subject: got {subject!r}, which can match no certificate; "
            "use the form CN=prod-eu,O=podgraft-clusters, with one attribute in each part"
        )
    with repository.change(cluster) as change:
        subjects = tuple(dict.fromkeys((*change.callers.subjects, subject)))
        change.write(replace(change.callers, subjects=subjects))
    click.echo(f"{cluster}: {subject} may call")
    program.print_next_steps("PODGRAFT_AUTH=mtls makes the webhook ask for certificates")


@command.command()
@cluster_option
@click.argument("subject")
@store_options
def forbid(repository: CallerRepository, cluster: str, subject: str) -> None:
    """Take back what allow gave."""
    with repository.change(cluster) as change:
        callers = change.callers
        if subject not in callers.subjects:
            subject_list = "; ".join(callers.subjects) or "none"
            raise TokensError(f"{subject!r} is not among the subjects of {cluster}: {subject_list}")
        subjects = tuple(one for one in callers.subjects if one != subject)
        change.write(replace(callers, subjects=subjects))
    click.echo(f"{cluster}: {subject} may no longer call")
    program.print_next_steps("the webhook refuses it from its next refresh on")


def _issue(change: Change, note: str, output: Path | None) -> str:
    """Make a token and store its hash; the token is in *output*, if that is given.

    The file is written first and deleted again if the hash cannot be stored: each token that is
    left works.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    created = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    callers = change.callers.with_token(TokenHash(hashes.hash_token(token), created, note))
    if output is None:
        change.write(callers)
        return token
    outputs.write_files([Output(output, f"{token}\n".encode(), SECRET)], force=False)
    try:
        change.write(callers)
    except BaseException:
        output.unlink(missing_ok=True)
        raise
    return token


def _print_token(
    repository: CallerRepository, cluster: str, token: str, output: Path | None
) -> None:
    if output is None:
        click.echo(token)
    click.echo(
        f"{cluster}: hash in {repository.storage.location(cluster)}; the token is kept nowhere",
        err=True,
    )


def _print_register_step(cluster: str, output: Path | None, *further: str) -> None:
    program.print_next_steps(
        f"podgraft register --url https://HOST --cluster {cluster} "
        f"--token-file {output or 'FILE'}, and kubectl apply what it prints",
        *further,
    )
