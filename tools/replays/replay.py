"""Answer events with the function of one checkout: JSON lines in, JSON lines out.

replay.py ROOT IN OUT

Each checkout has a process of its own, with PYTHONPATH at its engine.
"""

import importlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

# What differs between two runs of the same code.
_VOLATILE = frozenset(
    {"timestamp", "milliseconds", "location", "trace", "age_seconds", "cold_start", "_aws",
     "function_request_id", "certificate_days", "function_arn", "xray_trace_id",
     "candidate_milliseconds"}
)  # fmt: skip


def main(root: Path, events: Path, responses: Path) -> None:
    """Write the response to each event, with the records of the log that it caused."""
    log = sys.stdout = io.StringIO()
    sys.path.insert(0, str(root / "functions" / "webhook"))
    module = importlib.import_module("handler")
    with events.open(encoding="utf-8") as source, responses.open("w", encoding="utf-8") as target:
        for line in source:
            log.seek(0)
            log.truncate()
            response = _respond(module, json.loads(line))
            target.write(json.dumps([response, _read_log(log.getvalue())], sort_keys=True) + "\n")


def _respond(module: Any, event: Any) -> Any:
    try:
        return module.handler(event, None)
    except Exception as error:  # noqa: BLE001  an exception is a response to compare, too
        return {"exception": type(error).__name__}


def _read_log(text: str) -> list[Any]:
    records: list[Any] = []
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            records.append(line)
            continue
        if "_aws" not in record:  # a metric
            records.append({key: value for key, value in record.items() if key not in _VOLATILE})
    return records


if __name__ == "__main__":
    os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "podgraft")
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
