"""Which values of which annotations a release refuses, and in which words."""

from __future__ import annotations

import pytest

from podgraft.injection import UserError
from podgraft.injection.istio import annotations, releases

TRAFFIC = "traffic.sidecar.istio.io/"
SIDECAR = "sidecar.istio.io/"

# release, annotation, value, what the refusal says; "" passes
CASES = (
    # Interception mode
    (30, f"{SIDECAR}interceptionMode", "TPROXY", ""),
    (30, f"{SIDECAR}interceptionMode", "tproxy", "use REDIRECT,TPROXY,NONE: tproxy"),
    # Ports
    (30, "status.sidecar.istio.io/port", " 15020 ", ""),
    (30, "status.sidecar.istio.io/port", "x",
     "excludeInboundPorts invalid: failed parsing port 'x'"),
    (30, f"{TRAFFIC}includeInboundPorts", "*", ""),
    (30, f"{TRAFFIC}includeInboundPorts", "", ""),
    (30, f"{TRAFFIC}includeInboundPorts", " 80 , 443 ", ""),
    (30, f"{TRAFFIC}includeInboundPorts", "80,*",
     "includeInboundPorts invalid: failed parsing port '*'"),
    (30, f"{TRAFFIC}excludeInboundPorts", "*", "excludeInboundPorts invalid"),
    (30, f"{TRAFFIC}excludeInboundPorts", "80,", "failed parsing port ''"),
    (30, f"{TRAFFIC}excludeOutboundPorts", "65536", "value out of range"),
    (30, f"{TRAFFIC}excludeOutboundPorts", "-1", "invalid syntax"),
    (30, f"{TRAFFIC}excludeOutboundPorts", "+1", "invalid syntax"),
    (30, f"{TRAFFIC}excludeOutboundPorts", "１", "invalid syntax"),
    (30, f"{TRAFFIC}includeOutboundPorts", "bad", ""),
    # Address ranges
    (30, f"{TRAFFIC}includeOutboundIPRanges", "*", ""),
    (30, f"{TRAFFIC}includeOutboundIPRanges", "10.1.2.3/8,2001:db8::/32", ""),
    (30, f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/8, 10.0.0.0/8",
     "failed parsing cidr ' 10.0.0.0/8'"),
    (30, f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0",
     "includeIPRanges invalid: failed parsing cidr '10.0.0.0': netip.ParsePrefix"),
    (30, f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/33", "prefix length out of range"),
    (30, f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/08", "netip"),
    (15, f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/08", ""),
    (15, f"{TRAFFIC}includeOutboundIPRanges", "010.0.0.0/8", "invalid CIDR address: 010.0.0.0/8"),
    (30, f"{TRAFFIC}excludeOutboundIPRanges", "*", "excludeIPRanges invalid"),
    (30, f"{TRAFFIC}excludeOutboundIPRanges", "fe80::1%eth0/64", "unable to parse IP"),
    # Readiness
    (30, "readiness.status.sidecar.istio.io/initialDelaySeconds", "4294967295", ""),
    (30, "readiness.status.sidecar.istio.io/periodSeconds", "4294967296", "strconv.ParseUint"),
    (30, "readiness.status.sidecar.istio.io/failureThreshold", "1.5", "strconv.ParseUint"),
    # Interface names, since 1.30
    (30, f"{TRAFFIC}excludeInterfaces", "eth0, net-1.2", ""),
    (30, f"{TRAFFIC}excludeInterfaces", "eth0,,", "empty interface name"),
    (30, f"{TRAFFIC}kubevirtInterfaces", "a" * 16, "too long (max 15 chars)"),
    (30, "istio.io/reroute-virtual-interfaces", "eth0;rm", "contains invalid characters"),
    (29, "istio.io/reroute-virtual-interfaces", "eth0;rm", ""),
    # Go bools
    (30, "prometheus.istio.io/merge-metrics", "T", ""),
    (30, "prometheus.istio.io/merge-metrics", "yes", "strconv.ParseBool"),
    (24, f"{SIDECAR}enableCoreDump", "maybe", "strconv.ParseBool"),
    (25, f"{SIDECAR}enableCoreDump", "maybe", ""),
    # Quantities, since 1.29
    (29, f"{SIDECAR}proxyCPU", "100m", ""),
    (29, f"{SIDECAR}proxyCPU", "", "quantities must match"),
    (29, f"{SIDECAR}proxyMemory", "1GiB", "quantities must match"),
    (29, f"{SIDECAR}proxyCPULimit", "1\n", "value contains control characters"),
    (28, f"{SIDECAR}proxyMemoryLimit", "1GiB", ""),
    # The proxy's configuration
    (30, "proxy.istio.io/config", "", ""),
    (30, "proxy.istio.io/config", "{unknownField: 5}", ""),
    (30, "proxy.istio.io/config", "concurrency: 0", ""),
    (30, "proxy.istio.io/config", "a: [", "failed to convert to apply proxy config"),
    (30, "proxy.istio.io/config", "proxyMetadata: {A: 1}", "into Go value of type string"),
    (30, "proxy.istio.io/config", "discoveryAddress: x", "invalid discovery address"),
    (30, "proxy.istio.io/config", "connectionSettings: {listenerConnectionLimit: 0}", ""),
    (31, "proxy.istio.io/config", "connectionSettings: {listenerConnectionLimit: 0}", "positive"),
    # Ports before 1.9 are not shown
    (8, f"{TRAFFIC}excludeInboundPorts", "x", "failed parsing port '0'"),
    # Everything else is free
    (30, "example.com/anything", "\n{{", ""),
)  # fmt: skip


@pytest.mark.parametrize(("minor", "name", "value", "problem"), CASES)
def test_a_value_is_checked(minor: int, name: str, value: str, problem: str) -> None:
    profile = releases.profile(minor)
    if not problem:
        annotations.check(profile, {name: value})
        return
    with pytest.raises(UserError) as caught:
        annotations.check(profile, {name: value})

    assert problem in str(caught.value)
    assert f"invalid value '{value}' for annotation '{name}': " in str(caught.value)


def test_all_violations_are_told_at_once() -> None:
    given = {f"{TRAFFIC}excludeInboundPorts": "x", f"{SIDECAR}interceptionMode": "y"}

    with pytest.raises(UserError) as caught:
        annotations.check(releases.newest(), given)

    assert str(caught.value) == (
        "failed to run injection template: 2 errors occurred: "
        "* invalid value 'y' for annotation 'sidecar.istio.io/interceptionMode': "
        "interceptionMode invalid, use REDIRECT,TPROXY,NONE: y "
        "* invalid value 'x' for annotation 'traffic.sidecar.istio.io/excludeInboundPorts': "
        "excludeInboundPorts invalid: failed parsing port 'x': "
        'strconv.ParseUint: parsing "x": invalid syntax'
    )


OLDEST = (
    # annotation, value, what 1.0 says; "" passes
    (f"{SIDECAR}interceptionMode", "NONE", "interceptionMode invalid: NONE"),
    (f"{TRAFFIC}includeOutboundIPRanges", "x", "includeIPRanges invalid: failed parsing cidr 'x'"),
    (f"{SIDECAR}interceptionMode", "TPROXY", ""),
    (f"{TRAFFIC}includeInboundPorts", "-1,+80", ""),
    (f"{TRAFFIC}includeInboundPorts", "80, 90", "includeInboundPorts invalid"),
    (f"{TRAFFIC}includeInboundPorts", "40000", "value out of range"),
    (f"{TRAFFIC}excludeOutboundPorts", "x", ""),
    ("proxy.istio.io/config", "a: [", ""),
)


@pytest.mark.parametrize(("name", "value", "problem"), OLDEST)
def test_istio_1_0_checks_few_annotations(name: str, value: str, problem: str) -> None:
    oldest = releases.profile(0)
    if not problem:
        annotations.check(oldest, {name: value})
        return
    with pytest.raises(UserError) as caught:
        annotations.check(oldest, {name: value, f"{TRAFFIC}excludeInboundPorts": "x"})

    start = f"injection failed. Invalid value for annotation {name}: "
    assert str(caught.value).startswith(start)
    assert problem in str(caught.value) or "excludeInboundPorts" in name
