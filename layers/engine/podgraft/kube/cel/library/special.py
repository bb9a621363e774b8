"""Functions that the evaluator runs itself: they evaluate not all arguments, or access a value."""

from podgraft.kube.cel.overloads import Overload, function, member
from podgraft.kube.cel.values import Value


def _never(*_arguments: Value) -> Value:
    raise AssertionError("the evaluator runs this function itself")


def _function(name: str, signature: str) -> Overload:
    return function(name, signature, _never)


LOGIC = (
    _function("_&&_", "bool bool -> bool"),
    _function("_||_", "bool bool -> bool"),
    _function("_?_:_", "bool A A -> A"),
    _function("@not_strictly_false", "bool -> bool"),
)
ACCESS = (
    _function("_[_]", "list(A) int -> A"),
    _function("_[_]", "map(A,B) A -> B"),
)
OPTIONAL_ACCESS = (
    _function("_[_]", "optional_type(list(V)) int -> optional_type(V)"),
    _function("_[_]", "optional_type(map(K,V)) K -> optional_type(V)"),
    _function("_?._", "dyn string -> optional_type(V)"),
    _function("_[?_]", "list(V) int -> optional_type(V)"),
    _function("_[?_]", "optional_type(list(V)) int -> optional_type(V)"),
    _function("_[?_]", "map(K,V) K -> optional_type(V)"),
    _function("_[?_]", "optional_type(map(K,V)) K -> optional_type(V)"),
    member("or", "optional_type(V) optional_type(V) -> optional_type(V)", _never),
    member("orValue", "optional_type(V) V -> V", _never),
)
