"""Diagnostics: one type for the errors and warnings of all documents."""

import pytest

from podgraft.base.diagnostics import Diagnostic, Severity
from podgraft.core import bundle

CASES = (
    ("policy.yaml", "", "", "policy.yaml: is empty; write it"),
    ("policy.yaml", "/a", "", "policy.yaml /a: is empty; write it"),
    ("a.yaml", "/spec", "1 | x", "a.yaml /spec: is empty; write it\n1 | x"),
)


@pytest.mark.parametrize(("file", "path", "excerpt", "text"), CASES)
def test_the_text_has_place_problem_and_remedy(
    file: str, path: str, excerpt: str, text: str
) -> None:
    diagnostic = Diagnostic("is empty", "write it", document=file, pointer=path, excerpt=excerpt)
    assert str(diagnostic) == text


def test_a_warning_becomes_an_error_and_retains_its_text() -> None:
    warning = Diagnostic("is old", "renew it", document="a", severity=Severity.WARNING)
    error = warning.as_error()
    assert (warning.is_warning, error.is_warning) == (True, False)
    assert str(error) == str(warning)


def test_a_diagnostic_is_an_error_unless_it_states_otherwise() -> None:
    assert not Diagnostic("is old", "renew it", document="a").is_warning


def test_the_faults_of_bundles_are_diagnostics() -> None:
    assert bundle.Diagnostic is Diagnostic
