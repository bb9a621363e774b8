"""The fleet file: which clusters exist, their groups, and their sources. It contains no secret.

::

    apiVersion: podgraft.dev/v1
    kind: Fleet
    metadata: {name: prod}
    spec:
      defaults: {sources: []}
      groups:
        ring-0: {order: 10}
        office: {order: 20, sources: [198.51.100.0/24]}
      clusters:
        prod-eu-000: {groups: [ring-0]}
        prod-eu-001: {groups: [ring-0, office]}
        prod-eu-002: {sources: [vpce-0a1b2c3d4e5f67890]}

Later keys win: ``defaults``, the groups by ``order`` and then by name, and the cluster. A list
replaces a list. ``order`` has no effect on the groups of a policy, which have their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.core.identifiers import (
    CLUSTER_REMEDY,
    GROUP_REMEDY,
    is_cluster,
    is_group,
)
from podgraft.kube import yaml
from podgraft.kube.document_reader import (
    Cursor,
    Diagnostics,
    MappingReader,
    format_value,
    parse_string,
    parse_strings,
    suggest_key,
)
from podgraft.service.store import sources

T = TypeVar("T")

_API_VERSION, _KIND = "podgraft.dev/v1", "Fleet"


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """The settings of one cluster in the registry."""

    groups: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    order: int
    sources: tuple[str, ...] | None


def read_fleet(path: Path) -> Mapping[str, ClusterSettings]:
    """Return the settings by cluster; raises ``CommandError`` with all errors of the file."""
    try:
        value = yaml.load_document(documents.read_text(path))
    except yaml.NotYAMLError as error:
        raise CommandError(f"{path}: invalid YAML: {error}; correct this line") from error
    diagnostics = Diagnostics()
    fleet = _parse_file(Cursor(value, "", diagnostics))
    if diagnostics.errors:
        raise CommandError(*(f"{path} {each}" for each in diagnostics.errors))
    return fleet


def _parse_file(cursor: Cursor) -> Mapping[str, ClusterSettings]:
    keys = MappingReader(cursor)
    for key, expected in (("apiVersion", _API_VERSION), ("kind", _KIND)):
        if keys.read_key(key, parse_string) != expected:
            cursor.child(key, None).add_error(f"expected {expected}", f"write {key}: {expected}")
    keys.read_key("metadata", Cursor.entries)
    fleet = keys.read_key("spec", _parse_spec)
    keys.check_unknown_keys()
    if fleet is None:
        cursor.child("spec", None).add_error("is missing", "add the clusters of the fleet")
    return fleet or {}


def _parse_spec(cursor: Cursor) -> Mapping[str, ClusterSettings]:
    keys = MappingReader(cursor)
    defaults = keys.read_key("defaults", _parse_defaults)
    groups = keys.read_key("groups", lambda each: _parse_names(each, _parse_group)) or {}
    for name in groups:
        if not is_group(name):
            cursor.child("groups", None).child(name, None).add_error("invalid name", GROUP_REMEDY)
    clusters = keys.read_key(
        "clusters",
        lambda each: _parse_names(each, lambda own: _parse_cluster(own, groups, defaults or ())),
    )
    for name in clusters or {}:
        if not is_cluster(name):
            cursor.child("clusters", None).child(name, None).add_error("invalid id", CLUSTER_REMEDY)
    keys.check_unknown_keys()
    return clusters or {}


def _parse_names(cursor: Cursor, parse: Callable[[Cursor], T]) -> Mapping[str, T] | None:
    entries = cursor.entries()
    return None if entries is None else {name: parse(each) for name, each in entries.items()}


def _parse_defaults(cursor: Cursor) -> tuple[str, ...] | None:
    keys = MappingReader(cursor)
    found = keys.read_key("sources", _parse_sources)
    keys.check_unknown_keys()
    return found


def _parse_group(cursor: Cursor) -> _Group:
    keys = MappingReader(cursor)
    order = keys.read_key("order", _parse_order)
    found = keys.read_key("sources", _parse_sources)
    keys.check_unknown_keys()
    return _Group(order or 0, found)


def _parse_cluster(
    cursor: Cursor, groups: Mapping[str, _Group], defaults: tuple[str, ...]
) -> ClusterSettings:
    keys = MappingReader(cursor)
    names = keys.read_key("groups", lambda each: _parse_group_names(each, groups)) or ()
    own = keys.read_key("sources", _parse_sources)
    keys.check_unknown_keys()
    ordered = sorted(names, key=lambda name: (groups[name].order, name))
    layers = [defaults, *(groups[name].sources for name in ordered), own]
    effective = [each for each in layers if each is not None][-1]
    return ClusterSettings(tuple(sorted(names)), effective)


def _parse_group_names(cursor: Cursor, groups: Mapping[str, _Group]) -> tuple[str, ...]:
    names = parse_strings(cursor) or ()
    for index, name in enumerate(names):
        if name not in groups:
            remedy = suggest_key(name, [*groups]) if groups else "add it to /spec/groups"
            cursor.child(index, name).add_error(f"unknown group {format_value(name)}", remedy)
        elif name in names[:index]:
            cursor.child(index, name).add_error(f"duplicate {format_value(name)}", "remove it")
    return tuple(name for name in dict.fromkeys(names) if name in groups)


def _parse_sources(cursor: Cursor) -> tuple[str, ...] | None:
    found = parse_strings(cursor)
    for index, source in enumerate(found or ()):
        if not sources.is_source(source):
            cursor.child(index, source).add_error(f"got {format_value(source)}", sources.REMEDY)
    return found


def _parse_order(cursor: Cursor) -> int | None:
    if isinstance(cursor.value, int) and not isinstance(cursor.value, bool):
        return cursor.value
    return cursor.add_error(f"got {format_value(cursor.value)}", "use an integer")
