"""The trial of Istio's templates: each as pods get it, for every kind of probe pod.

A pod gets the default templates, or those that its annotation names. A template that is no default
may be made to be laid over the defaults: it is refused only if it fails alone and over them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from podgraft.bundle import (
    Bundle,
    Diagnostic,
    IstioMutator,
    Manifest,
    compile_istio,
)
from podgraft.injectors import OperatorError
from podgraft.injectors.istio import Injector
from podgraft.jsonvalue import Object, object_at
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.patch import pointer
from podgraft.policy import Policy
from podgraft.review_context import ReviewContext

from . import probes
from .ambiguous_text import REMEDY, find_unquoted
from .outcome import Outcome, attempts
from .probes import Probe
from .report import Report, field_fault
from .suggestions import suggestion

_ANNOTATION = "inject.istio.io/templates"
_TEMPLATES = "/data/config/templates"

# How a misspelt key of ``config`` is reported when a bundle is compiled (unread.py).
_UNKNOWN_KEY = "unknown key"

# Where a name of no template is reported when a bundle is compiled.
_NAMES = lazy_compile(r"/defaultTemplates$|/aliases/")

# The templates that istiod's gateway controller renders with data of its own; for pods they fail
# in Istio as well (pilot/pkg/config/kube/gateway*, classinfo.go, Templates).
CONTROLLER_TEMPLATES = frozenset(
    {"agentgateway", "agentgateway-waypoint", "kube-gateway", "waypoint"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """Templates that a pod can get together, and where they are in the ConfigMap.

    ``name`` is what the pod's annotation says; without it, they are the defaults.
    """

    path: str
    name: str | None = None
    defaults: tuple[str, ...] = ()

    def alone(self) -> Iterator[Probe]:
        """The probe pods with the target's templates."""
        return _annotated(self.name)

    def over_defaults(self) -> Iterator[Probe]:
        """The probe pods with the target's templates over the defaults."""
        return _annotated(",".join((*self.defaults, self.name or "")))


def steps(bundle: Bundle, policy: Policy, report: Report) -> Iterator[None]:
    """Try the injector of the bundle; each step is about one rendering."""
    config_maps = bundle.manifests.of_kind("ConfigMap")
    holder = next((found for found in config_maps if "config" in found.data), None)
    if bundle.istio is None or holder is None:
        return
    _check_config(bundle, holder, report)
    yield
    yield from _check_fields(bundle.istio, holder, report)
    if _missing(bundle.istio):
        for fault in bundle.warnings:
            if not fault.is_warning and _NAMES.search(fault.pointer):
                report.error(fault)
    for way in _ways(bundle, policy):
        for target in _targets(bundle.istio):
            yield from _try(way, target, holder, report)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """An injector, and whether it has native sidecars where the policy has none, or vice versa."""

    graft: IstioMutator
    is_switched: bool = False

    @property
    def injector(self) -> Injector:
        """The injector."""
        return self.graft.injector

    @property
    def label(self) -> str:
        """How messages call the way, if it is not the policy's."""
        if not self.is_switched:
            return ""
        return f"with native sidecars {'on' if self.injector.native_sidecars else 'off'}, "

    def change(self, before: Object, context: ReviewContext) -> Object:
        """Inject as a review does."""
        return self.graft(before, context).object

    def stops(self, target: _Target) -> bool:
        """Whether a failure is an error: pods choose the other way by annotation since 1.24."""
        chosen_by_pods = self.injector.profile.native_annotation
        return not self.is_switched or (chosen_by_pods and target.name is None)


def _ways(bundle: Bundle, policy: Policy) -> Iterator[_Way]:
    """The bundle's own injector, then the same with native sidecars switched."""
    for graft in bundle.pod_mutators:
        if not isinstance(graft, IstioMutator):
            continue
        yield _Way(graft=graft)
        if graft.injector.profile.native_sidecars:
            native = not graft.injector.native_sidecars
            features = replace(policy.features, native_sidecars=native)
            switched = replace(policy, features=features)
            part = compile_istio(bundle.manifests, switched, deferred=True)
            for other in part.pods:
                if isinstance(other, IstioMutator):
                    yield _Way(graft=other, is_switched=True)


def _targets(injector: Injector) -> Sequence[_Target]:
    if not injector.profile.pod_templates:
        return (_Target(path="/data/config/template"),)
    defaults, names = injector.default_templates, injector.templates
    used = _default_names(injector)
    sole = len(defaults) == 1 and defaults[0] in names
    path = (
        f"{_TEMPLATES}/{pointer.escape(defaults[0])}" if sole else "/data/config/defaultTemplates"
    )
    targets = [] if _missing(injector) else [_Target(path=path)]
    for name in names:
        if name not in used | CONTROLLER_TEMPLATES:
            path = f"{_TEMPLATES}/{pointer.escape(name)}"
            targets.append(_Target(path=path, name=name, defaults=defaults))
    for alias, means in injector.aliases.items():
        # Names of no template are reported when the bundle is compiled.
        if alias not in defaults and all(name in names for name in means):
            path = f"/data/config/aliases/{pointer.escape(alias)}"
            targets.append(_Target(path=path, name=alias, defaults=defaults))
    return targets


