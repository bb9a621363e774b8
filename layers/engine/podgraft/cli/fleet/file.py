"""The fleet file: which clusters exist, and the settings of each. It contains no secret.

::

    apiVersion: podgraft.dev/v1
    kind: Fleet
    metadata: {name: prod}
    spec:
      url: https://webhook.example.com  # default: the endpoint of the stack
      caBundle: ca.pem                  # beside the file; default: public CAs
      tokens: {lifetimeDays: 90, rotateAfterDays: 60}
      defaults:
        injectors: [{name: istio, revision: default}]
      groups:
        ring-0: {order: 10}
        office: {order: 20, sources: [198.51.100.0/24]}
      clusters:
        prod-eu-000: {groups: [ring-0], context: eks-prod-eu-000}
        prod-eu-001: {groups: [ring-0, office]}
        prod-eu-002: {front: private, sources: [vpce-0a1b2c3d4e5f67890]}

``settings.py`` has the keys of ``defaults``, groups, and clusters. ``order`` has no effect on the
groups of a policy, which have their own.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.register.endpoint import parse_endpoint
from podgraft.core.identifiers import CLUSTER_REMEDY, GROUP_REMEDY, is_cluster, is_group
from podgraft.kube.document_reader import (
    Cursor,
    Diagnostics,
    MappingReader,
    format_value,
    make_integer_parser,
    make_map_parser,
    parse_string,
    parse_strings,
    suggest_key,
)

from .settings import ClusterSettings, merge_layers, parse_number, read_layer

_API_VERSION, _KIND = "podgraft.dev/v1", "Fleet"
# A token that is due must not end before somebody notices that its rotation fails.
OVERLAP_DAYS = 14
_DAYS = range(1, 3651)


class Lifetimes(Struct, frozen=True):
    """For how many days a token is valid, and after how many it is due."""

    lifetime_days: int = 90
    rotate_after_days: int = 60


class Fleet(Struct, frozen=True):
    """The settings by cluster; without a ``url``, the endpoint is that of the stack."""

    clusters: Mapping[str, ClusterSettings]
    url: str = ""
    ca_bundle: Path | None = None
    tokens: Lifetimes = Lifetimes()


class _Group(Struct, frozen=True):
    order: int
    layer: Mapping[str, Any]


def read_fleet(path: Path) -> Fleet:
    """Return the fleet; raises ``CommandError`` with all errors of the file."""
    diagnostics = Diagnostics()
    fleet = _parse_file(Cursor(documents.read_document(path), "", diagnostics), path.parent)
    if diagnostics.errors or fleet is None:
        raise CommandError(*(f"{path} {each}" for each in diagnostics.errors))
    return fleet


def _parse_file(cursor: Cursor, folder: Path) -> Fleet | None:
    keys = MappingReader(cursor)
    for key, expected in (("apiVersion", _API_VERSION), ("kind", _KIND)):
        if keys.read_key(key, parse_string) != expected:
            cursor.add_key_error(key, f"expected {expected}", f"write {key}: {expected}")
    keys.read_key("metadata", Cursor.entries)
    fleet = keys.read_key("spec", lambda each: _parse_spec(each, folder))
    keys.check_unknown_keys()
    if fleet is None:
        cursor.add_key_error("spec", "is missing", "add the clusters of the fleet")
    return fleet


def _parse_spec(cursor: Cursor, folder: Path) -> Fleet:
    keys = MappingReader(cursor)
    defaults = keys.read_key("defaults", _parse_layer) or {}
    groups = keys.read_key("groups", make_map_parser(_parse_group)) or {}
    for name in groups:
        if not is_group(name):
            cursor.child("groups", None).add_key_error(name, "invalid name", GROUP_REMEDY)
    parse_clusters = make_map_parser(lambda each: _parse_cluster(each, groups, defaults))
    clusters = keys.read_key("clusters", parse_clusters)
    _check_clusters(cursor.child("clusters", None), clusters or {})
    ca_bundle = keys.read_key("caBundle", parse_string)
    fleet = Fleet(
        clusters or {},
        keys.read_key("url", _parse_url) or "",
        folder / ca_bundle if ca_bundle else None,
        keys.read_key("tokens", _parse_lifetimes) or Lifetimes(),
    )
    keys.check_unknown_keys()
    return fleet


def _check_clusters(cursor: Cursor, clusters: Mapping[str, ClusterSettings]) -> None:
    owners: dict[str, str] = {}
    for name, settings in clusters.items():
        if not is_cluster(name):
            cursor.add_key_error(name, "invalid id", CLUSTER_REMEDY)
        owner = owners.setdefault(settings.context, name)
        if settings.context and owner != name:
            problem = f"{format_value(settings.context)} is the context of {owner}, too"
            cursor.child(name, None).add_key_error("context", problem, "remove one of them")


def _parse_url(cursor: Cursor) -> str | None:
    url = parse_string(cursor)
    try:
        if url is not None and parse_endpoint(url, allow_loopback=True).token is not None:
            cursor.add_error("contains a token", "remove /k/…: each cluster has its own token")
    except CommandError as error:
        cursor.add_error(str(error), "use https://HOST[:PORT]")
    return url


def _parse_lifetimes(cursor: Cursor) -> Lifetimes:
    keys, default = MappingReader(cursor), Lifetimes()
    found = Lifetimes(
        keys.read_key("lifetimeDays", parse_number(_DAYS)) or default.lifetime_days,
        keys.read_key("rotateAfterDays", parse_number(_DAYS)) or default.rotate_after_days,
    )
    keys.check_unknown_keys()
    if found.rotate_after_days + OVERLAP_DAYS > found.lifetime_days:
        cursor.add_error(
            f"rotateAfterDays {found.rotate_after_days} leaves less than {OVERLAP_DAYS} days of "
            f"lifetimeDays {found.lifetime_days}",
            "lower rotateAfterDays, or raise lifetimeDays",
        )
    return found


def _parse_layer(cursor: Cursor) -> Mapping[str, Any]:
    keys = MappingReader(cursor)
    found = read_layer(keys)
    keys.check_unknown_keys()
    return found


def _parse_group(cursor: Cursor) -> _Group:
    keys = MappingReader(cursor)
    order = keys.read_key("order", make_integer_parser(-sys.maxsize, sys.maxsize, "use an integer"))
    found = read_layer(keys)
    keys.check_unknown_keys()
    return _Group(order or 0, found)


def _parse_cluster(
    cursor: Cursor, groups: Mapping[str, _Group], defaults: Mapping[str, Any]
) -> ClusterSettings:
    keys = MappingReader(cursor)
    names = keys.read_key("groups", lambda each: _parse_group_names(each, groups)) or ()
    own = {**read_layer(keys, of_cluster=True), "groups": tuple(sorted(names))}
    keys.check_unknown_keys()
    ordered = sorted(names, key=lambda name: (groups[name].order, name))
    return merge_layers(cursor, [defaults, *(groups[name].layer for name in ordered), own])


def _parse_group_names(cursor: Cursor, groups: Mapping[str, _Group]) -> tuple[str, ...]:
    names = parse_strings(cursor) or ()
    for index, name in enumerate(names):
        if name not in groups:
            remedy = suggest_key(name, [*groups]) if groups else "add it to /spec/groups"
            cursor.child(index, name).add_error(f"unknown group {format_value(name)}", remedy)
        elif name in names[:index]:
            cursor.child(index, name).add_error(f"duplicate {format_value(name)}", "remove it")
    return tuple(name for name in dict.fromkeys(names) if name in groups)
