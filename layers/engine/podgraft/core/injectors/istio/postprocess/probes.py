"""Probe rewriting: the kubelet probes the agent, and the agent probes the application.

Source: pkg/kube/inject/app_probe.go. An application that only accepts mutual TLS would fail the
kubelet's plain probes. For this reason, each probe is redirected to a path on the status port of
the agent. The environment of the sidecar maps each path to the original probe.
"""

import re
from collections.abc import Iterator, Mapping

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


class ProbeRewriter(Struct, frozen=True, kw_only=True):
    """The settings for probe rewriting; ``mesh_port`` is the status port of the mesh."""

    profile: Profile
    mesh_port: int
    tcp: bool

    def find_parents(
        self, container: Object
    ) -> Iterator[tuple[Object, Mapping[str, str], tuple[str, ...]]]:
        """What contains probes: the container, and its lifecycle.

        Each has the agent's paths by key, and the kinds of probes to rewrite, in order of
        preference.
        """
        kinds = ("httpGet", *(("tcpSocket",) if self.tcp else ()))
        yield container, _PROBES, (*kinds, "grpc") if self.profile.grpc_probes else kinds
        lifecycle = container.get("lifecycle")
        if self.profile.lifecycle_probes and isinstance(lifecycle, dict):
            yield lifecycle, _HANDLERS, kinds


def should_rewrite(annotations: Mapping[str, JSON], default: bool) -> bool:
    """Whether to rewrite probes: the annotation if it is a Go boolean, else ``default``."""
    if REWRITE not in annotations:  # the common case; an exception is slow
        return default
    value = parse_or_none(parse_bool, string_at(annotations, REWRITE))
    return default if value is None else value


def rewrite_probes(builder: PodBuilder, sidecar: Object, rewriter: ProbeRewriter) -> None:
    """Record the probes in the environment of the sidecar, then redirect them to the agent."""
    probers = collect_probers(builder, rewriter)
    if probers:
        _set_env(rewriter.profile, builder, sidecar, probers)
    port = agent_port(builder.annotations, rewriter.mesh_port)
    for container in _containers(builder, rewriter.profile):
        container.update(redirect_probes(container, rewriter, port))


def collect_probers(builder: PodBuilder, rewriter: ProbeRewriter) -> Object:
    """Return the original probes for the agent, by the path that replaces them."""
    entries = _collect_entries(builder, rewriter)
    probers = {path: prober for path, prober in entries if prober is not None}
    return dict(sorted(probers.items()))


def redirect_probes(container: Object, rewriter: ProbeRewriter, port: int) -> Object:
    """Return the fields of the container with redirected probes, without all other fields."""
    name = string_at(container, "name")
    redirected: Object = {}
    for parent, paths, kinds in rewriter.find_parents(container):
        changes: Object = {}
        for key in filter(parent.__contains__, paths):
            probe = object_at(parent, key)
            kind = _probe_kind(probe, kinds)
            if kind is not None:
                changes[key] = _redirect_probe(probe, kind, paths[key].format(name), port)
        redirected |= changes if parent is container else {"lifecycle": parent | changes}
    return redirected


def agent_port(annotations: Mapping[str, JSON], mesh_port: int) -> int:
    """The status port of the agent; as in Istio, an invalid annotation means 0."""
    if STATUS_PORT not in annotations:
        return mesh_port
    text = string_at(annotations, STATUS_PORT)
    return int(text) if re.fullmatch("[-+]?[0-9]{1,9}", text) else 0


def _collect_entries(
    builder: PodBuilder, rewriter: ProbeRewriter
) -> Iterator[tuple[str, Object | None]]:
    for container in _containers(builder, rewriter.profile):
        name = string_at(container, "name")
        for parent, paths, kinds in rewriter.find_parents(container):
            for key in filter(parent.__contains__, paths):
                prober = _make_prober(container, object_at(parent, key), rewriter, kinds)
                yield paths[key].format(name), prober


def _containers(builder: PodBuilder, profile: Profile) -> Iterator[Object]:
    """The application's containers; with native sidecars, also the init containers."""
    others = builder.init_containers if profile.native_sidecars else []
    return (each for each in (*others, *builder.containers) if each.get("name") != PROXY)


def _make_prober(
    container: Object, probe: Object, rewriter: ProbeRewriter, kinds: tuple[str, ...]
) -> Object | None:
    """Return the probe for the agent, or None if it is unsupported or already redirected."""
    kind = _probe_kind(probe, kinds)
    if kind is None:
        return None
    action = object_at(probe, kind)
    port: JSON = action.get("port")
    if kind != "grpc":
        port = _resolve_port(container, port, rewriter.mesh_port)
        if port is None:
            return None
    timeout: JSON = probe.get("timeoutSeconds") or 0
    if "port" in action:
        action = action | {"port": port}
    value: Object = {kind: kube.encode(_TYPES[kind], action)}
    if timeout:
        value["timeoutSeconds"] = timeout
    return value


def _resolve_port(container: Object, port: JSON, mesh_port: int) -> int | None:
    """Return the number of a port; None for the agent's port and for an unknown name."""
    if isinstance(port, str):
        numbers = [
            container_port.get("containerPort")
            for container_port in objects_at(container, "ports")
            if container_port.get("name") == port
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


def _redirect_probe(probe: Object, kind: str, path: str, port: int) -> Object:
    action: Object = {"path": path, "port": port}
    if kind == "httpGet":
        action = object_at(probe, kind) | action
        if action.get("scheme") == "HTTPS":
            action["scheme"] = "HTTP"
    redirected = dict(probe)
    del redirected[kind]
    redirected["httpGet"] = action
    return redirected


def _probe_kind(probe: Object, kinds: tuple[str, ...]) -> str | None:
    """Return the first of the kinds that the probe has, or None."""
    for kind in kinds:
        if isinstance(probe.get(kind), dict):
            return kind
    return None
