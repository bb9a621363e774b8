"""Merged metrics: the agent scrapes the application, and Prometheus scrapes the agent.

Source: pkg/kube/inject/webhook.go, applyPrometheusMerge, and tools/istio-agent's ports.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, string_at
from podgraft.core.injectors.errors import UserError
from podgraft.core.injectors.istio.config.mesh import status_port
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.core.injectors.istio.pod_builder import PodBuilder, append_env, find_env
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang import strings
from podgraft.golang.json import plain
from podgraft.golang.strconv.atoi import parse_bool, parse_int, parse_or_none

ENV = "ISTIO_PROMETHEUS_ANNOTATIONS"
MERGE = "prometheus.istio.io/merge-metrics"
SECURE_PORT = "prometheus.istio.io/secure-port"
SECURE_PORT_ENV = "ENVOY_SECURE_MERGED_METRICS_PORT"

_LEGACY = ("prometheus.io/scrape", "prometheus.io/path", "prometheus.io/port")
_TARGETS = "prometheus.istio.io/scrape-targets"
# Any characters but letters and digits separate the words of a name.
_SEPARATOR = re.compile("[^A-Za-z0-9]")
_NAMES = {_SEPARATOR.sub("_", name): name for name in (*_LEGACY, _TARGETS, SECURE_PORT)}

_PORTS = range(1, 1 << 16)
# pkg/config/constants and Envoy's bootstrap: the purpose of each reserved port.
RESERVED_PORTS: Mapping[int, str] = {
    15000: "Envoy admin",
    15001: "Envoy outbound",
    15004: "debug interface",
    15006: "Envoy inbound",
    15008: "HBONE",
    15020: "agent metrics",
    15021: "health checks",
    15053: "DNS capture",
    15090: "Envoy metrics",
}


# The values of the annotations about scraping by their spelling, by the standard name.
Settings: TypeAlias = Mapping[str, Mapping[str, str]]


class Scrape(Struct, frozen=True):
    """The scrape settings in the annotations of the application."""

    scrape: str
    path: str
    port: str
    targets: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> str:
        """The value of ISTIO_PROMETHEUS_ANNOTATIONS."""
        fields: Object = {"scrape": self.scrape, "path": self.path, "port": self.port}
        if self.targets:
            fields["targets"] = [{"port": port, "path": path} for port, path in self.targets]
        return plain.encode(fields)


NO_SCRAPE = Scrape("", "", "")


def merge_metrics(profile: Profile, builder: PodBuilder, mesh: Message) -> None:
    """Move the application's scrape annotations into the sidecar's environment."""
    port, annotations = str(status_port(mesh)), builder.annotations
    if not is_enabled(annotations, mesh):
        return
    settings = find_settings(profile, annotations)
    if settings:
        if _is_disabled(settings) or points_at_agent(settings, port):
            return
        _move_annotations(profile, builder, settings, port)
    annotations.update(agent_annotations(port))


def set_secure_port(profile: Profile, builder: PodBuilder) -> None:
    """Annotate the pod with the port on which the proxy serves merged metrics over mutual TLS."""
    sidecar = builder.sidecar(profile)
    if not profile.scrape_targets or sidecar is None:
        return
    entry = find_env(sidecar, SECURE_PORT_ENV)
    port = string_at(entry, "value") if entry else ""
    if port not in ("", "0") and not _find_spellings(profile, builder.annotations, SECURE_PORT):
        builder.annotations[SECURE_PORT] = port


def find_settings(profile: Profile, annotations: Mapping[str, JSON]) -> Settings:
    """Find the annotations about scraping, in any spelling; the standard one is first."""
    targets = (_TARGETS,) if profile.scrape_targets else ()
    return _find_spellings(profile, annotations, *_LEGACY, *targets)


def points_at_agent(settings: Settings, port: str) -> bool:
    """Whether the annotations already name the agent's port: an earlier injection set them."""
    return port in settings.get("prometheus.io/port", {}).values()


