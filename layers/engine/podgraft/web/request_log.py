"""The request log: one line of JSON per request, without values of a pod."""

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import TextIO, TypeAlias

from podgraft.jsonvalue import JSON

# Writes one flat record; "event" is the identifier of the event.
RequestLog: TypeAlias = Callable[[Mapping[str, JSON]], None]

# kube-apiserver sends names of any length: it validates them after admission.
MAX_FIELD_LENGTH = 4096


def make_stream_log(stream: TextIO | None = None) -> RequestLog:
    """Return a log that writes to *stream*, or to the current standard output."""

    def write(record: Mapping[str, JSON]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        target = stream or sys.stdout
        target.write(line + "\n")
        target.flush()

    return write


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
