"""Guarantee: no pattern of a document or a pod takes more than linear time, or unbounded memory.

Incident: Istio, unbounded ``proxyVersion`` in EnvoyFilter (fixed in 1.30.4). All patterns run on
RE2. With a backtracking engine, the first test would not end.
"""

import ast
import re
import signal
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.injectors.hostile_templates import make_overlay, make_pod
from podgraft.core.injectors.errors import UserError
from podgraft.golang import regexp
from podgraft.kube.cel import CostExceededError, Environment, Meter
from support.attack_texts import make_attacks

ENGINE = Path(regexp.__file__).parents[1]
CATASTROPHIC = (
    ("(a*)*b", "a" * 50_000, False),
    ("(a|aa)+$", "a" * 50_000 + "b", False),
    ("(a+)+$", "a" * 50_000, True),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 50_000, False),
    ("(.*)(.*)(.*)(.*)(.*)x", "a" * 20_000, False),
)
TOO_LARGE = ("(a{1000}){1000}", "((a{100}){100}){100}", "x{1001}")


@pytest.mark.parametrize(("pattern", "text", "found"), CATASTROPHIC)
def test_a_pattern_that_backtracks_elsewhere_ends(pattern: str, text: str, found: bool) -> None:
    assert (regexp.compile_(pattern).search(text) is not None) is found
    program = Environment({"object": "dyn"}).compile_(f"object.matches({pattern!r})", "bool")
    assert program.evaluate({"object": text}, Meter(10**9)) is found


@pytest.mark.parametrize("pattern", TOO_LARGE, ids=lambda pattern: pattern[:20])
def test_a_pattern_that_expands_is_refused(pattern: str) -> None:
    with pytest.raises(regexp.PatternError):
        regexp.compile_(pattern)


@pytest.mark.parametrize("pattern", TOO_LARGE, ids=lambda pattern: pattern[:20])
def test_a_pattern_of_a_pod_that_expands_denies_the_pod(pattern: str) -> None:
    overlay = make_overlay(
        "metadata:\n  annotations:\n"
        '    out: {{ regexMatch (index .ObjectMeta.Annotations "cfg") "aaa" | quote }}\n'
    )
    overlay.apply(make_pod({"cfg": "^a+$"}), "shop", {})
    must = make_overlay(
        "metadata:\n  annotations:\n"
        '    out: {{ mustRegexMatch (index .ObjectMeta.Annotations "cfg") "aaa" | quote }}\n'
    )
    with pytest.raises(UserError, match="/metadata/annotations/cfg"):
        must.apply(make_pod({"cfg": pattern}), "shop", {})


def test_the_cost_of_a_pattern_in_cel_grows_linearly_and_ends_with_the_budget() -> None:
    program = Environment({"object": "dyn"}).compile_("object.matches('(a+)+$')", "bool")
    costs: list[int] = []
    for length in (1000, 10_000, 100_000):
        meter = Meter(10**9)
        program.evaluate({"object": "a" * length}, meter)
        costs.append(meter.spent)
    assert costs[0] < costs[1] < costs[2] <= 11 * costs[1] <= 121 * costs[0]
    with pytest.raises(CostExceededError):
        program.evaluate({"object": "a" * 100_000}, Meter(costs[1]))


# Modules that make a pattern of constants, numbers, and escaped text.
MADE_OF_CONSTANTS = {
    "core/bundle/retired_registries.py",
    "core/injectors/istio/postprocess/prometheus.py",
    "kube/cel/library/named_formats.py",
    "kube/workload_owner.py",
    "golang/texttemplate/parse/lexer.py",
    "kube/yaml/fallback.py",
}


def test_no_pattern_of_a_document_runs_on_the_engine_of_python() -> None:
    """``re`` has constant patterns only: a pattern of a document goes to ``golang/regexp.py``."""
    files = [path.relative_to(ENGINE) for path in ENGINE.rglob("*.py")]
    assert len(files) > 100
    for file in files:
        if file.parts[0] == "cli" or str(file) in MADE_OF_CONSTANTS:
            continue
        for node in ast.walk(ast.parse((ENGINE / file).read_text())):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[pattern, *_]):
                    assert is_constant(pattern), (file, node.lineno)
                case _:
                    pass


