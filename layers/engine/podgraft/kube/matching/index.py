"""An index of match constraints: the documents of a bundle that can match a request.

The cost of a review must not follow the number of documents that do not match. Each document has
requirements that are a set of *tokens*: a label of the object, a label of its namespace, or an
operation on a resource. A request has tokens too, and must have one of the set. The index stores a
document under the tokens of its rarest requirement. It can return a document that does not match,
and never omits one that matches; ``MatchConstraints.mismatch`` remains the decision.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import product
from typing import TypeAlias

from podgraft.kube.admission import AdmissionRequest
from podgraft.kube.selectors import Operator, Selector

from . import constraints
from .constraints import MatchConstraints, Namespaces

Token: TypeAlias = tuple[str, ...]

_OBJECT, _NAMESPACE, _RULE = "object", "namespace", "rule"
_ANY = "*"
# A namespaceSelector matches each request without a namespace.
_NO_NAMESPACE: Token = (_NAMESPACE,)


class ConstraintIndex:
    """The numbers of the documents of a bundle, by the tokens of the requests that they match.

    ``always`` are the documents without a requirement that the index knows.
    """

    __slots__ = ("always", "by_token")

    def __init__(self, documents: Iterable[MatchConstraints | None]) -> None:
        """Index documents by their position; ``None`` matches every request."""
        requirements = [tuple(_requirements(document)) for document in documents]
        counts = Counter(token for sets in requirements for tokens in sets for token in tokens)
        del counts[_NO_NAMESPACE]  # few requests have it
        self.always: list[int] = []
        self.by_token: dict[Token, list[int]] = {}
        for number, sets in enumerate(requirements):
            if not sets:
                self.always.append(number)
                continue
            rarest = min(sets, key=lambda tokens: sum(counts[token] for token in tokens))
            for token in rarest:
                self.by_token.setdefault(token, []).append(number)

    def find(self, request: AdmissionRequest, namespaces: Namespaces) -> Iterator[int]:
        """The documents that can match a request, in ascending order."""
        queue = CandidateQueue(self)
        queue.add_request(request, namespaces)
        return queue.drain()


class CandidateQueue:
    """The documents that can match, in ascending order, while the object of a request changes."""

    __slots__ = ("_index", "_last", "_numbers", "_queue", "_tokens")

    def __init__(self, index: ConstraintIndex) -> None:
        self._index = index
        self._queue = [*index.always]  # in ascending order, which is a heap
        self._numbers = set[int]()
        self._tokens = set[Token]()
        self._last = -1

    def add_request(self, request: AdmissionRequest, namespaces: Namespaces) -> None:
        """Add the documents after the last one that can match the request."""
        tokens = _request_tokens(request, namespaces) - self._tokens
        self._tokens |= tokens
        by_token = self._index.by_token
        for token in tokens:
            for number in by_token.get(token, ()):
                if number > self._last and number not in self._numbers:
                    self._numbers.add(number)
                    heappush(self._queue, number)

    def drain(self) -> Iterator[int]:
        """Yield each document once."""
        while self._queue:
            self._last = heappop(self._queue)
            yield self._last


def _requirements(document: MatchConstraints | None) -> Iterator[frozenset[Token]]:
    """Sets of tokens, of which a request that matches has at least one each."""
    if document is None:
        return
    if document.objects is not None:
        yield from _selector_requirements(_OBJECT, document.objects)
    if document.namespaces is not None:
        for tokens in _selector_requirements(_NAMESPACE, document.namespaces):
            yield tokens | {_NO_NAMESPACE}
    if document.rules:
        yield frozenset(
            (_RULE, operation, resource)
            for rule in document.rules
            for operation, (resource, _) in product(rule.operations, rule.resources)
        )


def _selector_requirements(kind: str, selector: Selector) -> Iterator[frozenset[Token]]:
    for requirement in selector.requirements:
        match requirement.operator:
            case Operator.EQUALS | Operator.IN:
                yield frozenset((kind, requirement.key, value) for value in requirement.values)
            case Operator.EXISTS:
                yield frozenset({(kind, requirement.key)})
            case Operator.NOT_IN | Operator.DOES_NOT_EXIST:
                pass  # a missing label has no token


def _request_tokens(request: AdmissionRequest, namespaces: Namespaces) -> set[Token]:
    tokens = set[Token]()
    for value in (request.object, request.old_object):
        tokens.update(_label_tokens(_OBJECT, constraints.labels_of(value)))
    if constraints.has_namespace(request):
        labels = constraints.namespace_labels(request, namespaces)
        tokens.update(_label_tokens(_NAMESPACE, labels))
    else:
        tokens.add(_NO_NAMESPACE)
    resources = {constraints.requested_resource(request).resource, request.resource.resource, _ANY}
    tokens.update((_RULE, *pair) for pair in product((request.operation, _ANY), resources))
    return tokens


def _label_tokens(kind: str, labels: Mapping[str, str]) -> Iterator[Token]:
    for key, value in labels.items():
        yield (kind, key)
        yield (kind, key, value)
