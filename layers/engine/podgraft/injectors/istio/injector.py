"""An injector compiled once, and the way of a pod through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from podgraft.injectors.errors import Diagnostic
from podgraft.jsonvalue import Object
from podgraft.policy import InjectionRules

from . import releases, url_path
from .context import InjectorConfig, prepare
from .data.template_data import dot_type
from .legacy.injection import LegacyInjector
from .releases import Profile
from .request import Injection, InjectionRequest
from .template_injection import TemplateInjector

if TYPE_CHECKING:
    from podgraft.texttemplate.field_check import FieldProblem


class Injector:
    """Istio's sidecar injector for one configuration; several threads may share it."""

    def __init__(self, setup: InjectorConfig) -> None:
        self._setup = setup
        made = TemplateInjector if setup.profile.pod_templates else LegacyInjector
        self._way = made(setup)

    @property
    def profile(self) -> Profile:
        """Whose behaviour is followed."""
        return self._setup.profile

    @property
    def rules(self) -> InjectionRules:
        """What the configuration says about whom to inject."""
        return self._setup.rules

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is wrong in the documents but does not stop the injector."""
        return self._setup.warnings

    @property
    def cluster_id(self) -> str:
        """The proxies' cluster id that the values set; empty if they set none."""
        return self._setup.values.cluster_name

    @property
    def templates(self) -> tuple[str, ...]:
        """The names of all templates."""
        return tuple(self._setup.templates.parse)

    @property
    def aliases(self) -> Mapping[str, tuple[str, ...]]:
        """The templates that each alias means."""
        return self._setup.templates.aliases

    @property
    def default_templates(self) -> tuple[str, ...]:
        """The templates and aliases of a pod that names none."""
        return self._setup.templates.defaults

    @property
    def native_sidecars(self) -> bool:
        """Whether the proxy is a native sidecar of pods that do not choose."""
        return self._setup.native_sidecars

    @property
    def values(self) -> Object:
        """The Helm values."""
        return self._setup.values.raw

    def check_fields(self, name: str) -> tuple[FieldProblem, ...]:
        """Return the fields that a template reads and its data cannot have.

        Raises ``OperatorError`` for a template that does not parse.
        """
        program = self._setup.templates.lookup(name).program
        return program.check_fields(dot_type(self._setup.profile))

    def parse_environment(self, tail: str) -> Mapping[str, str]:
        """Return the proxy's variables in the URL's path after ``/inject/``, by this release."""
        return url_path.parse_environment(self.profile, tail)

    def find_unread_variables(self, tail: str) -> Mapping[str, str]:
        """Return the variables that the newest release reads in the path, and this one does not."""
        variables = self.parse_environment(tail).items()
        newest = url_path.parse_environment(releases.newest(), tail)
        return {name: value for name, value in newest.items() if (name, value) not in variables}

    def inject(self, pod: Object, request: InjectionRequest) -> Injection:
        """The injected pod; ``pod`` is left as it is.

        Whether it shall be injected is for ``policy.decide`` to say. Raises ``UserError`` for what
        the pod's author can change, ``OperatorError`` for what only the operator can.
        """
        return self._way.inject(prepare(self._setup, pod, request))
