"""Which objects a webhook is for: LabelSelectors as kubectl writes them and as Istio needs them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from podgraft.jsonvalue import JSON, Object
from registration.errors import RegistrationError

INJECT_LABEL = "sidecar.istio.io/inject"
REVISION_LABEL = "istio.io/rev"
NAMESPACE_LABEL = "istio-injection"
NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"  # on every namespace since Kubernetes 1.21
DEFAULT_REVISION = "default"

# What a cluster needs to come up and to mend itself; with failurePolicy Fail, a webhook that cannot
# be reached would otherwise keep its own way back shut.
NEEDED_NAMESPACES = ("kube-node-lease", "kube-public", "kube-system")

_KEY = r"(?:[A-Za-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_VALUE = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
_EQUALITY = re.compile(rf"({_KEY})\s*(==|=|!=)\s*((?:{_VALUE})?)")
_MEMBERSHIP = re.compile(rf"({_KEY})\s+(in|notin)\s+\(([^()]*)\)")
_EXISTENCE = re.compile(rf"(!?)\s*({_KEY})")
_COMMA = re.compile(r",(?![^(]*\))")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One matchExpression."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def manifest(self) -> Object:
        """The requirement as Kubernetes writes it."""
        expression: Object = {"key": self.key, "operator": self.operator}
        if self.values:
            expression["values"] = list(self.values)
        return expression


Selector = tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """One webhook's share of the objects: its name and both of its selectors."""

    name: str = ""
    namespaces: Selector = ()
    objects: Selector = ()


def parse(text: str) -> Selector:
    """Read ``a=b,c!=d,e in (f,g),h notin (i),j,!k``; raises ``RegistrationError``."""
    return tuple(_requirement(part.strip()) for part in _COMMA.split(text) if part.strip())


def manifest(selector: Iterable[Requirement]) -> Object:
    """A LabelSelector; ``{}`` selects everything, and is what the API server would fill in."""
    expressions: list[JSON] = [requirement.manifest() for requirement in selector]
    return {"matchExpressions": expressions} if expressions else {}


def outside(namespaces: Iterable[str]) -> Requirement:
    """Everywhere but in the needed and the given *namespaces*."""
    names = tuple(sorted({*NEEDED_NAMESPACES, *namespaces}))
    return Requirement(NAMESPACE_NAME_LABEL, "NotIn", names)


def revision_scopes(revision: str) -> tuple[Scope, ...]:
    """The scopes by which Istio lets namespaces and pods choose a revision or a tag.

    A pod is met by exactly one scope of exactly one revision:

    ==================  ===============  =============  ================================
    istio-injection     istio.io/rev     istio.io/rev   chosen
    (namespace)         (namespace)      (pod)
    ==================  ===============  =============  ================================
    absent              R                any            R, by the namespace
    absent              absent           R              R, by the pod
    enabled             any              any            default, by the namespace
    absent              absent           absent         default, if the pod says inject=true
    ==================  ===============  =============  ================================

    and never one with ``sidecar.istio.io/inject: "false"`` (istioctl tag generate; the chart
    istio-discovery, mutatingwebhook.yaml).
    """
    not_refused = Requirement(INJECT_LABEL, "NotIn", ("false",))
    unlabelled = Requirement(NAMESPACE_LABEL, "DoesNotExist")
    this = Requirement(REVISION_LABEL, "In", (revision,))
    no_revision = Requirement(REVISION_LABEL, "DoesNotExist")
    scopes = (
        Scope("rev.namespace.", (this, unlabelled), (not_refused,)),
        Scope("rev.object.", (no_revision, unlabelled), (not_refused, this)),
    )
    if revision != DEFAULT_REVISION:
        return scopes
    enabled = Requirement(NAMESPACE_LABEL, "In", ("enabled",))
    wanted = Requirement(INJECT_LABEL, "In", ("true",))
    return (
        *scopes,
        Scope("namespace.", (enabled,), (not_refused,)),
        Scope("object.", (unlabelled, no_revision), (wanted, no_revision)),
    )


def narrowed(scope: Scope, namespaces: Selector, objects: Selector) -> Scope:
    """*scope*, with further demands on both."""
    return Scope(scope.name, (*scope.namespaces, *namespaces), (*scope.objects, *objects))


def _requirement(text: str) -> Requirement:
    if found := _MEMBERSHIP.fullmatch(text):
        key, word, listed = found.groups()
        return Requirement(key, "In" if word == "in" else "NotIn", _values(text, listed))
    if found := _EQUALITY.fullmatch(text):
        key, sign, value = found.groups()
        return Requirement(key, "NotIn" if sign == "!=" else "In", (value,))
    if found := _EXISTENCE.fullmatch(text):
        no, key = found.groups()
        return Requirement(key, "DoesNotExist" if no else "Exists")
    raise RegistrationError(
        f"selector {text!r}: write key=value, key!=value, key in (a,b), key notin (a,b), key, !key"
    )


def _values(text: str, listed: str) -> tuple[str, ...]:
    values = tuple(value.strip() for value in listed.split(","))
    for value in values:
        if value and not re.fullmatch(_VALUE, value):
            raise RegistrationError(f"selector {text!r}: {value!r} is no label value")
    return tuple(sorted(set(values)))
