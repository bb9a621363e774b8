"""What an overlay reads of an object: its template, its selector, and its conditions."""

from __future__ import annotations

from collections.abc import Iterator

from podgraft.base.field_reads import FieldRead, Path
from podgraft.golang.reflect import GoType
from podgraft.kube.matching.reads import find_condition_reads, find_selector_reads

from .data import data_type
from .overlay import Overlay

_PARTS: dict[str, Path] = {"Object": (), "ObjectMeta": ("metadata",), "Spec": ("spec",)}


def find_overlay_reads(overlay: Overlay, type_: GoType | None) -> tuple[FieldRead, ...]:
    """Return what an overlay reads of objects of a Go type, or of a kind without one."""
    source = f'overlay "{overlay.name}"'
    selector = overlay.constraints.objects
    reads = [
        *_find_template_reads(overlay, source, type_),
        *(find_selector_reads(selector, source) if selector is not None else ()),
        *find_condition_reads([each.program for each in overlay.conditions], source),
    ]
    return tuple(dict.fromkeys(reads))


def _find_template_reads(
    overlay: Overlay, source: str, type_: GoType | None
) -> Iterator[FieldRead]:
    source = f"template of {source}"
    for read in overlay.template.find_reads(data_type(type_)):
        if not read.path:
            yield FieldRead(source, (), read.kind, read.line)
        elif read.path[0] in _PARTS:
            path = (*_PARTS[read.path[0]], *read.path[1:])
            yield FieldRead(source, path, read.kind, read.line)
