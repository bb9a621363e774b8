"""The result of a preview: counts, kinds of change, and rows by cluster, namespace, or owner."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import documents
from podgraft.cli.wording import format_count

from .replay import PreviewOutcome, PreviewResult

_MAX_LINES = 10
_MAX_EXAMPLES = 3


class GroupBy(StrEnum):
    """The unit of the table."""

    GROUP = "group"
    CLUSTER = "cluster"
    NAMESPACE = "namespace"
    OWNER = "owner"


class Group(Struct, frozen=True):
    """Workloads with the same result: the same change, failure, or missing value."""

    title: str
    lines: tuple[str, ...]
    results: tuple[PreviewResult, ...]

    @property
    def clusters(self) -> str:
        """The number of workloads in each cluster."""
        counts = Counter(each.record.cluster or "-" for each in self.results)
        return ", ".join(f"{cluster} {count}" for cluster, count in sorted(counts.items()))


class PreviewReport(Struct, frozen=True, kw_only=True):
    """All results; ``stable`` and ``candidate`` name the configurations."""

    stable: str
    candidate: str
    by: GroupBy
    results: tuple[PreviewResult, ...]

    @property
    def counts(self) -> dict[PreviewOutcome, int]:
        """The number of workloads with each outcome."""
        counts = Counter(each.outcome for each in self.results)
        return {outcome: counts[outcome] for outcome in PreviewOutcome}

    @property
    def rows(self) -> list[tuple[str, dict[PreviewOutcome, int]]]:
        """The counts of each group, cluster, namespace, or owner."""

        def unit(result: PreviewResult) -> str:
            return format_unit(result, self.by)

        return [
            (name, {each: counts[each] for each in PreviewOutcome})
            for name, members in groupby(sorted(self.results, key=unit), unit)
            if (counts := Counter(member.outcome for member in members))
        ]

    @property
    def period(self) -> str:
        """The dates of the records."""
        dates = sorted({each.record.date for each in self.results if each.record.date})
        return f"recorded from {dates[0]} to {dates[-1]}" if dates else ""

    def groups(self, outcome: PreviewOutcome) -> list[Group]:
        """The workloads with an outcome, the largest groups first."""
        members: dict[tuple[str, ...], list[PreviewResult]] = {}
        for result in self.results:
            if result.outcome is outcome:
                members.setdefault((result.reason, *result.lines), []).append(result)
        groups = [_make_group(outcome, results) for results in members.values()]
        return sorted(groups, key=lambda group: (-len(group.results), group.title))


def _make_group(outcome: PreviewOutcome, results: Sequence[PreviewResult]) -> Group:
    first = results[0]
    title = f"kind {first.kind}" if outcome is PreviewOutcome.CHANGED else str(outcome)
    return Group(title, first.lines or (first.reason,), tuple(results))


def format_unit(result: PreviewResult, by: GroupBy) -> str:
    """Return the groups or the cluster of a workload, or its namespace or owner in the cluster."""
    if by is GroupBy.GROUP:
        return ", ".join(result.groups) or "-"
    record = result.record
    parts = [record.cluster or "-"]
    if by is not GroupBy.CLUSTER:
        parts.append(record.namespace or "-")
    if by is GroupBy.OWNER:
        parts.append(record.workload)
    return "/".join(parts)


def render_text(report: PreviewReport) -> str:
    """Return the report for a terminal."""
    return "".join(f"{line}\n" for line in _text_lines(report))


def _text_lines(report: PreviewReport) -> Iterator[str]:
    clusters = len({each.record.cluster for each in report.results})
    workloads = format_count(len(report.results), "workload")
    yield f"{workloads} in {format_count(clusters, 'cluster')}, {report.period}".rstrip(", ")
    yield f"stable     {report.stable}"
    yield f"candidate  {report.candidate}"
    yield ""
    yield from _format_counts(report)
    yield ""
    yield from _format_rows(report)
    for outcome in (PreviewOutcome.CHANGED, PreviewOutcome.FAILED, PreviewOutcome.UNKNOWN):
        for group in report.groups(outcome):
            yield ""
            yield from _format_group(group)


def _format_counts(report: PreviewReport) -> Iterator[str]:
    for outcome, number in report.counts.items():
        detail = f"   {format_count(len(report.groups(outcome)), 'kind')}"
        yield f"{outcome:<9}{number:>6}" + (detail if outcome is PreviewOutcome.CHANGED else "")


def _format_rows(report: PreviewReport) -> Iterator[str]:
    rows = report.rows
    width = max([len(report.by), *(len(name) for name, _ in rows)])
    yield f"{report.by:<{width}}" + "".join(f"{each:>9}" for each in PreviewOutcome)
    for name, counts in rows:
        yield f"{name:<{width}}" + "".join(f"{counts[each]:>9}" for each in PreviewOutcome)


def _format_group(group: Group) -> Iterator[str]:
    yield f"{group.title}: {format_count(len(group.results), 'workload')} ({group.clusters})"
    for line in group.lines[:_MAX_LINES]:
        yield f"  {line}"
    if len(group.lines) > _MAX_LINES:
        yield f"  and {len(group.lines) - _MAX_LINES} more changes"
    names = [each.record.identity for each in group.results[:_MAX_EXAMPLES]]
    yield f"  for example {', '.join(names)}"


def render_markdown(report: PreviewReport) -> str:
    """Return the report as a comment for a pull request."""
    tracks = f"Stable: {_code(report.stable)}. Candidate: {_code(report.candidate)}."
    lines = [
        "### Preview of recorded workloads",
        "",
        f"{format_count(len(report.results), 'workload')}, {report.period}. {tracks}",
        "",
        f"| {report.by} | " + " | ".join(PreviewOutcome) + " |",
        "|---|" + "---:|" * len(PreviewOutcome),
    ]
    rows = [*report.rows, ("total", report.counts)]
    lines += [
        f"| {_code(name)} | " + " | ".join(str(counts[each]) for each in PreviewOutcome) + " |"
        for name, counts in rows
    ]
    for outcome in (PreviewOutcome.CHANGED, PreviewOutcome.FAILED, PreviewOutcome.UNKNOWN):
        for group in report.groups(outcome):
            lines += ["", f"**{group.title}**: {len(group.results)} ({_code(group.clusters)})", ""]
            lines += [f"- {_code(line)}" for line in group.lines]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    """Return text as code, which Markdown does not interpret, also in a table."""
    cleaned = " ".join(text.replace("|", "¦").replace("`", "'").split())
    return f"`{cleaned}`"


def render_json(report: PreviewReport) -> str:
    """Return all results as JSON."""
    document: Object = {
        "stable": report.stable,
        "candidate": report.candidate,
        "counts": {str(outcome): count for outcome, count in report.counts.items()},
        f"by{report.by.title()}": {
            name: {str(each): counts[each] for each in PreviewOutcome}
            for name, counts in report.rows
        },
        "workloads": [*_encode_results(report.results)],
    }
    return documents.render_json(document)


def _encode_results(results: Iterable[PreviewResult]) -> Iterator[JSON]:
    for result in results:
        record = result.record
        yield {
            "cluster": record.cluster,
            "namespace": record.namespace,
            "owner": record.workload,
            "route": record.route,
            "date": record.date,
            "outcome": str(result.outcome),
            "kind": result.kind,
            "changes": [*result.lines],
            "reason": result.reason,
        }
