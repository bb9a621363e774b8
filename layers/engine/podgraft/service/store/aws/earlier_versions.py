"""The newest earlier version of a policy that loads, for an injector with an invalid newest one.

Parameter Store keeps the last 100 versions of a parameter, and bundles are named by their content,
so an earlier version is complete. This module only selects versions; ``load_snapshots`` of
``core/versions/snapshot_loader.py`` decides whether a version loads. It reads no caller document:
an earlier one can contain a revoked token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from podgraft.core.versions.errors import NotLoadedError, UnavailableError

from .ssm import VERSIONS_PER_REQUEST, Parameter

if TYPE_CHECKING:
    from .injector_loader import Attempt, Loaded

# Parameter Store keeps this many versions of a parameter.
MAX_VERSIONS = 100


def load_earlier(
    attempt: Attempt, newest: Parameter, problem: NotLoadedError, before: Loaded | None
) -> Loaded:
    """Return the newest earlier version that loads, or the version in force, which is *before*.

    Raises ``StoreError`` if there is neither. *problem* is why the newest version does not load.

    It reads ten versions per request, the newest first, until the deadline of the refresh. The next
    refresh continues with the remaining versions. A rejected version is not read again.
    """
    candidates = _list_candidates(newest, before)
    unread = [n for n in candidates if str(n) not in attempt.injector.load_errors]
    try:
        for start in range(0, len(unread), VERSIONS_PER_REQUEST):
            loaded = _load_newest(attempt, unread[start : start + VERSIONS_PER_REQUEST])
            if loaded is not None:
                return replace(loaded, newest=newest, rejection=problem)
    except UnavailableError as error:
        if before is None:
            raise UnavailableError(f"{problem}; {error}") from error
    except NotLoadedError as error:
        problem = type(problem)(f"{problem}; {error}")
    if before is not None:
        return replace(before, newest=newest, rejection=problem)
    if candidates:
        raise type(problem)(f"{problem}; no earlier version loads")
    raise problem


def _list_candidates(newest: Parameter, before: Loaded | None) -> range:
    """Return the versions between the newest one and the one in force, newest first.

    All of them if that is of a deleted parameter.
    """
    number = int(newest.version)
    lowest = max(number - MAX_VERSIONS, 0)
    if before is not None and not before.is_deleted:
        lowest = max(lowest, int(before.version))
    return range(number - 1, lowest, -1)


def _load_newest(attempt: Attempt, window: Sequence[int]) -> Loaded | None:
    """Return the newest version of *window* that loads, or ``None``; this is one request."""
    injector = attempt.injector
    found = injector.sources.policies.policy_versions(injector.name, window, attempt.patience)
    parameters = {parameter.version: parameter for parameter in found}
    for version in map(str, window):
        if version not in parameters:
            injector.load_errors[version] = NotLoadedError(f"policy version {version} not found")
            continue
        try:
            return attempt.load(parameters[version])
        except NotLoadedError:
            continue
    return None
