"""The comparison of an object before and after a change, and of image references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import normpath
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, names_at, object_at, objects_at, string_at

from .container_security import APPARMOR_ANNOTATION, SecuritySettings
from .privilege import HOST_NAMESPACES, Kind, Privilege

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")

# The sysctls that are isolated between pods (check_sysctls.go, 1.37).
SAFE_SYSCTLS = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ping_group_range",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_notsent_lowat",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_slow_start_after_idle",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.tcp_wmem",
    }
)


def find_added(before: Object, after: Object) -> tuple[Privilege, ...]:
    """Return the privileges that *after* has and *before* does not have, each once.

    Both are objects of any kind. In objects other than pods, each mapping with a list of containers
    is the spec of a pod, for example in a Deployment, a CronJob, or a custom resource.
    """
    if after.get("kind") == "Pod":
        return tuple(
            dict.fromkeys(_compare_pods(_Pod.from_object(before), _Pod.from_object(after)))
        )
    return tuple(dict.fromkeys(_compare_values(before, after)))


class _Pod(Struct, frozen=True):
    """The parts of a pod, or of a pod template."""

    annotations: Object
    spec: Object

    @classmethod
    def from_object(cls, value: Object) -> _Pod:
        return cls(object_at(value, "metadata", "annotations"), object_at(value, "spec"))

    def settings(self) -> _Settings:
        """The settings of the pod that its containers inherit."""
        annotations: Object = {
            key: value
            for key, value in self.annotations.items()
            if key.startswith(APPARMOR_ANNOTATION)
        }
        return object_at(self.spec, "securityContext"), annotations

    def containers(self) -> Iterator[Object]:
        for key in CONTAINER_LISTS:
            yield from objects_at(self.spec, key)


_Settings: TypeAlias = tuple[Object, Object]  # securityContext, and annotations

# The fields of a container that can be privileges.
_CONTAINER_FIELDS = (
    *("name", "image", "securityContext", "ports", "livenessProbe", "readinessProbe"),
    *("startupProbe", "lifecycle"),
)


def _compare_pods(before: _Pod, after: _Pod) -> Iterator[Privilege]:
    yield from _compare_specs(before.spec, after.spec)
    own = {string_at(container, "name"): container for container in before.containers()}
    own_settings, settings = before.settings(), after.settings()
    is_equal = own_settings == settings
    for container in after.containers():
        previous = own.get(string_at(container, "name"))
        if is_equal and previous is container:
            continue
        fields = _select_fields(container)
        # A container without settings, in the pod before the change.
        plain: Object = {"name": container.get("name")}
        own_fields = plain if previous is None else _select_fields(previous)
        if is_equal and fields == own_fields:
            continue
        own_security = SecuritySettings(own_fields, *own_settings)
        yield from SecuritySettings(fields, *settings).find_added(own_security)


def _select_fields(container: Object) -> Object:
    return {field: container[field] for field in _CONTAINER_FIELDS if field in container}


def _compare_specs(before: Object, after: Object) -> Iterator[Privilege]:
    """Compare the fields of the pod itself."""
    for field in HOST_NAMESPACES:
        is_used = after.get(field) is True
        if field == "hostUsers":
            is_used = before.get(field) is False and after.get(field) is not False
        if is_used and before.get(field) is not True:
            yield Privilege(Kind.HOST_NAMESPACE, value=field)
    yield from _compare_volumes(before, after)
    sysctls = _sysctls(after)
    for name in sorted(sysctls - _sysctls(before) - SAFE_SYSCTLS) if sysctls else ():
        yield Privilege(Kind.SYSCTL, value=name)
    account = _service_account(after)
    if account != _service_account(before):
        yield Privilege(Kind.SERVICE_ACCOUNT, value=account)


def _compare_volumes(before: Object, after: Object) -> Iterator[Privilege]:
    relevant = [
        volume
        for volume in objects_at(after, "volumes")
        if volume.get("hostPath") is not None or volume.get("image") is not None
    ]
    if not relevant:
        return
    volumes = objects_at(before, "volumes")
    for path in sorted(_host_paths(relevant) - _host_paths(volumes)):
        yield Privilege(Kind.HOST_PATH, value=path)
    for image in sorted(_volume_images(relevant) - _volume_images(volumes)):
        yield Privilege(Kind.IMAGE, value=image)


def _host_paths(volumes: Sequence[Object]) -> set[str]:
    return {
        clean_path(string_at(volume, "hostPath", "path"))
        for volume in volumes
        if volume.get("hostPath") is not None
    }


def clean_path(path: str) -> str:
    """Return the path without empty parts, dots, and a final slash."""
    return normpath(f"/{path.lstrip('/')}")


def _volume_images(volumes: Sequence[Object]) -> set[str]:
    references = {string_at(volume, "image", "reference") for volume in volumes}
    return references - {""}


def _sysctls(spec: Object) -> set[str]:
    names = names_at(spec, "securityContext", "sysctls")
    return {name.replace("/", ".") for name in names}  # the kubelet accepts slashes as separators


def _service_account(spec: Object) -> str:
    return string_at(spec, "serviceAccountName") or string_at(spec, "serviceAccount") or "default"


def _compare_values(before: JSON, after: JSON) -> Iterator[Privilege]:
    """Compare all pod templates in a value; it is inside an object of any kind."""
    if before is after:
        return
    if isinstance(after, dict):
        yield from _compare_mappings(before if isinstance(before, dict) else {}, after)
    elif isinstance(after, list):
        for element, previous in _pair_elements(before if isinstance(before, list) else [], after):
            yield from _compare_values(previous, element)


def _compare_mappings(before: Object, after: Object) -> Iterator[Privilege]:
    """Compare a mapping that can be a pod template, or the spec of a pod without metadata."""
    has_pod = _is_pod_spec(object_at(after, "spec"))
    if has_pod:
        yield from _compare_pods(_Pod.from_object(before), _Pod.from_object(after))
    if _is_pod_spec(after):
        yield from _compare_pods(_Pod({}, before), _Pod({}, after))
    for key, value in after.items():
        if not (has_pod and key == "spec"):
            yield from _compare_values(before.get(key), value)


def _is_pod_spec(value: Object) -> bool:
    return any(isinstance(value.get(key), list) for key in CONTAINER_LISTS)


def _pair_elements(before: list[JSON], after: list[JSON]) -> Iterator[tuple[JSON, JSON]]:
    """Pair the elements of two lists by name, or by index if they have none."""
    by_name = {string_at(each, "name"): each for each in before if isinstance(each, dict)}
    for index, element in enumerate(after):
        name = string_at(element, "name") if isinstance(element, dict) else ""
        if name:
            yield element, by_name.get(name)
        else:
            yield element, before[index] if index < len(before) else None


_DEFAULT_REGISTRY = "docker.io"
_OFFICIAL = "library"


def normalize_image(image: str) -> str:
    """Return an image reference with its registry, as container runtimes complete it.

    The first part is a registry if it contains a dot or a colon, or is ``localhost``
    (github.com/distribution/reference, splitDockerDomain).

    >>> normalize_image("istio/proxyv2:1.30.3"), normalize_image("nginx")
    ('docker.io/istio/proxyv2:1.30.3', 'docker.io/library/nginx')
    """
    registry, slash, path = image.partition("/")
    is_registry = slash and (
        "." in registry
        or ":" in registry
        or registry == "localhost"
        or registry.lower() != registry
    )
    if not is_registry:
        registry, path = _DEFAULT_REGISTRY, image
    if registry == "index.docker.io":
        registry = _DEFAULT_REGISTRY
    if registry == _DEFAULT_REGISTRY and "/" not in path:
        path = f"{_OFFICIAL}/{path}"
    return f"{registry}/{path}"


def is_below(image: str, prefix: str) -> bool:
    """Whether an image has the prefix, and the prefix ends with a part of the reference.

    >>> is_below("docker.io/istio/proxyv2:1.30.3", "docker.io/istio")
    True
    >>> is_below("docker.io/istio-fork/proxyv2:1.30.3", "docker.io/istio")
    False
    """
    complete = normalize_image(image)
    if not complete.startswith(prefix):
        return False
    end = complete[len(prefix) : len(prefix) + 1]
    return prefix.endswith("/") or end in {"", "/", ":", "@"}
