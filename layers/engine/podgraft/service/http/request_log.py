"""The request log: one line of JSON per request, without values of a pod.

Lambda (``powertools.py``) and ``podgraft serve`` write lines with the same fields.
"""

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TypeAlias

from podgraft.base import system
from podgraft.base.jsonvalue import JSON, Object
from podgraft.service.settings import DEFAULT_STACK

# Writes one flat record; "event" is the identifier of the event.
RequestLog: TypeAlias = Callable[[Mapping[str, JSON]], None]


# kube-apiserver sends names of any length: it validates them after admission.
MAX_FIELD_LENGTH = 4096


_ENVELOPE_FIELDS = frozenset({"event", "level"})
_RENAMED = {"message": "problem"}


def line_fields(record: Mapping[str, JSON]) -> Object:
    """Return the fields of a record as in a line, without ``level`` and fields without a value.

    The event is in ``message``, as in other lines of Lambda, and the text is in ``problem``.
    """
    fields: Object = {
        _RENAMED.get(key, key): value
        for key, value in record.items()
        if key not in _ENVELOPE_FIELDS and value is not None
    }
    return {"message": record["event"], **fields}


def make_stream_log(service: str = DEFAULT_STACK) -> RequestLog:
    """Return a log that writes to the current standard output."""

    def write(record: Mapping[str, JSON]) -> None:
        fields = line_fields(record)
        own: Object = {
            "level": record["level"],
            "message": fields.pop("message"),
            "timestamp": _format_timestamp(system.wall_seconds()),
            "service": service,
        }
        line = json.dumps({**own, **fields}, ensure_ascii=False, separators=(",", ":"))
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    return write


def _format_timestamp(seconds: float) -> str:
    """Format a time in the format of Powertools, in UTC."""
    milliseconds = int(seconds * 1000)
    text = datetime.fromtimestamp(milliseconds // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"{text},{milliseconds % 1000:03d}+0000"


def limit_fields(record: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """Return the record with long texts cut, so a pod cannot write a long line."""
    if all(len(value) <= MAX_FIELD_LENGTH for value in record.values() if isinstance(value, str)):
        return record
    return {name: _limit(value) for name, value in record.items()}


def _limit(value: JSON) -> JSON:
    if not isinstance(value, str) or len(value) <= MAX_FIELD_LENGTH:
        return value
    return f"{value[:MAX_FIELD_LENGTH]}… ({len(value)} characters)"


def format_traceback(error: BaseException) -> str:
    """Return the type and the frames of an error, without its message, which can quote secrets."""
    frames = traceback.extract_tb(error.__traceback__)
    frames_text = " > ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in frames)
    return f"{type(error).__name__}: {frames_text}"
