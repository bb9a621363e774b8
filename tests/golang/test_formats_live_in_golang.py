"""Go's formats live in golang: no other room parses a duration, a number, an address, or a URL.

The command line reads the URLs and addresses of its own options and of certificates with Python's
library, as its users do; those are not Go's.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import podgraft

ENGINE = Path(podgraft.__file__).parent
ROOMS = ("base", "kube", "core", "service")
_PARSERS = {"ipaddress", "urllib", "urllib.parse", "re2", "datetime", "decimal", "fractions"}
_UNIT_PATTERN = re.compile(r"\bms\||\|ms\b")
_EXPONENT_PATTERN = re.compile(r"\[eE\]\[\+?-\+?\]\?")

MAX_PATTERN = 200

# What looks like a second parser, and what it is.
ACCEPTED = {
    ("base/jsonvalue.py", "float("): "the number hook of Python's JSON decoder",
    ("kube/cel/library/operators.py", "float("): "converts integers",
    ("kube/cel/values.py", "float("): "converts integers",
    ("kube/cel/constructors.py", "float("): "converts integers",
    ("kube/mutation/values.py", "float("): "converts integers",
    ("kube/quantity.py", "float("): "a quantity as a double, resource.AsApproximateFloat64",
    ("kube/yaml/scalars.py", "float("): "converts integers",
    ("kube/yaml/emitter.py", "float("): "converts integers",
    ("core/injectors/istio/config/config_map.py", "float("): "converts integers",
    ("core/injectors/istio/config/protojson.py", "float("): "converts numbers of JSON",
    ("core/injectors/istio/data/prototext.py", "float("): "converts numbers of JSON",
    ("kube/yaml/scalars.py", "exponents"): "which scalars go-yaml tries as numbers; golang parses",
    ("service/serve/connection.py", "ipaddress"): "the address of a peer from the socket",
    ("base/system.py", "datetime"): "the clock of the process",
    ("base/zones.py", "datetime"): "offsets of time zones, which zoneinfo finds",
    ("service/http/authentication.py", "datetime"): "the last days of tokens, which are ours",
    ("service/http/request_log.py", "datetime"): "the times of the log, which are ours",
    ("service/serve/tls.py", "datetime"): "the validity of a certificate",
    ("service/serve/metrics_page.py", "datetime"): "the creation times of tokens, which are ours",
    ("service/store/census.py", "datetime"): "the week of a record",
    ("service/store/aws/ssm.py", "datetime"): "when a version was stored, as boto3 has it",
}


def find_parsers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in _PARSERS)
            case ast.ImportFrom(module=str(module), level=0) if module in _PARSERS:
                yield module
            case ast.Call(func=ast.Name(id="float"), args=[argument]) if not isinstance(
                argument, ast.Constant
            ):
                yield "float("
            case _:
                yield from find_tables(node)


def find_tables(node: ast.AST) -> Iterator[str]:
    """The tables of units, and the patterns of units and of exponents."""
    match node:
        case ast.Dict(keys=keys):
            names = {key.value for key in keys if isinstance(key, ast.Constant)}
            if {"ms", "s"} <= names:
                yield "units"
        case ast.Constant(value=str(text)) if len(text) < MAX_PATTERN:
            if _UNIT_PATTERN.search(text):
                yield "units"
            if _EXPONENT_PATTERN.search(text):
                yield "exponents"
        case _:
            pass


def test_no_other_room_parses_them() -> None:
    found = {
        (str(path.relative_to(ENGINE)), parser)
        for room in ROOMS
        for path in (ENGINE / room).rglob("*.py")
        for parser in find_parsers(ast.parse(path.read_text()))
    }
    assert found == ACCEPTED.keys()


@pytest.mark.parametrize(
    "text",
    [
        "import ipaddress",
        "from urllib.parse import urlsplit",
        "number = float(text)",
        "UNITS = {'ms': 1, 's': 1000}",
        "PATTERN = '([0-9]+)(ms|s|m|h)'",
        "PATTERN = '[0-9]+[eE][+-]?[0-9]+'",
    ],
)
def test_a_second_parser_is_found(text: str) -> None:
    assert [*find_parsers(ast.parse(text))]
