"""The guard: CloudWatch invokes it asynchronously, so Lambda repeats errors, and delivers twice."""

from __future__ import annotations

from typing import Any

import boto3

from simulation.baton import Baton, Node
from simulation.ledger import Ledger

from .stack import guard_function

BRAKE = "/podgraft/brake"
PAUSES = (0.0, 60.0, 120.0)  # before the first attempt, and before both repetitions
ALARM = {
    "alarmData": {
        "alarmName": "CandidateFailuresAlarm",
        "state": {"value": "ALARM", "reason": "1 datapoint"},
    }
}


class Guard:
    """The function ``functions/guard``, as it ships."""

    def __init__(self, baton: Baton, ledger: Ledger) -> None:
        self._baton, self._ledger = baton, ledger
        self._rings = 0

    def ring(self, deliveries: int) -> None:
        """Let the alarm of a candidate change to ALARM."""
        for _ in range(deliveries):
            self._rings += 1
            node = Node(f"guard/{self._rings}")
            began = self._baton.now
            error: object = None
            for pause in PAUSES:
                self._baton.wait(pause)
                attempt = self._baton.spawn(node, self._handle)
                attempt.join()
                error = attempt.result
                if error is None:
                    break
            self._ledger.add(node.name, "alarm", began=began, error=repr(error or ""))

    def _handle(self) -> Exception | None:
        """Return the error of one attempt."""
        settings = guard_function.Settings("simulated", BRAKE)
        try:
            client: Any = boto3.client("ssm")  # pyright: ignore[reportUnknownMemberType]
            guard_function.make_handler(settings, client)(ALARM, None)
        except Exception as error:  # noqa: BLE001 — Lambda repeats the invocation
            return error
        return None