def is_enabled(annotations: Mapping[str, JSON], mesh: Message) -> bool:
    """Whether metrics are merged: by the pod's annotation, else by the mesh, else true."""
    value = (
        parse_or_none(parse_bool, string_at(annotations, MERGE)) if MERGE in annotations else None
    )
    return value if value is not None else mesh.get("enablePrometheusMerge") is not False


def parse_scrape(settings: Settings) -> Scrape:
    """Parse the scrape settings in the annotations."""
    scrape, path, port, text = (
        next(iter(settings.get(name, {}).values()), "") for name in (*_LEGACY, _TARGETS)
    )
    targets = _parse_targets(text)
    if targets:
        port, path = targets[0]
    return Scrape(scrape, path, port, targets)


def agent_annotations(port: str) -> dict[str, str]:
    """Return the annotations that make Prometheus scrape the agent."""
    return {
        "prometheus.io/port": port,
        "prometheus.io/path": "/stats/prometheus",
        "prometheus.io/scrape": "true",
    }


def _move_annotations(profile: Profile, builder: PodBuilder, settings: Settings, port: str) -> None:
    """Move the scrape settings from the annotations to the environment of the sidecar."""
    scrape = parse_scrape(settings)
    if profile.scrape_targets:
        _check_ports(scrape, port)
    sidecar = builder.sidecar(profile)
    if sidecar is not None and scrape != NO_SCRAPE:
        append_env(sidecar, ENV, scrape.to_json())
    for spellings in settings.values():
        for name in spellings:
            del builder.annotations[name]


def _is_disabled(settings: Settings) -> bool:
    values = settings.get("prometheus.io/scrape", {}).values()
    return any(parse_or_none(parse_bool, value) is False for value in values)


def _parse_targets(text: str) -> tuple[tuple[str, str], ...]:
    """Return the port and path of each target; empty if a target has no port.

    Source: pilot/cmd/pilot-agent/status/server.go, ParseScrapeTargets.
    """
    pieces = [piece.partition(":") for piece in text.split(",") if strings.trim_space(piece)]
    targets = [
        (strings.trim_space(port), strings.trim_space(path) or "/metrics")
        for port, _, path in pieces
    ]
    return tuple(targets) if all(port for port, _ in targets) else ()


def _check_ports(scrape: Scrape, agent_port: str) -> None:
    for port, _ in scrape.targets:
        _check_port("invalid prometheus scrape targets", "target port", port, agent_port)
    if scrape.port and not scrape.targets:
        _check_port("invalid prometheus scrape configuration", "port", scrape.port, agent_port)


def _check_port(prefix: str, field_name: str, port: str, agent_port: str) -> None:
    number = parse_or_none(parse_int, port) or 0
    if number not in _PORTS:
        raise UserError(f'{prefix}: invalid {field_name} "{port}"')
    if str(number) == agent_port:
        raise UserError(f"{prefix}: {field_name} {port} conflicts with agent port")
    if number in RESERVED_PORTS:
        reason = RESERVED_PORTS[number]
        raise UserError(
            f"{prefix}: {field_name} {port} is reserved for Istio ({reason}) and cannot be scraped"
        )


def _find_spellings(
    profile: Profile, annotations: Mapping[str, JSON], *standard_names: str
) -> Settings:
    """Find the annotations with these names.

    Since 1.13, ``prometheus.io/port`` and ``prometheus_io_port`` are the same annotation.
    """
    found: dict[str, dict[str, str]] = {}
    for name in sorted(annotations, key=lambda each: (each not in standard_names, each)):
        standard = _NAMES.get(_SEPARATOR.sub("_", name))
        is_known = standard == name or profile.loose_prometheus_names
        if is_known and standard in standard_names:
            found.setdefault(standard, {})[name] = string_at(annotations, name)
    return found
