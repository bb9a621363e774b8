"""Istio's own golden tests, in every mode they name."""

from __future__ import annotations

import pytest

from . import corpus

CASES = [*corpus.cases()]


@pytest.mark.skipif(not CASES, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_result_equals_istios_golden(case: corpus.Case) -> None:
    assert corpus.find_failure(case) is None
