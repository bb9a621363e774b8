"""Removal of an injection from files: text in, text out.

No configuration is needed. The status and overrides annotations, the environment of the sidecar,
and values that only an injection derives identify the additions of any release.
docs/kube-inject.md lists what they cannot identify.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at
from podgraft.core.injectors.errors import UserError
from podgraft.kube import WorkloadError, workload, workload_owner

from . import recover, uninject_metadata, yaml_stream
from .recover import InjectionRecord


@dataclass(frozen=True, slots=True)
class UninjectResult:
    """The stream without sidecars, and the number of its workloads and of the changed ones."""

    text: str
    uninjected: int = 0
    workloads: int = 0


def uninject(text: str) -> UninjectResult:
    """Remove the injection from every workload of a YAML stream; other streams stay unchanged.

    Raises ``UserError`` for an invalid record of an injection, and ``yaml.NotYAMLError``.
    """
    uninjected = workloads = 0

    def uninject_document(document: Object) -> Object:
        nonlocal uninjected, workloads
        after = _uninject_document(document)
        uninjected += after is not document
        workloads += workload.has_pod(document)
        return after

    rewritten = yaml_stream.rewrite_objects(text, uninject_document)
    return UninjectResult(rewritten if uninjected else text, uninjected, workloads)


def remove_injection(pod: Object, owner: str) -> Object:
    """Return the original pod, or the same object if it is not injected.

    ``owner`` is the name of the workload, from which injection derives the canonical name.
    """
    record = recover.recover_injection(pod)
    if record is None:
        return pod
    spec = _restore_spec(object_at(pod, "spec"), record)
    metadata = uninject_metadata.restore_metadata(object_at(pod, "metadata"), spec, record, owner)
    return {**pod, "metadata": metadata, "spec": spec}


def _uninject_document(document: Object) -> Object:
    template_path = workload.find_pod_template_path(document, workload.ALL_KINDS)
    if template_path is None:
        return document
    try:
        pod = workload.pod_of(document, template_path)
        after = remove_injection(pod, _owner_name(document, pod))
    except (WorkloadError, kube.DecodeError) as error:
        raise UserError(f"{document.get('kind')}: {error}") from error
    return document if after is pod else workload.with_pod(document, template_path, after)


def _owner_name(document: Object, pod: Object) -> str:
    if document.get("kind") == "Pod":
        return workload_owner.workload_of_pod(object_at(pod, "metadata")).name
    return workload_owner.workload_of_manifest(document).name


def _restore_spec(spec: Object, record: InjectionRecord) -> Object:
    after: Object = {}
    for key, names in record.status.lists.items():
        remaining = restore_list(objects_at(spec, key), names, record.overrides.get(key, ()))
        after[key] = [restore_probes(element, record.probers) for element in remaining]
    after["securityContext"] = _restore_security_context(object_at(spec, "securityContext"), record)
    restored = {key: after.get(key, value) for key, value in spec.items()} | after
    return {key: value for key, value in restored.items() if value or key not in after}


def _restore_security_context(context: Object, record: InjectionRecord) -> Object:
    """Remove the group of the proxy's token, and the sysctl for a gateway's low ports."""
    injected: Object = {"fsGroup": recover.PROXY_GROUP}
    if record.is_gateway:
        injected["sysctls"] = [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}]
    return {key: value for key, value in context.items() if value != injected.get(key)}


_PROBES = ("readinessProbe", "livenessProbe", "startupProbe")
_HANDLERS = ("preStop", "postStart")
_KINDS = ("httpGet", "tcpSocket", "grpc")


def restore_list(
    elements: Sequence[Object], injected: tuple[str, ...], user_versions: Sequence[Object]
) -> list[Object]:
    """Remove one element of each injected name from the list.

    The user's version of an element replaces it, or is appended if the element is missing. If
    several elements have the name, the last one is the injected one: old releases append.
    """
    last_indexes = {string_at(element, "name"): index for index, element in enumerate(elements)}
    injected_indexes = {last_indexes[name] for name in injected if name in last_indexes}
    versions_by_name = {string_at(element, "name"): element for element in user_versions}
    remaining: list[Object] = []
    for index, element in enumerate(elements):
        restored = (
            versions_by_name.pop(string_at(element, "name"), None)
            if index in injected_indexes
            else element
        )
        if restored is not None:
            remaining.append(restored)
    return [*remaining, *versions_by_name.values()]


def restore_probes(container: Object, probers: Mapping[str, JSON]) -> Object:
    """Restore the original probes of a container."""
    restored = _restore_members(container, _PROBES, probers)
    lifecycle = container.get("lifecycle")
    if isinstance(lifecycle, dict):
        restored["lifecycle"] = _restore_members(lifecycle, _HANDLERS, probers)
    return restored


def _restore_members(parent: Object, keys: Sequence[str], probers: Mapping[str, JSON]) -> Object:
    """Restore the probes under some keys; an empty one, such as ``null``, stays as it is."""
    restored: Object = {
        key: _restore_probe(probe, probers)
        for key in keys
        if isinstance(probe := parent.get(key), dict)
    }
    return parent | restored


def _restore_probe(probe: Object, probers: Mapping[str, JSON]) -> Object:
    """Restore the original action of a probe, in the same position."""
    prober = object_at(probers, string_at(probe, "httpGet", "path"))
    action = {kind: prober[kind] for kind in _KINDS if kind in prober}
    if not action:
        return probe
    restored: Object = {}
    for key, value in probe.items():
        restored |= action if key == "httpGet" else {key: value}
    return restored
