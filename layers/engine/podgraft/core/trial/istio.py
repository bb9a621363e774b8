"""The trial of Istio's templates: each combination that a pod can select, for all probe pods.

A pod selects the default templates, or those that its annotation names. A template that is not a
default can be an overlay of the defaults. It is an error only if the template fails both alone and
over the defaults.
"""

import re
from collections.abc import Generator, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.diagnostics import find_similar
from podgraft.base.jsonvalue import Object, object_at
from podgraft.core.bundle import Bundle, Diagnostic, IstioMutator, Manifest, compile_istio
from podgraft.core.injectors.errors import OperatorError
from podgraft.core.injectors.istio import Injector
from podgraft.core.injectors.istio.release_choice import add_update
from podgraft.core.policy import Policy
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate import ExecError
from podgraft.kube.patch import pointer

from . import probes
from .ambiguous_text import REMEDY, find_unquoted_text
from .outcome import Outcome, try_probes
from .probes import Probe
from .report import Report, make_field_diagnostic

_NO_FIELD = "can't evaluate field "
_ANNOTATION = "inject.istio.io/templates"
_TEMPLATES = "/data/config/templates"

# The problem of a misspelled key of ``config``, as ``unread_keys`` reports it.
_UNKNOWN_KEY = "unknown key"

# The paths at which the compiler reports an unknown name of a template.
_TEMPLATE_NAMES = re.compile(r"/defaultTemplates$|/aliases/")

# The templates that istiod's gateway controller renders with other data; for pods they fail
# in Istio as well (pilot/pkg/config/kube/gateway*, classinfo.go, Templates).
CONTROLLER_TEMPLATES = frozenset(
    {"agentgateway", "agentgateway-waypoint", "kube-gateway", "waypoint"}
)


class Target(Struct, frozen=True, kw_only=True):
    """Templates that a pod can select together, and their path in the ConfigMap.

    ``name`` is the value of the pod's annotation; without it, the target is the defaults.
    """

    path: str
    name: str | None = None
    defaults: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name of the target in messages."""
        return self.name or "default templates"

    def make_probes(self) -> Iterator[Probe]:
        """Make the probe pods that select the target."""
        return _annotate_probes(self.name)

    def make_probes_over_defaults(self) -> Iterator[Probe]:
        """Make the probe pods that select the target after the defaults."""
        return _annotate_probes(",".join((*self.defaults, self.name or "")))


def try_templates(bundle: Bundle, policy: Policy, report: Report) -> Iterator[None]:
    """Render the templates of the bundle for probe pods; each step is about one rendering."""
    config_maps = bundle.manifests.of_kind("ConfigMap")
    config_map = next((manifest for manifest in config_maps if "config" in manifest.data), None)
    if bundle.istio is None or config_map is None:
        return
    _check_config(bundle, config_map, report)
    yield
    yield from _check_fields(bundle.istio, config_map, report)
    if _missing_templates(bundle.istio):
        for diagnostic in bundle.warnings:
            if not diagnostic.is_warning and _TEMPLATE_NAMES.search(diagnostic.pointer):
                report.add_error(diagnostic)
    for variant in make_variants(bundle, policy):
        for target in find_targets(bundle.istio):
            yield from _try_target(variant, target, config_map, report)


class Variant(Struct, frozen=True, kw_only=True):
    """An injector; ``is_switched`` states that its native sidecars differ from the policy's."""

    mutator: IstioMutator
    is_switched: bool = False

    @property
    def injector(self) -> Injector:
        """The injector."""
        return self.mutator.injector

    @property
    def label(self) -> str:
        """The prefix of messages; empty for the variant that the policy sets."""
        if not self.is_switched:
            return ""
        return f"with native sidecars {'on' if self.injector.config.native_sidecars else 'off'}, "

    def mutate(self, before: Object, context: ReviewContext) -> Object:
        """Inject the pod as a review does."""
        return self.mutator(before, context).object

    def is_error_for(self, target: Target) -> bool:
        """Whether a failure is an error; since 1.24, a pod can switch native sidecars itself."""
        has_annotation = self.injector.profile.native_annotation
        return not self.is_switched or (has_annotation and target.name is None)


def make_variants(bundle: Bundle, policy: Policy) -> Iterator[Variant]:
    """Make the injector of the bundle, then the same injector with native sidecars switched."""
    for mutator in bundle.pod_mutators:
        if not isinstance(mutator, IstioMutator):
            continue
        yield Variant(mutator=mutator)
        if mutator.injector.profile.native_sidecars:
            native = not mutator.injector.config.native_sidecars
            features = replace(policy.features, native_sidecars=native)
            switched_policy = replace(policy, features=features)
            component = compile_istio(bundle.manifests, switched_policy, deferred=True)
            for switched_mutator in component.pods:
                if isinstance(switched_mutator, IstioMutator):
                    yield Variant(mutator=switched_mutator, is_switched=True)


def find_targets(injector: Injector) -> Sequence[Target]:
    """The targets of an injector: the defaults first, then other templates and aliases."""
    if not injector.profile.pod_templates:
        return (Target(path="/data/config/template"),)
    templates, names = injector.config.templates, injector.templates
    defaults = templates.defaults
    used = _default_template_names(injector)
    has_single_default = len(defaults) == 1 and defaults[0] in names
    path = (
        f"{_TEMPLATES}/{pointer.escape(defaults[0])}"
        if has_single_default
        else "/data/config/defaultTemplates"
    )
    targets = [] if _missing_templates(injector) else [Target(path=path)]
    for name in names:
        if name not in used | CONTROLLER_TEMPLATES:
            path = f"{_TEMPLATES}/{pointer.escape(name)}"
            targets.append(Target(path=path, name=name, defaults=defaults))
    for alias, names_of_alias in templates.aliases.items():
        # The compiler reports unknown names of templates.
        if alias not in defaults and all(name in names for name in names_of_alias):
            path = f"/data/config/aliases/{pointer.escape(alias)}"
            targets.append(Target(path=path, name=alias, defaults=defaults))
    return targets


