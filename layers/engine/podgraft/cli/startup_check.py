"""The check at the start of ``podgraft serve``: injectors, clusters, and certificate.

A server with an empty or wrong folder would fail every review, and only the users would notice. So
the server does not start without a valid injector, and it reports all errors.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from shlex import quote

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.failure import CommandError
from podgraft.cli.wording import format_count
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Store
from podgraft.service.http import Auth, format_traceback
from podgraft.service.serve.tls import ReloadingContext, ServedCertificate, TLSFiles
from podgraft.service.store import Callers, CallerStore

_SOON = timedelta(days=30)


class Survey(Struct, kw_only=True):
    """A report: lines, errors, and warnings."""

    lines: list[str] = []
    errors: list[str] = []
    warnings: list[str] = []
    problem: str = ""  # why the server cannot work; empty if it can


def survey(folder: Path, store: Store, callers: CallerStore, auth: Auth) -> Survey:
    """Load the complete folder; raise ``CommandError`` if it contains no injector.

    An internal error does not stop the server. Its message is not printed: it can quote secrets.
    """
    try:
        return _survey(folder, store, callers, auth)
    except CommandError:
        raise
    except Exception as error:  # noqa: BLE001  it can concern only a few reviews
        return Survey(errors=[f"--store {folder}: internal error: {format_traceback(error)}"])


def _survey(folder: Path, store: Store, callers: CallerStore, auth: Auth) -> Survey:
    injectors = _injectors(folder, store)
    found = Survey()
    failing = 0
    for name in injectors:
        try:
            snapshot = store.snapshot(name, None)
        except StoreError as error:
            failing += 1
            found.errors.append(
                f"{folder / name}: {_indent_message(error)}; the reviews of this injector fail"
            )
        else:
            if snapshot.stale is not None:  # the server has a last known good version
                found.errors.append(f"{folder / name}: {snapshot.stale.reason}")
            policy, digest = snapshot.policy_version, snapshot.bundle.digest
            found.lines.append(f"injector {name}: policy {policy}, bundle {digest}")
    if failing == len(injectors):
        found.problem = "no injector loads; correct the errors above"
    if auth is not Auth.NONE:
        _add_clusters(found, folder, callers, auth)
    return found


def certificate_survey(tls: ReloadingContext) -> Survey:
    """Report the names and the validity of the certificates that the server uses.

    The server certificate is valid: ``tls.py`` refuses others. A client CA that has expired is an
    error, and the server is unusable if all have.
    """
    now = system.now()
    certificates = tls.certificates()
    lines = [_describe_certificate(tls.files, each, now) for each in certificates]
    expired = [
        f"{tls.files.client_ca}: {each.name} expired; "
        "remove it, and sign client certificates with another CA"
        for each in certificates
        if each.use == "client-ca" and each.ends <= now
    ]
    warnings = [
        f"{_certificate_file(tls.files, each)}: {each.name} expires soon; renew it: podgraft certs"
        for each in certificates
        if now < each.ends <= now + _SOON
    ]
    authorities = [each for each in certificates if each.use == "client-ca"]
    problem = ""
    if authorities and len(expired) == len(authorities):
        problem = "every client CA has expired; correct the errors above"
    return Survey(lines=lines, errors=expired, warnings=warnings, problem=problem)


def _describe_certificate(files: TLSFiles, certificate: ServedCertificate, now: datetime) -> str:
    kind = "certificate" if certificate.use == "server" else "client CA"
    file = _certificate_file(files, certificate)
    names = ", ".join(certificate.names) or "no names"
    ends = f"{certificate.ends:%Y-%m-%d %H:%M} UTC"
    days = (certificate.ends - now).days
    return f"{kind} {file}: {names}; valid until {ends}, {format_count(days, 'day')} left"


def _certificate_file(files: TLSFiles, certificate: ServedCertificate) -> Path | None:
    return files.certificate if certificate.use == "server" else files.client_ca


def _injectors(folder: Path, store: Store) -> tuple[str, ...]:
    """Return the injectors of the store: folders with a bundle or a policy."""
    injectors = tuple(name for name in store.injectors() if _is_injector(folder / name))
    if injectors:
        return injectors
    if _is_injector(folder):
        raise CommandError(
            f"--store {folder}: is an injector, not a folder of injectors; "
            f"use --store {quote(str(folder.resolve().parent))}"
        )
    raise CommandError(
        f"--store {folder}: contains no injector; put manifests into "
        f"{folder / 'default' / 'bundle'}"
    )


def _is_injector(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("bundle", "bundles", "policy.yaml"))


def _add_clusters(found: Survey, folder: Path, callers: CallerStore, auth: Auth) -> None:
    try:
        registry = callers.callers()
    except StoreError as error:
        found.errors.append(f"{folder / 'auth'}: {_indent_message(error)}; every review fails")
        return
    for name, cluster_callers in sorted(registry.callers.items()):
        found.lines.append(f"cluster {name}: {_format_count(cluster_callers, auth)}")
    for name, error in sorted(registry.load_errors.items()):
        place = folder / "auth" / name
        problem = f"{_indent_message(error)}; the reviews of this cluster fail"
        found.errors.append(f"{place}.yaml: {problem}")
    if not registry.callers and not registry.load_errors:
        command = "issue --cluster ID" if auth is Auth.TOKEN else "allow --cluster ID SUBJECT"
        problem = f"{folder / 'auth'}: no cluster can call; run podgraft tokens {command}"
        found.warnings.append(f"{problem} --config {quote(str(folder))}")


def _format_count(cluster_callers: Callers, auth: Auth) -> str:
    credentials = cluster_callers.tokens if auth is Auth.TOKEN else cluster_callers.subjects
    return format_count(len(credentials), "token" if auth is Auth.TOKEN else "subject")


def _indent_message(error: StoreError) -> str:
    return str(error).replace("\n", "\n  ")


def all_lines(*surveys: Survey) -> Iterator[tuple[str, str]]:
    """Yield each line with its kind: empty, ``warning``, or ``error``."""
    for each in surveys:
        yield from (("", line) for line in each.lines)
        yield from (("warning", line) for line in each.warnings)
        yield from (("error", line) for line in each.errors)
