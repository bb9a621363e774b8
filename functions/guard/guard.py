"""The guard of a stack, which CloudWatch invokes when an alarm changes its state.

In state ``ALARM``, it writes the brake of all injectors. Every other state is inconclusive, and
changes nothing. The guard reads and writes this one parameter, and no policy: so it never races
with an operator who pushes. It needs no layers: botocore is a part of Lambda's runtime.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeAlias

Event: TypeAlias = Mapping[str, Any]

# The reason of an alarm can contain many data points.
MAX_REASON = 500
_CHAR = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]"  # within a line of YAML
_STRING = rf"""(?:"(?:\\{_CHAR}|(?!["\\]){_CHAR})*"|'(?:(?!'){_CHAR})*'|\w{_CHAR}*)"""
# The brake stops all rollouts, as the guard and podgraft rollout abort --all write it. Each line
# before the id is complete: else the line of the id could be a part of another text.
_STOPS_ALL = re.compile(rf"""(?:[a-z]+: {_STRING}\n)*id: (["'])\*\1 *(?:\n|\Z)""")


class Ssm(Protocol):
    """The client of Parameter Store, as far as this module uses it."""

    @property
    def exceptions(self) -> Any:
        """The exceptions of the service."""
        ...

    def get_parameter(self, **arguments: Any) -> Any:
        """Return a parameter."""
        ...

    def put_parameter(self, **arguments: Any) -> Any:
        """Create or replace a parameter."""
        ...


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the guard: the name of the stack, and the parameter of the brake."""

    stack: str
    brake: str


def make_handler(settings: Settings, ssm: Ssm) -> Callable[[Event, object], None]:
    """Return the function that Lambda calls.

    It raises the errors of the service: Lambda repeats asynchronous invocations.
    """

    def handle(event: Event, context: object) -> None:
        del context
        alarm = str(event["alarmData"]["alarmName"])
        state = event["alarmData"]["state"]
        value, reason = str(state["value"]), " ".join(str(state.get("reason", "")).split())
        result = "ignored"
        if value == "ALARM":
            result = "set" if _set_brake(settings.brake, ssm, alarm, reason) else "exists"
        _print_line(
            level="WARNING" if value == "ALARM" else "INFO",
            message="guard",
            service=settings.stack,
            alarm=alarm,
            state=value,
            brake=result,
        )

    return handle


def _set_brake(name: str, ssm: Ssm, alarm: str, reason: str) -> bool:
    """Write the brake; return False if one exists that stops all rollouts.

    A brake of an operator remains, with its reason, unless it stops less than all rollouts.
    """
    brake = format_brake(alarm, reason, datetime.now(UTC))
    try:
        ssm.put_parameter(Name=name, Value=brake, Type="String", Overwrite=False)
    except ssm.exceptions.ParameterAlreadyExists:
        if _STOPS_ALL.match(_read_brake(name, ssm)):
            return False
        ssm.put_parameter(Name=name, Value=brake, Type="String", Overwrite=True)
    return True


def _read_brake(name: str, ssm: Ssm) -> str:
    try:
        return str(ssm.get_parameter(Name=name)["Parameter"].get("Value", ""))
    except ssm.exceptions.ParameterNotFound:  # an operator released it in the meantime
        return ""


def format_brake(alarm: str, reason: str, now: datetime) -> str:
    """Return the document of the brake. Strings of JSON are strings of YAML."""
    fields = {
        "id": "*",
        "at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "by": "guard",
        "reason": f"alarm {alarm}: {reason}"[:MAX_REASON],
    }
    document = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
    # Parameter Store rejects {{...}}, which the name of an alarm can contain.
    return document.replace("{", "\\u007b")


def _print_line(**fields: str) -> None:
    print(json.dumps(fields, separators=(",", ":")), flush=True)  # noqa: T201  Lambda's log


def _open_handler(environment: Mapping[str, str]) -> Callable[[Event, object], None]:
    import botocore.session  # a part of Lambda's runtime

    session: Any = botocore.session.get_session()
    settings = Settings(environment["GUARD_STACK"], environment["GUARD_BRAKE"])
    return make_handler(settings, session.create_client("ssm"))


if "GUARD_BRAKE" in os.environ:
    handler = _open_handler(os.environ)
