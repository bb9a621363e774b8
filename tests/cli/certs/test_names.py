"""The names a certificate may carry, and the hosts that Go takes it for."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgraft.cli.certs import names
from podgraft.cli.certs.names import SubjectAltNames
from podgraft.cli.failure import CommandError
from support.pki import Authority, VerifyRequest, verify_with_go


@dataclass(frozen=True, slots=True)
class CoverageCase:
    carried: str
    host: str
    want: bool


COVERED = (
    # exact names
    CoverageCase("webhook.example.com", "webhook.example.com", True),
    CoverageCase("webhook.example.com", "WEBHOOK.Example.com", True),
    CoverageCase("WebHook.example.com", "webhook.example.com", True),
    CoverageCase("webhook.example.com", "webhook.example.com.", True),
    CoverageCase("webhook.example.com", "example.com", False),
    CoverageCase("webhook.example.com", "x.webhook.example.com", False),
    CoverageCase("admission-webhook", "admission-webhook", True),
    CoverageCase("admission-webhook.default.svc", "admission-webhook", False),
    CoverageCase("under_score.example.com", "under_score.example.com", True),
    # the wildcard stands for exactly one leftmost label
    CoverageCase("*.example.com", "webhook.example.com", True),
    CoverageCase("*.example.com", "WEBHOOK.example.com", True),
    CoverageCase("*.example.com", "example.com", False),
    CoverageCase("*.example.com", "a.b.example.com", False),
    CoverageCase("*.example.com", ".example.com", False),
    CoverageCase("*.default.svc", "admission-webhook.default.svc", True),
    # addresses are addresses, never names
    CoverageCase("10.0.0.1", "10.0.0.1", True),
    CoverageCase("10.0.0.1", "10.0.0.2", False),
    CoverageCase("10.0.0.1", "::ffff:10.0.0.1", True),
    CoverageCase("webhook.example.com", "10.0.0.1", False),
    CoverageCase("::1", "::1", True),
    CoverageCase("::1", "[::1]", True),
    CoverageCase("::1", "0:0:0:0:0:0:0:1", True),
    CoverageCase("[2001:db8::7]", "2001:DB8::7", True),
    CoverageCase("2001:db8::7", "2001:db8::8", False),
    CoverageCase("webhook.example.com", "", False),
)


@pytest.mark.parametrize("case", COVERED, ids=lambda case: f"{case.carried} for {case.host}")
def test_a_certificate_covers_the_hosts_that_go_takes_it_for(case: CoverageCase) -> None:
    assert names.parse_names([case.carried]).matches_host(case.host) is case.want


LABELS = st.from_regex(r"[a-z0-9_]([a-z0-9_-]{0,10}[a-z0-9_])?", fullmatch=True)
NAMES = st.lists(LABELS, min_size=1, max_size=5).map(".".join)


@given(NAMES.filter(lambda name: not name.rsplit(".", 1)[-1].isdigit()))
def test_every_name_that_is_taken_covers_itself_and_its_wildcard_one_label(name: str) -> None:
    assert names.parse_names([name]).matches_host(name.upper())
    wildcard = names.parse_names([f"*.{name}"])
    hosts = (f"a.{name}", name, f"a.b.{name}")
    assert [wildcard.matches_host(host) for host in hosts] == [True, False, False]


def test_names_and_addresses_are_separated_in_order_without_duplicates() -> None:
    parsed = names.parse_names(
        ["b.example.com", "A.example.com", "10.0.0.1", "b.example.com", "[::1]"]
    )
    assert str(parsed) == "b.example.com, a.example.com, 10.0.0.1, ::1"
    assert str(SubjectAltNames()) == "no names"


REFUSED = {
    "": "is empty",
    "https://webhook.example.com/inject": (
        "is a URL; give the host alone, without https:// and path"
    ),
    "10.0.0.0/8": "is no host name; a certificate takes no path and no address range",
    "webhook.example.com:443": "give the host alone; the port is no part of a certificate",
    "bücher.example": "write the name in its ASCII form (xn--…), as DNS and kube-apiserver do",
    "webhook.example.com.": "leave out the dot at the end: Go matches no such name",
    ".".join(["a" * 60] * 5): "is longer than 253 characters",
    "*": "Go matches no bare *; name the domain, as in *.example.com",
    "*.*.example.com": "Go matches * only as the whole leftmost label, as in *.example.com",
    "web*.example.com": "Go matches * only as the whole leftmost label, as in *.example.com",
    "webhook.*.svc": "Go matches * only as the whole leftmost label, as in *.example.com",
    "10.0.0.*": "Go matches * only as the whole leftmost label, as in *.example.com",
    "10.0.0.256": "ends like an IP address but is none; check its digits",
    "a..example.com": (
        "every label is 1 to 63 letters, digits, - or _, and neither starts nor ends with -"
    ),
    "-a.example.com": (
        "every label is 1 to 63 letters, digits, - or _, and neither starts nor ends with -"
    ),
    f"{'a' * 64}.example.com": (
        "every label is 1 to 63 letters, digits, - or _, and neither starts nor ends with -"
    ),
    "web hook.example.com": (
        "every label is 1 to 63 letters, digits, - or _, and neither starts nor ends with -"
    ),
    "fe80::1%eth0": "a certificate cannot contain a zone (%)",
    "::ffff:10.0.0.1": "write 10.0.0.1: OpenSSL does not match the mapped form",
    "::": ":: is where a server listens, not where it is reached",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_name_that_would_never_match_is_refused_with_its_own_words(text: str) -> None:
    with pytest.raises(CommandError) as error:
        names.parse_names([text])
    assert str(error.value) == f"{text!r}: {REFUSED[text]}"


def test_every_bad_name_is_reported_at_once() -> None:
    with pytest.raises(CommandError, match=r"'\*'.*'10.0.0.256'"):
        names.parse_names(["*", "webhook.example.com", "10.0.0.256"])


def test_a_certificate_without_names_is_refused() -> None:
    with pytest.raises(CommandError, match="no name given: kube-apiserver needs at least one"):
        names.parse_names([])


def test_go_covers_the_same_hosts(goverify: Path) -> None:
    authority = Authority()
    rows = [case for case in COVERED if case.host]  # Go skips the check for an empty host
    questions = [
        VerifyRequest((authority.server(case.carried),), (authority.certificate,), case.host)
        for case in rows
    ]
    verdicts = verify_with_go(goverify, questions)
    assert {case: not verdict for case, verdict in zip(rows, verdicts, strict=True)} == {
        case: case.want for case in rows
    }
