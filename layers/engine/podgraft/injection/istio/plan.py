"""What is found out about a pod before anything changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from podgraft import kube
from podgraft.injection.errors import Fault, UserError
from podgraft.jsonvalue import JSON, Object
from podgraft.policy import Rules

from . import annotations, cluster, mesh, messages, openshift, overrides, prometheus, proxyconfig
from . import status as statuses
from .draft import (
    CONTAINERS,
    INIT_CONTAINERS,
    annotations_of,
    changed,
    containers,
    labels_of,
    object_at,
    text_at,
)
from .messages import Message
from .releases import Profile
from .request import Mode, Request
from .settings import Values
from .subject import Facts, Subject
from .templates import Templates
from .workloads import identity_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What an injector is made of, the same for all pods."""

    profile: Profile
    rules: Rules
    values: Values
    mesh: Message
    templates: Templates
    injected_annotations: Mapping[str, str]
    proxy_configs: tuple[Object, ...]
    namespaces: Mapping[str, Object]
    revision: str
    native_sidecars: bool
    openshift: bool
    compliance_policy: str
    tcp_probes: bool
    warnings: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One pod, the request for it, and what follows from both.

    ``mesh`` is what post-processing goes by: by hand, the pod's own part is merged into it.
    ``held`` is the proxy configuration that says whether the application waits for the proxy.
    """

    base: Object
    annotations: Mapping[str, str]
    by_hand: bool
    mesh: Message
    held: Message
    facts: Facts
    subject: Subject
    environment: Mapping[str, str]
    templates: tuple[str, ...]

    @property
    def status_port(self) -> int:
        """The agent's port."""
        port = mesh.proxy_of(self.mesh).get("statusPort")
        return port if isinstance(port, int) else 0


def plan(setup: Setup, pod: Object, request: Request) -> Plan:
    """Check the pod and gather what its injection needs; raises ``UserError``."""
    by_hand = request.mode is Mode.KUBE_INJECT
    base = _base(setup, pod, request)
    said = annotations_of(base)
    annotations.check(setup.profile, said)
    held = proxyconfig.merge(
        messages.schema(setup.profile), mesh.proxy_of(setup.mesh), _layer(setup, said)
    )
    seen = mesh.with_proxy(setup.mesh, held) if by_hand else setup.mesh
    return Plan(
        base=base,
        annotations=said,
        by_hand=by_hand,
        mesh=seen,
        held=held,
        facts=_facts(setup, base, by_hand=by_hand),
        subject=_subject(setup, base, seen, request),
        environment=cluster.environment(setup.values, request.environment, labels_of(base)),
        templates=setup.templates.chosen(said),
    )


def _base(setup: Setup, pod: Object, request: Request) -> Object:
    """The pod that the patch starts from; raises ``UserError`` if it is none."""
    try:
        kube.check(kube.POD, pod)
    except kube.DecodeError as error:
        raise UserError(f"the object does not decode as a pod: {error}") from error
    if request.mode is Mode.KUBE_INJECT:
        return pod
    metadata = object_at(pod, "metadata")
    if not metadata.get("namespace"):
        named = changed(metadata, {"namespace": request.namespace})
        pod = changed(pod, {"metadata": named})
    if setup.openshift and setup.profile.openshift_ids_cleared:
        pod = openshift.without_ids(setup.profile, pod)
    return pod


def _facts(setup: Setup, base: Object, *, by_hand: bool) -> Facts:
    ids = (openshift.DEFAULT_ID, openshift.DEFAULT_ID)
    if setup.openshift and not by_hand:
        namespace = text_at(object_at(base, "metadata"), "namespace")
        ids = openshift.proxy_ids(setup.namespaces.get(namespace))
    return Facts(
        profile=setup.profile,
        values=setup.values,
        mesh=setup.mesh,
        revision=setup.revision,
        native_sidecars=setup.native_sidecars,
        compliance_policy=setup.compliance_policy,
        merged_into_mesh=by_hand,
        ids=ids,
    )


def _subject(setup: Setup, base: Object, seen: Message, request: Request) -> Subject:
    """What templates see: by hand, nothing is looked up in a cluster."""
    said = annotations_of(base)
    schema, proxy = messages.schema(setup.profile), mesh.proxy_of(setup.mesh)
    layer = _layer(setup, said)
    top: Message = {}
    if request.mode is Mode.WEBHOOK:
        root, own, top = _resources(setup, base)
        proxy = proxyconfig.merge(schema, proxyconfig.merge(schema, proxy, root), own)
        layer = proxyconfig.without_zeros(schema, layer)
    port = str(mesh.proxy_of(seen).get("statusPort") or 0)
    return Subject(
        pod=_shown(setup.profile, base, port),
        workload=request.workload or identity_of(setup.profile, base),
        base=proxy,
        layer=layer,
        top=top,
    )


def _layer(setup: Setup, said: Mapping[str, str]) -> Message:
    """The pod's own proxy configuration, which the check of its annotations has read before."""
    text = said.get(proxyconfig.ANNOTATION)
    return proxyconfig.read(messages.schema(setup.profile), text) if text else {}


def _resources(setup: Setup, base: Object) -> tuple[Message, Message, Message]:
    """What ProxyConfig resources say: the mesh's, the namespace's, the workload's."""
    schema = messages.schema(setup.profile)
    namespace = text_at(object_at(base, "metadata"), "namespace")
    found = proxyconfig.select(
        setup.proxy_configs, namespace, text_at(setup.mesh, "rootNamespace"), labels_of(base)
    )
    mesh_wide, own, workload = (
        proxyconfig.layer_of(schema, resource) if resource else {} for resource in found
    )
    return mesh_wide, own, workload


def _shown(profile: Profile, base: Object, status_port: str) -> Object:
    """The pod as templates see it: without what an earlier injection added, but with what the
    user wrote under the injected names.
    """
    said = annotations_of(base)
    before = statuses.read(said)
    shown = base if before is None else _stripped(profile, base, before, status_port)
    return overrides.reinserted(shown, overrides.read(said))


def _stripped(profile: Profile, base: Object, before: statuses.Status, port: str) -> Object:
    metadata, spec = object_at(base, "metadata"), object_at(base, "spec")
    said = object_at(metadata, "annotations")
    dropped = {statuses.ANNOTATION}
    if prometheus.points_at(profile, said, port):
        dropped.update(prometheus.scrape_annotations(profile, said))
    kept: Object = {name: value for name, value in said.items() if name not in dropped}
    lists: Object = {
        key: _without(containers(base, key), names)
        for key, names in (
            (CONTAINERS, before.containers),
            (INIT_CONTAINERS, before.init_containers),
        )
        if key in spec
    }
    shown = changed(metadata, {"annotations": kept})
    return changed(base, {"metadata": shown, "spec": changed(spec, lists)})


def _without(listed: list[Object], names: tuple[str, ...]) -> list[JSON]:
    return [each for each in listed if each.get("name") not in names]
