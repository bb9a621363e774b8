"""The findings of ``podgraft check`` for programs: JSON, or SARIF for code scanning."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from podgraft.base import jsonvalue
from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import sarif, source_lines

FORMATS = ("text", "json", "sarif")
_RULES = {True: "warning", False: "error"}


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A diagnostic with its file and line."""

    diagnostic: Diagnostic
    file: str
    line: int

    @property
    def level(self) -> str:
        """``error`` or ``warning``."""
        return _RULES[self.diagnostic.is_warning]

    @property
    def message(self) -> str:
        """The text without the file, which the location has."""
        text = str(self.diagnostic)
        return text.removeprefix(f"{self.diagnostic.document} ").removeprefix("/: ")

    def to_json(self) -> Object:
        """Encode the finding with stable keys."""
        return {
            "level": self.level,
            "file": self.file,
            "line": self.line,
            "pointer": self.diagnostic.pointer,
            "problem": self.diagnostic.problem,
            "remedy": self.diagnostic.remedy,
        }

    def to_sarif(self) -> sarif.Finding:
        """Return the finding of a SARIF report."""
        return sarif.Finding(
            rule=f"check/{self.level}",
            level=self.level,
            message=self.message,
            file=self.file,
            line=self.line,
        )


def render_findings(bundle: Path, findings: Iterable[Diagnostic], output: str) -> str:
    """Return the report of the findings about a bundle and its policy."""
    located = [*_locate(bundle, findings)]
    if output == "sarif":
        return sarif.render_report([each.to_sarif() for each in located])
    encoded: list[JSON] = [each.to_json() for each in located]
    return jsonvalue.dump({"findings": encoded}) + "\n"


def _locate(bundle: Path, findings: Iterable[Diagnostic]) -> Iterator[LocatedFinding]:
    for finding in findings:
        path = bundle / finding.document if finding.document else bundle
        if not path.is_file():  # the policy, or a file that is missing
            path = Path(finding.document or bundle)
        yield LocatedFinding(finding, path.as_posix(), _find_line(path, finding.pointer))


def _find_line(path: Path, pointer: str) -> int:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return 1
    return source_lines.find_pointer_line(text, pointer)
