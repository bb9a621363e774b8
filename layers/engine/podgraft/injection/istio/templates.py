"""The templates of a configuration: compiled once, chosen for each pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from podgraft.gotemplate import Function, LimitError, Program, TemplateError, compile_, sprig
from podgraft.injection.errors import Fault, OperatorError, UserError
from podgraft.injection.masks import DECODERS
from podgraft.patch import pointer
from podgraft.records import dataclass

from .releases import Profile
from .settings import DEFAULT_TEMPLATES, Config

ANNOTATION = "inject.istio.io/templates"
NotCompiled: TypeAlias = TemplateError | LimitError

ONLY = "template"  # the one of releases before 1.9, by its key in the configuration


@dataclass(frozen=True, slots=True)
class Template:
    """A template to render; ``decodes`` tells that it may make text of letters, ``changes`` that it
    may change maps among its data.
    """

    name: str
    program: Program
    decodes: bool
    changes: bool


@dataclass(frozen=True, slots=True)
class Templates:
    """Programs by name; ``broken`` are those that do not parse, where only use would show it,
    ``decoding`` those that may make text of letters, ``changing`` those that may change data.
    """

    programs: Mapping[str, Program]
    decoding: frozenset[str]
    changing: frozenset[str]
    broken: Mapping[str, NotCompiled]
    aliases: Mapping[str, tuple[str, ...]]
    defaults: tuple[str, ...]

    def by_hand(self) -> Templates:
        """The same as kube-inject knows them: one default, no aliases."""
        if self.defaults == (ONLY,):
            return self
        return replace(self, defaults=DEFAULT_TEMPLATES, aliases={})

    def chosen(self, annotations: Mapping[str, str]) -> tuple[str, ...]:
        """The names of the templates for a pod: its annotation's, else the defaults; aliases mean
        what they stand for. Raises ``UserError`` or ``OperatorError`` for a name without template.
        """
        said = None if self.defaults == (ONLY,) else annotations.get(ANNOTATION)
        asked = self.defaults if said is None else tuple(map(str.strip, said.split(",")))
        names = tuple(name for each in asked for name in self.aliases.get(each, (each,)))
        for name in names:
            if name not in self.programs:
                raise self._missing(name, asked_by_pod=said is not None)
        return names

    def named(self, name: str) -> Template:
        """The template of a name that ``chosen`` gave."""
        return Template(name, self.programs[name], name in self.decoding, name in self.changing)

    def _missing(self, name: str, *, asked_by_pod: bool) -> Exception:
        if name in self.broken:
            return OperatorError(str(self.broken[name]))
        have = ", ".join(sorted(self.programs))
        problem = f'requested template "{name}" not found; have {have}'
        if asked_by_pod:
            return UserError(f"annotation {ANNOTATION}: {problem}")
        return OperatorError(problem)


def compiled(
    profile: Profile,
    config: Config,
    functions: Mapping[str, Function],
    defaults: tuple[str, ...] | None,
    faults: list[Fault],
) -> Templates:
    """All templates compiled; those that do not parse are faults since 1.14."""
    programs: dict[str, Program] = {}
    broken: dict[str, NotCompiled] = {}
    texts = config.templates if profile.pod_templates else {ONLY: config.template}
    delimiters = ("{{", "}}") if profile.brace_delimiters else ("[[", "]]")
    for name, text in texts.items():
        try:
            programs[name] = compile_(text, name=name, functions=functions, delimiters=delimiters)
        except (TemplateError, LimitError) as error:
            broken[name] = error
    if profile.parsed_at_load or not profile.pod_templates:
        faults.extend(_faults(broken))
    decoding = frozenset(
        name for name, text in texts.items() if any(word in text for word in DECODERS)
    )
    changing = frozenset(name for name, made in programs.items() if sprig.changes_maps(made))
    asked = (defaults or config.default_templates) if profile.pod_templates else (ONLY,)
    return Templates(programs, decoding, changing, broken, config.aliases, asked)


def _faults(broken: Mapping[str, NotCompiled]) -> Iterator[Fault]:
    for name, error in broken.items():
        path = "/template" if name == ONLY else f"/templates/{pointer.escape(name)}"
        yield Fault(
            document="config",
            path=path,
            problem=str(error),
            remedy=f"correct line {error.line} of the template",
            excerpt=error.span.drawing,
        )
