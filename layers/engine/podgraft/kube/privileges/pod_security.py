"""The Pod Security Standards: why a pod violates a level.

The checks and their ids are those of k8s.io/pod-security-admission (policy/check_*.go), in the
newest version. Only the command line imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import Object, list_at, object_at, objects_at, string_at

from .additions import CONTAINER_LISTS, SAFE_SYSCTLS
from .container_security import (
    APPARMOR_ANNOTATION,
    CONFINED_PROFILES,
    SecuritySettings,
    is_plain_selinux,
)
from .privilege import BASELINE_CAPABILITIES


class Level(StrEnum):
    """A level of the Pod Security Standards that restricts pods."""

    BASELINE = "baseline"
    RESTRICTED = "restricted"


class Violation(Struct, frozen=True):
    """A reason why a pod violates a level. ``container`` is empty for the pod itself."""

    check: str
    container: str
    problem: str
    remedy: str


_Finding: TypeAlias = tuple[str, str]  # problem and remedy
_Check: TypeAlias = Callable[[SecuritySettings], Iterator[_Finding]]


def find_violations(metadata: Object, spec: Object, level: Level) -> tuple[Violation, ...]:
    """Return the violations of a pod, or of a pod template."""
    return tuple(_find_violations(metadata, spec, level))


def _find_violations(metadata: Object, spec: Object, level: Level) -> Iterator[Violation]:
    is_restricted = level is Level.RESTRICTED
    pod_checks = _BASELINE_POD | _RESTRICTED_POD if is_restricted else _BASELINE_POD
    container_checks = _BASELINE | _RESTRICTED if is_restricted else _BASELINE
    left_out = set(_OVERRIDDEN if is_restricted else ())
    if spec.get("hostUsers") is False:
        left_out |= _RELAXED
    shared = object_at(spec, "securityContext"), object_at(metadata, "annotations")
    subjects = [("", SecuritySettings(spec, *shared), pod_checks)]
    subjects += [
        (string_at(value, "name"), SecuritySettings(value, *shared), container_checks)
        for key in CONTAINER_LISTS
        for value in objects_at(spec, key)
    ]
    for name, subject, checks in subjects:
        for check, find in checks.items():
            if check not in left_out:
                for problem, remedy in find(subject):
                    yield Violation(check, name, problem, remedy)


def _make_remedy(path: str, value: str) -> str:
    return f"set {path} to {value}"


def _check_privileged(container: SecuritySettings) -> Iterator[_Finding]:
    if container.context.get("privileged") is True:
        yield "is privileged", _make_remedy("securityContext.privileged", "false")


def _check_capabilities(
    container: SecuritySettings, allowed: frozenset[str] = BASELINE_CAPABILITIES
) -> Iterator[_Finding]:
    names = sorted({*_strings(container.context, "add")} - allowed)
    if names:
        yield f"adds {', '.join(names)}", "remove them from securityContext.capabilities.add"


def _check_all_capabilities(container: SecuritySettings) -> Iterator[_Finding]:
    if "ALL" not in _strings(container.context, "drop"):
        yield (
            "does not drop ALL capabilities",
            _make_remedy("securityContext.capabilities.drop", "[ALL]"),
        )
    yield from _check_capabilities(container, frozenset({"NET_BIND_SERVICE"}))


def _strings(context: Object, key: str) -> list[str]:
    return [*map(str, list_at(context, "capabilities", key))]


def _check_host_ports(container: SecuritySettings) -> Iterator[_Finding]:
    if container.host_ports:
        ports = ", ".join(map(str, sorted(container.host_ports)))
        yield f"uses the host ports {ports}", "remove hostPort from ports"


def _check_probe_hosts(container: SecuritySettings) -> Iterator[_Finding]:
    if container.probe_hosts:
        remedy = "remove host from the handlers"
        yield "has a probe or a lifecycle hook with a host", remedy


def _check_proc_mount(container: SecuritySettings) -> Iterator[_Finding]:
    if container.context.get("procMount") not in (None, "Default"):
        yield "unmasks /proc", _make_remedy("securityContext.procMount", "Default")


def _check_profile(field: str, subject: SecuritySettings) -> Iterator[_Finding]:
    profile = subject.context.get(field)
    if isinstance(profile, dict) and profile.get("type") not in CONFINED_PROFILES:
        remedy = _make_remedy(f"securityContext.{field}.type", _RUNTIME)
        yield f"sets {field} to another type", remedy


_RUNTIME = "RuntimeDefault"


def _check_selinux(subject: SecuritySettings) -> Iterator[_Finding]:
    options = object_at(subject.context, "seLinuxOptions")
    fields = (string_at(options, "user"), string_at(options, "role"), string_at(options, "type"))
    if not is_plain_selinux(fields):
        yield "sets SELinux options", "remove user, role, and type from seLinuxOptions"


def _check_host_process(subject: SecuritySettings) -> Iterator[_Finding]:
    if object_at(subject.context, "windowsOptions").get("hostProcess") is True:
        remedy = _make_remedy("securityContext.windowsOptions.hostProcess", "false")
        yield "is a host process on Windows", remedy


def _check_escalation(container: SecuritySettings) -> Iterator[_Finding]:
    if container.context.get("allowPrivilegeEscalation") is not False:
        remedy = _make_remedy("securityContext.allowPrivilegeEscalation", "false")
        yield "allows privilege escalation", remedy


def _check_non_root(container: SecuritySettings) -> Iterator[_Finding]:
    if container.effective_value("runAsNonRoot") is not True:
        yield "does not require another user than root", _make_remedy(_NON_ROOT, "true")


_NON_ROOT = "securityContext.runAsNonRoot"


def _check_user(subject: SecuritySettings) -> Iterator[_Finding]:
    user = subject.context.get("runAsUser")
    if user == 0 and not isinstance(user, bool):
        yield "runs as root", _make_remedy("securityContext.runAsUser", "another user than 0")


def _check_seccomp_is_set(container: SecuritySettings) -> Iterator[_Finding]:
    profile = container.effective_value("seccompProfile")
    if not isinstance(profile, dict) or profile.get("type") not in CONFINED_PROFILES:
        remedy = _make_remedy("securityContext.seccompProfile.type", _RUNTIME)
        yield "sets no seccomp profile", remedy


def _check_host_namespaces(pod: SecuritySettings) -> Iterator[_Finding]:
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.value.get(field) is True:
            yield f"uses {field}", _make_remedy(field, "false")


def _check_host_path(pod: SecuritySettings) -> Iterator[_Finding]:
    for volume in objects_at(pod.value, "volumes"):
        if volume.get("hostPath") is not None:
            yield f"has the hostPath volume {string_at(volume, 'name')}", "use another volume"


def _check_apparmor(pod: SecuritySettings) -> Iterator[_Finding]:
    for key, value in pod.annotations.items():
        text = value if isinstance(value, str) else ""
        is_confined = text in {"", "runtime/default"} or text.startswith("localhost/")
        if key.startswith(APPARMOR_ANNOTATION) and not is_confined:
            yield f"sets the annotation {key} to another profile", "use runtime/default"
    yield from _check_profile("appArmorProfile", pod)


def _check_sysctls(pod: SecuritySettings) -> Iterator[_Finding]:
    for sysctl in objects_at(pod.context, "sysctls"):
        name = string_at(sysctl, "name")
        if name not in SAFE_SYSCTLS:
            yield f"sets the sysctl {name}", "remove it from securityContext.sysctls"


_VOLUME_SOURCES = (
    *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"),
    *("persistentVolumeClaim", "projected", "secret"),
)


def _check_volumes(pod: SecuritySettings) -> Iterator[_Finding]:
    for volume in objects_at(pod.value, "volumes"):
        if all(volume.get(source) is None for source in _VOLUME_SOURCES):
            name = string_at(volume, "name")
            yield f"has the volume {name} of a restricted type", "use another volume"


def _check_pod_non_root(pod: SecuritySettings) -> Iterator[_Finding]:
    if pod.context.get("runAsNonRoot") is False:
        yield "does not require another user than root", _make_remedy(_NON_ROOT, "true")


_check_seccomp = partial(_check_profile, "seccompProfile")

_BASELINE_POD: dict[str, _Check] = {
    "hostNamespaces": _check_host_namespaces,
    "hostPathVolumes": _check_host_path,
    "appArmorProfile": _check_apparmor,
    "seLinuxOptions": _check_selinux,
    "seccompProfile_baseline": _check_seccomp,
    "sysctls": _check_sysctls,
    "windowsHostProcess": _check_host_process,
}
_BASELINE: dict[str, _Check] = {
    "appArmorProfile": partial(_check_profile, "appArmorProfile"),
    "capabilities_baseline": _check_capabilities,
    "hostPorts": _check_host_ports,
    "hostProbesAndHostLifecycle": _check_probe_hosts,
    "privileged": _check_privileged,
    "procMount": _check_proc_mount,
    "seLinuxOptions": _check_selinux,
    "seccompProfile_baseline": _check_seccomp,
    "windowsHostProcess": _check_host_process,
}
_RESTRICTED_POD: dict[str, _Check] = {
    "restrictedVolumes": _check_volumes,
    "runAsNonRoot": _check_pod_non_root,
    "runAsUser": _check_user,
    "seccompProfile_restricted": _check_seccomp,
}
_RESTRICTED: dict[str, _Check] = {
    "allowPrivilegeEscalation": _check_escalation,
    "capabilities_restricted": _check_all_capabilities,
    "procMount_restricted": _check_proc_mount,
    "runAsNonRoot": _check_non_root,
    "runAsUser": _check_user,
    "seccompProfile_restricted": _check_seccomp_is_set,
}
# The checks that those of the level restricted replace (OverrideCheckIDs).
_OVERRIDDEN = frozenset(
    {"capabilities_baseline", "hostPathVolumes", "procMount", "seccompProfile_baseline"}
)
# Not required of pods with their own user namespace (KEP-127).
_RELAXED = frozenset({"procMount", "runAsNonRoot", "runAsUser"})
