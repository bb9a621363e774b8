"""``podgraft tokens``: tokens are printed once, stored as hashes, and rotated without downtime."""

import shlex
from collections.abc import Generator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import click
from msgspec.structs import replace

from podgraft.base import system
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import command_help, program
from podgraft.cli.config_source import ConfigSourceType, Location, location_options
from podgraft.cli.documents import render_json
from podgraft.cli.failure import CommandError
from podgraft.cli.regions import Steps, is_in_several, list_region_words, run_in_regions, share
from podgraft.cli.shared_options import PATH, format_option
from podgraft.cli.wording import format_count
from podgraft.service.store.caller_document import MAX_ACTIVE, Callers, TokensError
from podgraft.service.store.subjects import Subject, both_orders, parse_subject

from .issuance import IssuedToken, PendingToken, expires_option, format_expiry
from .storage_factory import CallerRepository, open_repository
from .usage import read_last_uses


def _open_store(location: Location) -> CallerRepository:
    return open_repository(location)


store_options = location_options(
    _open_store,
    ConfigSourceType(cluster=False, is_new=True),
    "Stack, or folder of podgraft serve.",
    name="repository",
)


@command_help.group("tokens")
def command() -> None:
    """Issue, rotate, revoke, and list the tokens of clusters."""


cluster_option = click.option("--cluster", required=True, help="Id of the calling cluster.")
note_option = click.option(
    "--note", default="", help="Note, such as a ticket, to store with the hash."
)
output_option = click.option(
    "-o",
    "--output",
    type=PATH,
    help="New file for the token (mode 0600); default: standard output.",
)


@command.command()
@run_in_regions()
@cluster_option
@note_option
@expires_option
@output_option
@store_options
def issue(
    repository: CallerRepository, cluster: str, note: str, expires: str, output: Path | None
) -> Steps:
    """Create the first token of a cluster."""

    def check(callers: Callers) -> None:
        if callers.tokens:
            raise TokensError(f"{cluster} already has a token; replace it: podgraft tokens rotate")

    yield from _issue(repository, PendingToken(cluster, output, check), note, expires)
    _print_register_step(repository, cluster, output)


@command.command()
@run_in_regions()
@cluster_option
@note_option
@expires_option
@output_option
@store_options
def rotate(
    repository: CallerRepository, cluster: str, note: str, expires: str, output: Path | None
) -> Steps:
    """Create a second token. The first one remains valid until you revoke it."""

    def check(callers: Callers) -> None:
        if not callers.tokens:
            raise TokensError(f"{cluster} has no token yet; create one: podgraft tokens issue")
        if len(callers.tokens) >= MAX_ACTIVE:
            ids = ", ".join(each.identity for each in callers.tokens)
            revoke = _format_command(repository, "revoke", "--cluster", cluster, "ID")
            raise TokensError(
                f"{cluster} already has {MAX_ACTIVE} tokens: {ids}; revoke the unused one: {revoke}"
            )

    pending = PendingToken(cluster, output, check)
    issued, callers = yield from _issue(repository, pending, note, expires)
    old = next(each.identity for each in callers.tokens if each != issued.hash)
    revoke = _format_command(repository, "revoke", "--cluster", cluster, old)
    _print_register_step(repository, cluster, output, f"after you have applied it: {revoke}")


@command.command()
@run_in_regions(needs_all=False)
@cluster_option
@click.argument("identity")
@store_options
def revoke(repository: CallerRepository, cluster: str, identity: str) -> Steps:
    """Revoke the token with the id IDENTITY, which list prints."""
    now = share("now", system.timestamp) if repository.has_ids else None
    callers = repository.read(cluster)
    is_found, found = _find(bool(callers.match_tokens(identity)))
    found += [True for each in callers.revoked if each.id == identity]
    yield

    def remove(callers: Callers) -> Callers:
        return callers.without_token(identity, now) if is_found or not found else callers

    callers = repository.change(cluster, remove)
    if found and not is_found:
        click.echo(f"{cluster}: has no token {identity} here")
        return
    click.echo(f"{cluster}: revoked {identity}")
    if callers.tokens or callers.subjects:
        program.print_next_steps("the webhook rejects it after its next refresh")
    else:
        program.print_next_steps(
            f"cluster {cluster} cannot call podgraft any more: issue a token, or delete its webhook"
        )


@command.command("list")
@click.option("--cluster", help="Id of one cluster; default: all clusters.")
@format_option(("text", "json"))
@click.option(
    "--used", "with_uses", is_flag=True, help="Add the last use, from the log of 30 days."
)
@store_options
def list_(
    repository: CallerRepository, cluster: str | None, output: str, *, with_uses: bool
) -> None:
    """List the tokens and certificate subjects of the clusters, with age and last day.

    With --used, CloudWatch searches the log of the stack for the id of each token, and bills what
    it reads.
    """
    now = system.now()
    uses = read_last_uses(repository.location_options) if with_uses else None
    clusters = {cluster: repository.read(cluster)} if cluster else repository.read_all()
    if output == "json":
        documents = [_to_json(name, each, now, uses) for name, each in clusters.items()]
        click.echo(render_json(documents), nl=False)
        return
    for name, callers in clusters.items():
        for token in callers.tokens:
            age = _format_age(token.created, now)
            cells = [name, f"token {token.identity}", token.created, age]
            cells += [format_expiry(token, now), token.note]
            if uses is not None:
                used = uses.get(token.identity)
                cells.append(f"used {used}" if used else "not used")
            click.echo("\t".join(cells).rstrip())
        for subject in callers.subjects:
            click.echo(f"{name}\tcertificate {subject}")
    if not any(callers.tokens or callers.subjects for callers in clusters.values()):
        command = _format_command(repository, "issue", "--cluster", cluster or "CLUSTER")
        problem = "no cluster can call yet" if cluster is None else f"{cluster} cannot call"
        program.print_next_steps(f"{command}: {problem}")


