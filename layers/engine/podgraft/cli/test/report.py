"""The reports of a run: text for a terminal, JSON, and JUnit XML."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import junit, terminal
from podgraft.cli.documents import render_json

from .runner import CaseResult

_INDENT = "    "


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
        yield from (f"{_INDENT}  {terminal.style_diff_line(line)}" for line in failure.details)


def format_json(results: Iterable[CaseResult]) -> str:
    """The results as JSON."""
    tests: list[JSON] = [_encode_case(result) for result in results]
    return render_json({"tests": tests})


def _encode_case(result: CaseResult) -> Object:
    case = result.case
    return {
        "file": str(case.path),
        "name": case.test.name,
        "cluster": case.cluster,
        "release": case.release,
        "passed": result.has_passed,
        "errors": list(result.errors),
        "failures": msgspec.to_builtins(result.failures),
    }


def format_junit(results: Sequence[CaseResult]) -> str:
    """The results as JUnit XML: a suite for each file."""
    groups = groupby(results, lambda result: str(result.case.path))
    return junit.format_suites([_make_case(path, each) for each in group] for path, group in groups)


def _make_case(path: str, result: CaseResult) -> junit.TestCase:
    case = junit.TestCase(name=result.case.name, suite=path, file=path, seconds=result.seconds)
    if result.errors:
        errors = (*result.errors,)
        return replace(case, outcome="error", message=errors[0], lines=errors)
    if result.has_passed:
        return case
    lines = (line for each in result.failures for line in (str(each), *each.details))
    message = str(result.failures[0])
    return replace(case, outcome="failure", message=message, lines=(*lines,))
