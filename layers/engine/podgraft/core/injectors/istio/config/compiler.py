"""The compiler of Istio's injector, which reports the errors of all documents at once."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at
from podgraft.core.injectors.errors import Diagnostic, InvalidDocumentsError
from podgraft.core.injectors.istio.data import mesh_types
from podgraft.core.injectors.istio.injector import Injector
from podgraft.core.injectors.istio.injector_config import InjectorConfig
from podgraft.core.injectors.istio.postprocess import openshift
from podgraft.core.injectors.istio.release_choice import choose_profile, find_newer_release
from podgraft.core.injectors.istio.releases import Profile
from podgraft.core.injectors.istio.render import functions, templates
from podgraft.core.injectors.istio.render.templates import TemplateSet
from podgraft.core.policy import (
    IGNORED_NAMESPACES,
    DefaultPolicy,
    InjectionRules,
    InjectValueSyntax,
)
from podgraft.golang import sprig
from podgraft.golang.texttemplate import Function
from podgraft.kube import SelectorError, selectors

from . import (
    config_map,
    mesh,
    protojson,
    proxyconfig,
    validate_meshconfig,
    validate_proxyconfig,
    values_types,
)
from .config_map import Config, Values
from .documents import Documents, IstiodEnvironment
from .protojson import FieldError, Message, MessageError, Schema
from .unread_keys import find_ineffective_keys

# The remedy for problems with istiod's error text: the reference of all fields.
_REFERENCE_REMEDY = (
    "use a value that Istio accepts: "
    "https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/"
)

# Without the value, which can be a secret in the wrong field.
_UNKNOWN_POLICY = Diagnostic(
    "must be enabled or disabled; with any other value, podgraft injects no pod",
    "use enabled or disabled",
    document="config",
    pointer="/policy",
)

_IGNORED_NAMESPACES_BEFORE_1_9 = frozenset({"kube-system", "kube-public"})


def compile_(
    documents: Documents, surroundings: IstiodEnvironment, *, deferred: bool = False
) -> Injector:
    """Compile the documents to an injector; raises ``InvalidDocumentsError`` with all errors.

    ``deferred``: templates are parsed on first use, and their errors are raised then.
    """
    errors, warnings = list[Diagnostic](), list[Diagnostic]()
    config = config_map.parse_config(documents.config, errors)
    values = config_map.parse_values(documents.values, errors)
    profile = choose_profile(surroundings.release, config, values, errors, warnings)
    if not profile.typed_values:
        errors = [error for error in errors if error.document != "values" or not error.pointer]
    newer_release = find_newer_release(surroundings.release, values)
    schema = protojson.schema(profile)
    mesh_config = _parse_mesh(profile, schema, documents.mesh, errors)
    errors += _validate_proxy_configs(schema, documents.proxy_configs)
    warnings += _find_unselective_resources(documents.proxy_configs)
    template_set = _make_template_set(profile, schema, config, surroundings, warnings)
    is_complete = not _report_missing_templates(profile, config, template_set, errors, warnings)
    if is_complete and not deferred:
        fails_at_load = profile.parsed_at_load or not profile.pod_templates
        (errors if fails_at_load else warnings).extend(template_set.find_errors(newer_release))
        errors += _find_further_errors(profile, values, mesh_config, errors)
        warnings += find_ineffective_keys(profile, config, values.raw, surroundings, newer_release)
    rules = _make_rules(profile, config, warnings)
    if errors:
        raise InvalidDocumentsError(tuple(errors), tuple(warnings))
    return Injector(
        InjectorConfig(
            rules=rules,
            values=values,
            mesh=mesh_config,
            proxy=_base_proxy_config(schema, mesh_config),
            templates=template_set,
            newer_release=newer_release,
            warnings=tuple(warnings),
            **_make_environment_fields(profile, config, documents, surroundings),
        )
    )


def _make_template_set(
    profile: Profile,
    schema: Schema,
    config: Config,
    surroundings: IstiodEnvironment,
    warnings: list[Diagnostic],
) -> templates.TemplateSet:
    names = surroundings.default_templates
    functions = _make_template_functions(profile, schema, surroundings.environment())
    template_set = templates.make_template_set(profile, config, functions, names)
    warnings += template_set.find_unknown_names("policy" if names else "config")
    return template_set


def _make_environment_fields(
    profile: Profile, config: Config, documents: Documents, surroundings: IstiodEnvironment
) -> dict[str, Any]:
    """The fields that need no check: those of istiod's flags and environment, and of resources."""
    env = surroundings.environment()
    injected_annotations = surroundings.injected_annotations
    if injected_annotations is None:
        injected_annotations = config.injected_annotations
    return {
        "profile": profile,
        "proxy_configs": documents.proxy_configs,
        "namespaces": documents.namespaces,
        "injected_annotations": injected_annotations,
        "revision": surroundings.revision,
        "template_version": sha256(config.template.encode()).hexdigest(),
        "native_sidecars": _env_switch(env, "ENABLE_NATIVE_SIDECARS", default=False),
        "openshift": env.get("PLATFORM") == openshift.PLATFORM,
        "compliance_policy": env.get("COMPLIANCE_POLICY", ""),
        "tcp_probes": _should_rewrite_tcp_probes(profile, env),
        "legacy_fsgroup": _env_switch(env, "ENABLE_LEGACY_FSGROUP_INJECTION", default=True),
    }


def _parse_mesh(profile: Profile, schema: Schema, text: str, errors: list[Diagnostic]) -> Message:
    field_errors: list[FieldError] = []
    config = mesh.apply_mesh_config(schema, mesh.defaults(profile), text, field_errors)
    proxy_problems = validate_proxyconfig.validate_proxy_config(profile, mesh.proxy_of(config))
    errors += map(
        _make_mesh_error,
        (
            *((error.pointer, error.problem, _REFERENCE_REMEDY) for error in field_errors),
            *(("/defaultConfig", problem, _REFERENCE_REMEDY) for problem in proxy_problems),
            *mesh.validate_mesh_config(profile, config),
        ),
    )
    return config


