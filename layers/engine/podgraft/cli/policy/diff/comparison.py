"""The comparison of two versions: files, and objects by identical change."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import object_at, string_at
from podgraft.cli.policy.versions import strip_overrides
from podgraft.core.policy import Policy
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.snapshot import Snapshot

from .fields import FieldChange, find_changes
from .objects import ObjectSource
from .review import ObjectResult, review_object
from .unified import format_diff
from .versions import Version

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class FileChange(Struct, frozen=True):
    """A file before and after the change; ``None`` is a missing file."""

    path: str
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        """The unified diff."""
        return format_diff(self.before, self.after, self.path)


class ObjectChange(Struct, frozen=True, dict=True):
    """An object with different results. ``clusters`` are those of the result.

    An empty name is every cluster without overrides.
    """

    source: ObjectSource
    clusters: tuple[str, ...]
    before: ObjectResult
    after: ObjectResult

    @property
    def path(self) -> str:
        """The path for diffs."""
        kind, _, name = self.source.name.partition("/")
        name = _UNSAFE.sub("_", f"{kind}-{name}".rstrip("-")) + ".yaml"
        namespace = _UNSAFE.sub("_", self.source.subject.namespace)
        return f"{namespace}/{name}" if namespace else name

    @property
    def diff(self) -> str:
        """The unified diff of the results."""
        return format_diff(self.before.text, self.after.text, self.path)

    @cached_property
    def changes(self) -> tuple[FieldChange, ...]:
        """The fields that differ; those of a pod template have the paths of a pod."""
        path = self.source.subject.pod_path
        changes = find_changes(self.before.object, self.after.object)
        return tuple(changes if path is None else _shorten_paths(changes, path.template))

    @cached_property
    def key(self) -> str:
        """A text that is equal for identical changes.

        The names of the object and of its namespace count as equal.
        """
        compared = (self.before, self.after, *self.changes)
        text = jsonvalue.dump([each.to_json() for each in compared])
        metadata = object_at(self.source.subject.object, "metadata")
        name = string_at(metadata, "name") or string_at(metadata, "generateName").rstrip("-")
        for word, placeholder in (
            (name, "<name>"),
            (self.source.subject.namespace, "<namespace>"),
        ):
            if word:
                pattern = rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])"
                text = re.sub(pattern, placeholder, text)
        return text


def _shorten_paths(
    changes: Iterable[FieldChange], template: Sequence[str]
) -> Iterator[FieldChange]:
    prefix = "".join(f"{step}." for step in template)
    for change in changes:
        is_in_pod = change.path.startswith(prefix)
        path = change.path.removeprefix(prefix) if is_in_pod else f"workload: {change.path}"
        yield FieldChange(path, change.before, change.after, change.is_added, change.is_removed)


class Comparison(Struct, frozen=True, kw_only=True):
    """The result: changed files, and groups of objects with an identical change.

    ``compared`` is the number of objects, and ``changed`` that of the objects that differ in a
    cluster.
    """

    before: str
    files: tuple[FileChange, ...]
    groups: tuple[tuple[ObjectChange, ...], ...]
    compared: int
    changed: int
    clusters: tuple[str, ...] = ("",)

    @property
    def is_different(self) -> bool:
        """Whether anything differs."""
        return bool(self.files or self.groups)


def compare(
    before: Version, after: Version, objects: Sequence[ObjectSource], caller: ReviewContext
) -> Comparison:
    """Compare two versions for one cluster, or without one, for all that they distinguish."""
    targets = [*_find_targets(before, after, caller)]
    changes = [
        change
        for target in targets
        for source in objects
        if (change := _compare_object(source, target, caller)) is not None
    ]
    return Comparison(
        before=before.name,
        files=tuple(_compare_files(before, after, caller)),
        groups=group_changes(_join_clusters(changes)),
        compared=len(objects),
        changed=len({id(change.source) for change in changes}),
        clusters=tuple(cluster for target in targets for cluster in target.clusters),
    )


class _Target(Struct, frozen=True):
    """Clusters with the same two configurations; ``group NAME`` are those of a group.

    ``cluster`` is the first one, if it has a name.
    """

    clusters: tuple[str, ...]
    cluster: str | None
    before: Snapshot | None
    after: Snapshot | None


def _find_targets(before: Version, after: Version, caller: ReviewContext) -> Iterator[_Target]:
    """Yield the different pairs of configurations, with the clusters that have them."""
    cluster = caller.cluster
    if cluster is not None:
        old, new = (each.snapshot(cluster, caller.groups) for each in (before, after))
        yield _Target((cluster,), cluster, old, new)
        return
    pairs: list[tuple[Policy | None, Policy | None]] = []
    targets: list[_Target] = []
    for name, own, groups in _list_members(before, after):
        old, new = before.snapshot(own, groups), after.snapshot(own, groups)
        pair = old and strip_overrides(old.policy), new and strip_overrides(new.policy)
        if pair in pairs:
            target = targets[pairs.index(pair)]
            targets[pairs.index(pair)] = replace(target, clusters=(*target.clusters, name))
        else:
            pairs.append(pair)
            targets.append(_Target((name,), own or None, old, new))
    yield from targets


def _list_members(
    before: Version, after: Version
) -> Iterator[tuple[str, str | None, tuple[str, ...]]]:
    """Yield the names, clusters, and groups in the registry that a version can distinguish."""
    yield "", None, ()
    for cluster in sorted(before.clusters | after.clusters):
        yield cluster, cluster, ()
    for group in sorted(before.groups | after.groups):
        yield f"group {group}", "", (group,)


def _compare_object(
    source: ObjectSource, target: _Target, caller: ReviewContext
) -> ObjectChange | None:
    context = replace(caller, cluster=target.cluster)
    before = review_object(source.subject, target.before, context)
    after = review_object(source.subject, target.after, context)
    if before.text == after.text:
        return None
    return ObjectChange(source, target.clusters, before, after)


def _join_clusters(changes: Iterable[ObjectChange]) -> Iterator[ObjectChange]:
    """Join the changes of an object that are equal in several clusters."""
    joined: dict[tuple[int, str, str], ObjectChange] = {}
    for change in changes:
        key = id(change.source), change.before.text, change.after.text
        known = joined.get(key)
        clusters = (*known.clusters, *change.clusters) if known else change.clusters
        joined[key] = ObjectChange(change.source, clusters, change.before, change.after)
    return iter(joined.values())


def group_changes(changes: Iterable[ObjectChange]) -> tuple[tuple[ObjectChange, ...], ...]:
    """Group identical changes; the largest groups first."""
    groups: dict[tuple[tuple[str, ...], str], list[ObjectChange]] = {}
    for change in changes:
        groups.setdefault((change.clusters, change.key), []).append(change)
    return tuple(sorted(map(tuple, groups.values()), key=len, reverse=True))


def _compare_files(before: Version, after: Version, caller: ReviewContext) -> Iterator[FileChange]:
    if before.document != after.document:
        yield FileChange("policy.yaml", before.document, after.document)
    old, new = (each.files(caller.cluster, caller.groups) for each in (before, after))
    for path in sorted(old.keys() | new.keys()):
        if old.get(path) != new.get(path):
            yield FileChange(f"bundle/{path}", _decode(old.get(path)), _decode(new.get(path)))


def _decode(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")