def _default_names(injector: Injector) -> set[str]:
    """The templates that the defaults mean."""
    defaults = injector.default_templates
    return {name for each in defaults for name in injector.aliases.get(each, (each,))}


def _missing(injector: Injector) -> set[str]:
    """The names among them that no template has: every pod would fail."""
    return _default_names(injector) - {*injector.templates}


def _annotated(names: str | None) -> Iterator[Probe]:
    annotations = {} if names is None else {_ANNOTATION: names}
    for probe in (*probes.PODS, probes.GATEWAY):
        yield probes.with_metadata(probe, annotations=annotations)


def _try(
    way: _Way, target: _Target, holder: Manifest, report: Report
) -> Generator[None, None, None]:
    if way.is_switched and any(fault.pointer == target.path for fault in report.errors):
        return  # the same again
    outcome = yield from attempts(way.change, target.alone())
    if outcome.is_refused and target.name is not None:
        together = yield from attempts(way.change, target.over_defaults())
        if not together.is_refused:
            return
    if outcome.is_refused:
        note = report.error if way.stops(target) else report.warning
        for fault in _faults(outcome, way, target, holder, report):
            note(fault)
    elif target.name is None:
        for failure in outcome.errors[:1]:
            text = report.describe_failure(failure)
            problem = f"{way.label}fails for {failure.probe.name}: {text}"
            report.warning(holder.make_diagnostic(target.path, problem, failure.remedy))
    if not outcome.failures and not way.is_switched:
        yield from _try_ambiguous(way, target, holder, report)


def _try_ambiguous(
    way: _Way, target: _Target, holder: Manifest, report: Report
) -> Generator[None, None, None]:
    """Warn of text of a pod that is written where YAML does not read it as text."""
    probe = next(target.alone())
    found = yield from find_unquoted(way.change, probe)
    if found is None:
        return
    what, failure = found
    problem = f"fails for {probe.name} with {what}: {report.describe_failure(failure)}"
    if not any(known.problem == problem for known in report.warnings):  # of an alias
        report.warning(holder.make_diagnostic(target.path, problem, REMEDY))


def _faults(
    outcome: Outcome, way: _Way, target: _Target, holder: Manifest, report: Report
) -> Iterator[Diagnostic]:
    injector = way.injector
    if outcome.fails_everywhere:
        failure = outcome.errors[-1] if outcome.is_final else outcome.errors[0]
        text = report.describe_failure(failure)
        problem = f"{way.label}fails for every probe pod: {text}"
        fault = holder.make_diagnostic(target.path, problem, failure.remedy)
        yield replace(fault, excerpt=failure.drawing)
    for failure in outcome.first_flaws:
        flaw = failure.flaw
        assert flaw is not None  # noqa: S101 - so flaws are selected
        hub = object_at(injector.values, "global").get("hub")
        if flaw.image is not None and flaw.image.startswith("/") and not hub:
            yield _without_hub(flaw.image, holder, injector)
        else:
            problem = f"{way.label}for {failure.probe.name}, {flaw.problem}"
            yield holder.make_diagnostic(target.path, problem, flaw.remedy)


def _without_hub(image: str, holder: Manifest, injector: Injector) -> Diagnostic:
    known = [*object_at(injector.values, "global")]
    hint = suggestion("hub", known)
    return holder.make_diagnostic(
        "/data/values/global/hub",
        f'is missing, so that the image is "{image}"',
        f"rename {hint} to hub" if hint else "set it to the registry, such as docker.io/istio",
    )


def _check_fields(injector: Injector, holder: Manifest, report: Report) -> Iterator[None]:
    for name in injector.templates:
        if name in CONTROLLER_TEMPLATES:
            continue
        legacy = not injector.profile.pod_templates
        path = "/data/config/template" if legacy else f"{_TEMPLATES}/{pointer.escape(name)}"
        try:
            problems = injector.check_fields(name)
        except OperatorError:  # a template that does not parse, before 1.14: it stops its own pods
            problems = ()
        for problem in problems:
            report.error(field_fault(holder, path, problem))
        yield


def _check_config(bundle: Bundle, holder: Manifest, report: Report) -> None:
    """Keys that no release reads, and a policy that injects no pod."""
    for fault in bundle.warnings:
        if not fault.is_warning and fault.problem.startswith(_UNKNOWN_KEY):
            report.error(fault)
    if not bundle.rules.policy:
        problem = "is missing, so that podgraft injects no pod"
        report.error(
            holder.make_diagnostic("/data/config/policy", problem, "use enabled or disabled")
        )
