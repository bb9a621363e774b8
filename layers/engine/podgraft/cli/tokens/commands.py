"""``podgraft tokens``: tokens are printed once, stored as hashes, and rotated without downtime."""

import json
import shlex
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path

import click
from msgspec.structs import replace

from podgraft.base import system
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import command_help, outputs, program
from podgraft.cli.aws_options import aws_options
from podgraft.cli.config_source import (
    ConfigSource,
    ConfigSourceType,
    config_option,
    is_explicit,
    make_old_option,
    prevails,
)
from podgraft.cli.outputs import SECRET, Output
from podgraft.kube import yaml
from podgraft.service.store import caller_document as hashes
from podgraft.service.store.caller_document import Callers, TokenHash, TokensError
from podgraft.service.store.subjects import parse_subject

from .storage import CallerStorage, CallerStorageError, Entry, Location
from .storage_factory import open_storage

_AWS = "aws"
# 256 random bits, in hexadecimal digits: kube-apiserver accepts neither upper-case letters nor _ in
# the path of a Service.
TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class CallerRepository:
    """The callers of all clusters, in one store."""

    storage: CallerStorage
    location: Location

    def read(self, cluster: str) -> Callers:
        """Return the callers of *cluster*; none without a document."""
        return self._parse(cluster, self.storage.read(cluster))

    @contextmanager
    def change(self, cluster: str) -> Generator["Change"]:
        """Lock and read the callers of *cluster*, to replace them."""
        with self.storage.lock(cluster):
            entry = self.storage.read(cluster)
            yield Change(self, cluster, self._parse(cluster, entry), entry)

    def command(self, *words: str) -> str:
        """Return a command line for the same store."""
        return shlex.join(["podgraft", "tokens", *words, *self.location.options])

    def _parse(self, cluster: str, entry: Entry) -> Callers:
        if entry.text is None:
            return Callers()
        try:
            return hashes.parse_callers(yaml.load_document(entry.text))
        except yaml.NotYAMLError as error:
            # Without the text of the error: it can quote a token.
            location = f"{self.storage.location(cluster)}, line {error.line} column {error.column}"
            raise TokensError(f"{location}: not one valid YAML document; correct it") from error


@dataclass(frozen=True, slots=True)
class Change:
    """The callers of one cluster, under the lock of its document."""

    repository: CallerRepository
    cluster: str
    callers: Callers
    entry: Entry

    def write(self, callers: Callers) -> None:
        """Store the callers, and verify the stored document."""
        storage, text = self.repository.storage, yaml.dump(hashes.to_document(callers))
        storage.write(self.cluster, text, self.entry)
        if storage.read(self.cluster).text != text:
            raise CallerStorageError(
                f"{storage.location(self.cluster)}: another process changed the document; check "
                "it with podgraft tokens list, then run the command again"
            )


def store_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the store to *command*, which gets a repository first."""

    @wraps(command)
    def run_in_store(
        *,
        source: ConfigSource | None,
        store: str,
        stack_name: str | None,
        parameter_prefix: str | None,
        **own: object,
    ) -> None:
        if source is not None and prevails(*_OLD_PARAMETERS):
            store = _AWS if source.folder is None else f"file:{source.folder}"
            stack_name, parameter_prefix = source.stack, None
        elif not is_explicit("stack_name") and (is_explicit("parameter_prefix") or store != _AWS):
            stack_name = None  # of the environment or the project file
        # The name of a stack overrides a prefix of the environment.
        prefix = None if stack_name is not None else parameter_prefix
        location = Location(store, stack_name, prefix)
        command(CallerRepository(open_storage(location), location), **own)

    decorated: Callable[..., None] = run_in_store
    for option in (
        aws_options,
        make_old_option("parameter-prefix"),
        make_old_option("stack-name"),
        click.option(
            "--store", envvar="PODGRAFT_STORE", default=_AWS, hidden=True, help="As --config."
        ),
        config_option(
            ConfigSourceType(cluster=False, is_new=True), "Stack, or folder of podgraft serve."
        ),
    ):
        decorated = option(decorated)
    return decorated


_OLD_PARAMETERS = ("store", "stack_name", "parameter_prefix")


class _Group(program.ReportingGroup):
    reported = (TokensError,)


@command_help.group("tokens", cls=_Group)
def command() -> None:
    """Issue, rotate, revoke, and list the tokens of clusters."""


cluster_option = click.option("--cluster", required=True, help="Id of the calling cluster.")
note_option = click.option(
    "--note", default="", help="Note, such as a ticket, to store with the hash."
)
output_option = click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="New file for the token (mode 0600); default: standard output.",
)


@command.command()
@cluster_option
@note_option
@output_option
@store_options
def issue(repository: CallerRepository, cluster: str, note: str, output: Path | None) -> None:
    """Create the first token of a cluster."""
    with repository.change(cluster) as change:
        if change.callers.tokens:
            raise TokensError(f"{cluster} already has a token; replace it: podgraft tokens rotate")
        token = _issue(change, note, output)
    _print_token(repository, cluster, token, output)
    _print_register_step(cluster, output)


@command.command()
@cluster_option
@note_option
@output_option
@store_options
def rotate(repository: CallerRepository, cluster: str, note: str, output: Path | None) -> None:
    """Create a second token. The first one remains valid until you revoke it."""
    with repository.change(cluster) as change:
        if not change.callers.tokens:
            raise TokensError(f"{cluster} has no token yet; create one: podgraft tokens issue")
        token = _issue(change, note, output)
    _print_token(repository, cluster, token, output)
    [old] = [token.identity for token in change.callers.tokens]
    revoke = repository.command("revoke", "--cluster", cluster, old)
    _print_register_step(cluster, output, f"after you have applied it: {revoke}")


@command.command()
@cluster_option
@click.argument("identity")
@store_options
def revoke(repository: CallerRepository, cluster: str, identity: str) -> None:
    """Revoke the token with the id IDENTITY, the start of its hash that list prints."""
    with repository.change(cluster) as change:
        callers = change.callers.without_token(identity)
        change.write(callers)
    click.echo(f"{cluster}: revoked {identity}")
    if callers.tokens or callers.subjects:
        program.print_next_steps("the webhook rejects it after its next refresh")
    else:
        program.print_next_steps(
            f"cluster {cluster} cannot call podgraft any more: issue a token, or delete its webhook"
        )


@command.command("list")
@click.option("--cluster", help="Id of one cluster; default: all clusters.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@store_options
def list_(repository: CallerRepository, cluster: str | None, output: str) -> None:
    """List the tokens and certificate subjects of the clusters, with the age of each token.

    The store has no time of last use: the log lines of podgraft have the cluster of each review.
    """
    now = system.now()
    clusters = [cluster] if cluster else repository.storage.clusters()
    callers_by_cluster = {name: repository.read(name) for name in clusters}
    if output == "json":
        documents = [_to_json(name, callers, now) for name, callers in callers_by_cluster.items()]
        click.echo(json.dumps(documents, indent=2, ensure_ascii=False))
        return
    for name, callers in callers_by_cluster.items():
        for token in callers.tokens:
            age = _format_age(token.created, now)
            cells = (name, f"token {token.identity}", token.created, age, token.note)
            click.echo("\t".join(cells).rstrip())
        for subject in callers.subjects:
            click.echo(f"{name}\tcertificate {subject}")
    if not clusters:
        program.print_next_steps(
            f"{repository.command('issue', '--cluster', 'CLUSTER')}: no cluster can call yet"
        )


def _age_days(created: str, now: datetime) -> int | None:
    """The age of a token in days; ``None`` if the document has no valid time of creation."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return None
    return (now - moment.astimezone(UTC)).days


