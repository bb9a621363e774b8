"""Probe rewriting: the kubelet asks the agent, and the agent asks the application.

Source: pkg/kube/inject/app_probe.go. An application that only takes mutual TLS would fail the
kubelet's plain probes, so they are sent to the agent's status port under a path for each probe,
and the sidecar's environment says where each path leads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from podgraft import kube
from podgraft.injectors.istio import gojson
from podgraft.injectors.istio.annotations import NumberError, parse_bool
from podgraft.injectors.istio.pod_builder import PROXY, PodBuilder, append_env, find_env, merge_keys
from podgraft.injectors.istio.releases import Profile
from podgraft.jsonvalue import JSON, NotJSONError, Object, load, object_at, objects_at, string_at
from podgraft.lazy_dataclass import dataclass

ENV = "ISTIO_KUBE_APP_PROBERS"
REWRITE = "sidecar.istio.io/rewriteAppHTTPProbers"
STATUS_PORT = "status.sidecar.istio.io/port"
STATUS = "sidecar.istio.io/status"

_PROBES = (
    ("readinessProbe", "/app-health/{}/readyz"),
    ("livenessProbe", "/app-health/{}/livez"),
    ("startupProbe", "/app-health/{}/startupz"),
)
_HANDLERS = (
    ("preStop", "/app-lifecycle/{}/prestopz"),
    ("postStart", "/app-lifecycle/{}/poststartz"),
)
_TYPES = {
    "httpGet": kube.TYPES["HTTPGetAction"],
    "tcpSocket": kube.TYPES["TCPSocketAction"],
    "grpc": kube.TYPES["GRPCAction"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRewriter:
    """What probes are rewritten by: the mesh's status port is told from the one to send them to."""

    profile: Profile
    mesh_port: int
    tcp: bool

    def kinds(self, *, handlers: bool) -> tuple[str, ...]:
        """The probe kinds that are rewritten, in order of preference."""
        tcp = ("tcpSocket",) if self.tcp else ()
        grpc = ("grpc",) if self.profile.grpc_probes and not handlers else ()
        return ("httpGet", *tcp, *grpc)


def should_rewrite(annotations: Mapping[str, JSON], default: bool) -> bool:
    """Whether probes are rewritten: the annotation where it is a Go bool, else ``default``."""
    if REWRITE not in annotations:  # nearly always, and an error takes its time
        return default
    try:
        return parse_bool(string_at(annotations, REWRITE))
    except NumberError:
        return default


def rewrite_probes(draft: PodBuilder, sidecar: Object, rewriting: ProbeRewriter) -> None:
    """Collect the probes into the sidecar's environment, then point them at the agent."""
    probers = collect_probers(draft, rewriting)
    if probers:
        _set_env(rewriting.profile, draft, sidecar, probers)
    port = agent_port(draft.annotations, rewriting.mesh_port)
    for container in _containers(draft, rewriting.profile):
        container.update(redirect_probes(container, rewriting, port))
        if rewriting.profile.lifecycle_probes and "lifecycle" in container:
            container["lifecycle"] = _redirect_lifecycle(container, rewriting, port)


def collect_probers(draft: PodBuilder, rewriting: ProbeRewriter) -> Object:
    """How the agent is to ask the application, by the path under which it is asked itself."""
    found = _collect_entries(draft, rewriting)
    probers: Object = {path: prober for path, prober in found if prober is not None}
    return {path: probers[path] for path in sorted(probers)}


def redirect_probes(container: Object, rewriting: ProbeRewriter, port: int) -> Object:
    """The container's probes, those that can be sent to the agent; the others are not in it."""
    name, kinds = string_at(container, "name"), rewriting.kinds(handlers=False)
    return {
        key: _redirect_probe(object_at(container, key), kinds, path.format(name), port)
        for key, path in _PROBES
        if key in container and _probe_kind(object_at(container, key), kinds)
    }


def agent_port(annotations: Mapping[str, JSON], mesh_port: int) -> int:
    """The agent's port; an annotation that is no number counts as 0, as in Istio."""
    if STATUS_PORT not in annotations:
        return mesh_port
    text = string_at(annotations, STATUS_PORT)
    return int(text) if re.fullmatch("[-+]?[0-9]{1,9}", text) else 0


