"""The comparison as text: a unified diff with comments, in color on a terminal."""

from collections.abc import Sequence

from podgraft.cli import terminal

from .comparison import Comparison, ObjectChange

_MAX_NAMES = 20
_HEADER_LINES = 2
_ALL = "clusters without overrides"


def render_text(comparison: Comparison) -> str:
    """Render all diffs. Lines outside of a diff start with ``#``, which ``patch`` skips."""
    sections = [
        *(_style_diff(each.diff) for each in comparison.files),
        *(_render_group(group, comparison) for group in comparison.groups),
        terminal.style(f"# {summarize(comparison)}\n", dim=True),
    ]
    return "".join(sections)


def render_patch(comparison: Comparison) -> str:
    """Render the diffs of the files, for ``patch -p1`` in a folder of ``podgraft policy pull``."""
    return "".join(each.diff for each in comparison.files)


def summarize(comparison: Comparison) -> str:
    """Return the numbers of files and objects in one line."""
    objects = _count(comparison.compared, "object")
    files = _count(len(comparison.files), "file")
    verb = "differs" if len(comparison.files) == 1 else "differ"
    changed = "changes" if comparison.changed == 1 else "change"
    return (
        f"{files} {verb}, {comparison.changed} of {objects} {changed}; before: {comparison.before}"
    )


def describe_group(group: Sequence[ObjectChange], comparison: Comparison) -> str:
    """Return the objects of a group, and its clusters if there are several."""
    names = [each.source.label for each in group]
    listed = ", ".join(names[:_MAX_NAMES])
    if len(names) > _MAX_NAMES:
        listed = f"{listed}, and {len(names) - _MAX_NAMES} more"
    count = _count(len(group), _noun(group))
    single = f"{names[0]}{' (synthetic)' if group[0].source.is_synthetic else ''}"
    text = single if len(group) == 1 else f"the same change for {count}: {listed}"
    return f"{text}{describe_clusters(group[0].clusters, comparison)}"


def describe_clusters(clusters: Sequence[str], comparison: Comparison) -> str:
    """Return the clusters of a change; empty if all have the same configurations."""
    if comparison.clusters == ("",):
        return ""
    if set(clusters) == set(comparison.clusters) and len(clusters) > 1:
        return " (in all clusters)"
    return f" (in {', '.join(cluster or _ALL for cluster in clusters)})"


def _render_group(group: Sequence[ObjectChange], comparison: Comparison) -> str:
    title = terminal.style(f"# {describe_group(group, comparison)}\n", bold=True)
    return title + _style_diff(group[0].diff)


def _noun(group: Sequence[ObjectChange]) -> str:
    sources = [each.source for each in group]
    noun = "workload" if all(each.subject.pod_path for each in sources) else "object"
    return f"synthetic {noun}" if all(each.is_synthetic for each in sources) else noun


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _style_diff(diff: str) -> str:
    """Color the lines of a diff; click removes the colors if the output is not a terminal."""
    lines = diff.split("\n")
    header = (terminal.style(line, bold=True) for line in lines[:_HEADER_LINES] if line)
    return "\n".join((*header, *map(terminal.style_diff_line, lines[_HEADER_LINES:])))
