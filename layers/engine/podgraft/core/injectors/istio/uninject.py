"""Removal of an injection from files: text in, text out.

No configuration is needed. The status and overrides annotations, the environment of the sidecar,
and values that only an injection derives identify the additions of any release.
docs/kube-inject.md lists what they cannot identify.
"""

from dataclasses import dataclass

from podgraft import kube
from podgraft.base.jsonvalue import Object, object_at, objects_at
from podgraft.core.injectors.errors import UserError
from podgraft.kube import WorkloadError, workload, workload_owner

from . import recover, uninject_lists, uninject_metadata, yaml_stream
from .pod_builder import CONTAINERS, INIT_CONTAINERS, merge_keys
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
    return merge_keys(pod, {"metadata": metadata, "spec": spec})


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
    status, overrides = record.status, record.overrides
    after: Object = {}
    for key, names, user_versions in (
        (CONTAINERS, status.containers, overrides.containers),
        (INIT_CONTAINERS, status.init_containers, overrides.init_containers),
        ("volumes", status.volumes, []),
        ("imagePullSecrets", status.image_pull_secrets, []),
    ):
        remaining = uninject_lists.restore_list(objects_at(spec, key), names, user_versions)
        after[key] = [
            uninject_lists.restore_probes(element, record.probers) for element in remaining
        ]
    after["securityContext"] = _restore_security_context(object_at(spec, "securityContext"), record)
    restored = {key: after.get(key, value) for key, value in spec.items()} | after
    return {key: value for key, value in restored.items() if value or key not in after}


def _restore_security_context(context: Object, record: InjectionRecord) -> Object:
    """Remove the group of the proxy's token, and the sysctl for a gateway's low ports."""
    injected: Object = {"fsGroup": recover.PROXY_GROUP}
    if record.is_gateway:
        injected["sysctls"] = [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}]
    return {key: value for key, value in context.items() if value != injected.get(key)}
