"""The SidecarInjectionSpec that templates rendered before 1.9: lists to be added to a pod.

It is decoded straight into typed fields, so a number or bool where text belongs becomes text, which
the shipped templates relied on (``- 1337`` among arguments), and unknown fields vanish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from podgraft import kube
from podgraft.go import reflect
from podgraft.go.reflect import BOOL, STRING_MAP, Field, GoType
from podgraft.injectors.istio.render.pod_overlay import OverlayError
from podgraft.injectors.istio.status import InjectionStatus
from podgraft.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.kube import quantity
from podgraft.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarSpec:
    """What is added to the pod, as Go prints it."""

    init_containers: tuple[Object, ...]
    containers: tuple[Object, ...]
    volumes: tuple[Object, ...]
    image_pull_secrets: tuple[Object, ...]
    dns_config: Object | None
    security_context: Object | None
    rewrite_probes: bool
    redirect_annotations: Mapping[str, str]

    @property
    def status(self) -> InjectionStatus:
        """The names of all parts."""
        lists = (self.init_containers, self.containers, self.volumes, self.image_pull_secrets)
        return InjectionStatus(
            *(tuple(string_at(each, "name") for each in parts) for parts in lists)
        )


def decode_spec(kubernetes: int, raw: JSON) -> SidecarSpec:
    """The spec that a parsed text says to Kubernetes 1.``kubernetes``; raises ``OverlayError``."""
    if raw is not None and not isinstance(raw, dict):
        raise OverlayError(
            "the template renders to something that is not a map of a sidecar's parts"
        )
    try:
        spec = kube.decode(_spec_type(kubernetes), raw or {}, lenient=True)
    except kube.DecodeError as error:
        raise OverlayError(str(error)) from error
    document, types = spec if isinstance(spec, dict) else {}, kube.types(kubernetes)
    return SidecarSpec(
        init_containers=_encode_all(types["Container"], objects_at(document, "initContainers")),
        containers=_encode_all(types["Container"], objects_at(document, "containers")),
        volumes=_encode_all(types["Volume"], objects_at(document, "volumes")),
        image_pull_secrets=_encode_all(
            types["LocalObjectReference"], objects_at(document, "imagePullSecrets")
        ),
        dns_config=object_at(document, "dnsConfig") or None,
        security_context=object_at(document, "securityContext") or None,
        rewrite_probes=document.get("rewriteAppHTTPProbe") is True,
        redirect_annotations={
            name: text
            for name, text in object_at(document, "podRedirectAnnot").items()
            if isinstance(text, str)
        },
    )


def set_concurrency(proxy: Object) -> None:
    """Let the proxy have as many threads as cores, unless it is told how many.

    Cores are those of the CPU limit, else those of the request, rounded up.
    """
    args = [each for each in _list(proxy.get("args")) if isinstance(each, str)]
    if _parse_concurrency(args) > 0:
        return
    resources = object_at(proxy, "resources")
    for key in ("limits", "requests"):
        cpu = object_at(resources, key).get("cpu")
        cores = quantity.from_json(cpu).value() if isinstance(cpu, str) else 0
        if cores > 0:
            proxy["args"] = [*args, "--concurrency", str(cores)]
            return


def _parse_concurrency(args: list[str]) -> int:
    """What the arguments say: joined by ``=``, or next to each other."""
    for index, argument in enumerate(args):
        flag, equals, value = argument.partition("=")
        if flag in ("--concurrency", "-concurrency"):
            text = value if equals else "".join(args[index + 1 : index + 2])
            return int(text) if re.fullmatch("[-+]?[0-9]{1,9}", text) else 0
    return 0


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _encode_all(type_: GoType, values: list[Object]) -> tuple[Object, ...]:
    printed = (kube.encode(type_, each) for each in values)
    return tuple(each for each in printed if isinstance(each, dict))


@cache
def _spec_type(kubernetes: int) -> GoType:
    types = kube.types(kubernetes)
    spec_type = reflect.struct_type("inject.SidecarInjectionSpec")
    containers = reflect.slice_of(types["Container"])
    secrets = reflect.slice_of(types["LocalObjectReference"])
    security = reflect.pointer_to(types["PodSecurityContext"])
    described = (
        ("PodRedirectAnnot", STRING_MAP, "podRedirectAnnot"),
        ("RewriteAppHTTPProbe", BOOL, "rewriteAppHTTPProbe"),
        ("HoldApplicationUntilProxyStarts", BOOL, "holdApplicationUntilProxyStarts"),
        ("InitContainers", containers, "initContainers"),
        ("Containers", containers, "containers"),
        ("Volumes", reflect.slice_of(types["Volume"]), "volumes"),
        ("DNSConfig", reflect.pointer_to(types["PodDNSConfig"]), "dnsConfig"),
        ("ImagePullSecrets", secrets, "imagePullSecrets"),
        ("SecurityContext", security, "securityContext"),
    )
    spec_type.fields = tuple(
        Field(go, type_, json, omitempty=True) for go, type_, json in described
    )
    return spec_type
