"""A label selector selects what the selector of apimachinery selects, or both reject it.

Without Go: the recorded selectors, rewritten, and generated ones against a second implementation.
With Go: generated selectors, valid and invalid ones.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from fuzz import decision_model, go_programs, inputs, mutation
from fuzz.byte_source import ByteRandom
from fuzz.go_programs import Row
from fuzz.harness import check_claim
from kube.go_fixtures import load_fixture
from kube.test_selectors import describe_selector
from oracle.kube.generate import make_selector_row
from podgraft.kube import SelectorError, selectors


def fuzz(data: bytes) -> str:
    """Compile one selector, and match labels."""
    random = ByteRandom(data)
    kind = random.random()
    if kind < 0.35:
        return _check_model(random)
    if kind < 0.5:
        return _compile_damaged(random)
    if go_programs.is_live():
        row = make_row(random)
        return _compare(go_programs.find_program("kube", "selectors", header=1).ask(row))
    return _compare(_rewrite(random, random.choice(_rows())))


@cache
def _rows() -> tuple[Row, ...]:
    return (*load_fixture("selectors"), *go_programs.load_recorded("selectors"))


def make_row(random: ByteRandom) -> Row:
    """A selector with labels, as the oracle reads it."""
    return make_selector_row(random, strict=random.random() < 0.6)


def _compare(row: Row) -> str:
    actual, expected = describe_selector(row), row.get("want", "refused")
    check_claim(actual == expected, "podgraft", actual, "apimachinery", expected, row)
    return "refused" if expected == "refused" else "selected"


def _rewrite(random: ByteRandom, row: Row) -> Row:
    """The row with the requirements in another order: selectors are sorted conjunctions."""
    selector: dict[str, Any] = row["selector"]
    if not selector or "want" not in row:
        return row
    changed = dict(selector)
    required: dict[str, Any] = selector.get("matchLabels") or {}
    if required:
        items = list(required.items())
        random.shuffle(items)
        changed["matchLabels"] = dict(items)
    # Labels that no requirement names change nothing.
    more = [{**labels, "fuzz-other": "x"} for labels in row["labels"]]
    named = "fuzz-other" in str(selector)
    return {**row, "selector": changed, "labels": row["labels"] if named else more}


def _check_model(random: ByteRandom) -> str:
    selector, labels = inputs.make_selector(random), inputs.make_labels(random, wishes=False)
    compiled = selectors.compile_(selector)
    expected = decision_model.selects(selector, labels)
    check_claim(compiled.matches(labels) == expected, f"the model: {expected}", selector, labels)
    empty = decision_model.is_empty(selector)
    check_claim(compiled.is_empty == empty, f"empty in the model: {empty}", selector)
    return "matches" if expected else "no match"


def _compile_damaged(random: ByteRandom) -> str:
    selector = mutation.mutate_document(random, {"s": inputs.make_selector(random)}).get("s")
    try:
        selectors.compile_(selector).matches({"app": "web"})
    except SelectorError as error:
        check_claim(bool(error.errors), "an error without a diagnostic", selector)
        return "damaged: refused"
    return "damaged: compiled"
