"""The templates of a configuration: each compiled once, and selected for each pod."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

from msgspec import Struct
from msgspec.structs import replace

from podgraft.core.injectors.errors import Diagnostic, OperatorError, UserError
from podgraft.core.injectors.istio.config.config_map import DEFAULT_TEMPLATES, Config
from podgraft.core.injectors.istio.release_choice import add_update
from podgraft.core.injectors.istio.releases import Profile
from podgraft.golang import strings
from podgraft.golang.texttemplate import Function, LimitError, Program, TemplateError, compile_
from podgraft.kube.patch import pointer

_UNKNOWN = " not defined"
ANNOTATION = "inject.istio.io/templates"
# Each template is merged, and an annotation has room for 30,000 names: they took ten seconds.
_MAX_SELECTED = 100
# The only template of releases before 1.9, by its key in the configuration.
LEGACY_TEMPLATE = "template"

_NO_TEMPLATES = (
    "no templates: the configuration has no key templates, which Istio 1.9 and later read; "
    "use key config of ConfigMap istio-sidecar-injector, "
    "or set istioRelease to the release of key template, such as 1.8"
)
_TEMPLATES_REASON = ("Istio 1.9 and later read it", "template", "1.8")
_TEMPLATE_REASON = ("Istio 1.8 and earlier read it", "templates", "1.9")


class TemplateSet(Struct, frozen=True):
    """Templates by name, parsed on first use: a pod uses one of Istio's seven templates."""

    parse: Mapping[str, Callable[[], Program]]
    aliases: Mapping[str, tuple[str, ...]]
    defaults: tuple[str, ...]

    def for_kube_inject(self) -> TemplateSet:
        """Return the templates for kube-inject: one default, and no aliases."""
        if self.defaults == (LEGACY_TEMPLATE,):
            return self
        return replace(self, defaults=DEFAULT_TEMPLATES, aliases={})

    def select(self, annotations: Mapping[str, str]) -> tuple[str, ...]:
        """Select the templates of a pod by its annotation, else the defaults, and resolve aliases.

        Raises ``UserError`` or ``OperatorError`` for an unknown name, ``UserError`` for too many.
        """
        annotation = None if self.defaults == (LEGACY_TEMPLATE,) else annotations.get(ANNOTATION)
        requested = (
            self.defaults
            if annotation is None
            else tuple(map(strings.trim_space, annotation.split(",")))
        )
        names = tuple(
            name
            for requested_name in requested
            for name in self.aliases.get(requested_name, (requested_name,))
        )
        if annotation is not None and len(names) > _MAX_SELECTED:
            problem = f"selects {len(names)} templates; select at most {_MAX_SELECTED}"
            raise UserError(f"annotation {ANNOTATION}: {problem}")
        for name in names:
            if name not in self.parse:
                raise self._not_found_error(name, set_by_pod=annotation is not None)
        return names

    def lookup(self, name: str) -> Program:
        """Return a selected template; raises ``OperatorError`` if it does not parse."""
        try:
            return self.parse[name]()
        except (TemplateError, LimitError) as error:
            raise OperatorError(str(error)) from error

    def find_errors(self, newer_release: str = "") -> Iterator[Diagnostic]:
        """Yield a diagnostic for each template that does not parse.

        A release that is newer than podgraft can have the functions that podgraft does not know.
        """
        for name, parse in self.parse.items():
            try:
                parse()
            except (TemplateError, LimitError) as error:
                yield Diagnostic(
                    str(error),
                    add_update(newer_release, error.remedy)
                    if isinstance(error, TemplateError) and error.reason.endswith(_UNKNOWN)
                    else error.remedy,
                    document="config",
                    pointer="/template"
                    if name == LEGACY_TEMPLATE
                    else f"/templates/{pointer.escape(name)}",
                    excerpt=error.span.excerpt,
                )

    def find_unknown_names(self, defaults_of: str) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each unknown name; *defaults_of* is the defaults' document.

        Istio loads such a configuration, and fails for each pod that selects the name.
        """
        if not self.parse:
            return  # ``find_missing`` reports this
        remedy = f"use {', '.join(sorted(self.parse))}, or add it under templates"
        alias_paths = {
            f"/aliases/{pointer.escape(name)}": targets for name, targets in self.aliases.items()
        }
        default_names = [name for name in self.defaults if name not in self.aliases]
        for document, path, names in (
            (defaults_of, "/defaultTemplates", default_names),
            *(("config", path, names) for path, names in alias_paths.items()),
        ):
            for name in names:
                if name not in self.parse:
                    problem = f"unknown template {name}"
                    yield Diagnostic(problem, remedy, document=document, pointer=path)

    def find_missing(self, config: Config) -> Iterator[Diagnostic]:
        """Yield a diagnostic if the configuration has no template that its release reads."""
        if self.defaults == (LEGACY_TEMPLATE,):
            # With templates, Istio 1.9 and later write a template that fails in earlier releases.
            if not config.template or config.templates:
                yield _missing_templates_diagnostic(
                    "/template", _TEMPLATE_REASON, is_other=bool(config.templates)
                )
        elif not self.parse:
            yield _missing_templates_diagnostic(
                "/templates", _TEMPLATES_REASON, is_other=bool(config.template)
            )

    def _not_found_error(self, name: str, *, set_by_pod: bool) -> Exception:
        available = ", ".join(sorted(self.parse))
        problem = f'requested template "{name}" not found; have {available or _NO_TEMPLATES}'
        if set_by_pod:
            return UserError(f"annotation {ANNOTATION}: {problem}")
        return OperatorError(problem)


def _missing_templates_diagnostic(
    path: str, reads: tuple[str, str, str], *, is_other: bool
) -> Diagnostic:
    reason, other, release = reads
    remedy = "use key config of ConfigMap istio-sidecar-injector"
    if is_other:
        remedy = (
            f'set istioRelease in the policy (or --istio-release) to "{release}", or to another '
            f"release that reads key {other}"
        )
    return Diagnostic(
        f"is missing, so podgraft cannot inject any pod; {reason}",
        remedy,
        document="config",
        pointer=path,
    )


def make_template_set(
    profile: Profile,
    config: Config,
    functions: Mapping[str, Function],
    defaults: tuple[str, ...] | None,
) -> TemplateSet:
    """Make the template set of a configuration, without parsing any template."""
    texts = config.templates if profile.pod_templates else {LEGACY_TEMPLATE: config.template}
    delimiters = ("{{", "}}") if profile.brace_delimiters else ("[[", "]]")
    parse = partial(compile_, functions=functions, delimiters=delimiters)
    parsers = {name: cache(partial(parse, text, name=name)) for name, text in texts.items()}
    default_names = (
        (defaults or config.default_templates) if profile.pod_templates else (LEGACY_TEMPLATE,)
    )
    return TemplateSet(parsers, config.aliases if profile.pod_templates else {}, default_names)
