"""The output formats of a comparison."""

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from html import escape

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at

from .comparison import Comparison, FileChange, ObjectChange
from .fields import FieldChange
from .review import ObjectResult
from .text import describe_group, render_patch, render_text, summarize

# GitHub accepts comments of 65,536 characters; the rest is for text that a workflow adds.
MAX_MARKDOWN_CHARACTERS = 64_000


class OutputFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    PATCH = "patch"


def format_comparison(comparison: Comparison, output: OutputFormat) -> str:
    """Return the comparison as text."""
    match output:
        case OutputFormat.TEXT:
            return render_text(comparison)
        case OutputFormat.PATCH:
            return render_patch(comparison)
        case OutputFormat.MARKDOWN:
            return _render_markdown(comparison)
        case OutputFormat.JSON:
            return json.dumps(_to_json(comparison), indent=2, ensure_ascii=False) + "\n"


def _render_markdown(comparison: Comparison) -> str:
    """Render a comment for a pull request: a summary, and a fold for each diff."""
    title = "Changes" if comparison.is_different else "No changes"
    folds = [
        *(_fold(f"<code>{escape(each.path)}</code>", each.diff) for each in comparison.files),
        *(
            _fold(escape(describe_group(group, comparison)), group[0].diff)
            for group in comparison.groups
        ),
    ]
    return _join_folds(f"### {title}\n\n{escape(summarize(comparison))}\n", folds)


def _join_folds(heading: str, folds: Sequence[str]) -> str:
    """Join as many folds as a comment can contain, and state how many are missing."""
    text = "\n".join((heading, *folds))
    if len(text) <= MAX_MARKDOWN_CHARACTERS:
        return text
    shown: list[str] = []
    free = MAX_MARKDOWN_CHARACTERS - len(heading) - len(_describe_cut(0, len(folds), len(folds)))
    for fold in folds:
        free -= len(fold) + 1
        if free < 0:
            break
        shown.append(fold)
    count = len(folds)
    return "\n".join((heading, *shown, _describe_cut(len(shown), count, len(text))))


def _describe_cut(shown: int, count: int, characters: int) -> str:
    return (
        f"**{count - shown} of {count} diffs are not shown**: all diffs have {characters:,} "
        "characters, and a comment of GitHub can have 65,536. To see them, run `podgraft "
        "diff` with `-o text`.\n"
    )


def _fold(summary: str, diff: str) -> str:
    longest = max((len(match) for match in re.findall(r"`+", diff)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"<details><summary>{summary}</summary>\n\n{fence}diff\n{diff}{fence}\n\n</details>\n"


def _to_json(comparison: Comparison) -> Object:
    files: list[JSON] = [_file_to_json(each) for each in comparison.files]
    groups: list[JSON] = [_group_to_json(each) for each in comparison.groups]
    clusters: list[JSON] = [*comparison.clusters]
    return {
        "before": comparison.before,
        "isDifferent": comparison.is_different,
        "clusters": clusters,
        "compared": comparison.compared,
        "changed": comparison.changed,
        "files": files,
        "groups": groups,
    }


def _file_to_json(change: FileChange) -> Object:
    match change:
        case FileChange(before=None):
            kind = "added"
        case FileChange(after=None):
            kind = "removed"
        case _:
            kind = "changed"
    return {"path": change.path, "change": kind, "diff": change.diff}


def _group_to_json(group: tuple[ObjectChange, ...]) -> Object:
    objects: list[JSON] = [_object_to_json(each) for each in group]
    clusters: list[JSON] = [*group[0].clusters]
    changes: list[JSON] = [_change_to_json(each) for each in group[0].changes]
    return {
        "objects": objects,
        "clusters": clusters,
        "before": _result_to_json(group[0].before),
        "after": _result_to_json(group[0].after),
        "changes": changes,
        "diff": group[0].diff,
    }


def _object_to_json(change: ObjectChange) -> Object:
    value = change.source.subject.object
    metadata = object_at(value, "metadata")
    return {
        "apiVersion": string_at(value, "apiVersion"),
        "kind": string_at(value, "kind"),
        "name": string_at(metadata, "name") or string_at(metadata, "generateName"),
        "namespace": change.source.subject.namespace,
        "source": change.source.source,
        "isSynthetic": change.source.is_synthetic,
    }


def _result_to_json(result: ObjectResult) -> Object:
    return {
        "outcome": result.outcome,
        "message": result.message,
        "warnings": list(result.warnings),
    }


def _change_to_json(change: FieldChange) -> Object:
    encoded: Object = {"path": change.path}
    if not change.is_added:
        encoded["before"] = change.before
    if not change.is_removed:
        encoded["after"] = change.after
    return encoded
