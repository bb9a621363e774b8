"""Answers as the page receives them: JSON values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from podgraft.base.jsonvalue import JSON, Object

from .changes import make_changes
from .engine import Call, Document, Explanation
from .origins import Origin, Rendering, find_in_files
from .yaml_lines import Line, emit_lines

# Above this number of lines, a comparison takes seconds in the browser.
_MAX_COMPARED_LINES = 4_000


def explanation_to_json(explanation: Explanation) -> Object:
    """The texts of the command line, and each document."""
    return {
        "status": explanation.status,
        "text": explanation.text,
        "errors": explanation.errors,
        "documents": [_document_to_json(document) for document in explanation.documents],
    }


def _document_to_json(document: Document) -> Object:
    before, after = first_and_last(document)
    rows = [] if before is None else compare(before, after)
    return {
        "trace": document.trace,
        "verdict": document.verdict,
        "paths": document.paths,
        "calls": [_call_to_json(call) for call in document.calls],
        "rows": rows,
        "changes": make_changes(before, after, rows),
    }


def first_and_last(document: Document) -> tuple[Object | None, Object | None]:
    """The object of the last stage, before and after its webhooks.

    For a workload that is the pod of its controller, if a webhook is called for it, and the
    workload otherwise. An object that is denied has no object afterwards.
    """
    if not document.calls:
        return None, None
    subject = document.calls[-1].object
    calls = [call for call in document.calls if call.object == subject]
    changed = [call for call in document.calls if call.patch]
    if changed and not any(call.patch for call in calls):
        subject = changed[-1].object
        calls = [call for call in document.calls if call.object == subject]
    return calls[0].before, calls[-1].after


def _call_to_json(call: Call) -> Object:
    return {
        "object": call.object,
        "route": call.route,
        "webhook": call.webhook,
        "patch": call.patch,
        "response": call.response,
    }


def compare(before: Object, after: Object | None) -> list[JSON]:
    """The rows of two objects side by side: left text, right text, kind, and pointer.

    A kind is "same", "added", "removed", or "changed".
    """
    left = emit_lines(before)
    right = left if after is None else emit_lines(after)
    if len(left) + len(right) > _MAX_COMPARED_LINES:
        return [*_rows("removed", left, ()), *_rows("added", (), right)]
    matcher = SequenceMatcher(
        None, [line.text for line in left], [line.text for line in right], autojunk=False
    )
    kinds = {"equal": "same", "insert": "added", "delete": "removed", "replace": "changed"}
    return [
        row
        for tag, low, high, start, end in matcher.get_opcodes()
        for row in _rows(kinds[tag], left[low:high], right[start:end])
    ]


def _rows(kind: str, left: Sequence[Line], right: Sequence[Line]) -> Iterator[JSON]:
    for index in range(max(len(left), len(right))):
        old = left[index] if index < len(left) else None
        new = right[index] if index < len(right) else None
        own = kind if old and new else "removed" if old else "added"
        yield [
            None if old is None else old.text,
            None if new is None else new.text,
            own,
            (new or old or Line("", "")).pointer,
        ]


def origins_to_json(
    renderings: Sequence[Rendering], origins: Iterable[dict[str, Origin]], files: Mapping[str, str]
) -> Object:
    """The templates with their place in the bundle, and the origins of each document."""
    templates: list[JSON] = []
    for rendering in renderings:
        place = find_in_files(rendering.source, files)
        template: dict[str, Any] = {"name": rendering.name, "source": rendering.source}
        if place is not None:
            template |= {"file": place[0], "offset": place[1]}
        templates.append(template)
    documents: list[JSON] = [
        {path: [origin.rendering, origin.line] for path, origin in each.items()} for each in origins
    ]
    return {"templates": templates, "documents": documents}
