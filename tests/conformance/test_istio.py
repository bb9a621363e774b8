"""Istio's own golden tests, in every mode they name."""

from __future__ import annotations

import pytest

from . import corpus

CASES = [*corpus.cases()]


@pytest.mark.skipif(not CASES, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_golden_case_comes_out_as_istio_made_it(case: corpus.Case) -> None:
    assert corpus.failure(case) is None
