"""The reports of a run: text for a terminal, JSON, and JUnit XML."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import terminal

from .checks import Failure
from .runner import CaseResult

_INDENT = "    "
# JUnit is XML 1.0, which has no other control characters.
_CONTROL = {code: None for code in range(32) if chr(code) not in "\t\n\r"} | {
    0xFFFE: None,
    0xFFFF: None,
}


def format_text(results: Sequence[CaseResult], *, verbose: bool) -> Iterator[str]:
    """Yield the lines for a terminal: each file, each test that fails, and the totals."""
    for path, group in groupby(results, lambda result: result.case.path):
        of_file = [*group]
        failed = sum(not result.has_passed for result in of_file)
        passes = f"{len(of_file) - failed} of {len(of_file)} passed"
        yield terminal.style(f"{path}: {passes}", fg="red" if failed else "green")
        for result in of_file:
            yield from _format_case(result, verbose=verbose)
    failed = sum(not result.has_passed for result in results)
    yield terminal.style(
        f"{len(results) - failed} passed, {failed} failed",
        fg="red" if failed else "green",
        bold=True,
    )


def _format_case(result: CaseResult, *, verbose: bool) -> Iterator[str]:
    if result.has_passed:
        if verbose:
            yield f"  {terminal.style('PASS', fg='green')}  {result.case.name}"
        return
    yield f"  {terminal.style('FAIL', fg='red')}  {result.case.name}"
    for error in result.errors:
        yield f"{_INDENT}error: {error}"
    for failure in result.failures:
        yield f"{_INDENT}{failure}"
        yield from (f"{_INDENT}  {_color(line)}" for line in failure.details)


def _color(line: str) -> str:
    """Color a line of a diff."""
    if line.startswith("+"):
        return terminal.style(line, fg="green")
    return terminal.style(line, fg="red") if line.startswith("-") else line


def format_json(results: Iterable[CaseResult]) -> str:
    """The results as JSON."""
    tests: list[JSON] = [_encode_case(result) for result in results]
    return jsonvalue.dump({"tests": tests}) + "\n"


def _encode_case(result: CaseResult) -> Object:
    case = result.case
    return {
        "file": str(case.path),
        "name": case.test.name,
        "cluster": case.cluster,
        "release": case.release,
        "passed": result.has_passed,
        "errors": list(result.errors),
        "failures": [_encode_failure(failure) for failure in result.failures],
    }


def _encode_failure(failure: Failure) -> Object:
    return {
        "check": failure.check,
        "problem": failure.problem,
        "details": list(failure.details),
    }


def format_junit(results: Sequence[CaseResult]) -> str:
    """The results as JUnit XML: a suite for each file, as CI systems read it."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_totals(results)}>"]
    for path, group in groupby(results, lambda result: result.case.path):
        of_file = [*group]
        lines.append(f"  <testsuite name={_quote(str(path))} {_totals(of_file)}>")
        for result in of_file:
            lines += _format_junit_case(result)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _totals(results: Sequence[CaseResult]) -> str:
    failures = sum(bool(result.failures and not result.errors) for result in results)
    errors = sum(bool(result.errors) for result in results)
    seconds = sum(result.seconds for result in results)
    return f'tests="{len(results)}" failures="{failures}" errors="{errors}" time="{seconds:.3f}"'


def _format_junit_case(result: CaseResult) -> Iterator[str]:
    case = result.case
    attributes = (
        f"name={_quote(case.name)} classname={_quote(str(case.path))} "
        f'file={_quote(str(case.path))} time="{result.seconds:.3f}"'
    )
    if result.has_passed:
        yield f"    <testcase {attributes}/>"
        return
    yield f"    <testcase {attributes}>"
    if result.errors:
        yield _format_junit_element("error", result.errors[0], result.errors)
    else:
        lines = [line for each in result.failures for line in (str(each), *each.details)]
        yield _format_junit_element("failure", str(result.failures[0]), lines)
    yield "    </testcase>"


def _format_junit_element(name: str, message: str, lines: Iterable[str]) -> str:
    text = escape("\n".join(lines).translate(_CONTROL))
    return f"      <{name} message={_quote(message)}>{text}</{name}>"


def _quote(text: str) -> str:
    return quoteattr(text.translate(_CONTROL))