def _age_days(created: str, now: datetime) -> int | None:
    """The age of a token in days; ``None`` if the document has no valid time of creation."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return None
    return (now - moment.astimezone(UTC)).days


def _format_age(created: str, now: datetime) -> str:
    days = _age_days(created, now)
    return "age unknown" if days is None else format_count(days, "day")


def _to_json(
    cluster: str, callers: Callers, now: datetime, uses: Mapping[str, str] | None
) -> Object:
    tokens: list[JSON] = [
        {
            "id": token.identity,
            "created": token.created or None,
            "ageDays": _age_days(token.created, now),
            "expires": token.expires or None,
            "note": token.note,
            **({} if uses is None else {"lastUsed": uses.get(token.identity)}),
        }
        for token in callers.tokens
    ]
    return {
        "cluster": cluster,
        "tokens": tokens,
        "subjects": [*callers.subjects],
        "groups": [*callers.groups],
        "sources": [*callers.sources],
    }


@command.command()
@run_in_regions()
@cluster_option
@click.argument("subject")
@store_options
def allow(repository: CallerRepository, cluster: str, subject: str) -> Steps:
    """Allow client certificates with SUBJECT, which podgraft certs client prints."""
    parsed = parse_subject(subject)
    if parsed is None:
        raise CommandError(
            f"subject: got {subject!r}, which can match no certificate; "
            "use a subject such as CN=prod-eu,O=podgraft-clusters, with one attribute in each part"
        )

    _check_owner(repository, cluster, parsed)
    yield

    def add(callers: Callers) -> Callers:
        return replace(callers, subjects=tuple(dict.fromkeys((*callers.subjects, subject))))

    repository.change(cluster, add)
    click.echo(f"{cluster}: {subject} is allowed")
    is_folder = repository.location_options.folder is not None
    command = "podgraft serve --client-ca FILE" if is_folder else "deploy the stack with Auth=mtls"
    program.print_next_steps(f"{command}: only then are client certificates required")


def _check_owner(repository: CallerRepository, cluster: str, subject: Subject) -> None:
    """Raise ``CommandError`` for a subject of another cluster: podgraft would reject both."""
    for other, callers in repository.read_all().items():
        for known in callers.subjects:
            if other != cluster and parse_subject(known) in both_orders(subject):
                forbid = _format_command(repository, "forbid", "--cluster", other, known)
                raise CommandError(
                    f"subject {known!r}: identifies cluster {other}; use another subject for "
                    f"{cluster}, or first run {forbid}"
                )


@command.command()
@run_in_regions(needs_all=False)
@cluster_option
@click.argument("subject")
@store_options
def forbid(repository: CallerRepository, cluster: str, subject: str) -> Steps:
    """Remove SUBJECT from the allowed client certificates."""
    is_found, found = _find(subject in repository.read(cluster).subjects)
    yield

    def remove(callers: Callers) -> Callers:
        if found and not is_found:
            return callers
        if subject not in callers.subjects:
            subject_list = "; ".join(callers.subjects) or "none"
            raise TokensError(
                f"subject {subject!r} of {cluster} not found; use one of: {subject_list}"
            )
        return replace(callers, subjects=tuple(one for one in callers.subjects if one != subject))

    repository.change(cluster, remove)
    if found and not is_found:
        click.echo(f"{cluster}: {subject} is not allowed here")
        return
    click.echo(f"{cluster}: {subject} is not allowed any more")
    program.print_next_steps("the webhook rejects it after its next refresh")


def _format_command(repository: CallerRepository, *words: str) -> str:
    """Return a command line for the same store."""
    options = repository.location_options.options
    return shlex.join(["podgraft", "tokens", *words, *options, *list_region_words()])


def _find(is_here: bool) -> tuple[bool, list[bool]]:
    """Return whether this region has what to withdraw, and an entry for each region that has it."""
    found = share("found", list[bool])
    found += [True] if is_here else []
    return is_here, found


def _issue(
    repository: CallerRepository, pending: PendingToken, note: str, expires: str
) -> Generator[None, None, tuple[IssuedToken, Callers]]:
    """Store and print a token after all regions are prepared."""
    pending = share("token", lambda: pending)
    pending.prepare(repository)
    yield
    issued, callers = pending.store(repository, note, expires)
    cluster = pending.cluster
    if pending.output is None:
        click.echo(issued.text)
    click.echo(
        f"{cluster}: hash in {repository.location(cluster)}; the token is not stored", err=True
    )
    if issued.hash.expires:
        click.echo(f"{cluster}: valid until the end of {issued.hash.expires} UTC", err=True)
    elif not repository.has_ids:
        click.echo(
            f"{cluster}: the token does not expire, because the stack has an earlier version; "
            "deploy the stack, then rotate the token",
            err=True,
        )
    return issued, callers


def _print_register_step(
    repository: CallerRepository, cluster: str, output: Path | None, *further: str
) -> None:
    """Print the command that registers the cluster: a stack has one endpoint in one region."""
    location = repository.location_options
    has_endpoint = location.stack_name is not None and not is_in_several()
    endpoint = location.options if has_endpoint else ("--url", "https://HOST")
    credential = ("--cluster", cluster, "--token-file", str(output or "FILE"))
    command = shlex.join(["podgraft", "register", *endpoint, "--injector", "NAME", *credential])
    program.print_next_steps(
        f"{command} --namespace-selector KEY=VALUE, then kubectl apply the output", *further
    )
