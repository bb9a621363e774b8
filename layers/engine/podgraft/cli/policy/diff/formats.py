"""The output formats of a comparison."""

import re
from collections.abc import Sequence
from enum import StrEnum
from html import escape
from itertools import accumulate

from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.cli import terminal
from podgraft.cli.documents import render_json
from podgraft.cli.wording import format_count

from .comparison import Comparison, FileChange, ObjectChange

_MAX_NAMES = 20
_HEADER_LINES = 2
_ALL = "clusters without overrides"
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
            return _render_text(comparison)
        case OutputFormat.PATCH:
            # For ``patch -p1`` in a folder of ``podgraft policy pull``.
            return "".join(each.diff for each in comparison.files)
        case OutputFormat.MARKDOWN:
            return _render_markdown(comparison)
        case OutputFormat.JSON:
            return render_json(_to_json(comparison))


def _render_text(comparison: Comparison) -> str:
    """Render all diffs. Lines outside of a diff start with ``#``, which ``patch`` skips."""
    sections = [
        *(_style_diff(each.diff) for each in comparison.files),
        *(_render_group(group, comparison) for group in comparison.groups),
        terminal.style(f"# {_summarize(comparison)}\n", dim=True),
    ]
    return "".join(sections)


def _summarize(comparison: Comparison) -> str:
    """Return the numbers of files and objects in one line."""
    objects = format_count(comparison.compared, "object")
    files = format_count(len(comparison.files), "file")
    verb = "differs" if len(comparison.files) == 1 else "differ"
    changed = "changes" if comparison.changed == 1 else "change"
    return (
        f"{files} {verb}, {comparison.changed} of {objects} {changed}; before: {comparison.before}"
    )


def _describe_group(group: Sequence[ObjectChange], comparison: Comparison) -> str:
    """Return the objects of a group, and its clusters if there are several."""
    names = [each.source.label for each in group]
    listed = ", ".join(names[:_MAX_NAMES])
    if len(names) > _MAX_NAMES:
        listed = f"{listed}, and {len(names) - _MAX_NAMES} more"
    count = format_count(len(group), _noun(group))
    single = f"{names[0]}{' (synthetic)' if group[0].source.is_synthetic else ''}"
    text = single if len(group) == 1 else f"the same change for {count}: {listed}"
    return f"{text}{_describe_clusters(group[0].clusters, comparison)}"


def _describe_clusters(clusters: Sequence[str], comparison: Comparison) -> str:
    """Return the clusters of a change; empty if all have the same configurations."""
    if comparison.clusters == ("",):
        return ""
    if set(clusters) == set(comparison.clusters) and len(clusters) > 1:
        return " (in all clusters)"
    return f" (in {', '.join(cluster or _ALL for cluster in clusters)})"


def _render_group(group: Sequence[ObjectChange], comparison: Comparison) -> str:
    title = terminal.style(f"# {_describe_group(group, comparison)}\n", bold=True)
    return title + _style_diff(group[0].diff)


def _noun(group: Sequence[ObjectChange]) -> str:
    sources = [each.source for each in group]
    noun = "workload" if all(each.subject.pod_path for each in sources) else "object"
    return f"synthetic {noun}" if all(each.is_synthetic for each in sources) else noun


def _style_diff(diff: str) -> str:
    """Color the lines of a diff; click removes the colors if the output is not a terminal."""
    lines = diff.split("\n")
    header = (terminal.style(line, bold=True) for line in lines[:_HEADER_LINES] if line)
    return "\n".join((*header, *map(terminal.style_diff_line, lines[_HEADER_LINES:])))


def _render_markdown(comparison: Comparison) -> str:
    """Render a comment for a pull request: a summary, and a fold for each diff."""
    title = "Changes" if comparison.is_different else "No changes"
    folds = [
        *(_fold(f"<code>{escape(each.path)}</code>", each.diff) for each in comparison.files),
        *(
            _fold(escape(_describe_group(group, comparison)), group[0].diff)
            for group in comparison.groups
        ),
    ]
    return _join_folds(f"### {title}\n\n{escape(_summarize(comparison))}\n", folds)


def _join_folds(heading: str, folds: Sequence[str]) -> str:
    """Join as many folds as a comment can contain, and state how many are missing."""
    text = "\n".join((heading, *folds))
    if len(text) <= MAX_MARKDOWN_CHARACTERS:
        return text
    free = MAX_MARKDOWN_CHARACTERS - len(heading) - len(_describe_cut(0, len(folds), len(folds)))
    sizes = accumulate(len(fold) + 1 for fold in folds)
    shown = [fold for fold, size in zip(folds, sizes, strict=True) if size <= free]
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
    return {
        "before": comparison.before,
        "isDifferent": comparison.is_different,
        "clusters": [*comparison.clusters],
        "compared": comparison.compared,
        "changed": comparison.changed,
        "files": [_file_to_json(each) for each in comparison.files],
        "groups": [_group_to_json(each) for each in comparison.groups],
    }


def _file_to_json(change: FileChange) -> Object:
    kind = "added" if change.before is None else "removed" if change.after is None else "changed"
    return {"path": change.path, "change": kind, "diff": change.diff}


def _group_to_json(group: tuple[ObjectChange, ...]) -> Object:
    return {
        "objects": [_object_to_json(each) for each in group],
        "clusters": [*group[0].clusters],
        "before": group[0].before.to_json(),
        "after": group[0].after.to_json(),
        "changes": [each.to_json() for each in group[0].changes],
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
