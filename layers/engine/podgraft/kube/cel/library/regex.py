"""``matches``, ``find`` and ``findAll``, with RE2 as in Go: no pattern can run away."""

from itertools import islice

from podgraft.golang import regexp
from podgraft.kube.cel.cost import match_cost
from podgraft.kube.cel.errors import EvaluationError
from podgraft.kube.cel.overloads import function, member


def compile_(pattern: str) -> regexp.Pattern:
    """The pattern, compiled; raises ``EvaluationError`` if Go does not accept it.

    RE2 keeps the last 128 patterns.
    """
    try:
        return regexp.compile_(pattern)
    except regexp.PatternError as error:
        raise EvaluationError(str(error)) from error


def _matches(text: str, pattern: str) -> bool:
    return compile_(pattern).search(text) is not None


def _find(text: str, pattern: str) -> str:
    return next(regexp.find_all(compile_(pattern), text), "")


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    texts = regexp.find_all(compile_(pattern), text)
    return list(texts if limit < 0 else islice(texts, limit))


MATCHES = (
    function("matches", "string string -> bool", _matches, match_cost),
    member("matches", "string string -> bool", _matches, match_cost),
)

REGEX = (
    member("find", "string string -> string", _find, match_cost),
    member("findAll", "string string -> list(string)", _find_all, match_cost),
    member("findAll", "string string int -> list(string)", _find_all, match_cost),
)
