"""The request log: one line of JSON per request, without values of a pod."""

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import TextIO, TypeAlias

from podgraft.jsonvalue import JSON

# Writes one flat record; "event" is the identifier of the event.
RequestLog: TypeAlias = Callable[[Mapping[str, JSON]], None]


def make_stream_log(stream: TextIO | None = None) -> RequestLog:
    """Return a log that writes to *stream*, or to the current standard output."""

    def write(record: Mapping[str, JSON]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        target = stream or sys.stdout
        target.write(line + "\n")
        target.flush()

    return write


def format_traceback(error: BaseException) -> str:
    """Return the type and the frames of an error, without its message, which can quote secrets."""
    frames = traceback.extract_tb(error.__traceback__)
    frames_text = " > ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in frames)
    return f"{type(error).__name__}: {frames_text}"
