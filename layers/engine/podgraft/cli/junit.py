"""JUnit XML, as CI systems read it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

# JUnit is XML 1.0, which has no other control characters.
_CONTROL = {code: None for code in range(32) if chr(code) not in "\t\n\r"} | {
    0xFFFE: None,
    0xFFFF: None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCase:
    """One test. ``outcome`` is ``failure``, ``error``, or ``skipped``; empty if it passed."""

    __test__ = False  # for pytest

    name: str
    suite: str
    seconds: float = 0.0
    file: str = ""
    outcome: str = ""
    message: str = ""
    lines: tuple[str, ...] = ()


def format_suites(suites: Iterable[Sequence[TestCase]]) -> str:
    """Return the document of suites, none of which is empty."""
    groups = [*suites]
    every = [case for group in groups for case in group]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_format_totals(every)}>"]
    for group in groups:
        lines.append(f"  <testsuite name={_quote(group[0].suite)} {_format_totals(group)}>")
        for case in group:
            lines += _format_case(case)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _format_totals(cases: Sequence[TestCase]) -> str:
    failures, errors = (
        sum(case.outcome == outcome for case in cases) for outcome in ("failure", "error")
    )
    seconds = sum(case.seconds for case in cases)
    return f'tests="{len(cases)}" failures="{failures}" errors="{errors}" time="{seconds:.3f}"'


def _format_case(case: TestCase) -> Iterator[str]:
    file = f"file={_quote(case.file)} " if case.file else ""
    attributes = (
        f'name={_quote(case.name)} classname={_quote(case.suite)} {file}time="{case.seconds:.3f}"'
    )
    if not case.outcome:
        yield f"    <testcase {attributes}/>"
        return
    yield f"    <testcase {attributes}>"
    text = escape("\n".join(case.lines).translate(_CONTROL))
    yield f"      <{case.outcome} message={_quote(case.message)}>{text}</{case.outcome}>"
    yield "    </testcase>"


def _quote(text: str) -> str:
    return quoteattr(text.translate(_CONTROL))
