"""Spans of Istio releases: the first releases with a behavior, and the first without it.

``release_names.json`` has the spans of names and libraries.

A fix of one minor is often backported to patches of earlier minors. So an edge names the minor
from which all patches are past it, and the first such patch of each earlier minor. A minor that
is neither named nor past the first one is not past the edge: 1.9.0 lacks what 1.8.6 has.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from podgraft.base.tables import read_table


class Edge(NamedTuple):
    """All patches from 1.``minor`` on, and the patches of earlier minors from a number on."""

    minor: int
    patches: Mapping[int, int]

    def is_reached(self, minor: int, patch: int) -> bool:
        """Whether Istio 1.``minor``.``patch`` is at or past the edge."""
        return minor >= self.minor or patch >= self.patches.get(minor, patch + 1)


class Span(NamedTuple):
    """The releases from one edge up to another."""

    first: Edge
    end: Edge

    def contains(self, minor: int, patch: int) -> bool:
        """Whether Istio 1.``minor``.``patch`` is in the span."""
        return self.first.is_reached(minor, patch) and not self.end.is_reached(minor, patch)


def since(all_from: str, *patches: str, until: tuple[str, ...] = ()) -> Span:
    """The span from an edge on, up to the edge ``until``, if there is one.

    >>> span = since("1.30", "1.29.1", until=("1.31",))
    >>> [span.contains(*release) for release in ((29, 0), (29, 1), (30, 0), (31, 0))]
    [False, True, True, False]
    """
    return Span(_edge(all_from, *patches), _edge(*until) if until else _NEVER)


def parse_span(text: str) -> Span:
    """The span that a table names, as ``since`` takes it.

    >>> parse_span("1.30 1.29.1 until 1.31") == since("1.30", "1.29.1", until=("1.31",))
    True
    """
    first, _, end = text.partition(" until ")
    return since(*first.split(" "), until=tuple(end.split()))


def _edge(all_from: str, *patches: str) -> Edge:
    numbers = [text.split(".") for text in patches]
    return Edge(
        int(all_from.split(".")[1]), {int(minor): int(patch) for _, minor, patch in numbers}
    )


_NEVER = Edge(1 << 30, {})


# Functions that came with a patch are in the table for the whole minor: a patch without them would
# refuse the template, and no pod would be different. Fields of messages are exact, because each
# release ignores a field that it does not have.
_TABLES: Mapping[str, Mapping[str, str]] = read_table(__file__, "release_names.json")


def _parse_spans(name: str) -> Mapping[str, Span]:
    return {key: parse_span(text) for key, text in _TABLES[name].items()}


# The latest patch of each supported minor (see UNRELEASED).
LATEST: Final = {int(minor): int(patch) for minor, patch in _TABLES["latest"].items()}
# Template functions of Istio's own; all others are in every release.
FUNCTIONS: Final = _parse_spans("functions")
# Fields of Istio's mesh messages; all others are in every release.
MESH_FIELDS: Final = _parse_spans("mesh_fields")
# The Kubernetes types (k8s.io/api 0.N) that releases were built with, and from when on; a field
# that those types lack is dropped.
KUBERNETES: Final = {int(minor): span for minor, span in _parse_spans("kubernetes").items()}
# The release of sprig whose functions templates can call; 1.0 has none.
SPRIG: Final = _parse_spans("sprig")
# The release of spf13/cast from which sprig's conversion of numbers is the same
# (golang/sprig/cast.py).
CAST: Final = _parse_spans("cast")
