"""Compiling an injector: every document read, every fault told at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from podgraft import sprig
from podgraft.injectors.errors import Diagnostic, InvalidDocumentsError
from podgraft.injectors.istio import releases
from podgraft.injectors.istio.context import InjectorConfig
from podgraft.injectors.istio.data import mesh_types
from podgraft.injectors.istio.injector import Injector
from podgraft.injectors.istio.postprocess import openshift
from podgraft.injectors.istio.release_choice import choose_profile
from podgraft.injectors.istio.releases import Profile
from podgraft.injectors.istio.render import functions, templates
from podgraft.injectors.istio.render.templates import TemplateSet
from podgraft.jsonvalue import JSON, Object, object_at, string_at
from podgraft.kube import SelectorError, selectors
from podgraft.policy import IGNORED_NAMESPACES, DefaultPolicy, InjectionRules, InjectValueSyntax
from podgraft.texttemplate import Function

from . import config_map, mesh, protojson, proxyconfig, validate_proxyconfig
from .config_map import Config, Values
from .documents import Documents, IstiodEnvironment
from .protojson import FieldError, Message, MessageError, Schema

# What remains to be said where istiod's own words tell the problem: its fields have one reference.
_REFERENCE_REMEDY = (
    "write what Istio wants there: "
    "https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/"
)

# Without the word: a text that is no policy may be anything.
_UNKNOWN_POLICY = Diagnostic(
    document="config",
    pointer="/policy",
    problem="says neither enabled nor disabled, so that nothing is injected without a mark",
    remedy="use enabled or disabled",
)

_IGNORED_NAMESPACES_BEFORE_1_9 = frozenset({"kube-system", "kube-public"})


def compile_(
    documents: Documents, surroundings: IstiodEnvironment, *, deferred: bool = False
) -> Injector:
    """An injector for the documents; raises ``InvalidDocumentsError`` with all their faults.

    ``deferred``: templates are parsed when they are first used, and their faults told then.
    """
    faults: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    config = config_map.parse_config(documents.config, faults)
    values = config_map.parse_values(documents.values, faults)
    profile = choose_profile(surroundings.release, config, values, faults, warnings)
    if not profile.typed_values:
        faults = [fault for fault in faults if fault.document != "values" or not fault.pointer]
    schema = protojson.schema(profile)
    mesh_config = _parse_mesh(profile, schema, documents.mesh, faults)
    faults += _validate_proxy_configs(schema, documents.proxy_configs)
    env = surroundings.environment()
    known = _template_functions(profile, schema, env)
    chosen = templates.make_template_set(profile, config, known, surroundings.default_templates)
    warnings += chosen.find_unknown_names("policy" if surroundings.default_templates else "config")
    if not _reports_missing(profile, config, chosen, faults, warnings) and not deferred:
        _parse_templates(profile, chosen, faults, warnings)
        faults += _complete_faults(profile, values, mesh_config, faults)
        warnings += _unread(profile, config, values, surroundings)
    rules = _make_rules(profile, config, warnings)
    if faults:
        raise InvalidDocumentsError(tuple(faults), tuple(warnings))
    said = surroundings.injected_annotations
    return Injector(
        InjectorConfig(
            profile=profile,
            rules=rules,
            values=values,
            mesh=mesh_config,
            proxy=_proxy(schema, mesh_config),
            templates=chosen,
            injected_annotations=config.injected_annotations if said is None else said,
            proxy_configs=documents.proxy_configs,
            namespaces=documents.namespaces,
            revision=surroundings.revision,
            native_sidecars=_env_switch(env, "ENABLE_NATIVE_SIDECARS", default=False),
            openshift=env.get("PLATFORM") == openshift.PLATFORM,
            compliance_policy=env.get("COMPLIANCE_POLICY", ""),
            tcp_probes=_should_rewrite_tcp_probes(profile, env),
            legacy_fsgroup=_env_switch(env, "ENABLE_LEGACY_FSGROUP_INJECTION", default=True),
            template_version=sha256(config.template.encode()).hexdigest(),
            warnings=tuple(warnings),
        )
    )


def _parse_mesh(profile: Profile, schema: Schema, text: str, faults: list[Diagnostic]) -> Message:
    found: list[FieldError] = []
    config = mesh.apply_mesh_config(schema, mesh.defaults(profile), text, found)
    faults.extend(
        Diagnostic(
            document="mesh", pointer=wrong.pointer, problem=wrong.problem, remedy=_REFERENCE_REMEDY
        )
        for wrong in found
    )
    faults.extend(
        Diagnostic(
            document="mesh", pointer="/defaultConfig", problem=problem, remedy=_REFERENCE_REMEDY
        )
        for problem in validate_proxyconfig.validate_proxy_config(profile, mesh.proxy_of(config))
    )
    faults.extend(
        Diagnostic(document="mesh", pointer=path, problem=problem, remedy=remedy)
        for path, problem, remedy in mesh.validate_mesh_config(profile, config)
    )
    return config


def _complete_faults(
    profile: Profile, values: Values, mesh_config: Message, known: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """What else istiod refuses when it loads; a place that is wrong already is not looked at."""
    from . import validate_meshconfig, values_types  # no cold start needs them

    places = {(fault.document, fault.pointer) for fault in known}
    names = [
        Diagnostic(document="mesh", pointer=path, problem=problem, remedy=remedy)
        for path, problem, remedy in validate_meshconfig.name_problems(profile, mesh_config)
    ]
    typed = values_types.check_values(profile, values.raw) if profile.typed_values else ()
    found = [*names, *typed]
    return [fault for fault in found if (fault.document, fault.pointer) not in places]


def _proxy(schema: Schema, mesh_config: Message) -> Message:
    """The lowest layer of the webhook's proxy configurations: the mesh's over the defaults.

    A zero of the mesh cannot replace a default, since the mesh is merged as a layer itself.
    """
    own = mesh.proxy_of(mesh_config)
    if not schema.profile.proxy_layers:
        return own
    merged = proxyconfig.merge_layers(schema, mesh.proxy_defaults(schema.profile), own)
    return own if merged == own else merged


def _validate_proxy_configs(schema: Schema, resources: tuple[Object, ...]) -> Iterator[Diagnostic]:
    for resource in resources:
        metadata = object_at(resource, "metadata")
        place = f"{string_at(metadata, 'namespace')}/{string_at(metadata, 'name')}"
        try:
            proxyconfig.layer_from_resource(schema, resource)
        except MessageError as error:
            for wrong in error.errors:
                yield Diagnostic(
                    document=f"ProxyConfig {place}",
                    pointer=f"/spec{wrong.pointer}",
                    problem=wrong.problem,
                    remedy=_REFERENCE_REMEDY,
                )


def _template_functions(
    profile: Profile, schema: Schema, env: Mapping[str, str]
) -> Mapping[str, Function]:
    """All that templates may call: Istio's own before sprig's."""
    defaults = mesh.proxy_defaults(profile)
    known = dict(sprig.functions(profile.sprig)) if profile.sprig else {}
    known |= functions.template_functions(profile, defaults, env, mesh_types.types(schema))
    return (
        functions.add_render(known) if profile.is_available("render", releases.FUNCTIONS) else known
    )


def _reports_missing(
    profile: Profile,
    config: Config,
    chosen: TemplateSet,
    faults: list[Diagnostic],
    warnings: list[Diagnostic],
) -> bool:
    """Whether the release finds no template of its own, which is noted."""
    missing = tuple(chosen.find_missing(config))
    # Next to templates, Istio 1.9 and later write a template that no earlier release can parse.
    is_other = not profile.pod_templates and bool(config.template)
    (faults if is_other else warnings).extend(missing)
    return bool(missing)


def _parse_templates(
    profile: Profile, chosen: TemplateSet, faults: list[Diagnostic], warnings: list[Diagnostic]
) -> None:
    """Templates that do not parse stop istiod since 1.14; before, only a pod showed it."""
    at_load = profile.parsed_at_load or not profile.pod_templates
    (faults if at_load else warnings).extend(chosen.find_errors())


def _unread(
    profile: Profile, config: Config, values: Values, surroundings: IstiodEnvironment
) -> Iterator[Diagnostic]:
    # Imported here: a start compiles what was checked before.
    from .unread_keys import unread

    return unread(profile, config, values.raw, surroundings)


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
    listed: tuple[JSON, ...], key: str, warnings: list[Diagnostic]
) -> Iterator[selectors.Selector]:
    """Those that are valid: Istio skips the others with a warning."""
    for index, raw in enumerate(listed):
        try:
            yield selectors.compile_(raw)
        except SelectorError as error:
            warnings.extend(
                Diagnostic(
                    document="config",
                    pointer=f"/{key}/{index}{fault.pointer}",
                    problem=f"{fault.problem}, so that the selector selects nothing",
                    remedy=fault.remedy,
                )
                for fault in error.errors
            )


def _env_switch(env: Mapping[str, str], name: str, *, default: bool) -> bool:
    return env.get(name, str(default).lower()) == "true"


def _should_rewrite_tcp_probes(profile: Profile, env: Mapping[str, str]) -> bool:
    """Whether tcpSocket probes are rewritten: for some releases that was a choice."""
    if not profile.tcp_probes_switch:
        return profile.tcp_probes
    return _env_switch(env, "REWRITE_TCP_PROBES", default=True)
