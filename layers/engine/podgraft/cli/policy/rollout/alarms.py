"""The alarms that invoke the guard of a stack: those of the stack, and those of operators."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from podgraft.cli.stacks import aws_errors


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of CloudWatch, and its state."""

    name: str
    state: str
    reason: str

    @property
    def is_ok(self) -> bool:
        """Whether there is data, and no problem."""
        return self.state == "OK"

    @property
    def is_active(self) -> bool:
        """Whether the alarm started."""
        return self.state == "ALARM"

    def describe(self) -> str:
        """The state in words, for a list of what is missing."""
        if self.is_active:
            return f"alarm {self.name} is active: {self.reason}"
        return f"alarm {self.name} has no data" if not self.is_ok else f"alarm {self.name} is OK"


def read_alarms(client: Any, guard: str) -> tuple[Alarm, ...]:
    """Return the alarms with the guard among their actions."""
    pages = client.get_paginator("describe_alarms").paginate(
        ActionPrefix=guard, AlarmTypes=["MetricAlarm", "CompositeAlarm"]
    )
    remedy = "add the permission cloudwatch:DescribeAlarms"
    with aws_errors(f"alarms of {guard}", remedy=remedy):
        return tuple(sorted(_find_alarms(pages, guard), key=lambda alarm: alarm.name))


def _find_alarms(pages: Any, guard: str) -> Iterator[Alarm]:
    for page in pages:
        for each in (*page.get("MetricAlarms", ()), *page.get("CompositeAlarms", ())):
            if guard in each.get("AlarmActions", ()) and each.get("ActionsEnabled", True):
                reason = " ".join(str(each.get("StateReason", "")).split())
                yield Alarm(each["AlarmName"], each["StateValue"], reason)
