"""The errors of malformed files: place, problem, and remedy."""

import importlib.util
import sys
from dataclasses import dataclass

import pytest
from yaml import YAMLError
from yaml.events import StreamStartEvent

from podgraft.kube import yaml
from podgraft.kube.yaml import NotYAMLError, events


@dataclass(frozen=True, slots=True)
class Fault:
    text: str
    message: str


FAULTS = (
    # syntax
    Fault(
        "a: b: c",
        (
            "line 1 column 5: mapping values are not allowed in this context; "
            "quote the value if it contains ': '"
        ),
    ),
    Fault(
        "a:\n\t- b",
        (
            "line 2 column 1: found character that cannot start any token; "
            "indent with spaces, not tabs, and quote strings that begin with @, `, or %"
        ),
    ),
    Fault(
        "a:\n  b: 1\n c: 2",
        (
            "line 3 column 2: did not find expected key; "
            "check the indentation of this line and the lines above"
        ),
    ),
    Fault(
        "- a\nb: 1",
        "line 2 column 1: did not find expected '-' indicator; check the indentation of this line",
    ),
    Fault(
        "a: - b",
        (
            "line 1 column 4: block sequence entries are not allowed in this context; "
            "start the list on a separate line"
        ),
    ),
    Fault("a: [1", "line 2 column 1: did not find expected ',' or ']'"),
    Fault('a: "b', "line 1 column 6: found unexpected end of stream"),
    Fault(
        "é: 1\nb: \x01",
        (
            "line 2 column 4: control characters are not allowed; "
            "escape them in a double-quoted string"
        ),
    ),
    Fault("a: ü\nb: \ud800", "line 2 column 4: lone surrogate"),
    # meaning
    Fault(
        "a: 1\nb:\n  c: 1\n  c: 2",
        "line 4 column 3: duplicate key 'c' in a mapping; remove one",
    ),
    Fault(
        "a: &x {k: 1}\nb:\n  k: 2\n  <<: *x",
        "line 4 column 7: duplicate key 'k' in a mapping; remove one",
    ),
    Fault("a: .inf", "line 1 column 4: JSON cannot represent the number .inf; quote it"),
    Fault("- !!int x", "line 1 column 3: invalid int for the tag !!int"),
    Fault("!!binary a", "line 1 column 1: !!binary value contains invalid base64 data"),
    Fault("~: a", "line 1 column 1: ~ cannot be a key; quote it"),
    Fault("? \n: a", "line 1 column 2: null cannot be a key; quote it"),
    Fault(
        "9223372036854775808: a", "line 1 column 1: 9223372036854775808 cannot be a key; quote it"
    ),
    Fault("? [a]\n: b", "line 1 column 3: a key must be a scalar, not a list or mapping"),
    Fault("<<: 1", "line 1 column 5: << requires a mapping or a list of mappings"),
    Fault(
        "a: *b",
        "line 1 column 4: undefined alias; define the anchor first, or quote a string that "
        "begins with *",
    ),
    Fault("a: &b [*b]", "line 1 column 8: the value of the anchor &b contains itself"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.text)
def test_a_fault_states_the_location_and_the_problem(fault: Fault) -> None:
    with pytest.raises(NotYAMLError) as caught:
        yaml.load(fault.text)
    assert str(caught.value) == fault.message


def test_a_fault_in_a_later_document_has_the_line_of_the_whole_stream() -> None:
    with pytest.raises(NotYAMLError) as caught:
        yaml.load_all("a: 1\n---\nb: 2\n--- # third\nc: 3\nc: 4\n")
    assert str(caught.value).startswith("line 6 column 1: duplicate key 'c'")


def test_a_document_may_not_begin_on_the_line_of_its_separator() -> None:
    with pytest.raises(NotYAMLError) as caught:
        yaml.load_all("a: 1\n--- {b: 2}\n")
    assert str(caught.value) == (
        "line 2 column 4: only a comment can follow the separator ---; start the document on "
        "the next line"
    )


def test_nesting_without_end_is_refused_before_it_can_do_harm() -> None:
    for text in ("[" * 100_000, "{a: " * 100_000, "- " * 100_000):
        # libyaml of PyYAML 6.0.4 and later has a limit, too, which its look-ahead can meet first.
        with pytest.raises(NotYAMLError, match=r"deeper than 200 levels|maximum nesting depth"):
            yaml.load(text)


def test_pyyamls_own_parser_names_the_place_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "CParser", None)
    with pytest.raises(NotYAMLError, match="line 2 column 4: control characters are not allowed"):
        yaml.load("é: 1\nb: \x01")
    with pytest.raises(
        NotYAMLError, match="line 1 column 5: mapping values are not allowed in this"
    ):
        yaml.load("a: b: c")


def test_without_libyaml_the_package_falls_back_to_pyyamls_parser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    spec = importlib.util.spec_from_file_location(
        "podgraft.kube.yaml.events_alone", events.__file__
    )
    assert spec is not None
    assert spec.loader is not None
    alone = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(alone)
    assert alone.CParser is None
    assert isinstance(alone.event_reader("a")(), StreamStartEvent)


def test_an_error_without_a_place_is_placed_at_the_start() -> None:
    assert (
        str(events.to_yaml_error("a", YAMLError("out of memory")))
        == "line 1 column 1: out of memory"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "a: [1",
        "a: {b: 1",
        "a: @b",
        "a: *",
        "a: *b",
        "a:\n  b: 1\n c: 2",
        "- a\n b: 1",
        'a: "\\q"',
        'a: "\\xzz"',
        "a: - b",
        "? a: b: c",
        "a: |x\n",
        "a: |0\n",
        "a: 'b",
        "a: !x!y z",
        "\ta: b",
        "a\tb: 1\tc #d\n",
        "a:\t[1,\t2]\t# c\n",
        "a: 1\x01",
        "{a:, b}",
        "{a:}",
        "[a:[b]]",
        "{a :, b}",
        "{a: b}",
        "{a:b}",
        "a:, b",
        "!] a",
        "a: |\n  \tb\n",
        "a: |\n  b\n  \tc\n",
        "!a,b c",
        "%a\n---\nb: 1",
    ],
)
def test_pyyamls_own_parser_reads_and_reports_the_same(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> object:
        try:
            return yaml.load(text)
        except NotYAMLError as error:
            return error.problem

    expected = read()
    monkeypatch.setattr(events, "CParser", None)
    assert read() == expected
