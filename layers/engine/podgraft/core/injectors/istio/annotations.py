"""Validation of the annotations that configure the sidecar of a pod.

Source: pkg/kube/inject/validate.go. The errors have Istio's text. A violation is an error of the
pod author; all violations are reported at once.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct

from podgraft.core.injectors.errors import UserError
from podgraft.golang import strings
from podgraft.golang.net import CIDRError, parse_cidr
from podgraft.golang.netip import PrefixError, parse_prefix
from podgraft.golang.strconv.atoi import NumError, parse_bool, parse_int, parse_uint
from podgraft.kube import QuantityError, quantity

from .config import mesh, proxyconfig, validate_proxyconfig
from .config.protojson import MessageError, schema
from .releases import Profile

Check: TypeAlias = Callable[[Profile, str], None]

_INTERFACE = re.compile(r"[a-zA-Z][a-zA-Z0-9_.-]*")
_INTERFACE_LENGTH = 15  # Linux: IFNAMSIZ without the terminating zero
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def check_annotations(profile: Profile, annotations: Mapping[str, str]) -> None:
    """Raise ``UserError`` with all violations; Istio 1.0.0 to 1.0.2 reports only the first."""
    problems = [*_find_problems(profile, annotations)]
    if not problems:
        return
    if profile.first_violation_only:
        raise UserError(problems[0])
    count = f"{len(problems)} error{'s' if len(problems) > 1 else ''} occurred:"
    text = " ".join(f"* {problem}" for problem in problems)
    raise UserError(f"failed to run injection template: {count} {text}")


def check_proxy_config(profile: Profile, annotations: Mapping[str, str]) -> None:
    """Raise ``UserError`` if the pod's configuration of the proxy does not parse.

    Source: pkg/kube/inject/inject.go, IntoObject.
    """
    try:
        proxyconfig.parse_layer(schema(profile), annotations.get(proxyconfig.ANNOTATION, ""))
    except MessageError as error:
        raise UserError(f"could not parse proxy config: {error}") from error


def _find_problems(profile: Profile, annotations: Mapping[str, str]) -> Iterator[str]:
    for rule in RULES:
        value = annotations.get(rule.annotation)
        if value is not None and (rule.applies is None or rule.applies(profile)):
            try:
                rule.check(profile, value)
            except ValueError as error:
                yield _describe(profile, rule.annotation, value, error)


def _describe(profile: Profile, name: str, value: str, error: ValueError) -> str:
    if profile.early_violations:
        return f"injection failed. Invalid value for annotation {name}: {value}. Error: {error}"
    return f"invalid value '{value}' for annotation '{name}': {error}"


def _check_interception_mode(profile: Profile, value: str) -> None:
    modes = ("REDIRECT", "TPROXY", "NONE") if profile.none_intercepts else ("REDIRECT", "TPROXY")
    if value not in modes:
        hint = f", use {','.join(modes)}" if profile.none_intercepts else ""
        raise ValueError(f"interceptionMode invalid{hint}: {value}")


def _check_uint32(_: Profile, value: str) -> None:
    parse_uint(value, bits=32)


def _check_bool(_: Profile, value: str) -> None:
    parse_bool(value)


def _make_check(name: str, check: Check, *, allows_all: bool = False) -> Check:
    """A check whose errors begin with a name of the value; ``*`` can stand for all values."""

    def check_named(profile: Profile, value: str) -> None:
        if allows_all and value == "*":
            return
        try:
            check(profile, value)
        except ValueError as error:
            raise ValueError(f"{name} invalid: {error}") from error

    return check_named


def _check_cidrs(profile: Profile, value: str) -> None:
    for cidr in value.split(",") if value else ():
        try:
            parse_prefix(cidr) if profile.netip_cidrs else parse_cidr(cidr)
        except (PrefixError, CIDRError) as error:
            raise ValueError(f"failed parsing cidr '{cidr}': {error}") from error


def _check_ports(profile: Profile, value: str) -> None:
    ports = strings.trim_space(value)
    for port in ports.split(",") if ports else ():
        _check_port(profile, port)


def _check_port(profile: Profile, text: str) -> None:
    try:
        if profile.signed_ports:
            parse_int(text, bits=16)
        else:
            parse_uint(strings.trim_space(text), bits=16)
    except NumError as error:
        port_text = text if profile.prints_port_text else "0"
        raise ValueError(f"failed parsing port '{port_text}': {error}") from error


def _check_interfaces(_: Profile, value: str) -> None:
    for name in map(strings.trim_space, value.split(",") if value else ()):
        if not name:
            raise ValueError("empty interface name")
        if len(name) > _INTERFACE_LENGTH:
            raise ValueError(f"interface name {name} too long (max {_INTERFACE_LENGTH} chars)")
        if not _INTERFACE.fullmatch(name):
            raise ValueError(f"interface name {name} contains invalid characters")


def _check_proxy_config(profile: Profile, value: str) -> None:
    message_schema = schema(profile)
    try:
        layer = proxyconfig.parse_layer(message_schema, value)
    except MessageError as error:
        raise ValueError(f"failed to convert to apply proxy config: {error}") from error
    merged = proxyconfig.merge_layer(message_schema, mesh.proxy_defaults(profile), layer)
    problems = validate_proxyconfig.validate_proxy_config(profile, merged)
    if problems:
        raise ValueError("; ".join(problems))


def _check_quantity(_: Profile, value: str) -> None:
    if _CONTROL.search(value):
        raise ValueError("value contains control characters")
    try:
        quantity.parse(value)
    except QuantityError as error:
        raise ValueError(str(error)) from error


class Rule(Struct, frozen=True):
    """The check of an annotation, in the releases for which ``applies`` is true."""

    annotation: str
    check: Check
    applies: Callable[[Profile], bool] | None = None


# The behaviors of a profile with which several annotations are checked.
_QUANTITIES = attrgetter("quantities_checked")
_INTERFACES = attrgetter("interfaces_checked")
_READINESS = attrgetter("readiness_checked")

RULES = (
    Rule("sidecar.istio.io/interceptionMode", _check_interception_mode),
    Rule("sidecar.istio.io/enableCoreDump", _check_bool, lambda p: p.enable_core_dump_checked),
    Rule(
        "status.sidecar.istio.io/port",
        _make_check("excludeInboundPorts", _check_port),
        _READINESS,
    ),
    Rule("readiness.status.sidecar.istio.io/initialDelaySeconds", _check_uint32, _READINESS),
    Rule("readiness.status.sidecar.istio.io/periodSeconds", _check_uint32, _READINESS),
    Rule("readiness.status.sidecar.istio.io/failureThreshold", _check_uint32, _READINESS),
    Rule(
        "readiness.status.sidecar.istio.io/applicationPorts",
        _make_check("readinessApplicationPorts", _check_ports, allows_all=True),
        lambda p: p.readiness_ports_checked,
    ),
    Rule(
        "traffic.sidecar.istio.io/includeOutboundIPRanges",
        _make_check("includeIPRanges", _check_cidrs, allows_all=True),
    ),
    Rule(
        "traffic.sidecar.istio.io/excludeOutboundIPRanges",
        _make_check("excludeIPRanges", _check_cidrs),
    ),
    Rule(
        "traffic.sidecar.istio.io/includeInboundPorts",
        _make_check("includeInboundPorts", _check_ports, allows_all=True),
    ),
    Rule(
        "traffic.sidecar.istio.io/excludeInboundPorts",
        _make_check("excludeInboundPorts", _check_ports),
    ),
    Rule(
        "traffic.sidecar.istio.io/excludeOutboundPorts",
        _make_check("excludeOutboundPorts", _check_ports),
        lambda p: p.outbound_ports_checked,
    ),
    Rule("traffic.sidecar.istio.io/excludeInterfaces", _check_interfaces, _INTERFACES),
    Rule("traffic.sidecar.istio.io/kubevirtInterfaces", _check_interfaces, _INTERFACES),
    Rule("istio.io/reroute-virtual-interfaces", _check_interfaces, _INTERFACES),
    Rule("prometheus.istio.io/merge-metrics", _check_bool, lambda p: p.metrics_merged),
    Rule(proxyconfig.ANNOTATION, _check_proxy_config, lambda p: p.proxy_annotation_renamed),
    Rule(
        proxyconfig.FIRST_ANNOTATION,
        _check_proxy_config,
        lambda p: p.proxy_annotation and not p.proxy_annotation_renamed,
    ),
    Rule("sidecar.istio.io/proxyCPU", _check_quantity, _QUANTITIES),
    Rule("sidecar.istio.io/proxyCPULimit", _check_quantity, _QUANTITIES),
    Rule("sidecar.istio.io/proxyMemory", _check_quantity, _QUANTITIES),
    Rule("sidecar.istio.io/proxyMemoryLimit", _check_quantity, _QUANTITIES),
)
