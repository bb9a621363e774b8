"""The line of a file for an error in one of Istio's templates.

The template is a text in a text of a ConfigMap, so its line 181 is not line 181 of the file.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from msgspec.structs import replace

from podgraft.core.bundle import Diagnostic
from podgraft.kube import yaml
from podgraft.kube.patch import pointer

_LINE = re.compile(r"\bline ([0-9]+)\b")
_TEMPLATE = re.compile(r"template: [^:]+:([0-9]+)\b")
_CONFIG = re.compile(r"(.*/data/config)(/templates?(?:/[^/]+)?)")


def add_file_lines(
    diagnostics: Iterable[Diagnostic], files: Mapping[str, bytes]
) -> Iterator[Diagnostic]:
    """Add the line of the file to the remedy of each error in a template, if it is unambiguous."""
    for diagnostic in diagnostics:
        line = _find_line(diagnostic, files)
        if line is None:
            yield diagnostic
        else:
            place = f"line {line} of {diagnostic.document}"
            yield replace(diagnostic, remedy=f"{diagnostic.remedy} ({place})")


def _find_line(diagnostic: Diagnostic, files: Mapping[str, bytes]) -> int | None:
    """The line of the file, from 1, that the remedy or else the problem names."""
    path = _CONFIG.fullmatch(diagnostic.pointer)
    number = _LINE.search(diagnostic.remedy) or _TEMPLATE.search(diagnostic.problem)
    content = files.get(diagnostic.document)
    if path is None or number is None or content is None:
        return None
    try:
        text = content.decode()
        template = _find_template(text, *path.groups())
    except (UnicodeDecodeError, yaml.NotYAMLError):
        return None
    start = _find_start(text, template) if template else None
    return None if start is None else start + int(number[1])


def _find_template(text: str, config_path: str, template_path: str) -> str | None:
    """The text of the template: the value at one pointer, in the YAML at another one."""
    for document in yaml.load_all(text):
        with suppress(pointer.PointerError):
            config = pointer.resolve(document, config_path)
            if isinstance(config, str):
                template = pointer.resolve(yaml.load(config, strict=False), template_path)
                return template if isinstance(template, str) else None
    return None


def _find_start(text: str, template: str) -> int | None:
    """The number of lines before the template; ``None`` unless it occurs exactly once."""
    lines = [line.strip() for line in text.splitlines()]
    expected = [line.strip() for line in template.splitlines()]
    starts = [
        index
        for index in range(len(lines) - len(expected) + 1)
        if lines[index] == expected[0] and lines[index : index + len(expected)] == expected
    ]
    return starts[0] if len(starts) == 1 else None
