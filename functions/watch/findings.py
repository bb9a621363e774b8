"""The result of a check: a log line, and a line of metrics in the embedded metric format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

NAMESPACE = "podgraft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a check found. The fields of the line have the names of docs/monitoring.md."""

    event: str
    fields: Mapping[str, Any]
    metrics: Mapping[str, tuple[float, str]]  # value and unit by name
    is_failure: bool

    def lines(self, stack: str, now: datetime) -> Iterator[Mapping[str, Any]]:
        """Return the lines of the log."""
        yield {
            "level": "ERROR" if self.is_failure else "INFO",
            "message": self.event,
            "timestamp": f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d}+0000",
            "service": stack,
            **self.fields,
        }
        if self.metrics:
            yield self._metrics_line(stack, now)

    def _metrics_line(self, stack: str, now: datetime) -> Mapping[str, Any]:
        return {
            "_aws": {
                "Timestamp": int(now.timestamp() * 1000),
                "CloudWatchMetrics": [
                    {
                        "Namespace": NAMESPACE,
                        "Dimensions": [["service"]],
                        "Metrics": [
                            {"Name": name, "Unit": unit} for name, (_, unit) in self.metrics.items()
                        ],
                    }
                ],
            },
            "service": stack,
            **{name: value for name, (value, _) in self.metrics.items()},
        }
