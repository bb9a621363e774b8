"""ministack, with the values of the parameters for SAM, and with statistics of its logs.

The Python of ministack runs this file.

CloudFormation gives a transform the values of the template's parameters. ministack gives SAM none,
so a version whose hash contains a parameter would never change there. It also ignores ``stats`` in
a query of logs, so the model of the other tests runs such a query.
"""

import json
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

_PACKAGE = "ministack.services.cloudformation"
_VALUES: ContextVar[Mapping[str, Any] | None] = ContextVar("parameters", default=None)


def main() -> None:
    """Start ministack with parameters for SAM."""
    server: Any = import_module("ministack.app")
    _pass_parameters()
    _count_lines()
    sys.exit(server.main())


def _pass_parameters() -> None:
    engine: Any = import_module(f"{_PACKAGE}.engine")
    sam: Any = import_module("samtranslator.translator.transform")
    apply_transforms, transform = engine._apply_transforms, sam.transform

    def apply_with_values(template: Any, provided: Any = None, previous: Any = None) -> Any:
        token = _VALUES.set(engine._transform_parameters(template, provided, previous))
        try:
            return apply_transforms(template, provided, previous)
        finally:
            _VALUES.reset(token)

    def transform_with_values(template: Any, values: dict[str, Any], *further: Any) -> Any:
        return transform(template, {**(_VALUES.get() or {}), **values}, *further)

    sam.transform = transform_with_values
    for name in ("engine", "handlers", "changesets"):
        module: Any = import_module(f"{_PACKAGE}.{name}")
        module._apply_transforms = apply_with_values


def _count_lines() -> None:
    sys.path.append(str(Path(__file__).parents[2]))
    insights: Any = import_module("support.insights")
    logs: Any = import_module("ministack.services.cloudwatch_logs")
    start = logs._start_query

    def start_with_statistics(request: Any) -> Any:
        response = start(request)
        query = logs._queries.get(json.loads(response[2]).get("queryId"))
        if query is not None and " stats " in request["queryString"]:
            period = request["startTime"], request["endTime"]
            records = logs._collect_query_records([request["logGroupName"]], *period)
            texts = (each["@message"] for each in records)
            lines = [json.loads(each) for each in texts if each.startswith("{")]
            rows = insights.run_query(request["queryString"], lines)
            query["results"] = [[{"field": k, "value": v} for k, v in row.items()] for row in rows]
        return response

    logs._start_query = start_with_statistics


if __name__ == "__main__":
    main()
