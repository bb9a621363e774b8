"""What a bundle can do to an object: the interface between ``review`` and the injectors.

Each kind of injection is a module of this package with a ``ComponentCompiler``, and a row in
``compiler.COMPONENTS``.
"""

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import Object
from podgraft.base.trace import Trace
from podgraft.core.injectors.istio import Injector as IstioInjector
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.policy import InjectionRules, Policy
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect import GoType
from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.admission.validation_result import ValidationResult

from .errors import Diagnostic
from .manifests import Manifest, Manifests


class Mutator(Protocol):
    """Applies the configuration of the operator to an object.

    Raises ``injectors.UserError`` or ``injectors.OperatorError``, by the origin of the error.
    """

    def __call__(self, before: Object, context: ReviewContext, /) -> Mutation:
        """Mutate an object, which decodes as an object of its kind: the caller has checked it."""
        ...

    def find_reads(self, type_: GoType | None, /) -> Iterator[tuple[FieldRead, ...]]:
        """Yield what each document reads of objects of a Go type; None for kinds without one."""
        ...


class Validator(Protocol):
    """Evaluates rules for an object of any kind, and does not change it."""

    def __call__(
        self, request: AdmissionRequest, trace: Trace | None = None, /
    ) -> ValidationResult:
        """Validate one request; ``trace`` records the steps."""
        ...

    def find_reads(self) -> Iterator[tuple[FieldRead, ...]]:
        """Yield what each rule reads."""
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
