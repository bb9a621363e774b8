"""Injection undone: text in, text out, the pods in it as they were before their sidecars.

No configuration is needed: what an injection of any release added is told by its own traces (the
status and overrides annotations, the sidecar's environment) and by values that it alone derives.
What these cannot tell is listed in docs/injection-by-hand.md.
"""

from __future__ import annotations

from podgraft import kube
from podgraft.injectors.errors import UserError
from podgraft.jsonvalue import Object, object_at, objects_at
from podgraft.kube import WorkloadError, workload, workload_owner

from . import recover, uninject_lists, uninject_metadata, yaml_stream
from .pod_builder import CONTAINERS, INIT_CONTAINERS, merge_keys
from .recover import InjectionRecord


def uninject(text: str) -> str:
    """The YAML stream with every injected workload as it was; a stream without any, untouched.

    Raises ``injection.UserError`` for traces that cannot be read, and ``kubeyaml.NotYAMLError``.
    """
    found = False

    def change(document: Object) -> Object:
        nonlocal found
        after = _uninject_document(document)
        found = found or after is not document
        return after

    rewritten = yaml_stream.rewrite_objects(text, change)
    return rewritten if found else text


def remove_injection(pod: Object, owner: str) -> Object:
    """The pod as it was; the very same where it was not injected.

    ``owner`` is the workload's name, from which injection derives the canonical name.
    """
    traces = recover.recover_injection(pod)
    if traces is None:
        return pod
    spec = _restore_spec(object_at(pod, "spec"), traces)
    metadata = uninject_metadata.restore_metadata(object_at(pod, "metadata"), spec, traces, owner)
    return merge_keys(pod, {"metadata": metadata, "spec": spec})


def _uninject_document(document: Object) -> Object:
    place = workload.find_pod_template_path(document, workload.ALL_KINDS)
    if place is None:
        return document
    try:
        pod = workload.pod_of(document, place)
        after = remove_injection(pod, _owner_name(document, pod))
    except (WorkloadError, kube.DecodeError) as error:
        raise UserError(f"{document.get('kind')}: {error}") from error
    return document if after is pod else workload.with_pod(document, place, after)


def _owner_name(document: Object, pod: Object) -> str:
    if document.get("kind") == "Pod":
        return workload_owner.workload_of_pod(object_at(pod, "metadata")).name
    return workload_owner.workload_of_manifest(document).name


def _restore_spec(spec: Object, traces: InjectionRecord) -> Object:
    status, kept = traces.status, traces.overrides
    after: Object = {}
    for key, names, own in (
        (CONTAINERS, status.containers, kept.containers),
        (INIT_CONTAINERS, status.init_containers, kept.init_containers),
        ("volumes", status.volumes, []),
        ("imagePullSecrets", status.image_pull_secrets, []),
    ):
        left = uninject_lists.restore_list(objects_at(spec, key), names, own)
        after[key] = [uninject_lists.restore_probes(each, traces.probers) for each in left]
    after["securityContext"] = _restore_security_context(object_at(spec, "securityContext"), traces)
    placed = {key: after.get(key, value) for key, value in spec.items()} | after
    return {key: value for key, value in placed.items() if value or key not in after}


def _restore_security_context(context: Object, traces: InjectionRecord) -> Object:
    """The context without the group of the proxy's token, and without a gateway's low ports."""
    added: Object = {"fsGroup": recover.PROXY_GROUP}
    if traces.is_gateway:
        added["sysctls"] = [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}]
    return {key: each for key, each in context.items() if each != added.get(key)}
