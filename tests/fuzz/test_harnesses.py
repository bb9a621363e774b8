"""Each claim holds for its stored inputs, for generated ones, and for those that Hypothesis finds.

``LONG_TESTS=1`` tries more. ``make fuzz`` runs as long as requested.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz import campaign, go_programs
from fuzz.claims import patches_apply
from fuzz.harness import HARNESSES, Harness
from support.effort import scaled

# What the inputs of a harness must lead to: a harness without these tests nothing.
OUTCOMES = {
    "no_bypass": {"injected", "skipped", "denied", "allowed"},
    "no_structure": {"refused", "passed"},
    "no_crash": {"review: 200", "body: 400", "event: 200", "policy: refused", "bundle: refused"},
    "no_leak": {"200", "400", "401", "404", "policy refused"},
    "patches_apply": {"changed", "refused", "recorded"},
    "template_engine": {"output", "error", "recorded output", "recorded error"},
    "cel": {"value", "fault", "recorded value", "recorded error", "damaged: fault"},
    "selectors": {"matches", "no match", "selected", "refused", "damaged: refused"},
    "yaml_reader": {"value", "refused", "recorded value", "recorded refused"},
    "url_path": {"200 prod", "200 stage", "401", "404"},
}
INPUTS = scaled(1000)
EXAMPLES = scaled(200)

each_harness = pytest.mark.parametrize("harness", HARNESSES.values(), ids=lambda each: each.name)


@each_harness
def test_the_claim_holds_for_the_stored_inputs(harness: Harness) -> None:
    for name, data in harness.read_corpus().items():
        assert harness.run(data), name


@each_harness
def test_the_claim_holds_for_generated_inputs(harness: Harness) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(INPUTS):
        data = campaign.make_input(harness, seed)
        error = campaign.find_error(harness.run, data, outcomes)
        assert not error, f"seed {seed}: {error}"
    print(harness.name, dict(outcomes))  # noqa: T201 - shown by pytest -rP
    assert outcomes.keys() >= OUTCOMES[harness.name]


@each_harness
def test_the_claim_holds_for_the_inputs_of_hypothesis(harness: Harness) -> None:
    run = harness.run  # imported here: a module with laws of its own cannot be within one

    @settings(max_examples=EXAMPLES)
    @given(st.binary(min_size=16, max_size=512))
    def check(data: bytes) -> None:
        assert run(data)

    check()


@each_harness
def test_an_input_has_the_same_outcome_twice(harness: Harness) -> None:
    for seed in range(10):
        data = campaign.make_input(harness, seed)
        assert harness.run(data) == harness.run(data)


def test_all_recorded_patches_have_the_result_of_evanphx_json_patch() -> None:
    rows = go_programs.load_recorded("patches_apply")
    assert len(rows) >= 300
    for row in rows:
        patches_apply.check_recorded(row)


@pytest.mark.parametrize("name", ["cel", "selectors", "template_engine", "yaml_reader"])
def test_results_of_the_originals_are_recorded(name: str) -> None:
    assert len(go_programs.load_recorded(name)) >= 300