def _make_mesh_error(found: validate_meshconfig.Problem) -> Diagnostic:
    path, problem, remedy = found
    return Diagnostic(problem, remedy, document="mesh", pointer=path)


def _find_further_errors(
    profile: Profile, values: Values, mesh_config: Message, earlier: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Find further errors with which istiod does not load; skip locations with earlier errors."""
    locations = {(diagnostic.document, diagnostic.pointer) for diagnostic in earlier}
    candidates = [*map(_make_mesh_error, validate_meshconfig.validate_names(profile, mesh_config))]
    if profile.typed_values:
        candidates += values_types.validate_values(profile, values.raw)
    return [
        diagnostic
        for diagnostic in candidates
        if (diagnostic.document, diagnostic.pointer) not in locations
    ]


def _base_proxy_config(schema: Schema, mesh_config: Message) -> Message:
    """Return the lowest layer of the proxy configuration: the mesh's, merged over the defaults.

    A zero of the mesh cannot replace a default, because the mesh is merged as a layer.
    """
    mesh_proxy = mesh.proxy_of(mesh_config)
    if not schema.profile.proxy_layers:
        return mesh_proxy
    merged = proxyconfig.merge_layers(schema, mesh.proxy_defaults(schema.profile), mesh_proxy)
    return mesh_proxy if merged == mesh_proxy else merged


def _validate_proxy_configs(schema: Schema, resources: tuple[Object, ...]) -> Iterator[Diagnostic]:
    for resource in resources:
        try:
            proxyconfig.layer_from_resource(schema, resource)
        except MessageError as error:
            for field_error in error.errors:
                yield Diagnostic(
                    field_error.problem,
                    _REFERENCE_REMEDY,
                    document=_describe_resource(resource),
                    pointer=f"/spec{field_error.pointer}",
                )


def _find_unselective_resources(resources: tuple[Object, ...]) -> Iterator[Diagnostic]:
    """Find the resources with a selector without labels; they apply to no pod."""
    for resource in resources:
        if proxyconfig.find_match_labels(resource) == {}:
            yield Diagnostic(
                "a selector without labels selects no pod",
                "add matchLabels, or remove the selector to apply it to the namespace",
                document=_describe_resource(resource),
                pointer="/spec/selector",
            )


def _describe_resource(resource: Object) -> str:
    metadata = object_at(resource, "metadata")
    return f"ProxyConfig {string_at(metadata, 'namespace')}/{string_at(metadata, 'name')}"


def _make_template_functions(
    profile: Profile, schema: Schema, env: Mapping[str, str]
) -> Mapping[str, Function]:
    """Return the functions for templates; Istio's functions replace sprig's of the same name."""
    defaults = mesh.proxy_defaults(profile)
    available = dict(sprig.functions(profile.sprig, profile.cast)) if profile.sprig else {}
    available |= functions.template_functions(profile, defaults, env, mesh_types.types(schema))
    return functions.add_render(available) if profile.has_function("render") else available


def _report_missing_templates(
    profile: Profile,
    config: Config,
    template_set: TemplateSet,
    errors: list[Diagnostic],
    warnings: list[Diagnostic],
) -> bool:
    """Report a missing template; return whether the release finds no template."""
    missing = tuple(template_set.find_missing(config))
    # Next to templates, Istio 1.9 and later write a template that no earlier release can parse.
    is_other = not profile.pod_templates and bool(config.template)
    (errors if is_other else warnings).extend(missing)
    return bool(missing)


def _make_rules(profile: Profile, config: Config, warnings: list[Diagnostic]) -> InjectionRules:
    strict = profile.strict_inject_values
    if config.policy and config.policy not in set(DefaultPolicy):
        warnings.append(_UNKNOWN_POLICY)
    never, always = (config.never, config.always) if profile.selectors else ((), ())
    return InjectionRules(
        policy=config.policy,
        never=tuple(_valid_selectors(never, "neverInjectSelector", warnings)),
        always=tuple(_valid_selectors(always, "alwaysInjectSelector", warnings)),
        ignored_namespaces=IGNORED_NAMESPACES
        if profile.four_ignored_namespaces
        else _IGNORED_NAMESPACES_BEFORE_1_9,
        inject_values=InjectValueSyntax.STRICT if strict else InjectValueSyntax.YAML,
        honors_label=profile.inject_label,
    )


def _valid_selectors(
    raw_selectors: tuple[JSON, ...], key: str, warnings: list[Diagnostic]
) -> Iterator[selectors.Selector]:
    """Yield the valid selectors; Istio skips the others with a warning."""
    for index, raw in enumerate(raw_selectors):
        try:
            yield selectors.compile_(raw)
        except SelectorError as error:
            warnings.extend(
                Diagnostic(
                    f"{problem.problem}, so the selector selects nothing",
                    problem.remedy,
                    document="config",
                    pointer=f"/{key}/{index}{problem.pointer}",
                )
                for problem in error.errors
            )


def _env_switch(env: Mapping[str, str], name: str, *, default: bool) -> bool:
    return env.get(name, str(default).lower()) == "true"


def _should_rewrite_tcp_probes(profile: Profile, env: Mapping[str, str]) -> bool:
    """Whether tcpSocket probes are rewritten, which some releases make configurable."""
    if not profile.tcp_probes_switch:
        return profile.tcp_probes
    return _env_switch(env, "REWRITE_TCP_PROBES", default=True)
