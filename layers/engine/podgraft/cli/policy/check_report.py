"""The findings of ``podgraft check`` for programs: JSON, or SARIF for code scanning."""

from collections.abc import Iterable
from pathlib import Path

from podgraft.base import jsonvalue
from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import JSON
from podgraft.cli import sarif, source_lines

FORMATS = ("text", "json", "sarif")


def render_findings(bundle: Path, findings: Iterable[Diagnostic], output: str) -> str:
    """Return the report of the findings about a bundle and its policy."""
    located = [(each, *_locate(bundle, each)) for each in findings]
    if output == "sarif":
        return sarif.render_report([_to_sarif(*each) for each in located])
    encoded: list[JSON] = [
        {
            "level": _find_level(each),
            "file": file,
            "line": line,
            "pointer": each.pointer,
            "problem": each.problem,
            "remedy": each.remedy,
        }
        for each, file, line in located
    ]
    return jsonvalue.dump({"findings": encoded}) + "\n"


def _find_level(finding: Diagnostic) -> str:
    return "warning" if finding.is_warning else "error"


def _to_sarif(finding: Diagnostic, file: str, line: int) -> sarif.Finding:
    """Return the finding without the file in its text, which the location has."""
    level = _find_level(finding)
    message = str(finding).removeprefix(f"{finding.document} ").removeprefix("/: ")
    return sarif.Finding(rule=f"check/{level}", level=level, message=message, file=file, line=line)


def _locate(bundle: Path, finding: Diagnostic) -> tuple[str, int]:
    path = bundle / finding.document if finding.document else bundle
    if not path.is_file():  # the policy, or a file that is missing
        path = Path(finding.document or bundle)
    return path.as_posix(), _find_line(path, finding.pointer)


def _find_line(path: Path, pointer: str) -> int:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return 1
    return source_lines.find_pointer_line(text, pointer)
