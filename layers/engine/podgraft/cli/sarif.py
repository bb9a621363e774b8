"""Findings as SARIF 2.1.0, which code scanning of GitHub and others reads.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import PurePath
from urllib.parse import quote

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.documents import render_json

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HELP = "https://podgraft.dev/"


class Finding(Struct, frozen=True, kw_only=True):
    """A problem at a line of a file; ``level`` is ``error``, ``warning``, or ``note``."""

    rule: str
    level: str
    message: str
    file: str
    line: int = 1


def render_report(findings: Sequence[Finding]) -> str:
    """Return the log of one run with these findings."""
    rules: list[JSON] = [
        {"id": rule, "helpUri": _HELP} for rule in sorted({each.rule for each in findings})
    ]
    driver: Object = {
        "name": "podgraft",
        "informationUri": _HELP,
        "semanticVersion": version("podgraft"),
        "rules": rules,
    }
    results: list[JSON] = [_encode(finding) for finding in findings]
    run: Object = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints"}
    runs: list[JSON] = [{**run, "results": results}]
    report: Object = {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}
    return render_json(report)


def _encode(finding: Finding) -> Object:
    location: Object = {
        "artifactLocation": {"uri": quote(PurePath(finding.file).as_posix())},
        "region": {"startLine": finding.line},
    }
    identity = f"{finding.rule}\n{finding.file}\n{finding.message}"
    return {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"podgraft/v1": hashlib.sha256(identity.encode()).hexdigest()},
    }
