"""Write ``core/injectors/istio/config/values.json``, the types of Istio's Helm values by
release.

    tools/generate/values_types.py                   # write it from the data
    tools/generate/values_types.py --check           # fail if it differs from the data
    tools/generate/values_types.py --istio CLONE     # read the data again from a clone of Istio

The data is ``tools/generate/data/istio/values-types.json``: the messages that ``Values`` reaches,
from ``operator/pkg/apis/**/values_types.proto`` of the latest patch of each minor release. istiod
decodes the values of its injector into these messages.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from generated_module import write_or_compare

_ROOT = Path(__file__).resolve().parents[2]
DATA = _ROOT / "tools/generate/data/istio/values-types.json"
TARGET = _ROOT / "layers/engine/podgraft/core/injectors/istio/config/values.json"

_OLDEST, _NEWEST = 8, 32
_FILES = (
    "operator/pkg/apis/values_types.proto",
    "operator/pkg/apis/istio/v1alpha1/values_types.proto",
)
_MESSAGE = re.compile(r"^\s*message\s+(\w+)\s*\{")
_ENUM = re.compile(r"^\s*enum\s+(\w+)\s*\{")
_MEMBER = re.compile(r"^\s*(\w+)\s*=\s*(\d+)\s*(?:\[[^]]*\])?;")
_FIELD = re.compile(
    r"^\s*(repeated\s+)?(map<\s*string\s*,\s*([\w.]+)\s*>|[\w.]+)\s+(\w+)\s*=\s*\d+\s*(\[[^]]*\])?\s*;"
)
_JSON_NAME = re.compile(r'json_name\s*=\s*"([^"]+)"')

# What a type of the files is called here; in Go's types of old releases, with their proto names.
_WORDS = {
    "google.protobuf.Any": "any",
    "google.protobuf.BoolValue": "bool",
    "google.protobuf.Duration": "duration",
    "google.protobuf.Int32Value": "int32",
    "google.protobuf.ListValue": "list",
    "google.protobuf.StringValue": "string",
    "google.protobuf.Struct": "struct",
    "google.protobuf.UInt32Value": "uint32",
    "google.protobuf.Value": "any",
    "IntOrString": "int-or-string",
    "TypeIntOrStringForPB": "int-or-string",
    "TypeInterface": "any",
    "TypeMapStringInterface": "struct",
    "TypeMapStringInterface2": "struct",
    "TypeSliceOfMapStringInterface": "[]struct",
    "TypeSliceString": "[]string",
}

# message → field → [(type, first minor, minor after the last)]
Messages: TypeAlias = "dict[str, dict[str, list[tuple[str, int, int]]]]"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the table, or compare it; print the next step."""
    arguments = [*(sys.argv[1:] if argv is None else argv)]
    if arguments[:1] == ["--istio"]:
        described = read_clone(Path(arguments[1]))
        DATA.write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")
        arguments = arguments[2:]
    return write_or_compare(arguments, TARGET, make_table(), "tests/core/injectors/istio")


def make_table() -> str:
    """The text of the table."""
    described: Messages = json.loads(DATA.read_text(encoding="utf-8"))
    rows = {
        message: [
            f"{name} {type_} {since} {until}"
            for name, spans in fields.items()
            for type_, since, until in spans
        ]
        for message, fields in described.items()
    }
    return json.dumps(rows, indent=1) + "\n"


def read_clone(clone: Path) -> Messages:
    """The messages of all releases in a clone of Istio's repository."""
    described: Messages = {}
    for minor in range(_OLDEST, _NEWEST + 1):
        for message, fields in _select_reachable(parse(_proto(clone, minor))).items():
            message_fields = described.setdefault(message, {})
            for name, type_ in fields.items():
                _extend(message_fields.setdefault(name, []), type_, minor)
    return described


def _extend(spans: list[tuple[str, int, int]], type_: str, minor: int) -> None:
    """Note that a field has a type in a release, which is later than all that were noted."""
    if spans and spans[-1][0] == type_ and spans[-1][2] == minor:
        spans[-1] = (type_, spans[-1][1], minor + 1)
    else:
        spans.append((type_, minor, minor + 1))


def _proto(clone: Path, minor: int) -> str:
    """Return the file of the latest patch of a minor, else of its release candidate or HEAD."""
    tags = _git(clone, "tag", "--list", f"1.{minor}.*").split()
    released = [tag for tag in tags if re.fullmatch(r"\d+\.\d+\.\d+", tag)]
    latest = max(released or tags or ["HEAD"], key=_order)
    for file in _FILES:
        try:
            return _git(clone, "show", f"{latest}:{file}")
        except subprocess.CalledProcessError:
            continue
    raise SystemExit(f"Istio 1.{minor} ({latest}) has no values_types.proto")


def _order(tag: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", tag)))


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def parse(proto: str) -> dict[str, dict[str, str]]:
    """The fields of every message, by name, with their types in this module's words."""
    messages: dict[str, dict[str, str]] = {}
    enums: dict[str, list[str]] = {}
    scopes: list[tuple[str, str]] = []
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", proto, flags=re.DOTALL)
    # A field may go on on the next line, before or inside of its brackets.
    text = re.sub(r"\s+\[", " [", text)
    text = re.sub(r"\[[^]]*\]", lambda match: match[0].replace("\n", " "), text)
    for line in text.splitlines():
        for kind, pattern in (("message", _MESSAGE), ("enum", _ENUM)):
            if match := pattern.match(line):
                scopes.append((kind, match[1]))
                messages.setdefault(match[1], {}) if kind == "message" else enums.setdefault(
                    match[1], []
                )
        if scopes and (match := _FIELD.match(line)) and scopes[-1][0] == "message":
            options = _JSON_NAME.search(match[5] or "")
            type_ = f"{{}}{match[3]}" if match[3] else match[2]
            prefix = "[]" if match[1] else ""
            names = {match[4], options[1] if options else _camel(match[4])}
            messages[scopes[-1][1]] |= dict.fromkeys(sorted(names), prefix + type_)
        elif scopes and scopes[-1][0] == "enum" and (match := _MEMBER.match(line)):
            enums[scopes[-1][1]].append(match[1])
        if "}" in line and scopes and "{" not in line.split("}")[-1]:
            scopes.pop()
    return _name_types(messages, enums)


def _camel(name: str) -> str:
    """The JSON name of a field, as Protocol Buffers derive it."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _name_types(
    messages: Mapping[str, Mapping[str, str]], enums: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, str]]:
    def name_type(type_: str) -> str:
        shape = next((each for each in ("[]", "{}") if type_.startswith(each)), "")
        name = type_.removeprefix(shape)
        bare = name.rpartition(".")[2]
        word = (
            _WORDS.get(name)
            or _WORDS.get(bare)
            or ("|".join(enums[bare]) if bare in enums else bare)
        )
        return shape + word

    return {
        message: {name: name_type(type_) for name, type_ in fields.items()}
        for message, fields in messages.items()
    }


def _select_reachable(messages: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The messages that ``Values`` reaches."""
    reached, waiting = dict[str, dict[str, str]](), ["Values"]
    while waiting:
        name = waiting.pop(0)
        if name in reached or name not in messages:
            continue
        reached[name] = messages[name]
        waiting += [
            type_.removeprefix("[]").removeprefix("{}") for type_ in messages[name].values()
        ]
    return reached


if __name__ == "__main__":
    raise SystemExit(main())
