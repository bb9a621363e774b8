"""The table of signatures, the bodies behind it, and what is refused."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from podgraft.golang import sprig
from podgraft.golang.sprig.signatures import FUNCTIONS
from podgraft.golang.texttemplate import FunctionError, TemplateError, compile_
from podgraft.golang.texttemplate.functions import LazyFunction

ALL = sprig.functions()
ENGINE = Path(sprig.__file__).parents[4]

# Each is gone in the releases before the one that brought it.
RELEASES = (
    ("3.1", "regexReplaceAll", "dig"),
    ("3.2", "dig", "sha512sum"),
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_body_takes_what_its_signature_states(name: str) -> None:
    function = FUNCTIONS[name]
    assert isinstance(function.call, LazyFunction)
    parameters = inspect.signature(function.call.body).parameters.values()
    kinds = [parameter.kind for parameter in parameters]
    assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) == len(function.parameters)
    assert (inspect.Parameter.VAR_POSITIONAL in kinds) == (function.variadic is not None)


@pytest.mark.parametrize("name", sprig.UNSUPPORTED)
def test_a_refused_function_is_named_with_the_reason_when_a_template_is_loaded(name: str) -> None:
    with pytest.raises(TemplateError) as caught:
        compile_(f"a\n{{{{ {name} }}}}", name="t", functions=ALL)
    assert name in str(caught.value)
    assert sprig.UNSUPPORTED[name] in str(caught.value)
    assert caught.value.line == 2
    with pytest.raises(FunctionError, match=sprig.UNSUPPORTED[name]):
        ALL[name].call()


def test_the_page_on_conformance_lists_what_is_refused() -> None:
    page = (Path(__file__).parents[3] / "docs/conformance.md").read_text(encoding="utf-8")
    assert {name for name in sprig.UNSUPPORTED if f"`{name}`" not in page} == set()


def test_what_is_not_refused_works() -> None:
    assert {name for name, function in ALL.items() if function.unsupported_reason} == set(
        sprig.UNSUPPORTED
    )
    assert not sprig.UNSUPPORTED.keys() & FUNCTIONS.keys()


@pytest.mark.parametrize(("release", "has", "lacks"), RELEASES)
def test_an_older_release_lacks_functions(release: str, has: str, lacks: str) -> None:
    functions = sprig.functions(release)
    assert has in functions
    assert lacks not in functions
    with pytest.raises(TemplateError, match=f'function "{lacks}" not defined'):
        compile_(f"{{{{ {lacks} }}}}", name="t", functions=functions)


def test_families_and_their_dependencies_are_imported_when_they_are_called() -> None:
    program = """
import sys
from podgraft.golang import sprig
from podgraft.golang.texttemplate import compile_
heavy = ["re2", "hashlib", "base64", "urllib.parse", "unicodedata"]
heavy += [f"{sprig.__name__}.{name}" for name in ("strings", "paths", "dates", "regex")]
template = "{{ default 1 2 }}{{ upper .text }}"
program = compile_(template, name="t", functions=sprig.functions())
assert not sys.modules.keys() & set(heavy), sys.modules.keys() & set(heavy)
assert program.render({"text": "a"}) == "2A"
assert f"{sprig.__name__}.strings" in sys.modules
assert f"{sprig.__name__}.paths" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ENGINE)


def test_the_newest_release_is_the_default() -> None:
    assert sprig.functions("3.3").keys() == ALL.keys()
    assert sprig.functions("3.1").keys() < sprig.functions("3.2").keys() < ALL.keys()
