"""Probe rewriting: the kubelet probes the agent, and the agent probes the application.

Source: pkg/kube/inject/app_probe.go. An application that only accepts mutual TLS would fail the
kubelet's plain probes. For this reason, each probe is redirected to a path on the status port of
the agent. The environment of the sidecar maps each path to the original probe.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, load_object, object_at, objects_at, string_at
from podgraft.core.injectors.istio.pod_builder import PROXY, PodBuilder, append_env, find_env
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.json import plain
from podgraft.golang.strconv.atoi import parse_bool, parse_or_none

ENV = "ISTIO_KUBE_APP_PROBERS"
REWRITE = "sidecar.istio.io/rewriteAppHTTPProbers"
STATUS_PORT = "status.sidecar.istio.io/port"
STATUS = "sidecar.istio.io/status"

_PROBES = {
    "readinessProbe": "/app-health/{}/readyz",
    "livenessProbe": "/app-health/{}/livez",
    "startupProbe": "/app-health/{}/startupz",
}
_HANDLERS = {
    "preStop": "/app-lifecycle/{}/prestopz",
    "postStart": "/app-lifecycle/{}/poststartz",
}
_TYPES = {
    "httpGet": kube.TYPES["HTTPGetAction"],
    "tcpSocket": kube.TYPES["TCPSocketAction"],
    "grpc": kube.TYPES["GRPCAction"],
}


class Probe(NamedTuple):
    """A probe under ``key`` of a container or of its lifecycle, and the agent's path for it.

    ``value`` is the probe itself, and ``action`` what it does, under its key ``kind``.
    """

    container: Object
    is_lifecycle: bool
    key: str
    value: Object
    kind: str
    action: Object
    path: str


class ProbeRewriter(Struct, frozen=True, kw_only=True):
    """The settings for probe rewriting; ``mesh_port`` is the status port of the mesh."""

    profile: Profile
    mesh_port: int
    tcp: bool

    def find_probes(self, container: Object) -> Iterator[Probe]:
        """Find the probes of the container that the release rewrites."""
        kinds = ("httpGet", *(("tcpSocket",) if self.tcp else ()))
        own_kinds = (*kinds, "grpc") if self.profile.grpc_probes else kinds
        yield from _find_probes(container, container, _PROBES, own_kinds)
        lifecycle = container.get("lifecycle")
        if self.profile.lifecycle_probes and isinstance(lifecycle, dict):
            yield from _find_probes(container, lifecycle, _HANDLERS, kinds)

    def find_all(self, builder: PodBuilder) -> list[Probe]:
        """Find the probes of the application; with native sidecars, also of init containers."""
        others = builder.init_containers if self.profile.native_sidecars else []
        return [
            probe
            for container in (*others, *builder.containers)
            if container.get("name") != PROXY
            for probe in self.find_probes(container)
        ]


def should_rewrite(annotations: Mapping[str, JSON], default: bool) -> bool:
    """Whether to rewrite probes: the annotation if it is a Go boolean, else ``default``."""
    if REWRITE not in annotations:  # the common case; an exception is slow
        return default
    value = parse_or_none(parse_bool, string_at(annotations, REWRITE))
    return default if value is None else value


def rewrite_probes(builder: PodBuilder, sidecar: Object, rewriter: ProbeRewriter) -> None:
    """Record the probes in the environment of the sidecar, then redirect them to the agent."""
    found = rewriter.find_all(builder)
    probers = collect_probers(found, rewriter.mesh_port)
    if probers:
        _set_env(rewriter.profile, builder, sidecar, probers)
    port = agent_port(builder.annotations, rewriter.mesh_port)
    for probe in found:
        redirected = redirect_probe(probe, port)
        if probe.is_lifecycle:
            lifecycle = object_at(probe.container, "lifecycle")
            probe.container["lifecycle"] = {**lifecycle, probe.key: redirected}
        else:
            probe.container[probe.key] = redirected


def collect_probers(found: Iterable[Probe], mesh_port: int) -> Object:
    """Return the original probes for the agent, by the path that replaces them."""
    probers = {
        probe.path: prober
        for probe in found
        if (prober := _make_prober(probe, mesh_port)) is not None
    }
    return dict(sorted(probers.items()))


def redirect_probe(probe: Probe, port: int) -> Object:
    """Return the probe that asks the agent, at its port, for the result of the original one."""
    action: Object = {"path": probe.path, "port": port}
    if probe.kind == "httpGet":
        action = probe.action | action
        if action.get("scheme") == "HTTPS":
            action["scheme"] = "HTTP"
    redirected = dict(probe.value)
    del redirected[probe.kind]
    redirected["httpGet"] = action
    return redirected


def agent_port(annotations: Mapping[str, JSON], mesh_port: int) -> int:
    """The status port of the agent; as in Istio, an invalid annotation means 0."""
    if STATUS_PORT not in annotations:
        return mesh_port
    text = string_at(annotations, STATUS_PORT)
    return int(text) if re.fullmatch("[-+]?[0-9]{1,9}", text) else 0


def _find_probes(
    container: Object, parent: Object, paths: Mapping[str, str], kinds: tuple[str, ...]
) -> Iterator[Probe]:
    """Find the probes of these kinds, in the order of preference, under the keys of *paths*."""
    for key in filter(parent.__contains__, paths):
        value = object_at(parent, key)
        for kind in kinds:
            action = value.get(kind)
            if isinstance(action, dict):
                path = paths[key].format(string_at(container, "name"))
                yield Probe(container, parent is not container, key, value, kind, action, path)
                break


def _make_prober(probe: Probe, mesh_port: int) -> Object | None:
    """Return the probe for the agent, or None if it is unsupported or already redirected."""
    action = probe.action
    port: JSON = action.get("port")
    if probe.kind != "grpc":
        port = _resolve_port(probe.container, port, mesh_port)
        if port is None:
            return None
    if "port" in action:
        action = action | {"port": port}
    value: Object = {probe.kind: kube.encode(_TYPES[probe.kind], action)}
    timeout: JSON = probe.value.get("timeoutSeconds") or 0
    if timeout:
        value["timeoutSeconds"] = timeout
    return value


def _resolve_port(container: Object, port: JSON, mesh_port: int) -> int | None:
    """Return the number of a port; None for the agent's port and for an unknown name."""
    if isinstance(port, str):
        numbers = [
            container_port.get("containerPort")
            for container_port in objects_at(container, "ports")
            if port and container_port.get("name") == port
        ]
        return numbers[-1] if numbers and isinstance(numbers[-1], int) else None
    return port if isinstance(port, int) and port != mesh_port else None


def _set_env(profile: Profile, builder: PodBuilder, sidecar: Object, probers: Object) -> None:
    is_reinjection = profile.merges_probers and STATUS in builder.annotations
    existing = find_env(sidecar, ENV) if is_reinjection else None
    if existing is not None:
        _merge_probers(sidecar, existing, probers)
    elif not is_reinjection or profile.missing_probers_added:
        append_env(sidecar, ENV, plain.encode(probers))


def _merge_probers(sidecar: Object, existing: Object, probers: Object) -> None:
    """Add to the variable of an earlier injection, which has the original probes."""
    old = load_object(string_at(existing, "value"))
    if old is not None:
        text = plain.encode(dict(sorted((probers | old).items())))
        variable = existing | {"value": text}
        env = objects_at(sidecar, "env")
        sidecar["env"] = [variable if entry is existing else entry for entry in env]
