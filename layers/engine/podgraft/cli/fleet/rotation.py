"""Enrollment and rotation: a cluster gets a token, and the token before it is revoked.

=====  ===================================================  ===================================
step   what it does                                         if the command dies after it
=====  ===================================================  ===================================
claim  make a new version of each registration              nothing happened
R1     issue: write the hashes of all new tokens at once    tokens that nobody has: issue again
R2     wait until each environment has read the registry    as R1
R3     try each token with a review, and register it        two valid tokens: continue with R4
R4     read the registrations back: the new token alone     two valid tokens: continue with R4
R5     wait for the caches of kube-apiserver, and revoke    done
       the others, with one write
=====  ===================================================  ===================================

A token leaves the registry only if no registration contains it and no other writer can put it
there: it would need the version of a registration from before the claim. So a registered token is
valid at every moment, and each step can be repeated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol

from cryptography import x509
from msgspec import Struct, structs

from podgraft.base import system
from podgraft.base.jsonvalue import Object, object_at
from podgraft.cli.endpoint_check.endpoint import EndpointTarget, check_endpoint
from podgraft.cli.failure import CommandError
from podgraft.cli.register.endpoint import Endpoint
from podgraft.cli.register.endpoint_review import find_urls
from podgraft.cli.tokens.issuance import IssuedToken, make_issued
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.cli.wording import format_count
from podgraft.service.store.caller_document import Callers, TokenHash, hash_token

from .file import Lifetimes
from .parallel import run_parallel
from .registrations import KubectlRegistrations, LiveRegistrations, find_live, name_of, version_of
from .settings import ClusterSettings, make_manifests

# Only a token with this note is replaced before it is in a registration.
NOTE = "podgraft fleet"
_MARGIN_SECONDS = 2
# Each kube-apiserver of a cluster reads its webhooks from a cache, which follows a little later.
_CACHE_SECONDS = 10


class Target(Struct, frozen=True):
    """A cluster to enroll or to rotate."""

    cluster: str
    settings: ClusterSettings
    registrations: KubectlRegistrations


class Front(Struct, frozen=True):
    """The endpoint of the fleet, and how often its function reads the registry."""

    endpoint: Endpoint
    ca_bundle: str | None = None
    roots: tuple[x509.Certificate, ...] = ()
    refresh_seconds: int = 30


class Result(StrEnum):
    """What became of a cluster."""

    EQUAL = "equal"
    REGISTERED = "registered"
    ROTATED = "rotated"
    FAILED = "failed"


class Outcome(Struct, frozen=True):
    """What became of a cluster, and why."""

    cluster: str
    result: Result
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    """The next step of a cluster. With ``issued``, a new token; else ``text``, the present one.

    ``callers`` and ``live`` are what was read, ``dropped`` the hashes that a new token replaces,
    and ``versions`` those of the claimed registrations.
    """

    target: Target
    callers: Callers
    live: LiveRegistrations
    text: str = field(repr=False)
    dropped: frozenset[str] = frozenset()
    issued: IssuedToken | None = field(default=None, repr=False)
    versions: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    is_equal: bool = False


class ClusterRepository(Protocol):
    """The callers of all clusters, changed with one write."""

    def read_all(self) -> Clusters:
        """Return the callers of every cluster."""
        ...

    def change_all(self, change: Callable[[Clusters], Clusters]) -> Clusters:
        """Replace the callers of any number of clusters, and return all."""
        ...


class Rotation(Struct, frozen=True):
    """Enrolls and rotates clusters. ``is_due`` selects the tokens to replace."""

    repository: ClusterRepository
    front: Front
    lifetimes: Lifetimes
    is_due: Callable[[TokenHash], bool]
    report: Callable[[str], None]
    parallel: int = 8

    def run(self, targets: Sequence[Target]) -> Iterator[Outcome]:
        """Yield the outcome of each cluster; those that fail continue with the next run."""
        clusters = self.repository.read_all()
        steps: list[_Step] = []
        for target, step in run_parallel(
            lambda each: self._prepare(each, clusters.get(each.cluster, Callers())),
            targets,
            self.parallel,
        ):
            if isinstance(step, CommandError):
                yield Outcome(target.cluster, Result.FAILED, str(step))
            elif step.is_equal:
                yield Outcome(target.cluster, Result.EQUAL)
            else:
                steps.append(step)
        issuing = [each for each in steps if each.issued is not None]
        lost = self._issue(issuing) if issuing else frozenset[str]()
        for name in sorted(lost):
            yield Outcome(name, Result.FAILED, "another command changes its tokens; run it again")
        yield from self._finish([each for each in steps if each.target.cluster not in lost])

    def _prepare(self, target: Target, callers: Callers) -> _Step:
        """Read and claim the registrations, and choose the step."""
        live = self._read(target, callers, "")
        step = self._choose_step(target, callers, live)
        manifests = self._make_manifests(target, step.text or None)
        if step.issued is None and not step.dropped:
            others = live.tokens.keys() - {callers.tokens[-1].identity}
            is_equal = len(callers.tokens) == 1 and not others
            if is_equal and not any(map(live.differs, manifests)):
                return replace(step, is_equal=True)
        return replace(step, versions=_claim(step, manifests))

    def _choose_step(self, target: Target, callers: Callers, live: LiveRegistrations) -> _Step:
        tokens = callers.tokens
        texts = {hash_token(text): text for text in live.tokens.values()}
        known = [index for index, each in enumerate(tokens) if each.sha256 in texts]
        newer = tokens[known[-1] + 1 :] if known else tokens
        _check_newer(target.cluster, newer)
        if known:
            current, older = tokens[known[-1]], tokens[: known[-1]]
            ended = current.is_expired(f"{system.now():%Y-%m-%d}")
            if not ended and (older or not (newer or self.is_due(current))):
                return _Step(target, callers, live, texts[current.sha256])
            newer = (*newer, *older)
        last = system.now().date() + timedelta(self.lifetimes.lifetime_days)
        issued = make_issued(NOTE, last.isoformat())
        dropped = frozenset(each.sha256 for each in newer)
        return _Step(target, callers, live, issued.text, dropped, issued)

    def _issue(self, steps: Sequence[_Step]) -> frozenset[str]:
        """Write the hashes of all clusters, and wait (R1, R2); return those that lost a race."""
        issued = {each.target.cluster: each for each in steps}

        def add(clusters: Clusters) -> Clusters:
            return {**clusters, **{k: _add(clusters, each) for k, each in issued.items()}}

        clusters = self.repository.change_all(add)
        lost = {
            name
            for name, each in issued.items()
            if each.issued is not None
            and each.issued.hash not in clusters.get(name, Callers()).tokens
        }
        count, seconds = len(issued) - len(lost), self.front.refresh_seconds + _MARGIN_SECONDS
        if count:
            tokens = format_count(count, "token")
            self.report(f"issued {tokens}; {seconds} s until the function has read them")
            system.sleep(seconds)
        return frozenset(lost)

    def _finish(self, steps: Sequence[_Step]) -> Iterator[Outcome]:
        """Register and confirm each token, and then revoke those before it (R3 to R5)."""
        confirmed: list[_Step] = []
        for step, error in run_parallel(self._register, steps, self.parallel, stops=True):
            cluster = step.target.cluster
            if isinstance(error, CommandError):
                yield Outcome(cluster, Result.FAILED, str(error))
                continue
            confirmed.append(step)
            is_rotated = step.issued is not None and step.callers.tokens
            yield Outcome(cluster, Result.ROTATED if is_rotated else Result.REGISTERED)
        if any(len(each.callers.tokens) + bool(each.issued) > 1 for each in confirmed):
            self.report(f"{_CACHE_SECONDS} s until each kube-apiserver uses the new tokens")
            system.sleep(_CACHE_SECONDS)
            self._revoke(confirmed)

    def _register(self, step: _Step) -> None:
        manifests = self._make_manifests(step.target, step.text)
        self._try_token(step, manifests)
        live = self._read(step.target, step.callers, step.text)
        for manifest in manifests:
            if live.differs(manifest):
                key = _key(manifest)
                if key not in step.versions:
                    raise CommandError("another command registers the cluster; run it again")
                metadata = {
                    **object_at(manifest, "metadata"),
                    "resourceVersion": step.versions[key],
                }
                step.target.registrations.apply({**manifest, "metadata": metadata})
        self._confirm(step)

    def _try_token(self, step: _Step, manifests: Iterable[Object]) -> None:
        """Send a review with the token to each URL of the manifests."""
        seconds = step.target.settings.timeout_seconds
        for url in dict.fromkeys(find_urls(manifests)):
            report = check_endpoint(
                EndpointTarget(
                    url=url,
                    roots=self.front.roots,
                    timeout_seconds=seconds,
                    ca_remedy="set caBundle of the fleet file to the CA that signed it",
                )
            )
            # The sources are compared after the token, so this machine can be outside of them.
            is_known = report.status == HTTPStatus.FORBIDDEN and step.target.settings.sources
            if report.problems and not is_known:
                raise CommandError(*report.problems)

    def _confirm(self, step: _Step) -> None:
        """Raise ``CommandError`` unless the registrations contain the token alone (R4)."""
        live = self._read(step.target, step.callers, step.text)
        if {*live.tokens} != {_token_of(step).identity}:
            names = ", ".join(sorted(name for _, name in live.objects))
            raise CommandError(
                f"{names}: got the tokens {', '.join(sorted(live.tokens)) or 'none'}; delete the "
                "registration that the fleet file does not have, then run the command again"
            )

    def _revoke(self, steps: Iterable[_Step]) -> None:
        """Remove the tokens before the registered one, with one write (R5)."""

        def remove(clusters: Clusters) -> Clusters:
            changed = dict(clusters)
            for step in steps:
                callers, remaining = clusters.get(step.target.cluster, Callers()), _token_of(step)
                if remaining in callers.tokens:
                    before = callers.tokens[: callers.tokens.index(remaining)]
                    changed[step.target.cluster] = without_tokens(callers, before)
            return changed

        self.repository.change_all(remove)

    def _read(self, target: Target, callers: Callers, text: str) -> LiveRegistrations:
        return find_live(
            target.registrations.read(),
            self.front.endpoint.authority,
            (each.sha256 for each in callers.tokens),
            self._make_manifests(target, text or None),
        )

    def _make_manifests(self, target: Target, token: str | None) -> list[Object]:
        return make_manifests(self.front.endpoint, self.front.ca_bundle, target.settings, token)


def is_due(lifetimes: Lifetimes, token: TokenHash) -> bool:
    """Whether a token is so old, or so near to its end, that a rotation replaces it."""
    today = system.now().date()
    days = lifetimes.rotate_after_days
    if token.created[:10] <= (today - timedelta(days)).isoformat():
        return True
    rest = timedelta(lifetimes.lifetime_days - days)
    return bool(token.expires) and date.fromisoformat(token.expires) <= today + rest


def without_tokens(callers: Callers, tokens: Iterable[TokenHash], at: str = "") -> Callers:
    """Return the callers without the tokens, which are listed as revoked, now by default."""
    now = at or system.timestamp()
    for token in tokens:
        callers = callers.without_token(token.sha256, now)
    return callers


def _check_newer(cluster: str, tokens: Iterable[TokenHash]) -> None:
    """Raise ``CommandError`` for a token that a person issued and no registration contains."""
    for token in tokens:
        if token.note != NOTE:
            raise CommandError(
                f"token {token.identity}: no registration contains it, and podgraft fleet did not "
                f"issue it; register it, or run podgraft tokens revoke --cluster {cluster} "
                f"{token.identity}"
            )


def _claim(step: _Step, manifests: Iterable[Object]) -> Mapping[tuple[str, str], str]:
    """Create what is missing without webhooks; before a new token, also change the versions."""
    registrations = step.target.registrations
    versions = {
        key: version_of(registrations.touch(each) if step.issued else each)
        for key, each in step.live.objects.items()
    }
    for manifest in manifests:
        if _key(manifest) not in versions:
            created = registrations.create({**manifest, "webhooks": []})
            versions[_key(manifest)] = version_of(created)
    return versions


def _add(clusters: Clusters, step: _Step) -> Callers:
    callers = clusters.get(step.target.cluster, Callers())
    # The second case is an earlier attempt, whose response was lost.
    if step.issued is None or callers.tokens != step.callers.tokens:
        return callers
    dropped = [each for each in callers.tokens if each.sha256 in step.dropped]
    remaining = without_tokens(callers, dropped)
    return structs.replace(remaining, tokens=(*remaining.tokens, step.issued.hash))


def _token_of(step: _Step) -> TokenHash:
    if step.issued is not None:
        return step.issued.hash
    digest = hash_token(step.text)
    return next(each for each in step.callers.tokens if each.sha256 == digest)


def _key(manifest: Object) -> tuple[str, str]:
    return str(manifest.get("kind")), name_of(manifest)
