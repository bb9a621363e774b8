"""The annotation values that a release rejects, with Istio's error text."""

from __future__ import annotations

import pytest

from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio import annotations, releases

TRAFFIC = "traffic.sidecar.istio.io/"
SIDECAR = "sidecar.istio.io/"

# release, annotation, value, text of the error; "" is valid
CASES = (
    # Interception mode
    ("1.30", f"{SIDECAR}interceptionMode", "TPROXY", ""),
    ("1.30", f"{SIDECAR}interceptionMode", "tproxy", "use REDIRECT,TPROXY,NONE: tproxy"),
    # Ports
    ("1.30", "status.sidecar.istio.io/port", " 15020 ", ""),
    ("1.30", "status.sidecar.istio.io/port", "x",
     "excludeInboundPorts invalid: failed parsing port 'x'"),
    ("1.30", f"{TRAFFIC}includeInboundPorts", "*", ""),
    ("1.30", f"{TRAFFIC}includeInboundPorts", "", ""),
    ("1.30", f"{TRAFFIC}includeInboundPorts", " 80 , 443 ", ""),
    ("1.30", f"{TRAFFIC}includeInboundPorts", "80,*",
     "includeInboundPorts invalid: failed parsing port '*'"),
    ("1.30", f"{TRAFFIC}excludeInboundPorts", "*", "excludeInboundPorts invalid"),
    ("1.30", f"{TRAFFIC}excludeInboundPorts", "80,", "failed parsing port ''"),
    ("1.30", f"{TRAFFIC}excludeOutboundPorts", "65536", "value out of range"),
    ("1.30", f"{TRAFFIC}excludeOutboundPorts", "-1", "invalid syntax"),
    ("1.30", f"{TRAFFIC}excludeOutboundPorts", "+1", "invalid syntax"),
    ("1.30", f"{TRAFFIC}excludeOutboundPorts", "１", "invalid syntax"),
    ("1.30", f"{TRAFFIC}includeOutboundPorts", "bad", ""),
    # Address ranges
    ("1.30", f"{TRAFFIC}includeOutboundIPRanges", "*", ""),
    ("1.30", f"{TRAFFIC}includeOutboundIPRanges", "10.1.2.3/8,2001:db8::/32", ""),
    ("1.30", f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/8, 10.0.0.0/8",
     "failed parsing cidr ' 10.0.0.0/8'"),
    ("1.30", f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0",
     "includeIPRanges invalid: failed parsing cidr '10.0.0.0': netip.ParsePrefix"),
    ("1.30", f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/33", "prefix length out of range"),
    ("1.30", f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/08", "netip"),
    ("1.15", f"{TRAFFIC}includeOutboundIPRanges", "10.0.0.0/08", ""),
    ("1.15", f"{TRAFFIC}includeOutboundIPRanges", "010.0.0.0/8",
     "invalid CIDR address: 010.0.0.0/8"),
    ("1.30", f"{TRAFFIC}excludeOutboundIPRanges", "*", "excludeIPRanges invalid"),
    ("1.30", f"{TRAFFIC}excludeOutboundIPRanges", "fe80::1%eth0/64",
     "IPv6 zones cannot be present in a prefix"),
    # Readiness
    ("1.30", "readiness.status.sidecar.istio.io/initialDelaySeconds", "4294967295", ""),
    ("1.30", "readiness.status.sidecar.istio.io/periodSeconds", "4294967296", "strconv.ParseUint"),
    ("1.30", "readiness.status.sidecar.istio.io/failureThreshold", "1.5", "strconv.ParseUint"),
    # Interface names, since 1.30
    ("1.30", f"{TRAFFIC}excludeInterfaces", "eth0, net-1.2", ""),
    ("1.30", f"{TRAFFIC}excludeInterfaces", "eth0,,", "empty interface name"),
    ("1.30", f"{TRAFFIC}kubevirtInterfaces", "a" * 16, "too long (max 15 chars)"),
    ("1.30", "istio.io/reroute-virtual-interfaces", "eth0;rm", "contains invalid characters"),
    ("1.29", "istio.io/reroute-virtual-interfaces", "eth0;rm", ""),
    # Go bools
    ("1.30", "prometheus.istio.io/merge-metrics", "T", ""),
    ("1.30", "prometheus.istio.io/merge-metrics", "yes", "strconv.ParseBool"),
    ("1.24", f"{SIDECAR}enableCoreDump", "maybe", "strconv.ParseBool"),
    ("1.25", f"{SIDECAR}enableCoreDump", "maybe", ""),
    # Quantities, since 1.29
    ("1.29", f"{SIDECAR}proxyCPU", "100m", ""),
    ("1.29", f"{SIDECAR}proxyCPU", "", "quantities must match"),
    ("1.29", f"{SIDECAR}proxyMemory", "1GiB", "quantities must match"),
    ("1.29", f"{SIDECAR}proxyCPULimit", "1\n", "value contains control characters"),
    ("1.28.3", f"{SIDECAR}proxyMemoryLimit", "1GiB", ""),
    ("1.28.4", f"{SIDECAR}proxyMemoryLimit", "1GiB", "quantities must match"),
    ("1.27.5", f"{SIDECAR}proxyCPU", "x", ""),
    ("1.27.6", f"{SIDECAR}proxyCPU", "x", "quantities must match"),
    # The proxy's configuration
    ("1.30", "proxy.istio.io/config", "", ""),
    ("1.30", "proxy.istio.io/config", "{unknownField: 5}", ""),
    ("1.30", "proxy.istio.io/config", "concurrency: 0", ""),
    ("1.30", "proxy.istio.io/config", "a: [", "failed to convert to apply proxy config"),
    ("1.30", "proxy.istio.io/config", "proxyMetadata: {A: 1}", "into Go value of type string"),
    ("1.30", "proxy.istio.io/config", "discoveryAddress: x", "invalid discovery address"),
    ("1.30", "proxy.istio.io/config", "connectionSettings: {listenerConnectionLimit: 0}", ""),
    ("1.31", "proxy.istio.io/config", "connectionSettings: {listenerConnectionLimit: 0}",
     "positive"),
    # Ports before 1.9 are not shown
    ("1.8", f"{TRAFFIC}excludeInboundPorts", "x", "failed parsing port '0'"),
    # Everything else is free
    ("1.30", "example.com/anything", "\n{{", ""),
)  # fmt: skip


@pytest.mark.parametrize(("release", "name", "value", "problem"), CASES)
def test_a_value_is_validated(release: str, name: str, value: str, problem: str) -> None:
    profile = releases.parse_release(release)
    if not problem:
        annotations.check_annotations(profile, {name: value})
        return
    with pytest.raises(UserError) as caught:
        annotations.check_annotations(profile, {name: value})

    assert problem in str(caught.value)
    assert f"invalid value '{value}' for annotation '{name}': " in str(caught.value)


def test_all_violations_are_reported_at_once() -> None:
    given = {f"{TRAFFIC}excludeInboundPorts": "x", f"{SIDECAR}interceptionMode": "y"}

    with pytest.raises(UserError) as caught:
        annotations.check_annotations(releases.newest(), given)

    assert str(caught.value) == (
        "failed to run injection template: 2 errors occurred: "
        "* invalid value 'y' for annotation 'sidecar.istio.io/interceptionMode': "
        "interceptionMode invalid, use REDIRECT,TPROXY,NONE: y "
        "* invalid value 'x' for annotation 'traffic.sidecar.istio.io/excludeInboundPorts': "
        "excludeInboundPorts invalid: failed parsing port 'x': "
        'strconv.ParseUint: parsing "x": invalid syntax'
    )


OLDEST = (
    # annotation, value, text of 1.0's error; "" is valid
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
    oldest = releases.parse_release("1.0.2")
    if not problem:
        annotations.check_annotations(oldest, {name: value})
        return
    with pytest.raises(UserError) as caught:
        annotations.check_annotations(oldest, {name: value, f"{TRAFFIC}excludeInboundPorts": "x"})

    start = f"injection failed. Invalid value for annotation {name}: "
    assert str(caught.value).startswith(start)
    assert problem in str(caught.value) or "excludeInboundPorts" in name


SINCE_1_0_3 = (
    (f"{TRAFFIC}includeInboundPorts", "80, 40000", ""),
    (f"{TRAFFIC}includeInboundPorts", "-1", "invalid syntax"),
    ("status.sidecar.istio.io/port", "x", "excludeInboundPorts invalid"),
    ("readiness.status.sidecar.istio.io/periodSeconds", "-1", "invalid syntax"),
    ("readiness.status.sidecar.istio.io/applicationPorts", "*", ""),
    ("readiness.status.sidecar.istio.io/applicationPorts", "x", "readinessApplicationPorts"),
    ("prometheus.istio.io/merge-metrics", "x", ""),
)


@pytest.mark.parametrize(("name", "value", "problem"), SINCE_1_0_3)
def test_istio_1_0_3_checks_more_and_reports_all(name: str, value: str, problem: str) -> None:
    given = {name: value, f"{SIDECAR}interceptionMode": "NONE"}
    with pytest.raises(UserError) as caught:
        annotations.check_annotations(releases.parse_release("1.0.3"), given)

    count = "2 errors" if problem else "1 error"
    assert str(caught.value).startswith(f"failed to run injection template: {count} occurred: ")
    assert problem in str(caught.value)
