"""Durations, numbers, addresses, URLs, and times: each text is read and written as Go does it.

``record_formats.py`` records Go's answers.
"""

import json
from collections.abc import Callable, Mapping
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.program import Row, load_rows
from podgraft.core.injectors.istio.config.durations import format_protobuf
from podgraft.golang import net, netip, regexp, url
from podgraft.golang.json.plain import format_number
from podgraft.golang.reflect import round_to_float32
from podgraft.golang.strconv.atof import parse_float
from podgraft.golang.strconv.atoi import parse_bool, parse_int, parse_uint
from podgraft.golang.strconv.ftoa import format_float
from podgraft.golang.time import format_duration, format_time, parse_duration, parse_time
from support.corpus import assert_corpus

from .format_texts import make_rows

FIXTURE = Path(__file__).parent / "fixtures" / "formats.jsonl"
_LAYOUT = "2006-01-02T15:04:05Z07:00"
_NANOSECONDS = "2006-01-02T15:04:05.999999999Z07:00"


def read_duration(text: str) -> str:
    duration = parse_duration(text)
    return f"{duration} {format_duration(duration)}"


def read_float(text: str) -> str:
    number = parse_float(text)
    is_finite = number - number == 0
    return " ".join(
        (
            format_float(number, "g"),
            format_float(number, "f"),
            format_float(round_to_float32(number), "g", bits=32),
            format_number(number) if is_finite else "",
        )
    )


def read_address(text: str) -> str:
    address = netip.parse_addr(text)
    kinds = {
        "4": address.is_4,
        "m": address.is_4in6,
        "u": address.is_unspecified,
        "l": address.is_loopback,
        "M": address.is_multicast,
        "k": address.is_link_local_unicast,
        "K": address.is_link_local_multicast,
        "g": address.is_global_unicast,
    }
    return f"{address} {''.join(letter for letter, holds in kinds.items() if holds)}"


def read_prefix(text: str) -> str:
    prefix = netip.parse_prefix(text)
    return f"{prefix} {prefix.masked()}"


def read_cidr(text: str) -> str:
    masked = net.parse_cidr(text).masked()
    if masked.addr.is_4in6 and masked.length >= 96:  # package net has one form of IPv4 addresses
        return f"{masked.addr.unmap()}/{masked.length - 96}"
    return str(masked)


def read_host(text: str) -> str:
    host, port, problem = net.split_host_port(text)
    if problem:
        raise ValueError(f"address {text}: {problem}" if text else problem)
    return f"{host} {port}"


def read_url(text: str) -> str:
    parts = url.parse(text)
    return "\n".join(
        (
            *(parts.scheme, parts.opaque, parts.host, parts.hostname, parts.port, parts.path),
            *(parts.escaped_path, parts.query, parts.fragment, str(parts)),
        )
    )


def check_uri(text: str) -> str:
    url.check_request_uri(text)
    return ""


def find_all(text: str) -> str:
    pattern, _, subject = text.partition("\n")
    return json.dumps([*regexp.find_all(regexp.compile_(pattern), subject)] or None)


READERS: Mapping[str, Callable[[str], str]] = {
    "time.ParseDuration": read_duration,
    "time.Parse": lambda text: format_time(parse_time(_LAYOUT, text), _NANOSECONDS),
    "strconv.ParseFloat": read_float,
    "strconv.ParseInt": lambda text: str(parse_int(text, 0)),
    "strconv.Atoi": lambda text: str(parse_int(text)),
    "strconv.ParseUint": lambda text: str(parse_uint(text, bits=16)),
    "strconv.ParseBool": lambda text: str(parse_bool(text)).lower(),
    "netip.ParseAddr": read_address,
    "netip.ParsePrefix": read_prefix,
    "net.ParseCIDR": read_cidr,
    "net.SplitHostPort": read_host,
    "url.Parse": read_url,
    "url.ParseRequestURI": check_uri,
    "url.ParseQuery": lambda text: json.dumps(url.parse_query(text), sort_keys=True),
    "regexp.FindAllString": find_all,
}


def answer(row: Row) -> tuple[str, str]:
    try:
        return "value", READERS[row["function"]](row["text"])
    except (ValueError, regexp.PatternError) as error:
        return "error", str(error)


def go_answer(row: Row) -> tuple[str, str]:
    if row.get("error"):
        return "error", row["error"]
    value = row.get("value", "")
    is_json = row["function"] in ("url.ParseQuery", "regexp.FindAllString")
    return "value", json.dumps(json.loads(value), sort_keys=True) if is_json else value


@pytest.mark.parametrize("function", READERS)
def test_go_and_the_engine_read_the_same(function: str) -> None:
    rows = [row for row in load_rows(FIXTURE) if row["function"] == function]
    assert rows
    assert_corpus(rows, name=itemgetter("text"), expected=go_answer, actual=answer)


def test_the_fixture_covers_each_text() -> None:
    questions = [(row["function"], row["text"]) for row in load_rows(FIXTURE)]
    assert questions == [(row["function"], row["text"]) for row in make_rows()]


@given(st.integers(-(1 << 62), 1 << 62))
def test_formatted_durations_parse_to_the_same_value(nanoseconds: int) -> None:
    assert parse_duration(format_duration(nanoseconds)) == nanoseconds


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [(0, "0s"), (500_000_000, "0.500s"), (-5_400_000_000_000, "-5400s"), (7, "0.000000007s")],
)
def test_protobuf_prints_groups_of_three_decimals(nanoseconds: int, text: str) -> None:
    assert format_protobuf(nanoseconds) == text


@pytest.mark.parametrize(
    ("number", "shortest", "as_json"),
    [
        # strconv.FormatFloat(f, 'g', -1, 64) beside encoding/json, both of Go 1.26
        (0.0, "0", "0"),
        (-0.0, "-0", "-0"),
        (1.0, "1", "1"),
        (-12.5, "-12.5", "-12.5"),
        (0.1, "0.1", "0.1"),
        (100000.0, "100000", "100000"),
        (123456.7, "123456.7", "123456.7"),
        (1e6, "1e+06", "1000000"),
        (123456789.0, "1.23456789e+08", "123456789"),
        (0.0001, "0.0001", "0.0001"),
        (0.00001, "1e-05", "0.00001"),
        (0.000001, "1e-06", "0.000001"),
        (1.5e-7, "1.5e-07", "1.5e-7"),
        (1e20, "1e+20", "100000000000000000000"),
        (1.2345e20, "1.2345e+20", "123450000000000000000"),
        (1e21, "1e+21", "1e+21"),
        (1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"),
        (5e-324, "5e-324", "5e-324"),
    ],
)
def test_floats_print_as_in_go(number: float, shortest: str, as_json: str) -> None:
    assert format_float(number, "g") == shortest
    assert format_number(number) == as_json


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float_is_that_float(number: float) -> None:
    assert float(format_float(number, "g")) == number
    assert float(format_number(number)) == number
