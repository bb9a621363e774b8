"""The newest earlier version of a policy that loads, for an injector with an invalid newest one.

Parameter Store keeps the last 100 versions of a parameter, and bundles are named by their content,
so an earlier version is complete. This module only selects versions; ``load_snapshots`` of
``core/versions/snapshot_loader.py`` decides whether a version loads. It reads no caller document:
an earlier one can contain a revoked token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from podgraft.core.versions.errors import NotLoadedError, UnavailableError

from .ssm import VERSIONS_PER_REQUEST, Parameter

if TYPE_CHECKING:
    from .injector_loader import Attempt, Loaded

# Parameter Store keeps this many versions of a parameter.
MAX_VERSIONS = 100


class Rejected(Struct, frozen=True, kw_only=True):
    """A newest version that does not load, its error, and the version in force."""

    newest: Parameter
    problem: NotLoadedError
    before: Loaded | None

    @property
    def candidates(self) -> range:
        """The versions between the newest one and the one in force, newest first.

        All of them if that is of a deleted parameter.
        """
        newest = int(self.newest.version)
        lowest = max(newest - MAX_VERSIONS, 0)
        if self.before is not None and not self.before.is_deleted:
            lowest = max(lowest, int(self.before.version))
        return range(newest - 1, lowest, -1)


def load_earlier(versions: Attempt, rejected: Rejected) -> Loaded:
    """Return the newest earlier version that loads, or the version in force.

    Raises ``StoreError`` if there is neither.

    It reads ten versions per request, the newest first, until the deadline of the refresh. The next
    refresh continues with the remaining versions. A rejected version is not read again.
    """
    candidates = [n for n in rejected.candidates if str(n) not in versions.load_errors]
    problem = rejected.problem
    try:
        for start in range(0, len(candidates), VERSIONS_PER_REQUEST):
            window = candidates[start : start + VERSIONS_PER_REQUEST]
            loaded = _load_newest(versions, window)
            if loaded is not None:
                return replace(loaded, newest=rejected.newest, rejection=problem)
    except UnavailableError as error:
        if rejected.before is None:
            raise UnavailableError(f"{problem}; {error}") from error
    except NotLoadedError as error:
        problem = type(problem)(f"{problem}; {error}")
    if rejected.before is not None:
        return replace(rejected.before, newest=rejected.newest, rejection=problem)
    if rejected.candidates:
        raise type(problem)(f"{problem}; no earlier version loads")
    raise problem


def _load_newest(versions: Attempt, window: Sequence[int]) -> Loaded | None:
    """Return the newest version of *window* that loads, or ``None``."""
    parameters = {parameter.version: parameter for parameter in versions.read(window)}
    for version in map(str, window):
        if version not in parameters:
            versions.load_errors[version] = NotLoadedError(f"policy version {version} not found")
            continue
        try:
            return versions.load(parameters[version])
        except NotLoadedError:
            continue
    return None