def is_constant(node: ast.expr) -> bool:
    """Whether an expression has literals and constants of the module only."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    return not calls and all(name.isupper() for name in names)


@pytest.mark.parametrize(
    ("text", "constant"),
    [("r'a'", True), ("_NAME", True), ("rf'{_NAME}x'", True), ("pattern", False), ("f(A)", False)],
)
def test_a_variable_is_no_constant(text: str, constant: bool) -> None:
    assert is_constant(ast.parse(text, mode="eval").body) is constant


# For documents of an operator, in commands: no pod, caller, or bundle of the function reaches them.
OF_OPERATORS = ("core/trial/", "core/bundle/retired_registries.py", "golang/texttemplate/")
# Linear patterns take 3 ms, and quadratic ones seconds.
ATTACK_LENGTH, ATTACK_SECONDS = 20_000, 0.3
USE = re.compile(
    r"\b(?P<name>_?[A-Z][A-Z0-9_]*)\.(?P<method>fullmatch|match|search|sub|split|finditer|findall)\("
    r"|\bre\.(?P<function>fullmatch|match|search|sub|split|finditer|findall)\(\s*"
    r"(?:(?P<constant>_?[A-Z][A-Z0-9_]*)\b|(?P<text>r?f?\"[^\"\n]*\"))"
)


def find_patterns() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """The constant patterns of the engine that ``re`` runs: place, pattern, and method."""
    for path in sorted(ENGINE.rglob("*.py")):
        file = str(path.relative_to(ENGINE))
        source = path.read_text()
        if file.startswith(("cli/", *OF_OPERATORS)) or "import re\n" not in source:
            continue
        module = import_module("podgraft." + file.removesuffix(".py").replace("/", "."))
        for use in USE.finditer(source):
            name = use["name"] or use["constant"]
            found: Any = getattr(module, name, None) if name else None
            if use["text"] and not use["text"].startswith(("rf", "f")):
                found = ast.literal_eval(use["text"])
            if isinstance(found, str):
                found = re.compile(found)
            if isinstance(getattr(found, "pattern", None), str):
                method = use["method"] or use["function"]
                yield file, found, method if "match" in method else "search"


def measure(pattern: re.Pattern[str], method: str, text: str) -> float:
    """The seconds of a match, which ends soon after the limit."""

    def stop(*_: object) -> None:
        raise TimeoutError

    handler = signal.signal(signal.SIGALRM, stop)
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 1.1 * ATTACK_SECONDS)
    try:
        getattr(pattern, method)(text)
    except TimeoutError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    return time.perf_counter() - began


def find_slow(pattern: re.Pattern[str], method: str) -> str | None:
    """A text for which a match takes more than linear time."""
    for text in make_attacks(pattern, ATTACK_LENGTH):
        # Again: another process can have had the processor.
        if all(measure(pattern, method, text) > ATTACK_SECONDS for _ in range(3)):
            return text[:20]
    return None


def test_no_constant_pattern_backtracks() -> None:
    """An annotation of 2,000 zeros took 26 s, as the pattern of quantities was."""
    found = {(file, pattern, method) for file, pattern, method in find_patterns()}
    assert len(found) > 70
    slow = [
        (file, pattern.pattern, method, text)
        for file, pattern, method in sorted(found, key=lambda each: (each[0], each[1].pattern))
        if (text := find_slow(pattern, method)) is not None
    ]
    assert not slow


@pytest.mark.parametrize(
    "pattern",
    [
        r"[+-]?0*([0-9]*)(?:\.([0-9]*))?[a-z]*[0-9]*",
        r"(?:[\w.-]*[.:A-Z][\w.:-]*/)?[a-z]+",
        r"\s*[a-z]+=\s*([^,+])*(,|$)",
        r"(a|a)*b",
    ],
)
def test_a_pattern_that_backtracks_is_found(pattern: str) -> None:
    assert find_slow(re.compile(pattern), "fullmatch") is not None
