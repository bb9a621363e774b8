"""Each harness finds a defect that is put into the engine; otherwise it would prove nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from fuzz import campaign
from fuzz.harness import find_harness
from podgraft import kube
from podgraft.golang.reflect import STRING, map_of
from podgraft.kube.selectors import Requirement

MAX_INPUTS = 4000
_CACHED = type(cache(find_harness))  # of functools.cache and lru_cache
# Results that other modules compare by identity.
_IDENTITIES = ("GoType", "KubeTypes", "MeshTypes", "Profile", "Schema")


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect: the harness that must find it, and the name and value that it replaces."""

    harness: str
    target: str
    replacement: Any


@pytest.fixture(autouse=True)
def _clean_caches() -> Generator[None]:
    """Let no test use what a broken engine computed, and no broken engine what another computed."""
    _clear_caches()
    yield
    _clear_caches()


def _clear_caches() -> None:
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] in {"podgraft", "fuzz", "core"}:
            for value in [*vars(module).values()]:
                if isinstance(value, _CACHED) and not _returns_identity(value):
                    value.cache_clear()


def _returns_identity(cached: Any) -> bool:
    result = str(cached.__wrapped__.__annotations__.get("return"))
    return any(name in result for name in _IDENTITIES)


def find_token_anywhere(path: str) -> tuple[str | None, str]:
    """Take the last token of the path, wherever it is."""
    before, prefix, rest = path.rpartition("/k/")
    if not prefix:
        return None, path
    token, slash, tail = rest.partition("/")
    return token, before + slash + tail


def take_any_scheme(header: str) -> str:
    return header.rpartition(" ")[2]


def matches_without_operator(self: Requirement, labels: dict[str, str]) -> bool:
    return labels.get(self.key) in self.values


def find_nothing(_: Any) -> None:
    return None


def matches_literally(patterns: frozenset[str], value: str) -> bool:
    return value in patterns


def take_as_it_is(value: Any) -> Any:
    return value


def agree(*_: Any) -> bool:
    return True


def add_one(value: int) -> int:
    return value + 1


DEFECTS = (
    Defect(
        "no_bypass", "podgraft.core.policy.rules._YES", frozenset({"true", "y", "yes", "on", "1"})
    ),
    Defect("no_bypass", "podgraft.core.policy.decision._skip_reason", find_nothing),
    Defect(
        "no_bypass",
        "podgraft.kube.matching.constraints._matches_wildcard",
        matches_literally,
    ),
    Defect(
        "no_structure",
        "podgraft.core.injectors.structure_check.find_unexpected_structure",
        find_nothing,
    ),
    Defect("no_crash", "podgraft.core.injectors.object_check.check_pod", take_as_it_is),
    Defect("no_leak", "podgraft.core.review.redact", str),
    Defect("patches_apply", "podgraft.kube.patch.differ.escape", take_as_it_is),
    Defect("template_engine", "podgraft.golang.texttemplate.run.compare._equal", agree),
    Defect("cel", "podgraft.kube.cel.library.operators.check_int", add_one),
    Defect("selectors", "podgraft.kube.selectors.Requirement.matches", matches_without_operator),
    Defect("yaml_reader", "podgraft.kube.yaml.incremental._WORD", re.compile(".*")),
    Defect("url_path", "podgraft.service.paths.split_token", find_token_anywhere),
    Defect("url_path", "podgraft.service.http.request._bearer_token", take_any_scheme),
)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda each: f"{each.harness}-{each.target}")
def test_the_harness_finds_the_defect(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = find_harness(defect.harness)
    run: Callable[[bytes], str] = harness.run
    run(campaign.make_input(harness, 0))  # what is imported and cached is without the defect
    monkeypatch.setattr(defect.target, defect.replacement)
    for seed in range(MAX_INPUTS):
        if campaign.find_error(run, campaign.make_input(harness, seed)):
            return
    pytest.fail(f"no input among {MAX_INPUTS} shows the defect")


def test_types_stay_the_same() -> None:
    before = (kube.types(), map_of(STRING, STRING))
    _clear_caches()
    assert (kube.types(), map_of(STRING, STRING)) == before
