"""One privilege, and its descriptions."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from podgraft.kube.names import is_dns_label


class Kind(StrEnum):
    """A kind of privilege; the value is its key in ``allows`` of the policy."""

    PRIVILEGED = "privileged"
    CAPABILITY = "capabilities"
    ROOT = "runAsRoot"
    ESCALATION = "allowPrivilegeEscalation"
    SECCOMP = "seccompUnconfined"
    APPARMOR = "appArmorUnconfined"
    SELINUX = "seLinuxOptions"
    PROC_MOUNT = "procMount"
    HOST_PROCESS = "hostProcess"
    PROBE_HOST = "probeHosts"
    HOST_PORT = "hostPorts"
    HOST_PATH = "hostPath"
    HOST_NAMESPACE = "hostNamespaces"
    SYSCTL = "sysctls"
    SERVICE_ACCOUNT = "serviceAccounts"
    IMAGE = "registries"


# The fields of a pod that share a namespace of the node. ``hostUsers`` is the default of
# Kubernetes: it is a privilege only for a pod that sets it to false.
HOST_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC", "hostUsers")

# The capabilities that need no privilege (check_capabilities_baseline.go). Container runtimes grant
# them, and NET_RAW, by default.
BASELINE_CAPABILITIES = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)

# The capabilities of Linux 6 (capabilities(7)), and ALL.
CAPABILITIES = BASELINE_CAPABILITIES | {
    *("ALL", "AUDIT_CONTROL", "AUDIT_READ", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE"),
    *("DAC_READ_SEARCH", "IPC_LOCK", "IPC_OWNER", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN"),
    *("MAC_OVERRIDE", "NET_ADMIN", "NET_BROADCAST", "NET_RAW", "PERFMON", "SYSLOG", "SYS_ADMIN"),
    *("SYS_BOOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO"),
    *("SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM"),
}


class Privilege(Struct, frozen=True):
    """One privilege of a container, or of the pod if ``container`` is empty.

    ``value`` is the capability, path, port, name, or image; empty for the other kinds. ``image`` is
    that of a container that gets the privilege.
    """

    kind: Kind
    container: str = ""
    value: str = ""
    image: str = ""

    def __str__(self) -> str:
        """Describe the privilege with its value."""
        return self._describe(self.value)

    def redact(self) -> str:
        """Describe the privilege without values that the author of the pod can have written."""
        is_public = self.value in CAPABILITIES or self.value in HOST_NAMESPACES
        return self._describe(self.value if is_public else "")

    def _describe(self, value: str) -> str:
        subject = f"container {self.container}" if is_dns_label(self.container) else "a container"
        subject = subject if self.container or self.kind in _OF_CONTAINERS else "the pod"
        text = f"{subject} {_PREDICATES[self.kind]}"
        return f"{text} {value}" if value else text.removesuffix(":")


_PREDICATES: Mapping[Kind, str] = {
    Kind.PRIVILEGED: "is privileged",
    Kind.CAPABILITY: "adds the capability",
    Kind.ROOT: "can run as root",
    Kind.ESCALATION: "allows privilege escalation",
    Kind.SECCOMP: "runs without a seccomp profile",
    Kind.APPARMOR: "runs without an AppArmor profile",
    Kind.SELINUX: "sets SELinux options",
    Kind.PROC_MOUNT: "unmasks /proc",
    Kind.HOST_PROCESS: "is a host process on Windows",
    Kind.PROBE_HOST: "has a probe or a lifecycle hook that calls another host",
    Kind.HOST_PORT: "uses the host port",
    Kind.HOST_PATH: "mounts the host path",
    Kind.HOST_NAMESPACE: "uses the host namespace",
    Kind.SYSCTL: "sets the unsafe sysctl",
    Kind.SERVICE_ACCOUNT: "gets the service account",
    Kind.IMAGE: "uses an image of a registry that is not listed:",
}
_OF_POD = (Kind.HOST_PATH, Kind.HOST_NAMESPACE, Kind.SYSCTL, Kind.SERVICE_ACCOUNT)
_OF_CONTAINERS = frozenset(Kind) - {*_OF_POD, Kind.IMAGE}
