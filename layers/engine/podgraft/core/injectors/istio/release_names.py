"""Names and libraries that came and went with Istio releases, from ``release_names.json``.

Functions and fields of template data that came with a patch are in the table for the whole minor:
a patch without them would refuse the template, and no pod would be different. Fields of messages
are exact, because a release ignores a field that it does not have.
"""

from collections.abc import Mapping
from typing import Final

from podgraft.base.tables import read_table

from .release_spans import Span, parse_span

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
