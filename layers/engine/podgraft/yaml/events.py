"""The events of a YAML text, from libyaml or, where its binding is missing, from PyYAML."""

from collections.abc import Callable
from typing import Protocol, cast

from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import Event
from yaml.reader import ReaderError

from .errors import NotYAMLError

_REMEDIES = {
    "mapping values are not allowed in this context": "quote the value if it holds ': '",
    "found character that cannot start any token": (
        "indent with blanks, not tabs, and quote what begins with @, ` or %"
    ),
    "did not find expected key": "check the indentation of this line and of those above",
    "did not find expected '-' indicator": "check the indentation of this line",
    "could not find expected ':'": "a key needs a colon and a blank after it",
    "block sequence entries are not allowed in this context": "begin the list on a line of its own",
    "did not find expected alphabetic or numeric character": "quote what begins with * or &",
    "control characters are not allowed": "write them escaped in a double-quoted text",
}


try:
    from yaml._yaml import CParser
except ImportError:
    CParser = None


class _EventSource(Protocol):
    def get_event(self) -> Event: ...


def event_reader(text: str) -> Callable[[], Event]:
    """A function that returns the next event each time; it raises ``YAMLError``."""
    source = _python_parser(text) if CParser is None else CParser(text)
    return cast("_EventSource", source).get_event  # the stubs lack it, or say it may be None


def _python_parser(text: str) -> object:
    # Imported here: a layer always has the binding, and leaves PyYAML's own parser out.
    from .fallback import PythonParser

    return PythonParser(text)


def to_yaml_error(text: str, error: YAMLError | UnicodeEncodeError) -> NotYAMLError:
    """An error of the scanner or parser as ours: what, where, and what to do if that is known."""
    match error:
        case MarkedYAMLError(problem=problem, problem_mark=mark) if problem and mark:
            return NotYAMLError(_add_remedy(problem), mark.line + 1, mark.column + 1)
        case ReaderError(position=position, reason=reason):
            if CParser:  # libyaml counts bytes
                position = len(text.encode()[:position].decode(errors="ignore"))
            return _error_at_offset(text, position, _add_remedy(str(reason)))
        case UnicodeEncodeError(start=start):
            return _error_at_offset(text, start, "half of a surrogate pair is no character")
        case _:
            return NotYAMLError(str(error), 1, 1)


def _add_remedy(problem: str) -> str:
    remedy = _REMEDIES.get(problem)
    return f"{problem}; {remedy}" if remedy else problem


def _error_at_offset(text: str, offset: int, problem: str) -> NotYAMLError:
    before = text[:offset]
    return NotYAMLError(problem, before.count("\n") + 1, offset - before.rfind("\n"))
