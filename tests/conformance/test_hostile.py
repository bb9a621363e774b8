"""Istio's own 1.30 template withstands hostile values, which it writes without escaping."""

from __future__ import annotations

from functools import cache

import pytest

from core.injectors.istio import hostile
from podgraft.core.injectors import istio

from . import corpus


@cache
def _injector() -> istio.Injector | None:
    found = (case for case in corpus.cases() if case.minor == "1.30")
    plain = next((case for case in found if case.name == "hello-probes.yaml"), None)
    return None if plain is None else corpus.injector(plain)


@pytest.fixture(name="injector")
def fixture_injector() -> istio.Injector:
    """Istio's own configuration."""
    found = _injector()
    if found is None:
        pytest.skip(f"no corpus: set {corpus.VARIABLE} to its folder")
    return found


@pytest.mark.parametrize("value", hostile.VALUES, ids=repr)
@pytest.mark.parametrize("annotation", hostile.ANNOTATIONS)
def test_a_hostile_value_is_rejected_or_stays_text(
    injector: istio.Injector, annotation: str, value: str
) -> None:
    assert hostile.find_structure_change(injector, annotation, value) is None


def test_a_value_that_changes_the_structure_is_rejected(injector: istio.Injector) -> None:
    """The test above would pass if nothing were ever refused."""
    assert hostile.refused_values(injector) >= hostile.MUST_BE_REFUSED