def _collect_entries(
    draft: PodBuilder, rewriting: ProbeRewriter
) -> Iterator[tuple[str, Object | None]]:
    for container in _containers(draft, rewriting.profile):
        places = [(container, key, path, False) for key, path in _PROBES]
        if rewriting.profile.lifecycle_probes and "lifecycle" in container:
            lifecycle = object_at(container, "lifecycle")
            places += [(lifecycle, key, path, True) for key, path in _HANDLERS]
        for holder, key, path, handlers in places:
            if key in holder:
                kinds = rewriting.kinds(handlers=handlers)
                found = _make_prober(container, object_at(holder, key), rewriting, kinds)
                yield path.format(string_at(container, "name")), found


def _containers(draft: PodBuilder, profile: Profile) -> Iterator[Object]:
    """The application's containers; init containers take part since sidecars may be among them."""
    listed = draft.all_containers() if profile.native_sidecars else iter(draft.containers)
    return (container for container in listed if container.get("name") != PROXY)


def _make_prober(
    container: Object, probe: Object, rewriting: ProbeRewriter, kinds: tuple[str, ...]
) -> Object | None:
    """How the agent is to ask; ``None`` for what it cannot or already does."""
    kind = _probe_kind(probe, kinds)
    if kind is None:
        return None
    action = object_at(probe, kind)
    if kind != "grpc":
        port = _resolve_port(container, action.get("port"), rewriting.mesh_port)
        if port is None:
            return None
        action = action | {"port": port}
    prober: Object = {kind: kube.encode(_TYPES[kind], action)}
    if probe.get("timeoutSeconds"):
        prober["timeoutSeconds"] = probe["timeoutSeconds"]
    return prober


def _resolve_port(container: Object, port: JSON, mesh_port: int) -> int | None:
    """The number of a port; ``None`` for the agent's own and for names the container lacks."""
    if isinstance(port, str):
        listed = objects_at(container, "ports")
        found = [each.get("containerPort") for each in listed if each.get("name") == port]
        return found[-1] if found and isinstance(found[-1], int) else None
    return port if isinstance(port, int) and port != mesh_port else None


def _set_env(profile: Profile, draft: PodBuilder, sidecar: Object, probers: Object) -> None:
    injected_before = profile.probers_united and STATUS in draft.annotations
    existing = find_env(sidecar, ENV) if injected_before else None
    if existing is not None:
        _merge_probers(sidecar, existing, probers)
    elif not injected_before or profile.missing_probers_added:
        append_env(sidecar, ENV, gojson.encode(probers))


def _merge_probers(sidecar: Object, existing: Object, probers: Object) -> None:
    """Add to the entry of an earlier injection, which knows the probes as they were."""
    try:
        old = load(string_at(existing, "value"))
    except NotJSONError:
        return
    if isinstance(old, dict):
        both = probers | old
        text = gojson.encode({path: both[path] for path in sorted(both)})
        united = merge_keys(existing, {"value": text})
        env = objects_at(sidecar, "env")
        sidecar["env"] = [united if each is existing else each for each in env]


def _redirect_lifecycle(container: Object, rewriting: ProbeRewriter, port: int) -> Object:
    lifecycle, kinds = object_at(container, "lifecycle"), rewriting.kinds(handlers=True)
    name = string_at(container, "name")
    sent: Object = {
        key: _redirect_probe(object_at(lifecycle, key), kinds, path.format(name), port)
        for key, path in _HANDLERS
        if key in lifecycle
    }
    return merge_keys(lifecycle, sent)


def _redirect_probe(probe: Object, kinds: tuple[str, ...], path: str, port: int) -> Object:
    kind = _probe_kind(probe, kinds)
    if kind is None:
        return probe
    action: Object = {"path": path, "port": port}
    if kind == "httpGet":
        action = object_at(probe, kind) | action
        if action.get("scheme") == "HTTPS":
            action["scheme"] = "HTTP"
    others: Object = {key: value for key, value in probe.items() if key != kind}
    return merge_keys(others, {"httpGet": action})


def _probe_kind(probe: Object, kinds: tuple[str, ...]) -> str | None:
    """Which of the kinds the probe is."""
    return next((kind for kind in kinds if isinstance(probe.get(kind), dict)), None)
