"""The messages of a failed review with their place in the input, problem, and remedy."""

import re
from collections.abc import Iterator, Mapping

from podgraft.base.jsonvalue import JSON, Object

from .places import Places
from .workspace import BUNDLE, POD, POLICY, WEBHOOKS, Input

_MESSAGE = re.compile(r"^(error|Error|warning): ", re.MULTILINE)
_FILE = re.compile(r"(?P<file>[^\s:]+\.(?:yaml|yml|json))(?: (?P<pointer>/\S*?))?: ")
_POSITION = re.compile(r"^(?:invalid YAML: )?line (?P<line>\d+),? column (?P<column>\d+): ")
_IN_FILE = re.compile(r"\(line (?P<line>\d+) of \S+\)")
_NO_COLON = "could not find expected ':'"
_OPTIONS = {
    "--istio-release": "istio-release",
    "--namespace-labels": "namespace-labels",
    "--namespace": "namespace",
    "cluster": "cluster",
    "injector": "injector",
}


def find_problems(given: Input, errors: str) -> list[JSON]:
    """Each message of the command line, in its order."""
    starts = [match.start() for match in _MESSAGE.finditer(errors)]
    ends = [*starts, len(errors)][1:]
    texts = [errors[start:end].rstrip("\n") for start, end in zip(starts, ends, strict=True)]
    return [_read_message(given, text) for text in texts]


def _read_message(given: Input, text: str) -> Object:
    level, _, message = text.partition(": ")
    place: Object = {}
    rest = message
    match = _FILE.match(message)
    if match and (file := _find_file(given, match["file"])):
        rest = message[match.end() :]
        place = _find_place(given, file, match["pointer"] or "", rest)
        rest = _POSITION.sub("", rest)
    elif field := _OPTIONS.get(message.partition(":")[0]):
        place["field"], rest = field, message.partition(": ")[2]
    elif message.startswith("bundle: "):
        place["file"], rest = BUNDLE, message.removeprefix("bundle: ")
    problem, _, remedy = rest.partition("\n")[0].rpartition("; ")
    if not problem:
        problem, remedy = remedy, ""
    kind = "warning" if level == "warning" else "error"
    return {"level": kind, "message": message, "problem": problem, "remedy": remedy, **place}


def _find_file(given: Input, name: str) -> str | None:
    """The file of the input that a message names; messages omit the folder of the bundle."""
    names: Mapping[str, str] = given.texts
    for candidate in _candidates(name):
        if candidate in names:
            return candidate
    return None


def _candidates(name: str) -> Iterator[str]:
    if name in {POD, POLICY, WEBHOOKS}:
        yield name
    yield f"{BUNDLE}/{name.removeprefix(f'{BUNDLE}/')}"


def _find_place(given: Input, file: str, pointer: str, rest: str) -> Object:
    found = Places(given).of_pointer(file, pointer)
    start = found.line if found else 1
    in_file = _IN_FILE.search(rest)
    position = _POSITION.match(rest)
    if in_file:
        line, column = int(in_file["line"]), 0
    elif position:
        is_inside = bool(pointer.strip("/"))  # then the position is that in a value
        offset = int(position["line"]) - 1
        line = start + offset if is_inside else offset + 1
        column = 0 if is_inside else int(position["column"])
    else:
        line, column = start, 0
    lines = given.texts[file].split("\n")
    if _NO_COLON in rest:  # the parser reports the line after the key
        above = [index for index in range(1, line) if lines[index - 1].strip()]
        line, column = (above[-1] if above else line), 0
    return {"file": file, "line": max(1, min(line, len(lines))), "column": column}
