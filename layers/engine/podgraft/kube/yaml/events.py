"""The events of a YAML text, from libyaml, or from PyYAML if the binding is missing."""

from collections.abc import Callable
from typing import Protocol, cast

from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import DocumentStartEvent, Event
from yaml.reader import ReaderError

from .errors import NotYAMLError

_REMEDIES = {
    "mapping values are not allowed in this context": "quote the value if it contains ': '",
    "found character that cannot start any token": (
        "indent with spaces, not tabs, and quote strings that begin with @, `, or %"
    ),
    "did not find expected key": "check the indentation of this line and the lines above",
    "did not find expected '-' indicator": "check the indentation of this line",
    "could not find expected ':'": "write a colon and a space after the key",
    "block sequence entries are not allowed in this context": "start the list on a separate line",
    "did not find expected alphabetic or numeric character": "quote strings that begin with * or &",
    "control characters are not allowed": "escape them in a double-quoted string",
    "found incompatible YAML document": "use YAML 1.1, and remove the directive %YAML",
}
_VERSION = (1, 1)  # libyaml also accepts 1.2, and go-yaml does not


try:
    from yaml._yaml import CParser
except ImportError:
    CParser = None


class _EventSource(Protocol):
    def get_event(self) -> Event: ...


def event_reader(text: str) -> Callable[[], Event]:
    """Return a function that returns the next event; it raises ``YAMLError``."""
    source = _python_parser(text) if CParser is None else CParser(text)
    return cast("_EventSource", source).get_event  # missing in the type stubs


def _python_parser(text: str) -> object:
    # Imported here: a layer always contains the binding, and never PyYAML's parser.
    from .fallback import PythonParser

    return PythonParser(text)


def to_yaml_error(text: str, error: YAMLError | UnicodeEncodeError) -> NotYAMLError:
    """Convert an error of the scanner or parser; adds a remedy if there is one."""
    match error:
        case MarkedYAMLError(problem=problem, problem_mark=mark) if problem and mark:
            return NotYAMLError(_add_remedy(problem), mark.line + 1, mark.column + 1)
        case ReaderError(position=position, reason=reason):
            if CParser:  # libyaml counts bytes
                position = len(text.encode()[:position].decode(errors="ignore"))
            return _error_at_offset(text, position, _add_remedy(str(reason)))
        case UnicodeEncodeError(start=start):
            return _error_at_offset(text, start, "lone surrogate")
        case _:
            return NotYAMLError(str(error), 1, 1)


def is_document_start(event: Event) -> bool:
    """Whether the event starts a document; raises ``NotYAMLError`` for a version other than 1.1."""
    if not isinstance(event, DocumentStartEvent):
        return False
    if event.version not in (None, _VERSION):
        mark = event.start_mark
        raise NotYAMLError(_add_remedy("found incompatible YAML document"), mark.line + 1, 1)
    return True


def _add_remedy(problem: str) -> str:
    remedy = _REMEDIES.get(problem)
    return f"{problem}; {remedy}" if remedy else problem


def _error_at_offset(text: str, offset: int, problem: str) -> NotYAMLError:
    before = text[:offset]
    return NotYAMLError(problem, before.count("\n") + 1, offset - before.rfind("\n"))
