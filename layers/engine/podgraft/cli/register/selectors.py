"""Which objects a webhook is for: LabelSelectors as kubectl writes them and as Istio needs them."""

import re
from collections.abc import Iterable

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.failure import CommandError, convert_errors
from podgraft.kube.selectors import Operator, Requirement, Selector, SelectorError, compile_

INJECT_LABEL = "sidecar.istio.io/inject"
REVISION_LABEL = "istio.io/rev"
NAMESPACE_LABEL = "istio-injection"
NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"  # on every namespace since Kubernetes 1.21
DEFAULT_REVISION = "default"

# What a cluster needs to come up and to mend itself; with failurePolicy Fail, a webhook that cannot
# be reached would otherwise keep its own way back shut.
ALWAYS_EXCLUDED_NAMESPACES = ("kube-node-lease", "kube-public", "kube-system")

EVERYTHING = Selector()

_WORD = r"[^\s,=!()]+"
_EQUALITY = re.compile(rf"({_WORD})\s*(==|=|!=)\s*((?:{_WORD})?)")
_MEMBERSHIP = re.compile(rf"({_WORD})\s+(in|notin)\s+\(([^()]*)\)")
_EXISTENCE = re.compile(rf"(!?)\s*({_WORD})")
_COMMA = re.compile(r",(?![^(]*\))")


class WebhookScope(Struct, frozen=True):
    """One webhook's share of the objects: its name and both of its selectors."""

    name: str = ""
    namespaces: Selector = EVERYTHING
    objects: Selector = EVERYTHING


def parse_selector(text: str) -> Selector:
    """Read ``a=b,c!=d,e in (f,g),h notin (i),j,!k``; raises ``CommandError``."""
    parts = (part.strip() for part in _COMMA.split(text))
    selector = Selector(tuple(_parse_requirement(part) for part in parts if part))
    with convert_errors(SelectorError, place=f"selector {text!r}"):
        compile_(selector_to_manifest(selector))
    return selector


def selector_to_manifest(selector: Selector) -> Object:
    """Return a LabelSelector; ``{}``, the default of the API server, selects everything."""
    expressions: list[JSON] = [_to_match_expression(one) for one in selector.requirements]
    return {"matchExpressions": expressions} if expressions else {}


def exclude_namespaces(namespaces: Iterable[str]) -> Requirement:
    """Everywhere but in the needed and the given *namespaces*."""
    excluded = (*ALWAYS_EXCLUDED_NAMESPACES, *namespaces)
    return _make_requirement(NAMESPACE_NAME_LABEL, Operator.NOT_IN, *excluded)


def revision_webhook_scopes(revision: str) -> tuple[WebhookScope, ...]:
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
    not_refused = _make_requirement(INJECT_LABEL, Operator.NOT_IN, "false")
    unlabelled = _make_requirement(NAMESPACE_LABEL, Operator.DOES_NOT_EXIST)
    this = _make_requirement(REVISION_LABEL, Operator.IN, revision)
    no_revision = _make_requirement(REVISION_LABEL, Operator.DOES_NOT_EXIST)
    scopes = (
        _make_scope("rev.namespace.", [this, unlabelled], [not_refused]),
        _make_scope("rev.object.", [no_revision, unlabelled], [not_refused, this]),
    )
    if revision != DEFAULT_REVISION:
        return scopes
    enabled = _make_requirement(NAMESPACE_LABEL, Operator.IN, "enabled")
    has_inject_label = _make_requirement(INJECT_LABEL, Operator.IN, "true")
    return (
        *scopes,
        _make_scope("namespace.", [enabled], [not_refused]),
        _make_scope("object.", [unlabelled, no_revision], [has_inject_label, no_revision]),
    )


def _make_scope(
    name: str, namespaces: Iterable[Requirement], objects: Iterable[Requirement]
) -> WebhookScope:
    return WebhookScope(name, Selector(tuple(namespaces)), Selector(tuple(objects)))


def _make_requirement(key: str, operator: Operator, *values: str) -> Requirement:
    return Requirement(key, operator, frozenset(values))


def _to_match_expression(requirement: Requirement) -> Object:
    """Return a matchExpression; it can express each entry of ``matchLabels``."""
    equals = requirement.operator is Operator.EQUALS
    operator = Operator.IN if equals else requirement.operator
    expression: Object = {"key": requirement.key, "operator": operator.value}
    if requirement.values:
        expression["values"] = list[JSON](sorted(requirement.values))
    return expression


def _parse_requirement(text: str) -> Requirement:
    if match := _MEMBERSHIP.fullmatch(text):
        key, word, value_list = match.groups()
        values = (value.strip() for value in value_list.split(","))
        return _make_requirement(key, Operator.IN if word == "in" else Operator.NOT_IN, *values)
    if match := _EQUALITY.fullmatch(text):
        key, sign, value = match.groups()
        return _make_requirement(key, Operator.NOT_IN if sign == "!=" else Operator.IN, value)
    if match := _EXISTENCE.fullmatch(text):
        no, key = match.groups()
        return _make_requirement(key, Operator.DOES_NOT_EXIST if no else Operator.EXISTS)
    raise CommandError(
        f"selector {text!r}: write key=value, key!=value, key in (a,b), key notin (a,b), key, !key"
    )
