"""What a bundle can do to an object: the interface between ``review`` and the injectors.

Each kind of injection is a module of this package with a ``ComponentCompiler``, and a row in
``compiler.COMPONENTS``.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

from msgspec import Struct, field

from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Trace
from podgraft.core.injectors import Mutation
from podgraft.core.injectors.istio import Injector as IstioInjector
from podgraft.core.policy import InjectionRules, Policy
from podgraft.core.review_context import ReviewContext
from podgraft.kube.admission import AdmissionRequest

from .errors import Diagnostic
from .manifests import Manifest, Manifests


class Mutator(Protocol):
    """Applies the configuration of the operator to an object.

    Raises ``injectors.UserError`` or ``injectors.OperatorError``, by the origin of the error.
    """

    def __call__(self, before: Object, context: ReviewContext, /) -> Mutation:
        """Mutate an object, which decodes as an object of its kind: the caller has checked it."""
        ...


class Denial(Struct, frozen=True):
    """A rule that rejects the request: the message, and the status code of the response."""

    message: str
    code: HTTPStatus = HTTPStatus.FORBIDDEN


class ValidationResult(Struct, frozen=True, kw_only=True):
    """The result of all rules for a request; without denials, the request is allowed."""

    denials: tuple[Denial, ...] = ()
    warnings: tuple[str, ...] = ()
    audit: Mapping[str, str] = field(default_factory=dict[str, str])


class Validator(Protocol):
    """Evaluates rules for an object of any kind, and does not change it."""

    def __call__(
        self, request: AdmissionRequest, trace: Trace | None = None, /
    ) -> ValidationResult:
        """Validate one request; ``trace`` records the steps."""
        ...


class Component(Struct, frozen=True, kw_only=True):
    """What one kind of manifests in the bundle compiles to.

    ``pods`` run on /inject, ``objects`` on /mutate, ``validators`` on /validate, each in order.
    ``used_manifests`` are the manifests that the component reads: an unused ConfigMap is an error.
    """

    pods: tuple[Mutator, ...] = ()
    objects: tuple[Mutator, ...] = ()
    validators: tuple[Validator, ...] = ()
    rules: InjectionRules | None = None
    istio: IstioInjector | None = None
    used_manifests: tuple[Manifest, ...] = ()
    errors: tuple[Diagnostic, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


class ComponentCompiler(Protocol):
    """Compiles the manifests of one kind; an empty component if the bundle has none."""

    def __call__(self, manifests: Manifests, policy: Policy, /, *, deferred: bool) -> Component:
        """If ``deferred``, the first review that needs a template parses it."""
        ...
