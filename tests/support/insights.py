"""CloudWatch Logs Insights as far as podgraft's queries need it: the client of boto, with lines.

The semantics are those of the documentation: a comparison with a missing field is false, a group
without a field has no such field, and percentiles ignore lines without the field.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

Line: TypeAlias = Mapping[str, Any]
_FUNCTION = re.compile(r"(count|pct)\(([^)]*)\) as (\w+)")
_CONDITION = re.compile(r"(\w+) (?:= '([^']*)'|in \[([^\]]*)\])")


class InsightsClient:
    """Runs queries over lines; *states* are the states of a query before it is complete."""

    def __init__(self, lines: Iterable[Line], states: tuple[str, ...] = ("Running",)) -> None:
        self.lines = tuple(lines)
        self.states = states
        self.queries: list[dict[str, Any]] = []
        self._polls: dict[str, int] = {}

    def start_query(self, **arguments: Any) -> Any:
        self.queries.append(arguments)
        return {"queryId": str(len(self.queries) - 1)}

    def get_query_results(self, *, queryId: str) -> Any:  # noqa: N803 - as boto
        polls = self._polls[queryId] = self._polls.get(queryId, 0) + 1
        if polls <= len(self.states):
            return {"status": self.states[polls - 1], "results": []}
        arguments = self.queries[int(queryId)]
        period = arguments["startTime"], arguments["endTime"]
        lines = [line for line in self.lines if period[0] <= _seconds(line) <= period[1]]
        rows = run_query(arguments["queryString"], lines)[: arguments["limit"]]
        results = [
            [{"field": name, "value": value} for name, value in row.items()]
            + [{"field": "@ptr", "value": "x"}]
            for row in rows
        ]
        return {"status": "Complete", "results": results}


def _seconds(line: Line) -> float:
    moment = datetime.strptime(line["timestamp"], "%Y-%m-%d %H:%M:%S,%f%z")
    return moment.timestamp()


def run_query(query: str, lines: Iterable[Line]) -> list[dict[str, str]]:
    """The rows of a query; raises ``AssertionError`` for anything that is not supported."""
    rows: list[Any] = list(lines)
    for stage in query.split(" | "):
        command, _, text = stage.partition(" ")
        rows = _STAGES[command](text, rows)
    return rows


def _filter(text: str, rows: list[Line]) -> list[Line]:
    conditions = text.split(" and ")
    for condition in conditions:
        found = _CONDITION.fullmatch(condition)
        assert found, condition
        name, value, values = found.groups()
        allowed = {value} if values is None else set(re.findall(r"'([^']*)'", values))
        rows = [row for row in rows if row.get(name) in allowed]
    return rows


def _stats(text: str, rows: list[Line]) -> list[dict[str, str]]:
    functions, _, keys = text.partition(" by ")
    names = keys.split(", ") if keys else []
    groups: dict[tuple[Any, ...], list[Line]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return [
        {
            **{name: str(value) for name, value in zip(names, key, strict=True) if value},
            **dict(_aggregate(functions, group)),
        }
        for key, group in groups.items()
    ]


def _aggregate(functions: str, group: list[Line]) -> Iterable[tuple[str, str]]:
    assert _FUNCTION.sub("", functions).strip(", ") == "", functions
    for name, arguments, column in _FUNCTION.findall(functions):
        if name == "count":
            assert arguments == "*"
            yield column, str(len(group))
            continue
        field, percentile = arguments.split(", ")
        values = sorted(row[field] for row in group if field in row)
        if values:
            yield column, str(values[int(len(values) * int(percentile) / 100)])


def _sort(text: str, rows: list[Line]) -> list[Line]:
    found = re.fullmatch(r"(\w+) desc", text)
    assert found, text
    return sorted(rows, key=lambda row: -float(row[found[1]]))


def _limit(text: str, rows: list[Line]) -> list[Line]:
    return rows[: int(text)]


_STAGES: Mapping[str, Callable[[str, list[Any]], list[Any]]] = {
    "filter": _filter,
    "stats": _stats,
    "sort": _sort,
    "limit": _limit,
}
