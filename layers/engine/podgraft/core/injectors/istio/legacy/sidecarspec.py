"""The SidecarInjectionSpec that templates of Istio before 1.9 render: lists to add to a pod.

The decoder is lenient, as in Istio: numbers and booleans in string fields become strings (the
templates of Istio contain the argument ``- 1337``), and unknown fields are ignored.
"""

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.core.injectors.istio.config.protojson import Message
from podgraft.core.injectors.istio.pod_builder import container_args
from podgraft.core.injectors.istio.releases import Profile
from podgraft.core.injectors.istio.render.pod_overlay import OverlayError
from podgraft.core.injectors.istio.status import InjectionStatus
from podgraft.golang import reflect
from podgraft.golang.reflect import BOOL, STRING_MAP, Field, GoType
from podgraft.kube import quantity


class SidecarSpec(Struct, frozen=True, kw_only=True):
    """The additions to the pod, as Go encodes them."""

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
        """The names of all additions."""
        lists = (self.init_containers, self.containers, self.volumes, self.image_pull_secrets)
        return InjectionStatus(
            *(tuple(string_at(each, "name") for each in parts) for parts in lists)
        )


def decode_spec(kubernetes: int, raw: JSON) -> SidecarSpec:
    """Decode a spec with the types of Kubernetes 1.*kubernetes*; raises ``OverlayError``."""
    if raw is not None and not isinstance(raw, dict):
        raise OverlayError("the rendered template must be a map with the lists of the sidecar")
    try:
        spec = kube.decode_additions(_spec_type(kubernetes), raw or {})
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
    """Set the number of proxy threads to the number of cores, unless the arguments set it.

    The number of cores is the CPU limit, else the CPU request, rounded up.
    """
    args = container_args(proxy)
    if _parse_concurrency(args) > 0:
        return
    for key in ("limits", "requests"):
        cpu = object_at(proxy, "resources", key).get("cpu")
        cores = quantity.from_json(cpu).value() if isinstance(cpu, str) else 0
        if cores > 0:
            proxy["args"] = [*args, "--concurrency", str(cores)]
            return


def _parse_concurrency(args: list[str]) -> int:
    """Return the value of ``--concurrency``, after ``=`` or in the next argument; 0 if unset."""
    for index, argument in enumerate(args):
        flag, equals, value = argument.partition("=")
        if flag in ("--concurrency", "-concurrency"):
            text = value if equals else "".join(args[index + 1 : index + 2])
            return int(text) if re.fullmatch("[-+]?[0-9]{1,9}", text) else 0
    return 0


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


_FS_GROUP: Object = {"fsGroup": 1337}  # the proxy's group


def make_security_context(
    profile: Profile, mesh: Message, own: Object, *, switch: bool = False
) -> Object:
    """Extend the context *own* of the pod; *switch* is the setting of istiod in 1.8."""
    if not (_uses_sds(profile, mesh) if profile.fs_group_by_sds else switch):
        return own
    return _FS_GROUP if profile.fs_group_replaces else own | _FS_GROUP


def _uses_sds(profile: Profile, mesh: Message) -> bool:
    """Whether the proxy gets its certificate from SDS with a token."""
    if profile.fs_group_by_token_mount and mesh.get("enableSdsTokenMount") is not True:
        return False
    return bool(mesh.get("sdsUdsPath"))
