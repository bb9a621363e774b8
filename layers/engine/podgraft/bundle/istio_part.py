"""Istio's injector in a bundle: ConfigMaps with ``config`` or ``mesh``, and ProxyConfigs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from podgraft.injection import Fault as DocumentFault
from podgraft.injection import InvalidDocumentsError, istio
from podgraft.jsonvalue import Object
from podgraft.patch import pointer
from podgraft.policy import Policy
from podgraft.records import dataclass

from .errors import Fault
from .manifests import Manifest, Manifests
from .parts import Call, Grafted, Part

if TYPE_CHECKING:
    from podgraft.trace import Trace


@dataclass(frozen=True, slots=True)
class IstioGraft:
    """Istio's sidecar for a pod."""

    injector: istio.Injector

    def __call__(self, before: Object, call: Call) -> Grafted:
        """Inject as Istio's webhook would."""
        request = istio.Request(
            namespace=call.namespace,
            environment=self.injector.environment(call.path),
            checked=call.request is not None and before is call.request.object,
        )
        injection = self.injector.inject(before, request)
        if call.trace is not None:
            _add_step(call.trace, injection, self.injector.profile.release)
        base, fixed = injection.base, ()
        if injection.operations is not None:  # up to 1.8 a fixed scheme made the patch
            base, fixed = injection.pod, injection.operations
        return Grafted(
            base=base, object=injection.pod, warnings=injection.warnings, operations=fixed
        )


def _add_step(trace: Trace, injection: istio.Injection, release: str) -> None:
    from podgraft.trace import Additions

    templates = ", ".join(injection.templates) or "none"
    trace.add("Istio templates", f"{templates}, as Istio {release} renders them", "injects")
    trace.additions = Additions(
        templates=injection.templates,
        image=injection.image,
        init_containers=injection.init_containers,
        containers=injection.containers,
        volumes=injection.volumes,
    )


def part(manifests: Manifests, policy: Policy, *, deferred: bool) -> Part:
    """Compile the one injector configuration; nothing where the bundle has none."""
    configs = _holding("config", manifests)
    meshes = _holding("mesh", manifests)
    faults = (*_several(configs, "config"), *_several(meshes, "mesh"), *_untextual(manifests))
    if faults:
        return Part(used=(*configs, *meshes), faults=faults)
    if not configs:
        return Part(faults=tuple(_homeless(manifests, meshes)), used=meshes)
    proxy_configs = tuple(sorted(manifests.of("ProxyConfig"), key=_created))
    sources = _Sources(configs[0], meshes[0] if meshes else None, proxy_configs)
    return _compiled(sources, manifests, policy, deferred=deferred)


@dataclass(frozen=True, slots=True)
class _Sources:
    """Where the texts of Istio's documents stand in the bundle."""

    config: Manifest
    mesh: Manifest | None
    proxy_configs: tuple[Manifest, ...]

    def text(self, key: str, default: str) -> str:
        holder = self.mesh if key == "mesh" else self.config
        text = holder.data.get(key, default) if holder else default
        return text if isinstance(text, str) else default

    def placed(self, fault: DocumentFault) -> Fault:
        """A fault of one of Istio's documents as a fault of the file that holds it."""
        path = f"/data/{fault.document}{fault.path}"
        match fault.document:
            case "config" | "values":
                placed = self.config.fault(path, fault.problem, fault.remedy)
            case "mesh" if self.mesh is not None:
                placed = self.mesh.fault(path, fault.problem, fault.remedy)
            case document:
                placed = self._of_proxy_config(document, fault)
        return replace(placed, excerpt=fault.excerpt, severity=fault.severity)

    def _of_proxy_config(self, document: str, fault: DocumentFault) -> Fault:
        for manifest in self.proxy_configs:
            if document == f"ProxyConfig {manifest.namespace}/{manifest.name}":
                return manifest.fault(fault.path, fault.problem, fault.remedy)
        return Fault(file=document, path=fault.path, problem=fault.problem, remedy=fault.remedy)


def _compiled(sources: _Sources, manifests: Manifests, policy: Policy, *, deferred: bool) -> Part:
    used = (sources.config,) if sources.mesh is None else (sources.config, sources.mesh)
    try:
        documents, surroundings = _documents(sources, manifests), _surroundings(policy)
        injector = istio.compile_(documents, surroundings, deferred=deferred)
    except InvalidDocumentsError as error:
        return Part(
            used=used,
            faults=tuple(map(sources.placed, error.faults)),
            tolerated=tuple(map(sources.placed, error.warnings)),
        )
    return Part(
        pods=(IstioGraft(injector),),
        rules=injector.rules,
        istio=injector,
        used=used,
        tolerated=tuple(map(sources.placed, injector.warnings)),
    )


def _documents(sources: _Sources, manifests: Manifests) -> istio.Documents:
    return istio.Documents(
        config=sources.text("config", ""),
        values=sources.text("values", "{}"),
        mesh=sources.text("mesh", ""),
        proxy_configs=tuple(found.object for found in sources.proxy_configs),
        namespaces=manifests.namespaces,
    )


def _surroundings(policy: Policy) -> istio.Surroundings:
    features = policy.features
    return istio.Surroundings(
        release=policy.istio_release,
        revision="default" if policy.revision is None else policy.revision,
        native_sidecars=features.native_sidecars,
        platform=features.platform,
        compliance_policy=features.compliance_policy,
        legacy_fsgroup_injection=features.legacy_fsgroup_injection,
        rewrite_tcp_probes=features.rewrite_tcp_probes,
        env=features.env or {},
        default_templates=policy.default_templates,
        injected_annotations=policy.injected_annotations,
    )


def _holding(key: str, manifests: Manifests) -> tuple[Manifest, ...]:
    return tuple(found for found in manifests.of("ConfigMap") if key in found.data)


def _created(manifest: Manifest) -> tuple[str, str, str]:
    """The order in which istiod saw them: by age, then by name."""
    created = manifest.metadata.get("creationTimestamp")
    return (str(created or ""), manifest.namespace, manifest.name)


def _several(holders: Sequence[Manifest], key: str) -> Iterator[Fault]:
    for further in holders[1:]:
        problem = f"is a second {key}; the first is in {holders[0].file}"
        remedy = "keep one: each revision is an injector of its own"
        yield further.fault(f"/data/{key}", problem, remedy)


def _untextual(manifests: Manifests) -> Iterator[Fault]:
    for manifest in manifests.of("ConfigMap"):
        for key, value in manifest.data.items():
            if not isinstance(value, str):
                path = f"/data/{pointer.escape(key)}"
                yield manifest.fault(path, "is no string", "put it in quotes, or under a |")


def _homeless(manifests: Manifests, meshes: Sequence[Manifest]) -> Iterator[Fault]:
    for manifest in (*meshes, *manifests.of("ProxyConfig")):
        problem = "is used with an injector configuration only, and there is none"
        yield manifest.fault("", problem, "add the ConfigMap istio-sidecar-injector")