def _default_template_names(injector: Injector) -> set[str]:
    """The names of the default templates, with aliases resolved."""
    templates = injector.config.templates
    return {
        name
        for default in templates.defaults
        for name in templates.aliases.get(default, (default,))
    }


def _missing_templates(injector: Injector) -> set[str]:
    """The default names without a template; with one of them, the injection of every pod fails."""
    return _default_template_names(injector) - {*injector.templates}


def _annotate_probes(names: str | None) -> Iterator[Probe]:
    annotations = {} if names is None else {_ANNOTATION: names}
    for probe in (*probes.PODS, probes.GATEWAY):
        yield probes.with_metadata(probe, annotations=annotations)


def _try_target(
    variant: Variant, target: Target, config_map: Manifest, report: Report
) -> Generator[None, None, None]:
    if variant.is_switched and any(
        diagnostic.pointer == target.path for diagnostic in report.errors
    ):
        return  # the same error again
    mutate = report.observe(variant.mutate, config_map, target.path)
    outcome = yield from try_probes(mutate, target.make_probes())
    if outcome.is_rejected and target.name is not None:
        together = yield from try_probes(mutate, target.make_probes_over_defaults())
        if not together.is_rejected:
            return
        if not together.fails_everywhere:
            outcome = together  # an overlay of the defaults: its flaws over them are the cause
    if outcome.is_rejected:
        add = report.add_error if variant.is_error_for(target) else report.add_warning
        for diagnostic in _make_diagnostics(outcome, variant, target, config_map, report):
            add(diagnostic)
    elif target.name is None:
        for failure in outcome.errors[:1]:
            text = report.describe(failure.error)
            problem = f"{variant.label}fails for {failure.probe.name}: {text}"
            report.add_warning(config_map.make_diagnostic(target.path, problem, failure.remedy))
    if not (outcome.errors or outcome.flaws or variant.is_switched):
        yield from _try_ambiguous_text(variant, target, config_map, report)


def _try_ambiguous_text(
    variant: Variant, target: Target, config_map: Manifest, report: Report
) -> Generator[None, None, None]:
    """Warn if a template writes text of a pod unquoted, and YAML does not read it as a string."""
    probe = next(target.make_probes())
    problem = yield from find_unquoted_text(variant.mutate, probe, report.describe)
    # An alias repeats the warning.
    if problem and not any(warning.problem == problem for warning in report.warnings):
        report.add_warning(config_map.make_diagnostic(target.path, problem, REMEDY))


def _make_diagnostics(
    outcome: Outcome, variant: Variant, target: Target, config_map: Manifest, report: Report
) -> Iterator[Diagnostic]:
    injector = variant.injector
    if outcome.fails_everywhere:
        failure = outcome.errors[-1] if outcome.is_final else outcome.errors[0]
        text = report.describe(failure.error)
        problem = f"{variant.label}fails for every probe pod: {text}"
        remedy = failure.remedy
        if isinstance(failure.cause, ExecError) and failure.cause.reason.startswith(_NO_FIELD):
            remedy = add_update(injector.config.newer_release, remedy)
        diagnostic = config_map.make_diagnostic(target.path, problem, remedy)
        yield replace(diagnostic, excerpt=failure.excerpt)
    for each in outcome.first_flaws:
        flaw = each.flaw
        hub = object_at(injector.config.values.raw, "global").get("hub")
        if flaw.image is not None and flaw.image.startswith("/") and not hub:
            yield _missing_hub_diagnostic(flaw.image, config_map, injector)
        else:
            problem = f"{variant.label}{each.problem}"
            yield config_map.make_diagnostic(target.path, problem, flaw.remedy)


def _missing_hub_diagnostic(image: str, config_map: Manifest, injector: Injector) -> Diagnostic:
    names = [*object_at(injector.config.values.raw, "global")]
    hint = find_similar("hub", names)
    return config_map.make_diagnostic(
        "/data/values/global/hub",
        f'is missing, so the image is "{image}"',
        f"rename {hint} to hub" if hint else "set it to the registry, such as docker.io/istio",
    )


def _check_fields(injector: Injector, config_map: Manifest, report: Report) -> Iterator[None]:
    for name in injector.templates:
        if name in CONTROLLER_TEMPLATES:
            continue
        is_legacy = not injector.profile.pod_templates
        path = "/data/config/template" if is_legacy else f"{_TEMPLATES}/{pointer.escape(name)}"
        try:
            problems = injector.check_fields(name)
        except OperatorError:  # before 1.14, a template that does not parse fails only for its pods
            problems = ()
        for problem in problems:
            diagnostic = make_field_diagnostic(config_map, path, problem)
            remedy = add_update(injector.config.newer_release, diagnostic.remedy)
            report.add_error(replace(diagnostic, remedy=remedy))
        yield


def _check_config(bundle: Bundle, config_map: Manifest, report: Report) -> None:
    """Report keys that no release reads, and a missing policy."""
    for diagnostic in bundle.warnings:
        if not diagnostic.is_warning and diagnostic.problem.startswith(_UNKNOWN_KEY):
            report.add_error(diagnostic)
    if not bundle.rules.policy:
        problem = "is missing, so podgraft injects no pod"
        report.add_error(
            config_map.make_diagnostic("/data/config/policy", problem, "use enabled or disabled")
        )
