"""CloudWatch Logs Insights as far as podgraft's queries need it: the client of boto, with lines.

The syntax and the semantics are those of the documentation ("CloudWatch Logs Insights language
query syntax", read in November 2026):

- Commands are separated by a pipe. ``limit`` and ``sort`` of groups follow ``stats``.
- Text is in quotes; ``in`` needs a list in brackets. Names of fields are letters, digits, and
  underscores, and do not need backticks.
- A comparison with a missing field is false, a group without a field has no such field, and
  percentiles ignore lines without the field. A percentile is above 0 and below 100.
- A query has at most 10,000 characters; a result at most 10,000 rows. Times are seconds.
- After ``stats``, only names of its result exist.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

Line: TypeAlias = Mapping[str, Any]
_FUNCTION = re.compile(r"(count|pct|latest)\(([^)]*)\) as (\w+)")
_CONDITION = re.compile(r"(\w+) (?:= '([^']*)'|in \[([^\]]*)\])")


class InsightsClient:
    """Runs queries over lines; *states* are the states of a query before it is complete."""

    def __init__(self, lines: Iterable[Line], states: tuple[str, ...] = ("Running",)) -> None:
        self.lines = tuple(lines)
        self.states = states
        self.queries: list[dict[str, Any]] = []
        self._polls: dict[str, int] = {}

    def start_query(self, **arguments: Any) -> Any:
        check_request(arguments)
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


MAX_CHARACTERS = 10_000
MAX_ROWS = 10_000
_FIELD = r"[A-Za-z_][A-Za-z0-9_]*"
_TEXT = r"'[^'\\|]*'"
_CONDITIONS = rf"{_FIELD} (?:= {_TEXT}|in \[{_TEXT}(?:, {_TEXT})*\])"
_AGGREGATE = rf"(?:count\(\*\)|latest\({_FIELD}\)|pct\({_FIELD}, \d{{1,2}}\)) as {_FIELD}"
_SYNTAX: Mapping[str, str] = {
    "filter": rf"{_CONDITIONS}(?: and {_CONDITIONS})*",
    "stats": rf"{_AGGREGATE}(?:, {_AGGREGATE})*(?: by {_FIELD}(?:, {_FIELD})*)?",
    "sort": rf"{_FIELD} (?:asc|desc)",
    "limit": r"[1-9]\d*",
}


def check_request(arguments: Mapping[str, Any]) -> None:
    """Raise ``AssertionError`` for a request that CloudWatch rejects."""
    assert arguments.keys() == {"logGroupName", "queryString", "startTime", "endTime", "limit"}
    assert re.fullmatch(r"[A-Za-z0-9_/.#-]{1,512}", arguments["logGroupName"])
    assert 0 <= arguments["startTime"] <= arguments["endTime"]
    assert all(type(arguments[name]) is int for name in ("startTime", "endTime", "limit"))
    assert 1 <= arguments["limit"] <= MAX_ROWS
    check_syntax(arguments["queryString"])


def check_syntax(query: str) -> None:
    """Raise ``AssertionError`` for a query that is not of the documented syntax."""
    assert len(query) <= MAX_CHARACTERS
    columns: set[str] | None = None
    for stage in query.split(" | "):
        command, _, text = stage.partition(" ")
        assert re.fullmatch(_SYNTAX[command], text), stage
        if command == "stats":
            assert columns is None, "a second stats"
            functions, _, keys = text.partition(" by ")
            columns = {*re.findall(r" as (\w+)", functions), *filter(None, keys.split(", "))}
        elif command == "filter":
            assert columns is None, "a filter of groups"
        elif command == "sort" and columns is not None:
            assert text.split(" ")[0] in columns, stage
        elif command == "limit":
            assert int(text) <= MAX_ROWS, stage


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
        if name == "latest":
            yield column, max(group, key=_seconds)[arguments]
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