def _format_age(created: str, now: datetime) -> str:
    days = _age_days(created, now)
    if days is None:
        return "age unknown"
    return "1 day" if days == 1 else f"{days} days"


def _to_json(cluster: str, callers: Callers, now: datetime) -> Object:
    tokens: list[JSON] = [
        {
            "id": token.identity,
            "created": token.created or None,
            "ageDays": _age_days(token.created, now),
            "note": token.note,
        }
        for token in callers.tokens
    ]
    return {"cluster": cluster, "tokens": tokens, "subjects": [*callers.subjects]}


@command.command()
@cluster_option
@click.argument("subject")
@store_options
def allow(repository: CallerRepository, cluster: str, subject: str) -> None:
    """Allow client certificates with SUBJECT, which podgraft certs client prints."""
    if parse_subject(subject) is None:
        raise TokensError(
            f"subject: got {subject!r}, which can match no certificate; "
            "use a subject such as CN=prod-eu,O=podgraft-clusters, with one attribute in each part"
        )
    with repository.change(cluster) as change:
        subjects = tuple(dict.fromkeys((*change.callers.subjects, subject)))
        change.write(replace(change.callers, subjects=subjects))
    click.echo(f"{cluster}: {subject} is allowed")
    program.print_next_steps("set PODGRAFT_AUTH=mtls, so the webhook requires client certificates")


@command.command()
@cluster_option
@click.argument("subject")
@store_options
def forbid(repository: CallerRepository, cluster: str, subject: str) -> None:
    """Remove SUBJECT from the allowed client certificates."""
    with repository.change(cluster) as change:
        callers = change.callers
        if subject not in callers.subjects:
            subject_list = "; ".join(callers.subjects) or "none"
            raise TokensError(
                f"subject {subject!r} of {cluster} not found; use one of: {subject_list}"
            )
        subjects = tuple(one for one in callers.subjects if one != subject)
        change.write(replace(callers, subjects=subjects))
    click.echo(f"{cluster}: {subject} is not allowed any more")
    program.print_next_steps("the webhook rejects it after its next refresh")


def _issue(change: Change, note: str, output: Path | None) -> str:
    """Create a token and store its hash; write the token to *output*, if it is set.

    The file is written first, and deleted if storing the hash fails. So every issued token works.
    """
    token = system.random_bytes(TOKEN_BYTES).hex()
    created = f"{system.now():%Y-%m-%dT%H:%M:%SZ}"
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
        f"{cluster}: hash in {repository.storage.location(cluster)}; the token is not stored",
        err=True,
    )


def _print_register_step(cluster: str, output: Path | None, *further: str) -> None:
    program.print_next_steps(
        f"podgraft register --url https://HOST --cluster {cluster} "
        f"--token-file {output or 'FILE'} --namespace-selector KEY=VALUE, then kubectl apply the "
        "output",
        *further,
    )
