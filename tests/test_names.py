"""Names follow the naming rules: verbs, nouns, and the terms of Kubernetes, Istio, Go, and AWS.

``docs/architecture.md`` has the vocabulary.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("layers/engine/podgraft", "functions", "scripts", "tools")

# Verbs and nouns that only look like participles.
NO_PARTICIPLES = frozenset(
    [
        "embed",
        "feed",
        "fit",
        "need",
        "ping",
        "proceed",
        "put",
        "read",
        "run",
        "seed",
        "set",
        "speed",
        "split",
        "cut",
    ]
)
NO_GERUNDS = frozenset(["cut", "mapping", "ping", "string", "substring", "warning"])
IRREGULAR_PARTICIPLES = frozenset(
    [
        "begun",
        "bound",
        "broken",
        "built",
        "chosen",
        "done",
        "drawn",
        "driven",
        "felt",
        "found",
        "frozen",
        "given",
        "gone",
        "got",
        "grown",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "led",
        "left",
        "lit",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "said",
        "seen",
        "sent",
        "shown",
        "sold",
        "spent",
        "spoken",
        "spread",
        "stood",
        "stolen",
        "taken",
        "taught",
        "thrown",
        "told",
        "torn",
        "understood",
        "won",
        "worn",
        "written",
    ]
)
ADJECTIVES = frozenset(
    [
        "alike",
        "alive",
        "fresh",
        "opaque",
        "plain",
        "pure",
        "ready",
        "safe",
        "same",
        "similar",
        "stale",
    ]
)
# Pronouns, question words, and words that do not belong in a name.
AVOIDED = frozenset(
    [
        "answer",
        "answers",
        "anew",
        "anybody",
        "ask",
        "asked",
        "asks",
        "behind",
        "beside",
        "beyond",
        "blame",
        "blamed",
        "blames",
        "book",
        "cheap",
        "culprit",
        "dear",
        "dearer",
        "everybody",
        "foreign",
        "graft",
        "grafted",
        "hear",
        "hears",
        "heal",
        "journal",
        "journey",
        "judge",
        "judged",
        "keeps",
        "kept",
        "knows",
        "mend",
        "mine",
        "mistake",
        "mistakes",
        "nobody",
        "ours",
        "rehearsal",
        "rehearse",
        "remember",
        "remembered",
        "said",
        "saw",
        "say",
        "says",
        "somebody",
        "speak",
        "speaks",
        "stand",
        "stands",
        "station",
        "stranger",
        "strangers",
        "tell",
        "tells",
        "theirs",
        "told",
        "us",
        "vouch",
        "want",
        "wanted",
        "what",
        "where",
        "whoever",
        "whom",
        "whose",
        "why",
        "who",
        "world",
        "wrong",
    ]
)
# Names of an API, of Go, of sprig, and of CEL; the constructors of controller-runtime.
ACCEPTED = frozenset(
    {
        ("kube/admission/response.py", "errored"),
        ("golang/netip.py", "masked"),
    }
)


def split_words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip("_"))
    return [word for word in spaced.lower().split("_") if word]


def is_participle(word: str) -> bool:
    if word in NO_PARTICIPLES:
        return False
    return word in IRREGULAR_PARTICIPLES or (word.endswith("ed") and len(word) > len("need"))


def describe_problem(name: str) -> str | None:
    """Return the rule that a function name breaks."""
    words = split_words(name)
    if avoided := AVOIDED.intersection(words):
        return f"contains {', '.join(sorted(avoided))}"
    if len(words) > 1:
        return None
    word = words[0] if words else ""
    if is_participle(word):
        return "is a bare participle"
    if word.endswith("ing") and word not in NO_GERUNDS:
        return "is a bare gerund"
    if word in ADJECTIVES:
        return "is a bare adjective"
    return "is a bare preposition" if word in {"of", "at", "in", "under"} else None


def module_name(path: Path) -> str:
    return str(path.relative_to(ROOT)).removeprefix("layers/engine/podgraft/")


def modules() -> Iterator[tuple[str, ast.Module]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield module_name(path), ast.parse(path.read_text())


def function_problems(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_special = node.name.startswith("__")
            problem = None if is_special else describe_problem(node.name)
            if problem:
                yield node.name, problem


def exception_problems(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or node.name.endswith("Error"):
            continue
        bases = [ast.unparse(base) for base in node.bases]
        if any(base.endswith(("Error", "Exception")) for base in bases):
            yield node.name, "is an exception without the suffix Error"


def value_names(tree: ast.Module) -> Iterator[str]:
    """Every class, parameter, field, attribute, variable, and constant that a module defines."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case _:
                pass


def value_problems(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for name in value_names(tree):
        if avoided := AVOIDED.intersection(split_words(name)):
            yield name, f"contains {', '.join(sorted(avoided))}"


CHECKS = (function_problems, exception_problems, value_problems)


def test_names_follow_the_rules() -> None:
    found = {
        (module, name): problem
        for module, tree in modules()
        for check in CHECKS
        for name, problem in check(tree)
    }
    assert {pair: problem for pair, problem in found.items() if pair not in ACCEPTED} == {}
    unused = ACCEPTED - found.keys()
    assert not unused


# Tests state behavior in sentences, so question words that start a clause are accepted.
ACCEPTED_IN_TESTS = frozenset({"what", "where", "why", "who"})


def test_names_of_tests_contain_no_avoided_word() -> None:
    names = {
        node.name
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    avoided = AVOIDED - ACCEPTED_IN_TESTS
    assert [name for name in sorted(names) if avoided.intersection(split_words(name))] == []


def test_a_bare_verb_is_a_name() -> None:
    names = ("read", "split", "_substring", "with_fields", "is_enabled", "_read_padded", "set_")
    assert [name for name in names if describe_problem(name)] == []


@pytest.mark.parametrize(
    "name", ["told", "_rendered", "serving", "whose_pod", "answer", "opaque", "of", "keepsWhole"]
)
def test_such_a_name_is_rejected(name: str) -> None:
    assert describe_problem(name)
