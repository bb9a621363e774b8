"""The callers of a stack in all of its regions: each grant in all of them, a withdrawal from one.

AWS replicates nothing between regions, so each has its own registry. The region with the first name
leads: a change is made there, and then the regions become equal. Their tokens are the union of
those of all regions, without those that one of them revoked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from podgraft.cli.failure import CommandError
from podgraft.cli.regions import SplitError, in_region, list_region_words
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.service.store.caller_document import (
    MAX_ACTIVE,
    MAX_REVOKED,
    Callers,
    RevokedToken,
    TokenHash,
)

from .adoption import StackCallers
from .changes import Change, ChangeKind, read_clusters

_MAX_ROUNDS = 5


class RegionalCallers(Struct, frozen=True):
    """The stacks by region. With one region, its name is empty, and it is all.

    ``options`` are those of the stack for another command.
    """

    stacks: Mapping[str, StackCallers]
    options: tuple[str, ...] = ()

    @property
    def leader(self) -> StackCallers:
        """The stack of the region with the first name."""
        return self.stacks[min(self.stacks)]

    def read_regions(self) -> Mapping[str, Clusters]:
        """Return the callers in each region, the leader first."""
        found: dict[str, Clusters] = {}
        for region, stack in sorted(self.stacks.items()):
            with in_region(region):
                found[region] = read_clusters(stack)
        return found

    def read_all(self) -> Clusters:
        """Return the callers, as they are if all regions are equal."""
        return merge_regions(self.read_regions().values())

    def change_all(self, change: Callable[[Clusters], Clusters]) -> Clusters:
        """Change what all regions have together: first the leader, and then the others.

        Nothing is changed if a region cannot be read. Raises ``SplitError``.
        """
        region = min(self.stacks)
        if len(self.stacks) == 1:
            with in_region(region):
                return self.leader.repository.change_all(change)
        states = self.read_regions()

        def change_merged(own: Clusters) -> Clusters:
            return change(_adapt(merge_regions({**states, region: own}.values()), own))

        with in_region(region):
            self.leader.repository.change_all(change_merged)
        return self.make_equal(done={region})

    def update_copies(self) -> None:
        """Write the copies that a killed command did not reach."""
        for region, stack in sorted(self.stacks.items()):
            with in_region(region):
                stack.repository.update_copies()

    def make_equal(self, done: Iterable[str] = ()) -> Clusters:
        """Write the merged callers to each region until all of them have it.

        Raises ``SplitError``, with the regions that are *done*, if one cannot be written.
        """
        changed = {*done}
        try:
            return self._merge_all(changed)
        except CommandError as error:
            if not changed:
                raise
            others = [each for each in self.stacks if each not in changed]
            written = sorted(changed) if others else sorted(changed)[:1]
            raise SplitError({"": error}, written, sorted(self.stacks)) from error

    def _merge_all(self, changed: set[str]) -> Clusters:
        """Write each region that differs, and add it to *changed*."""
        errors: dict[str, CommandError] = {}
        for _ in range(_MAX_ROUNDS):
            states = self.read_regions()
            merged = merge_regions(states.values())
            differing = [each for each in states if states[each] != _adapt(merged, states[each])]
            if not differing:
                self.update_copies()
                return merged
            for region in differing:
                try:
                    with in_region(region):
                        self._merge_into(region, states)
                except CommandError as error:
                    errors[region] = error
                else:
                    changed.add(region)
            if errors:
                raise SplitError(errors, sorted(changed - errors.keys()), [*states])
        raise CommandError("other commands change the regions; run the command again")

    def _merge_into(self, region: str, states: Mapping[str, Clusters]) -> None:
        def merge(own: Clusters) -> Clusters:
            return _adapt(merge_regions({**states, region: own}.values()), own)

        self.stacks[region].repository.change_all(merge)


def merge_regions(states: Iterable[Clusters]) -> Clusters:
    """Return the callers with the tokens of all regions.

    Groups and sources of a cluster are those of the first region that has it.

    Raises ``CommandError`` for clusters with more tokens than a registry can have.
    """
    first, *others = states
    if not others:
        return first
    names = {name for each in (first, *others) for name in each}
    merged = {
        name: merge_callers(*(each[name] for each in (first, *others) if name in each))
        for name in sorted(names)
    }
    problems = [
        f"cluster {name}: the regions have the tokens "
        f"{', '.join(token.identity for token in each.tokens)}; revoke those that no registration "
        f"has: podgraft tokens revoke --cluster {name} ID {' '.join(list_region_words())}".rstrip()
        for name, each in merged.items()
        if len(each.tokens) > MAX_ACTIVE
    ]
    if problems:
        raise CommandError(*problems)
    return merged


def merge_callers(first: Callers, *others: Callers) -> Callers:
    """Return *first* with the tokens of all regions that none of them revoked."""
    regions = (first, *others)
    if all(each == first for each in others):
        return first
    times: dict[str, str] = {}
    for each in (each for callers in regions for each in callers.revoked):
        times[each.id] = min(times.get(each.id, each.at), each.at)
    newest = sorted(times.items(), key=lambda each: (each[1], each[0]))[-MAX_REVOKED:]
    tokens: dict[str, TokenHash] = {}
    for token in (each for callers in regions for each in callers.tokens):
        known = tokens.get(token.sha256, token)
        # The later end: an extension is a grant, which each region gets.
        ends = known.expires and token.expires and max(known.expires, token.expires)
        tokens[token.sha256] = replace(known, expires=ends)
    # In the order of the first region: a rotation reads from it which token is newer.
    valid = (
        token
        for token in tokens.values()
        if token.identity not in times and not any(_forgot(each, token) for each in regions)
    )
    return replace(first, tokens=(*valid,), revoked=tuple(RevokedToken(*each) for each in newest))


def _forgot(callers: Callers, token: TokenHash) -> bool:
    """Whether a region without a token can have revoked it, and listed newer ones since."""
    if len(callers.revoked) < MAX_REVOKED or callers.find_tokens(token.sha256):
        return False
    return token.created < min(each.at for each in callers.revoked)


def _adapt(merged: Clusters, own: Clusters) -> Clusters:
    """Return the merged callers with the certificates of one region.

    A registry does not list withdrawn certificates, so no region can tell the others.
    """
    adapted = {
        name: replace(each, subjects=own.get(name, Callers()).subjects)
        for name, each in merged.items()
    }
    return {name: each for name, each in adapted.items() if each != Callers()}


def find_splits(states: Mapping[str, Clusters], clusters: Clusters) -> Iterator[Change]:
    """Yield what a region lacks, or what it has and another one withdrew."""
    for region, own in states.items():
        for name in sorted({*own, *clusters}):
            here, merged = own.get(name, Callers()), clusters.get(name, Callers())
            keys = ("tokens", "revoked", "groups", "sources", "subjects")
            differing = [key for key in keys if getattr(here, key) != getattr(merged, key)]
            if differing:
                detail = f"{region} has other {', '.join(differing)}"
                is_applied = differing != ["subjects"]
                yield Change(name, ChangeKind.REGIONS, detail, is_applied)
