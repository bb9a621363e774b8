"""Istio's injector in a bundle: ConfigMaps with ``config`` or ``mesh``, and ProxyConfigs."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import asdict, replace

from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.base.trace import TEMPLATES_STEP, Additions, Trace
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import InvalidDocumentsError
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.policy import Policy
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect import GoType
from podgraft.kube.patch import pointer

from .components import Component
from .errors import Diagnostic
from .manifests import Manifest, Manifests

_LABELS = ("metadata", "labels")


class IstioMutator(Struct, frozen=True):
    """Adds Istio's sidecar to a pod."""

    injector: istio.Injector

    def __call__(self, before: Object, context: ReviewContext, /) -> Mutation:
        """Inject as Istio's webhook does."""
        injection = self.injector.inject(before, context)
        if context.trace is not None:
            _add_step(context.trace, injection, self.injector.profile.release)
        return injection.mutation

    def find_reads(self, _type: GoType | None, /) -> Iterator[tuple[FieldRead, ...]]:
        """Yield the labels that ProxyConfig resources select, and what each template reads."""
        yield tuple(
            FieldRead(f"ProxyConfig {string_at(each, 'metadata', 'name')}", (*_LABELS, key))
            for each in self.injector.config.proxy_configs
            for key in object_at(each, "spec", "selector", "matchLabels")
        )
        yield from map(self.injector.find_reads, self.injector.templates)


def _add_step(trace: Trace, injection: istio.Injection, release: str) -> None:
    templates = ", ".join(injection.templates) or "none"
    trace.add(TEMPLATES_STEP, f"{templates}, as Istio {release} renders them", "injects")
    trace.additions = Additions(
        templates=injection.templates,
        image=injection.image,
        init_containers=injection.added.init_containers,
        containers=injection.added.containers,
        volumes=injection.added.volumes,
    )


def compile_istio(manifests: Manifests, policy: Policy, *, deferred: bool) -> Component:
    """Compile the injector configuration; an empty component if the bundle has none."""
    configs = _config_maps_with_key("config", manifests)
    meshes = _config_maps_with_key("mesh", manifests)
    errors = (
        *_find_duplicates(configs, "config"),
        *_find_duplicates(meshes, "mesh"),
        *_find_non_string_entries(manifests),
    )
    if errors:
        return Component(used_manifests=(*configs, *meshes), errors=errors)
    if not configs:
        return Component(errors=tuple(_find_orphans(manifests, meshes)), used_manifests=meshes)
    proxy_configs = tuple(sorted(manifests.of_kind("ProxyConfig"), key=_creation_order))
    sources = _Sources(configs[0], meshes[0] if meshes else None, proxy_configs)
    return _compile_sources(sources, manifests, policy, deferred=deferred)


class _Sources(Struct, frozen=True):
    """The manifests that contain Istio's documents."""

    config: Manifest
    mesh: Manifest | None
    proxy_configs: tuple[Manifest, ...]

    def text(self, key: str, default: str) -> str:
        manifest = self.mesh if key == "mesh" else self.config
        text = manifest.data.get(key, default) if manifest else default
        return text if isinstance(text, str) else default

    def locate(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic of one of Istio's documents, located in the file that contains it."""
        in_data = replace(diagnostic, pointer=f"/data/{diagnostic.document}{diagnostic.pointer}")
        match diagnostic.document:
            case "config" | "values":
                return self.config.locate(in_data)
            case "mesh" if self.mesh is not None:
                return self.mesh.locate(in_data)
            case document:
                manifests = (
                    each
                    for each in self.proxy_configs
                    if document == f"ProxyConfig {each.namespace}/{each.name}"
                )
                manifest = next(manifests, None)
                return diagnostic if manifest is None else manifest.locate(diagnostic)


def _compile_sources(
    sources: _Sources, manifests: Manifests, policy: Policy, *, deferred: bool
) -> Component:
    used = (sources.config,) if sources.mesh is None else (sources.config, sources.mesh)
    try:
        documents, environment = _istio_documents(sources, manifests), _istiod_environment(policy)
        injector = istio.compile_(documents, environment, deferred=deferred)
    except InvalidDocumentsError as error:
        return Component(
            used_manifests=used,
            errors=tuple(map(sources.locate, error.errors)),
            warnings=tuple(map(sources.locate, error.warnings)),
        )
    return Component(
        pods=(IstioMutator(injector),),
        rules=injector.config.rules,
        istio=injector,
        used_manifests=used,
        warnings=tuple(map(sources.locate, injector.config.warnings)),
    )


def _istio_documents(sources: _Sources, manifests: Manifests) -> istio.Documents:
    return istio.Documents(
        config=sources.text("config", ""),
        values=sources.text("values", "{}"),
        mesh=sources.text("mesh", ""),
        proxy_configs=tuple(manifest.object for manifest in sources.proxy_configs),
        namespaces=manifests.namespaces,
    )


def _istiod_environment(policy: Policy) -> istio.IstiodEnvironment:
    return istio.IstiodEnvironment(
        release=policy.istio_release,
        revision="default" if policy.revision is None else policy.revision,
        default_templates=policy.default_templates,
        injected_annotations=policy.injected_annotations,
        **asdict(policy.features),
    )


def _config_maps_with_key(key: str, manifests: Manifests) -> tuple[Manifest, ...]:
    return tuple(manifest for manifest in manifests.of_kind("ConfigMap") if key in manifest.data)


def _creation_order(manifest: Manifest) -> tuple[str, str, str]:
    """The order in which istiod reads them: by age, then by name."""
    created = manifest.metadata.get("creationTimestamp")
    return (str(created or ""), manifest.namespace, manifest.name)


def _find_duplicates(manifests: Sequence[Manifest], key: str) -> Iterator[Diagnostic]:
    for duplicate in manifests[1:]:
        problem = f"is a second {key}; the first is in {manifests[0].file}"
        remedy = "keep one: each revision is a separate injector"
        yield duplicate.make_diagnostic(f"/data/{key}", problem, remedy)


def _find_non_string_entries(manifests: Manifests) -> Iterator[Diagnostic]:
    for manifest in manifests.of_kind("ConfigMap"):
        for key, value in manifest.data.items():
            if not isinstance(value, str):
                path = f"/data/{pointer.escape(key)}"
                yield manifest.make_diagnostic(
                    path, "is no string", "put it in quotes, or under a |"
                )


def _find_orphans(manifests: Manifests, meshes: Sequence[Manifest]) -> Iterator[Diagnostic]:
    for manifest in (*meshes, *manifests.of_kind("ProxyConfig")):
        problem = "is used with an injector configuration only, and there is none"
        yield manifest.make_diagnostic("", problem, "add the ConfigMap istio-sidecar-injector")
