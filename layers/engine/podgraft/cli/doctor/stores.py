"""What is stored outside a cluster: callers, the fleet file, and the policies of each region."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from podgraft.base import system
from podgraft.cli.endpoint_check.faults import Fault, Finding
from podgraft.cli.fleet.changes import ChangeKind, find_changes
from podgraft.cli.fleet.file import OVERLAP_DAYS, Fleet
from podgraft.service.store.caller_document import Callers, TokenHash, hash_token


class Stores(Struct, frozen=True, kw_only=True):
    """What is stored outside the clusters; None for what no option names."""

    callers: Mapping[str, Callers] | None = None
    fleet: Fleet | None = None
    regions: tuple[Finding, ...] | None = None


def find_drift(stores: Stores, cluster: str) -> Iterator[Finding]:
    """Yield what differs between the fleet file and the callers of a cluster."""
    if stores.fleet is None or stores.callers is None:
        return
    for change in find_changes(stores.fleet, stores.callers):
        if change.cluster == cluster:
            is_command = change.kind in {ChangeKind.ROTATE, ChangeKind.RETIRE}
            word = change.kind if is_command else "apply"
            remedy = f"podgraft fleet {word}"
            problem = f"{change.kind}: {change.detail}"
            yield Finding(Fault.DRIFT, f"cluster {cluster}", problem, remedy, breaks=False)


def find_open_rotations(
    callers: Mapping[str, Callers] | None, cluster: str, token: str
) -> Iterator[Finding]:
    """Yield that a cluster has two tokens for longer than a rotation takes."""
    tokens = sorted((callers or {}).get(cluster, Callers()).tokens, key=lambda each: each.created)
    if len(tokens) < 2 or not _is_old(tokens[-1]):  # noqa: PLR2004
        return
    older, newer = tokens[0], tokens[-1]
    is_older = older.sha256 == hash_token(token) if token else False
    registered = "older" if is_older else "newer"
    remedy = (
        f"register the token {newer.identity}, then revoke {older.identity}"
        if is_older
        else f"revoke the older one: podgraft tokens revoke --cluster {cluster} {older.identity}"
    )
    problem = (
        f"two tokens for more than {OVERLAP_DAYS} days; the registration has the {registered} one"
    )
    yield Finding(Fault.ROTATION, f"cluster {cluster}", problem, remedy, breaks=False)


def _is_old(token: TokenHash) -> bool:
    try:
        created = datetime.fromisoformat(token.created)
    except ValueError:
        return False
    return system.now() - created > timedelta(days=OVERLAP_DAYS)
