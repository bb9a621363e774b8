"""The key ``allows`` of the policy: the privileges that injection can add to a pod."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from podgraft.kube.document_reader import (
    Cursor,
    MappingReader,
    format_value,
    make_integer_parser,
    make_list_parser,
    make_text_parser,
    parse_string,
)
from podgraft.kube.privileges import (
    CAPABILITIES,
    HOST_NAMESPACES,
    Kind,
    Privilege,
    clean_path,
    is_below,
    normalize_image,
)

# All containers, for changes of containers with names that the operator does not know.
ANY_CONTAINER = "*"

_CONTAINER_KINDS = (
    Kind.PRIVILEGED,
    Kind.ROOT,
    Kind.ESCALATION,
    Kind.SECCOMP,
    Kind.APPARMOR,
    Kind.SELINUX,
    Kind.PROC_MOUNT,
    Kind.HOST_PROCESS,
    Kind.PROBE_HOST,
)
_CONTAINER = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?|\*")
_ACCOUNT = re.compile(r"[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?")
_SYSCTL = re.compile(r"[a-z0-9][-_a-z0-9]*([./][a-z0-9][-_a-z0-9]*)*")
_IMAGE_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(:[0-9]+)?(/[A-Za-z0-9._:@-]+)*/?")
_MAX_PORT = 65_535


class Allows(Struct, frozen=True, kw_only=True):
    """The privileges that injection can add. ``registries`` is None for images of all registries.

    ``names`` has the values of each other key; for capabilities, ``CONTAINER/CAPABILITY``.
    """

    names: Mapping[Kind, frozenset[str]] = field(default_factory=dict[Kind, frozenset[str]])
    registries: tuple[str, ...] | None = None

    def find_unlisted(self, privileges: Iterable[Privilege]) -> tuple[Privilege, ...]:
        """Return the privileges that are not listed, and the images that must not get a listed one.

        A container of the pod's author can have a listed name, but another image.
        """
        found = map(self._find_unlisted, privileges)
        return tuple(dict.fromkeys(each for each in found if each is not None))

    def lists(self, privilege: Privilege) -> bool:
        """Whether injection can add the privilege."""
        return self._find_unlisted(privilege) is None

    def _find_unlisted(self, privilege: Privilege) -> Privilege | None:
        if privilege.kind is Kind.IMAGE:
            return None if self._lists_image(privilege.value) else privilege
        names = self.names.get(privilege.kind, frozenset[str]())
        listed = [candidate for candidate in _candidates(privilege) if candidate in names]
        if not listed:
            return privilege
        is_for_all = any(candidate.startswith(ANY_CONTAINER) for candidate in listed)
        if is_for_all or not privilege.image or self._lists_image(privilege.image):
            return None
        return Privilege(Kind.IMAGE, privilege.container, privilege.image)

    def _lists_image(self, image: str) -> bool:
        return self.registries is None or any(is_below(image, prefix) for prefix in self.registries)

    def merge(self, other: Allows) -> Allows:
        """Return the union of both."""
        kinds = {**self.names, **other.names}
        names = {
            kind: self.names.get(kind, frozenset()) | other.names.get(kind, frozenset())
            for kind in kinds
        }
        registries = self.registries if other.registries is None else other.registries
        return Allows(names=names, registries=registries)


def _candidates(privilege: Privilege) -> Iterator[str]:
    """The names under which a privilege can be listed."""
    if privilege.kind is Kind.CAPABILITY:
        for container in (privilege.container, ANY_CONTAINER):
            yield f"{container}/{privilege.value}"
            yield f"{container}/ALL"
    elif privilege.kind in _CONTAINER_KINDS:
        yield privilege.container
        yield ANY_CONTAINER
    else:
        yield privilege.value


# istio-init redirects the traffic of the pod (istio-iptables), in each release with this container.
# With the annotation sidecar.istio.io/interceptionMode: TPROXY, the proxy needs NET_ADMIN, and runs
# as root in releases up to 1.18. With the CNI plugin, istio-validation needs no privilege.
PRESETS: Mapping[str, Allows] = {
    "istio": Allows(
        names={
            Kind.CAPABILITY: frozenset(
                {"istio-init/NET_ADMIN", "istio-init/NET_RAW", "istio-proxy/NET_ADMIN"}
            ),
            Kind.ROOT: frozenset({"istio-init", "istio-proxy"}),
        }
    )
}


def parse_allows(cursor: Cursor) -> Allows | None:
    """Parse the key; the errors are collected by the cursor."""
    keys = MappingReader(cursor)
    allows = Allows()
    for name in keys.read_key("presets", make_list_parser(_parse_preset)) or ():
        allows = allows.merge(PRESETS[name])
    names = {kind: frozenset(keys.read_key(kind, read) or ()) for kind, read in _READERS.items()}
    registries = keys.read_key(Kind.IMAGE, make_list_parser(_parse_registry))
    keys.check_unknown_keys()
    return allows.merge(Allows(names=names, registries=registries))


_parse_preset = make_text_parser(PRESETS.__contains__, f"use {', '.join(PRESETS)}")
_parse_namespace = make_text_parser(
    HOST_NAMESPACES.__contains__, f"use {', '.join(HOST_NAMESPACES)}"
)
_parse_capability = make_text_parser(
    CAPABILITIES.__contains__,
    "use a capability of Linux in capitals and without CAP_, such as NET_ADMIN, or ALL",
)
_parse_container = make_text_parser(
    _CONTAINER.fullmatch, f'use the name of a container, or "{ANY_CONTAINER}" for all containers'
)
_parse_path = make_text_parser(
    lambda path: path.startswith("/") and ".." not in path.split("/"),
    "use an absolute path without .. as in the volume",
    clean_path,
)
_parse_sysctl = make_text_parser(
    _SYSCTL.fullmatch,
    "use the name of a sysctl, such as net.core.somaxconn",
    lambda name: name.replace("/", "."),
)
_parse_account = make_text_parser(_ACCOUNT.fullmatch, "use the name of a service account")


def _parse_capabilities(cursor: Cursor) -> tuple[str, ...] | None:
    """Parse lists of capabilities by container."""
    entries = cursor.entries()
    if entries is None:
        return None
    parse = make_list_parser(_parse_capability)
    return tuple(
        f"{container}/{capability}"
        for container, capabilities in entries.items()
        if _parse_container(replace(capabilities, value=container)) is not None
        for capability in parse(capabilities) or ()
    )


def _parse_port(cursor: Cursor) -> str | None:
    port = _PORT(cursor)
    return None if port is None else str(port)


_PORT = make_integer_parser(1, _MAX_PORT, f"use a port from 1 to {_MAX_PORT}")


def _parse_registry(cursor: Cursor) -> str | None:
    prefix = parse_string(cursor)
    if prefix is None:
        return None
    if not _IMAGE_PREFIX.fullmatch(prefix):
        return cursor.refuse("use the prefix of an image, such as docker.io/istio/")
    registry = prefix.partition("/")[0]
    if "." in registry or ":" in registry or registry == "localhost":
        return prefix
    remedy = f"add the registry: {normalize_image(prefix)}"
    return cursor.add_error(f"got {format_value(prefix)}, which names no registry", remedy)


_READERS: Mapping[Kind, Callable[[Cursor], tuple[str, ...] | None]] = {
    **dict.fromkeys(_CONTAINER_KINDS, make_list_parser(_parse_container)),
    Kind.CAPABILITY: _parse_capabilities,
    Kind.HOST_PORT: make_list_parser(_parse_port),
    Kind.HOST_PATH: make_list_parser(_parse_path),
    Kind.HOST_NAMESPACE: make_list_parser(_parse_namespace),
    Kind.SYSCTL: make_list_parser(_parse_sysctl),
    Kind.SERVICE_ACCOUNT: make_list_parser(_parse_account),
}
