"""The rotation of clusters that nobody reaches: a registrar reads their token from a secret.

A version of the secret has the hash of its token as its id, so its labels show which token is
delivered, and nobody has to read a token back. Each run does at most one step of a cluster:

=====  ====================================================  =====================================
step   what it does                                          if the run dies after it
=====  ====================================================  =====================================
R1     store a new token as a version that nobody reads      nothing happened
R2     issue: write its hash to the registry                 two valid tokens: continue with R3
R3     deliver: after each environment has read the          two valid tokens: continue with R4
       registry, make the version the current one
R4     confirm by the log: reviews have the new token, and   two valid tokens: continue with R5
       for days none has the old one
R5     revoke the old token                                  done
=====  ====================================================  =====================================

The current version only moves away from the version that was read (compare-and-swap), so a slow run
never brings a revoked token back. A token is revoked only after it was silent: a cluster without
reviews keeps both, and is a problem after ``STUCK_DAYS``. If two runs store a version at once, only
the later one keeps its label. If the other one was issued, nobody can have got it: a later run
withdraws it, when each run that knows its label has ended.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache
from math import ceil
from typing import Any

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.failure import CommandError
from podgraft.cli.stacks import AbsentError, aws_errors
from podgraft.cli.tokens.issuance import IssuedToken, make_issued
from podgraft.service.store.caller_document import Callers, TokenHash

from .file import Lifetimes
from .rotation import ClusterRepository, is_due, without_tokens

CURRENT = "AWSCURRENT"
_NEXT = "podgraft-next"  # the label of the version that was stored last
# Not that of fleet rotate, which replaces its own tokens if no registration has them.
NOTE = "podgraft rotation"
SILENT_DAYS, STUCK_DAYS = 7, 14
_MARGIN_SECONDS = 60
MAX_RUN = timedelta(hours=1)  # longer than the function runs, with its two repetitions


class AwsSecrets(Struct, frozen=True):
    """The secrets of the clusters; every method raises ``CommandError``.

    ``prefix`` is their names without the cluster.
    """

    client: Any
    prefix: str

    def read(self, cluster: str) -> Mapping[str, tuple[str, ...]] | None:
        """Return the labels by the id of each version; ``None`` without a secret."""
        absent = "ResourceNotFoundException"
        with suppress(AbsentError), aws_errors(self._locate(cluster), absent=absent):
            found = self.client.describe_secret(SecretId=self.prefix + cluster)
            versions: Mapping[str, list[str]] = found.get("VersionIdsToStages", {})
            return {version: tuple(own) for version, own in versions.items()}
        return None

    def store(self, cluster: str, token: IssuedToken) -> None:
        """Store a version that is not the current one. Its id is the hash of the token.

        The label leaves the version that had it. A version without a label can disappear, and a
        secret has at most 20 labels.
        """
        with aws_errors(self._locate(cluster), sent=token.text):
            self.client.put_secret_value(
                SecretId=self.prefix + cluster,
                ClientRequestToken=token.hash.sha256,
                SecretString=token.text,
                VersionStages=[_NEXT],
            )

    def promote(self, cluster: str, version: str, current: str) -> None:
        """Make a version the current one; an error if *current* is not the current one."""
        with aws_errors(self._locate(cluster)):
            self.client.update_secret_version_stage(
                SecretId=self.prefix + cluster,
                VersionStage=CURRENT,
                MoveToVersionId=version,
                RemoveFromVersionId=current,
            )

    def _locate(self, cluster: str) -> str:
        return f"secret {self.prefix}{cluster}"


class Progress(StrEnum):
    """What a run did with a cluster."""

    ISSUED = "issued"
    DELIVERED = "delivered"
    REVOKED = "revoked"
    WITHDRAWN = "withdrawn"
    WAITING = "waiting"
    FAILED = "failed"


class Step(Struct, frozen=True):
    """What a run did with a cluster, and its problem; without a cluster, one of the run."""

    cluster: str
    progress: Progress
    problem: str = ""


class Delivery(Struct, frozen=True):
    """Rotates the clusters that have a secret.

    ``read_uses`` returns the time of the last review by the id of its token, of more than
    ``SILENT_DAYS`` days. A run calls it only for tokens of this age: AWS bills each byte it reads.
    """

    repository: ClusterRepository
    secrets: AwsSecrets
    read_uses: Callable[[], Mapping[str, str]]
    lifetimes: Lifetimes
    refresh_seconds: int = 30

    def run(self) -> Iterator[Step]:
        """Do the next step of each cluster; it begins at most a tenth of them."""
        clusters = self.repository.read_all()
        starts = ceil(len(clusters) / 10)
        problems: list[str] = []

        @cache  # also of a log that cannot be read
        def read_uses() -> Mapping[str, str] | None:
            try:
                return self.read_uses()
            except CommandError as error:
                problems.append(str(error))
                return None

        for name, callers in sorted(clusters.items()):
            tokens = callers.tokens
            if len(tokens) == 1 and not (starts and is_due(self.lifetimes, tokens[0])):
                continue
            try:
                labels = self.secrets.read(name) if tokens else None
                if labels is None:
                    continue
                if len(tokens) == 1:
                    starts -= 1
                    yield self._issue(name, callers, labels)
                    continue
                yield self._continue(name, callers, labels, read_uses)
            except CommandError as error:
                yield Step(name, Progress.FAILED, str(error))
        for problem in problems:
            yield Step("", Progress.FAILED, problem)

    def _issue(self, cluster: str, callers: Callers, labels: Mapping[str, tuple[str, ...]]) -> Step:
        """Store a new token, and then its hash (R1, R2)."""
        _find_current(cluster, labels)  # the first version would be the current one at once
        last = system.now().date() + timedelta(self.lifetimes.lifetime_days)
        issued = make_issued(NOTE, last.isoformat())
        self.secrets.store(cluster, issued)

        def add(before: Mapping[str, Callers]) -> Mapping[str, Callers]:
            if before.get(cluster) != callers:
                return before
            return {**before, cluster: callers.with_token(issued.hash)}

        after = self.repository.change_all(add).get(cluster, Callers())
        is_issued = issued.hash in after.tokens
        return Step(cluster, Progress.ISSUED if is_issued else Progress.WAITING)

    def _continue(
        self,
        cluster: str,
        callers: Callers,
        labels: Mapping[str, tuple[str, ...]],
        read_uses: Callable[[], Mapping[str, str] | None],
    ) -> Step:
        """Deliver the newer token, or revoke the older one (R3 to R5)."""
        new = callers.tokens[1]
        current = _find_current(cluster, labels)
        age = system.now() - datetime.fromisoformat(new.created)
        if new.sha256 not in labels:
            if new.note == NOTE:
                if age <= MAX_RUN:
                    return Step(cluster, Progress.WAITING)
                self._remove(cluster, callers.tokens, new)
                return Step(cluster, Progress.WITHDRAWN)
            raise CommandError(
                f"token {new.identity}: the secret does not have it; deliver it, or run podgraft "
                f"tokens revoke --cluster {cluster} {new.identity}"
            )
        if current != new.sha256:
            is_early = age < timedelta(seconds=self.refresh_seconds + _MARGIN_SECONDS)
            # Read again, after the labels: a token that left since then is not the current one.
            if is_early or self.repository.read_all().get(cluster) != callers:
                return Step(cluster, Progress.WAITING)
            self.secrets.promote(cluster, new.sha256, current)
            return Step(cluster, Progress.DELIVERED)
        return self._confirm(cluster, callers, age, read_uses)

    def _confirm(
        self,
        cluster: str,
        callers: Callers,
        age: timedelta,
        read_uses: Callable[[], Mapping[str, str] | None],
    ) -> Step:
        """Revoke the older token once the log has the newer one alone (R4, R5)."""
        old, new = callers.tokens
        day = (system.now() - timedelta(SILENT_DAYS)).date()
        uses: Mapping[str, str] | None = {}
        if _day_of(new.created) < day:
            uses = read_uses()
        if uses is None:
            return Step(cluster, Progress.WAITING)
        if _is_replaced(old, new, uses, day):
            self._remove(cluster, callers.tokens, old)
            return Step(cluster, Progress.REVOKED)
        if age <= timedelta(STUCK_DAYS):
            return Step(cluster, Progress.WAITING)
        problem = (
            f"token {new.identity} is delivered, and {old.identity} still in use or the cluster "
            "silent; check its registrar"
        )
        return Step(cluster, Progress.FAILED, problem)

    def _remove(self, cluster: str, tokens: tuple[TokenHash, ...], gone: TokenHash) -> None:
        """Remove a token, if the cluster still has these ones."""

        def remove(before: Mapping[str, Callers]) -> Mapping[str, Callers]:
            callers = before.get(cluster, Callers())
            if callers.tokens != tokens:
                return before
            return {**before, cluster: without_tokens(callers, [gone])}

        self.repository.change_all(remove)


def _find_current(cluster: str, labels: Mapping[str, tuple[str, ...]]) -> str:
    for version, own in labels.items():
        if CURRENT in own:
            return version
    raise CommandError(f"the secret of {cluster} has no value; put its present token into it")


def _is_replaced(old: TokenHash, new: TokenHash, uses: Mapping[str, str], day: date) -> bool:
    """Whether reviews have the new token, and none had the old one since a day."""
    return new.identity in uses and _day_of(uses.get(old.identity, "")) < day


def _day_of(time: str) -> date:
    return date.fromisoformat(time[:10]) if time else date.min
