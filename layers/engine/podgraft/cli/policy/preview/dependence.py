"""Whether the result of a preview depends on a value that was not recorded.

The analysis is static: it compares the reads of templates, selectors, and rules with the tokens of
a record. A value that both configurations only print in the same lines does not count.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from podgraft.base.field_reads import FieldRead, ReadKind, select
from podgraft.base.jsonvalue import JSON, strings_at
from podgraft.base.trace import Trace
from podgraft.core.bundle import Bundle
from podgraft.core.bundle.reads import find_reads, find_rule_reads
from podgraft.core.census.record import Record
from podgraft.core.census.redaction import has_token, is_token
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import InjectionError
from podgraft.golang.reflect import GoType
from podgraft.kube import object_type
from podgraft.kube.mutation.recording import MUTATION

_OVERLAY = "overlay "
_TEMPLATES = "inject.istio.io/templates"
# Mismatches that no unrecorded value can cause.
_CERTAIN = "does not match: "
_OLD_OBJECT = "/oldObject"
_USER = "/userInfo"


def find_dependence(
    record: Record, *reviews: tuple[Bundle, Trace], is_rendered: bool, is_same: bool
) -> str:
    """Return the first dependence on an unrecorded value as text, or an empty string.

    The *reviews* are those of stable and of the candidate, whether they render a document, and
    whether their results are equal.
    """
    sides = [_find_relevant_reads(record, *each, is_rendered=is_rendered) for each in reviews]
    for reads in reversed(sides):
        for read in reads:
            if read.kind is not ReadKind.PRINTED and _reads_token(record, read):
                return _describe(read, "reads")
    if not is_same:
        return ""
    old, new = (
        {each for each in reads if each.kind is ReadKind.PRINTED and _reads_token(record, each)}
        for reads in sides
    )
    different = sorted(old ^ new, key=lambda read: (read.source, read.path, read.line))
    return _describe(different[0], "prints") if different else ""


def _describe(read: FieldRead, verb: str) -> str:
    if read.path == (_OLD_OBJECT,):
        return f"{read.source} {verb} the old object, which is not recorded"
    if read.path == (_USER,):
        return f"{read.source} {verb} the user, who is not recorded"
    return f"{read.source} {verb} {format_path(read.path)}, which is not recorded"


def format_path(path: Iterable[str]) -> str:
    """Return a path for people, such as ``spec.containers[].env``."""
    text = ""
    for step in path:
        if step == "[]":
            text += "[]"
        elif "/" in step or "." in step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text or "the complete object"


def _find_relevant_reads(
    record: Record, bundle: Bundle, trace: Trace, *, is_rendered: bool
) -> list[FieldRead]:
    reads = [*find_rule_reads(bundle)] if record.route == "inject" else []
    if is_rendered:
        type_ = object_type(record.object)
        reads += _find_document_reads(_BundleKey(bundle), record.route, type_)
    unused = {*_find_unused(record, bundle, trace)}
    return [read for read in reads if read.source not in unused]


class _BundleKey:
    """A bundle as a key by identity."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle

    def __hash__(self) -> int:
        return id(self.bundle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _BundleKey) and self.bundle is other.bundle


@lru_cache(maxsize=64)
def _find_document_reads(
    key: _BundleKey, route: str, type_: GoType | None
) -> tuple[FieldRead, ...]:
    return find_reads(key.bundle, route, type_)


def _find_unused(record: Record, bundle: Bundle, trace: Trace) -> Iterator[str]:
    """Yield the sources that the review did not use: other templates, and other overlays."""
    if bundle.istio is not None:
        used = _find_used_templates(record, bundle.istio, trace)
        for name in bundle.istio.templates:
            if name not in used:
                yield f'template "{name}"'
    for step in trace.steps:
        if step.name.startswith(_OVERLAY) and step.observed.startswith(_CERTAIN):
            name = step.name.removeprefix(_OVERLAY)
            yield f'template of overlay "{name}"'
    invoked: dict[str, bool] = {}
    for step in trace.steps:
        if step.name.startswith(MUTATION):
            name = step.name.removeprefix(MUTATION).partition(",")[0]
            invoked[name] = invoked.get(name, False) or not step.observed.startswith(_CERTAIN)
    for name, is_invoked in invoked.items():
        if not is_invoked:
            yield f'mutation of policy "{name}"'


def _find_used_templates(record: Record, injector: istio.Injector, trace: Trace) -> Sequence[str]:
    """Return the templates of the pod; a denied pod has them, too."""
    if trace.additions is not None:
        return trace.additions.templates
    annotations = strings_at(record.object, "metadata", "annotations")
    try:
        return injector.config.templates.select(annotations)
    except InjectionError:  # the pod names an unknown template
        return injector.templates if has_token(annotations.get(_TEMPLATES, "")) else ()


def _reads_token(record: Record, read: FieldRead) -> bool:
    if read.path == (_OLD_OBJECT,):
        return record.request.get("operation") == "UPDATE"
    if read.path == (_USER,):
        return True
    return any(_matters(value, read.kind) for value in select(record.object, read.path))


def _matters(value: JSON, kind: ReadKind) -> bool:
    match kind:
        case ReadKind.SIZED:
            return isinstance(value, str) and is_token(value)
        case ReadKind.SEARCHED:
            return isinstance(value, str | list) and has_token(value)
        case ReadKind.TESTED | ReadKind.PRINTED:
            return has_token(value)
