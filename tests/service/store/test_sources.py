"""Where requests of a cluster can come from."""

import pytest

from podgraft.service.store import sources

RANGE, ENDPOINT, VPC = "198.51.100.0/24", "vpce-0a1b2c3d4e5f67890", "vpc-0a1b2c3d"
CASES = (
    ((RANGE,), "198.51.100.7", (), True),
    ((RANGE,), "198.51.101.7", (), False),
    ((RANGE,), "::ffff:198.51.100.7", (), True),
    (("2001:db8::/32",), "2001:db8::1", (), True),
    (("2001:db8::/32",), "198.51.100.7", (), False),
    ((RANGE,), "", (), False),
    ((RANGE,), "unix:", (), False),
    # Private addresses repeat across VPCs: a range proves nothing behind a private front.
    (("10.0.0.0/8",), "10.0.0.1", (ENDPOINT, VPC), False),
    ((ENDPOINT,), "10.0.0.1", (ENDPOINT, VPC), True),
    ((VPC,), "10.0.0.1", (ENDPOINT, VPC), True),
    ((ENDPOINT, RANGE), "10.0.0.1", ("vpce-00000000", "vpc-00000000"), False),
    # A public front proves no endpoint.
    ((ENDPOINT,), "198.51.100.7", (), False),
    ((ENDPOINT, RANGE), "198.51.100.7", (), True),
)


@pytest.mark.parametrize(("allowed", "address", "endpoints", "expected"), CASES)
def test_a_request_is_admitted_from_a_source_that_its_front_proves(
    allowed: tuple[str, ...], address: str, endpoints: tuple[str, ...], expected: bool
) -> None:
    assert sources.admits(allowed, address, endpoints) is expected


@pytest.mark.parametrize("text", [RANGE, ENDPOINT, VPC, "2001:db8::/32", "0.0.0.0/0"])
def test_these_are_sources(text: str) -> None:
    assert sources.is_source(text)


@pytest.mark.parametrize(
    "text", ["", "198.51.100.7", "198.51.100.7/24", "vpce-", "vpce-XYZ", "subnet-0a1b2c3d", "a/8"]
)
def test_these_are_none(text: str) -> None:
    """A range with bits below its length is a mistake, and not the range of its address."""
    assert not sources.is_source(text)
