"""JUnit XML, as CI systems read it."""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec import Struct

# JUnit is XML 1.0, which has no other control characters.
_CONTROL = {code: None for code in range(32) if chr(code) not in "\t\n\r"} | {
    0xFFFE: None,
    0xFFFF: None,
}


class TestCase(Struct, frozen=True, kw_only=True):
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
    root = Element("testsuites", _count([case for group in groups for case in group]))
    for group in groups:
        suite = SubElement(root, "testsuite", {"name": _clean(group[0].suite), **_count(group)})
        for case in group:
            file = {"file": _clean(case.file)} if case.file else {}
            names = {"name": _clean(case.name), "classname": _clean(case.suite)}
            element = SubElement(
                suite, "testcase", {**names, **file, "time": f"{case.seconds:.3f}"}
            )
            if case.outcome:
                outcome = SubElement(element, case.outcome, {"message": _clean(case.message)})
                outcome.text = _clean("\n".join(case.lines))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'


def _count(cases: Sequence[TestCase]) -> dict[str, str]:
    failures, errors = (
        str(sum(case.outcome == outcome for case in cases)) for outcome in ("failure", "error")
    )
    seconds = sum(case.seconds for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": failures,
        "errors": errors,
        "time": f"{seconds:.3f}",
    }


def _clean(text: str) -> str:
    return text.translate(_CONTROL)
