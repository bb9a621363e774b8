"""The effective security settings of one container, in its pod.

A container inherits settings of the pod. So a change of the pod's securityContext can give a
privilege to each of its containers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from podgraft.base.jsonvalue import JSON, Object, list_at, object_at, objects_at, string_at

from .privilege import BASELINE_CAPABILITIES, Kind, Privilege

APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"
CONFINED_PROFILES = ("RuntimeDefault", "Localhost")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_DEFAULT_CAPABILITIES = BASELINE_CAPABILITIES | {"NET_RAW"}

# The degree of a privilege: a setting that prevents it, no setting, and a setting that grants it.
PREVENTED, UNSET, GRANTED = range(3)
# A text is a value of a newer Kubernetes: it can grant the privilege, and its removal can, too.
_Degree: TypeAlias = int | str


def _is_addition(degree: _Degree, earlier: _Degree) -> bool:
    most = GRANTED if isinstance(degree, str) else degree
    least = PREVENTED if isinstance(earlier, str) else earlier
    return degree != earlier and most > least


class SecuritySettings:
    """The settings of one container, with those that it inherits from its pod.

    ``value`` is the container, or the spec of the pod for the settings of the pod itself.
    """

    def __init__(self, value: Object, pod_context: Object, annotations: Object) -> None:
        self.value = value
        self.pod_context = pod_context
        self.annotations = annotations
        self.context = object_at(value, "securityContext")

    @property
    def name(self) -> str:
        """The name of the container."""
        return string_at(self.value, "name")

    @property
    def image(self) -> str:
        """The image; empty for a container without one."""
        return string_at(self.value, "image")

    def find_added(self, before: SecuritySettings) -> Iterator[Privilege]:
        """Find the privileges that *before* does not have."""
        for kind, degree, earlier in (
            (Kind.PRIVILEGED, self.is_privileged, before.is_privileged),
            (Kind.ROOT, self.root, before.root),
            (Kind.ESCALATION, self.escalation, before.escalation),
            (Kind.SECCOMP, self.seccomp, before.seccomp),
            (Kind.APPARMOR, self.apparmor, before.apparmor),
            (Kind.PROC_MOUNT, self.proc_mount, before.proc_mount),
            (Kind.HOST_PROCESS, self.is_host_process, before.is_host_process),
        ):
            if _is_addition(degree, earlier):
                yield self._make_privilege(kind)
        if self.selinux != before.selinux and not is_plain_selinux(self.selinux):
            yield self._make_privilege(Kind.SELINUX)
        if self.probe_hosts - before.probe_hosts:
            yield self._make_privilege(Kind.PROBE_HOST)
        yield from self._find_added_values(before)

    def _find_added_values(self, before: SecuritySettings) -> Iterator[Privilege]:
        if not before.is_privileged and "ALL" not in before.added_capabilities:
            capabilities = self.capabilities - before.capabilities
            named = self.added_capabilities - before.added_capabilities - BASELINE_CAPABILITIES
            for capability in sorted(capabilities | named):
                yield self._make_privilege(Kind.CAPABILITY, capability)
        for port in sorted(self.host_ports - before.host_ports):
            yield Privilege(Kind.HOST_PORT, self.name, str(port))
        if self.image != before.image and self.image:
            yield Privilege(Kind.IMAGE, self.name, self.image)

    def _make_privilege(self, kind: Kind, value: str = "") -> Privilege:
        return Privilege(kind, self.name, value, self.image)

    @property
    def is_privileged(self) -> bool:
        """Whether the container has all rights of the node."""
        return self.context.get("privileged") is True

    @property
    def root(self) -> int:
        """Whether the container runs as root; with UNSET, its image decides."""
        user = self.effective_value("runAsUser")
        is_non_root = self.effective_value("runAsNonRoot")
        if user is not None:
            return GRANTED if user == 0 else PREVENTED
        return UNSET if is_non_root is None else (PREVENTED if is_non_root else GRANTED)

    @property
    def escalation(self) -> int:
        """Whether a process can have more rights than its parent."""
        allowed = self.context.get("allowPrivilegeEscalation")
        return UNSET if allowed is None else (GRANTED if allowed else PREVENTED)

    @property
    def seccomp(self) -> _Degree:
        """Whether the container runs without a seccomp profile."""
        return self._profile_degree("seccompProfile")

    @property
    def apparmor(self) -> _Degree:
        """Whether the container runs without an AppArmor profile, by its field or annotation."""
        annotation = string_at(self.annotations, APPARMOR_ANNOTATION + self.name)
        degree = self._profile_degree("appArmorProfile")
        if not annotation or degree == GRANTED:
            return degree
        if annotation != "runtime/default" and not annotation.startswith("localhost/"):
            return GRANTED
        return degree if isinstance(degree, str) else PREVENTED

    @property
    def proc_mount(self) -> _Degree:
        """Whether the container can read the masked paths of /proc."""
        value = self.context.get("procMount")
        if value in (None, "", "Default"):
            return PREVENTED
        return GRANTED if value == "Unmasked" else str(value)

    @property
    def is_host_process(self) -> bool:
        """Whether the container is a host process on Windows."""
        own = object_at(self.context, "windowsOptions").get("hostProcess")
        inherited = object_at(self.pod_context, "windowsOptions").get("hostProcess")
        return (inherited if own is None else own) is True

    @property
    def selinux(self) -> tuple[str, str, str]:
        """User, role, and type of the SELinux options."""
        options = self.effective_value("seLinuxOptions")
        fields = options if isinstance(options, dict) else {}
        return string_at(fields, "user"), string_at(fields, "role"), string_at(fields, "type")

    @property
    def added_capabilities(self) -> frozenset[str]:
        """The capabilities that the container adds, with the names that runtimes use."""
        return self._capability_list("add")

    @property
    def capabilities(self) -> frozenset[str]:
        """The capabilities of the container: the default ones, without dropped ones, and added."""
        dropped = self._capability_list("drop")
        default = frozenset[str]() if "ALL" in dropped else _DEFAULT_CAPABILITIES - dropped
        return default | self.added_capabilities

    @property
    def host_ports(self) -> frozenset[int]:
        """The ports of the node that the container uses."""
        ports = (port.get("hostPort") for port in objects_at(self.value, "ports"))
        return frozenset(port for port in ports if isinstance(port, int) and port)

    @property
    def probe_hosts(self) -> frozenset[str]:
        """The hosts that the kubelet calls for probes and lifecycle hooks, except the pod."""
        hosts: set[str] = set()
        handlers = [object_at(self.value, probe) for probe in PROBES]
        handlers += [object_at(self.value, "lifecycle", hook) for hook in ("postStart", "preStop")]
        for handler in handlers:
            if handler:
                hosts.add(string_at(handler, "httpGet", "host"))
                hosts.add(string_at(handler, "tcpSocket", "host"))
        return frozenset(hosts - {""})

    def effective_value(self, field: str) -> JSON:
        """The value of a field in the container's securityContext, or else in the pod's."""
        own = self.context.get(field)
        return self.pod_context.get(field) if own is None else own

    def _profile_degree(self, field: str) -> _Degree:
        profile = self.effective_value(field)
        type_ = profile.get("type") if isinstance(profile, dict) else None
        if type_ is None:
            return UNSET
        if type_ in CONFINED_PROFILES:
            return PREVENTED
        return GRANTED if type_ == "Unconfined" else str(type_)

    def _capability_list(self, key: str) -> frozenset[str]:
        names = list_at(self.context, "capabilities", key)
        # Runtimes accept any case, and some the prefix.
        return frozenset(str(name).upper().removeprefix("CAP_") for name in names)


def is_plain_selinux(options: tuple[str, str, str]) -> bool:
    """Whether SELinux options are no privilege (check_seLinuxOptions.go)."""
    user, role, type_ = options
    return not user and not role and type_ in _SELINUX_TYPES
