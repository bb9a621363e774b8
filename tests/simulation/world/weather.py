"""Faults come in windows of time, as outages do, and not independently for each call."""

from __future__ import annotations

from dataclasses import dataclass

from simulation.dice import Dice
from simulation.plan import Plan, Window

from .responses import AwsError

_CODES = {
    ("throttle", "s3"): ("SlowDown", 503),
    ("throttle", "ssm"): ("ThrottlingException", 400),
    ("throttle", "kms"): ("ThrottlingException", 400),
    ("error", "s3"): ("InternalError", 500),
    ("error", "ssm"): ("InternalServerError", 500),
    ("error", "kms"): ("KMSInternalException", 500),
    ("denied", "s3"): ("AccessDenied", 403),
    ("denied", "ssm"): ("AccessDeniedException", 400),
    ("denied", "kms"): ("AccessDeniedException", 400),
}
# Only reads go wrong in these ways: a write is repeated by the SDK, which "lost" has.
_OF_READS = frozenset({"truncated", "damaged", "lag"})
_READS = frozenset({"GetParameters", "GetParametersByPath", "GetObject", "ListObjectsV2"})


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one call."""

    kind: str = ""
    slowness: float = 1.0
    lag: float = 0.0

    def make_error(self, service: str) -> AwsError | None:
        """Return the error response of the service, if the fault is one."""
        code = _CODES.get((self.kind, service))
        return AwsError(*code) if code else None


class Weather:
    """The windows of a run."""

    def __init__(self, plan: Plan, dice: Dice) -> None:
        self._windows = plan.windows
        self._dice = dice

    def find_fault(self, service: str, operation: str, node: str, path: str, now: float) -> Fault:
        """Return the fault of a call: that of the first window that hits it."""
        for window in self._windows:
            if not window.start <= now < window.end or not _covers(
                window, (service, operation), node
            ):
                continue
            if window.kind in _OF_READS and operation not in _READS:
                continue
            if not self._dice.chance(f"{path}/window/{window.id}", window.rate):
                continue
            match window.kind:
                case "slow":
                    return Fault(slowness=self._dice.scale(f"{path}/slow", 5, 50))
                case "lag":
                    return Fault(lag=self._dice.between(f"{path}/lag", 0, 5))
                case kind:
                    return Fault(kind)
        return Fault()


def _covers(window: Window, call: tuple[str, str], node: str) -> bool:
    service, operation = call
    named = {"*", service, f"{service}/{operation}"}
    return window.service in named and node.startswith(window.nodes)
