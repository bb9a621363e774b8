"""What a bundle can do to an object: the seam between ``review`` and everything that injects.

Each kind of injection is a module of this package with a function ``part``, and a row in
``compiling.PARTS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from podgraft.admission import AdmissionRequest
from podgraft.injectors.istio import Injector as IstioInjector
from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass
from podgraft.patch import Operation
from podgraft.policy import InjectionRules, Policy

from .errors import Diagnostic
from .manifests import Manifest, Manifests

if TYPE_CHECKING:
    from podgraft.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationContext:
    """What is known beside the object: where it goes, and the URL's path behind ``/inject/``.

    ``request`` is ``None`` where nobody asked: on the command line. ``trace`` records the steps
    for ``podgraft explain``.
    """

    namespace: str
    path: str = ""
    request: AdmissionRequest | None = None
    trace: Trace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """An object after one injection; the one that went in is never changed.

    The patch is ``operations``, which lead to ``base``, and the difference from there to
    ``object``. Without operations the base is what went in, but for what the original of an
    injector fills in before it looks; a patch for it fits what went in as well.
    """

    patch_base: Object
    object: Object
    warnings: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()


class Mutator(Protocol):
    """Adds to an object what the operator prescribed.

    Raises ``injection.UserError`` or ``injection.OperatorError``, by whose fault it cannot.
    """

    def __call__(self, before: Object, call: MutationContext) -> Mutation:
        """The object as it shall be."""
        ...


@dataclass(frozen=True, slots=True)
class Denial:
    """A rule that is broken: the words for the user, and the status code of the refusal."""

    message: str
    code: HTTPStatus = HTTPStatus.FORBIDDEN


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationResult:
    """What the rules say about a request; without denials it passes."""

    denials: tuple[Denial, ...] = ()
    warnings: tuple[str, ...] = ()
    audit: Mapping[str, str] = field(default_factory=dict[str, str])


class Validator(Protocol):
    """Rules for any object, that change nothing."""

    def __call__(self, request: AdmissionRequest, trace: Trace | None = None) -> ValidationResult:
        """Judge one request; ``trace`` records the steps."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """What one kind of manifests in the bundle amounts to.

    ``pods`` work on /inject, ``objects`` on /mutate, ``judges`` on /validate, each in order.
    ``used`` are the ConfigMaps that served: one that serves nobody is a fault. ``tolerated`` are
    faults that need not stop a review.
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
    """Compiles the manifests of one kind; nothing where the bundle has none."""

    def __call__(self, manifests: Manifests, policy: Policy, /, *, deferred: bool) -> Component:
        """``deferred``: what few reviews use is compiled for the first that does."""
        ...
