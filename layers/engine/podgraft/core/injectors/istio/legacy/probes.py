"""Probe rewriting of Istio up to 1.8: the configuration of the agent, and the new probes.

Source: pkg/kube/inject/app_probe.go of 1.1 to 1.8.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at
from podgraft.core.injectors.istio.context import InjectionContext
from podgraft.core.injectors.istio.pod_builder import PROXY, PodBuilder, container_args
from podgraft.core.injectors.istio.postprocess import probes
from podgraft.core.injectors.istio.postprocess.probes import ProbeRewriter
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang.json import plain
from podgraft.kube.patch import merge_patch

_FLAG = r"--?statusPort(?:=([0-9]+))?"
_STARTUP = "startupProbe"
_STARTUP_PATH = "/startupz"
_NO_PORT = -1  # with it, the probe of the agent itself is rewritten as all others


def should_rewrite(profile: Profile, annotations: Mapping[str, str], *, default: bool) -> bool:
    """Whether probes are rewritten. Istio 1.1 has no annotation for this setting."""
    return probes.should_rewrite(annotations, default) if profile.probe_annotation else default


def probers_text(planned: InjectionContext) -> str:
    """Return the value of ISTIO_KUBE_APP_PROBERS; empty if the release omits it."""
    profile = planned.profile
    rewriter = _rewriter(planned)
    found = rewriter.find_all(PodBuilder.from_pod(planned.base))
    probers = probes.collect_probers(found, rewriter.mesh_port)
    if not profile.startup_probes:
        probers = {key: each for key, each in probers.items() if not key.endswith(_STARTUP_PATH)}
    if not profile.copies_complete_probes:
        actions: Object = {key: object_at(each, "httpGet") for key, each in _objects(probers)}
        probers = actions
    return plain.encode(probers) if probers or not profile.empty_probers_left_out else ""


def rewritten_probes(
    planned: InjectionContext, sidecar: Object | None
) -> Iterator[tuple[int, str, Object]]:
    """Yield the index of a container, the key of its probe, and the probe of the agent."""
    profile = planned.profile
    port = find_agent_port(planned, sidecar)
    if port is None:
        return
    for index, container in enumerate(PodBuilder.from_pod(planned.base).containers):
        if container.get("name") == PROXY:
            continue
        for probe in _rewriter(planned).find_probes(container):
            if probe.key != _STARTUP or profile.startup_probes:
                redirected = probes.redirect_probe(probe, port)
                yield (
                    index,
                    probe.key,
                    redirected
                    if profile.probe_annotation
                    else _restore_scheme(redirected, probe.value),
                )


def find_agent_port(planned: InjectionContext, sidecar: Object | None) -> int | None:
    """Return the port of the agent. Without it, no probe is rewritten."""
    if planned.profile.agent_port_in_mesh:
        return probes.agent_port(planned.annotations, planned.status_port)
    return None if sidecar is None else _port_in_arguments(sidecar)


def _port_in_arguments(sidecar: Object) -> int | None:
    """Return the value of ``--statusPort``, after ``=`` or in the next argument."""
    args = container_args(sidecar)
    for index, argument in enumerate(args):
        match = re.fullmatch(_FLAG, argument.strip())
        if match is not None:
            text = match[1] or "".join(args[index + 1 : index + 2])
            return int(text) if re.fullmatch("[-+]?[0-9]{1,9}", text) and text != "-1" else None
    return None


def _rewriter(planned: InjectionContext) -> ProbeRewriter:
    rewriter = planned.probe_rewriter
    if planned.profile.empty_probers_left_out:
        return rewriter
    return replace(rewriter, mesh_port=_NO_PORT)


def _restore_scheme(probe: Object, original: Object) -> Object:
    """Restore the scheme of the original probe: Istio 1.1 calls the agent over HTTPS, too."""
    scheme = string_at(original, "httpGet", "scheme")
    changed = merge_patch(probe, {"httpGet": {"scheme": scheme}} if scheme else {})
    assert isinstance(changed, dict)  # noqa: S101 - both are objects
    return changed


def _objects(entries: Mapping[str, JSON]) -> Iterator[tuple[str, Object]]:
    return ((key, each) for key, each in entries.items() if isinstance(each, dict))
