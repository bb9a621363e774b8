"""One line of JSON a review on standard output: names and words, never a value from a pod."""

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import TextIO, TypeAlias

from podgraft.jsonvalue import JSON

# Takes one record: "event" says what happened, all other keys are flat.
RequestLog: TypeAlias = Callable[[Mapping[str, JSON]], None]


def make_stream_log(stream: TextIO | None = None) -> RequestLog:
    """A journal that writes to *stream*, or to standard output as it is at the time."""

    def write(record: Mapping[str, JSON]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        target = stream or sys.stdout
        target.write(line + "\n")
        target.flush()

    return write


def format_traceback(error: BaseException) -> str:
    """Where an error came from, without its message, which may quote what must not be logged."""
    frames = traceback.extract_tb(error.__traceback__)
    places = " > ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in frames)
    return f"{type(error).__name__}: {places}"
