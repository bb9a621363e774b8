"""CEL's equality, membership, and keys, as the types of cel-go and of Kubernetes define them.

Values that kube-apiserver reads from Go (``GoTypes``) are stricter than those that an expression
makes: a list or map of Go fails against a value of another type, and has no keys but strings.
Source: Equal and Find in cel-go's common/types and in valuesschemalesstyped.go of k8s.io/apiserver.
"""

from typing import TypeAlias

from .errors import EvaluationError, no_such_overload_error
from .values import (
    NUMBERS,
    Struct,
    Value,
    go_name,
    has_key,
    is_lazy,
    is_list,
    is_map,
    is_optional,
    kind,
    kubernetes_type,
    same_number,
)


class GoTypes:
    """What is known of lists and maps that are values of Go: here, that there are none."""

    def type_of(self, value: Value) -> str | None:
        """The type of a value of Go, or ``None`` for what an expression made."""
        del value

    def same_struct(self, left: Value, right: Value) -> bool | None:
        """Whether two structs are equal; ``None`` if a value is none."""
        del left, right

    def join(self, left: list[Value], right: list[Value]) -> list[Value]:
        """``left + right``; cel-go copies no list for an empty one before it."""
        return left + right if left else right


NO_GO_TYPES = GoTypes()


def equal(left: Value, right: Value, go: GoTypes = NO_GO_TYPES) -> bool:
    """Whether two values are equal; what cannot be compared is not."""
    try:
        return compare(left, right, go)
    except EvaluationError:
        return False


def compare(left: Value, right: Value, go: GoTypes = NO_GO_TYPES) -> bool:
    """CEL's ``==``: numbers compare by value across types, other types never equal each other."""
    if left is None or right is None:
        return left is right
    return _compare(left, right, go)


def _compare(left: Value, right: Value, go: GoTypes) -> bool:
    """The method Equal of ``left``; two frames of Python for a level of a value."""
    if kind(left) in NUMBERS:
        return kind(right) in NUMBERS and same_number(left, right)
    if kind(left) is not kind(right):
        if kubernetes_type(left) or (go.type_of(left) and not (is_map(left) and is_lazy(right))):
            raise no_such_overload_error()
        return False
    if is_list(left):
        return _compare_all(_pair_elements(left, right), left, go)
    if is_map(left):
        return _compare_all(_pair_members(left, right, go), left, go)
    if is_optional(left):
        is_same = left.present == right.present
        return is_same and (not left.present or _compare(left.value, right.value, go))
    if type(left) is Struct:
        return _compare_structs(left, right, go)
    if getattr(right, "is_pointer", False):
        raise no_such_overload_error()
    return bool(left == right)


def _compare_structs(left: Struct, right: Struct, go: GoTypes) -> bool:
    if left.type_name == right.type_name == "JSONPatch":
        is_same = left.fields.keys() == right.fields.keys()
        return is_same and all(
            _compare(left.fields[key], right.fields[key], go) for key in left.fields
        )
    return _is_same_value(left, right)


def _is_same_value(left: Value, right: Value) -> bool:
    """Whether Go's reflect.DeepEqual is true: lists have functions, so they never are the same."""
    if left is right:
        return True
    if kind(left) is not kind(right) or is_list(left):
        return False
    if type(left) is Struct:
        return left.type_name == right.type_name and _is_same_value(left.fields, right.fields)
    if is_map(left):
        return left.keys() == right.keys() and all(
            _is_same_value(left[key], right[key]) for key in left
        )
    return bool(left == right)


_Pairs: TypeAlias = "list[tuple[Value, Value]] | bool"


def _pair_elements(left: list[Value], right: list[Value]) -> _Pairs:
    """The elements to compare, or whether the lists are equal."""
    return len(left) == len(right) and [*zip(left, right, strict=True)]


def _pair_members(left: dict[Value, Value], right: dict[Value, Value], go: GoTypes) -> _Pairs:
    """The members to compare, or whether the maps are equal."""
    are_same = go.same_struct(left, right)
    if are_same is not None:
        return are_same
    if len(left) != len(right):
        return False
    is_struct = _is_struct(right, go)
    pairs: list[tuple[Value, Value]] = []
    for key, value in left.items():
        if has_key(right, key):
            pairs.append((value, right[key]))
        elif is_struct and type(key) is not str:
            pairs.append((value, _BAD_KEY))
        else:
            return False
    return pairs


def _compare_all(pairs: _Pairs, container: Value, go: GoTypes) -> bool:
    """Whether all pairs are equal. An error is not ``false``, so cel-go's own lists go on."""
    if isinstance(pairs, bool):
        return pairs
    is_struct = is_map(container) and _is_struct(container, go)
    for left, right in pairs:
        try:
            if not is_struct and (left is None or right is None):
                is_same = left is right
            else:
                is_same = _compare(left, right, go)
        except EvaluationError:
            if is_struct:
                raise
            is_same = not go.type_of(container)
        if not is_same:
            return False
    return True


# What a struct of Go gives for a key that is no string: an error, which nothing equals.
_BAD_KEY = object()


def _is_struct(value: Value, go: GoTypes) -> bool:
    return (go.type_of(value) or "").startswith("struct")


def check_go_key(container: Value, key: Value, go: GoTypes) -> None:
    """Refuse a key that a list or map of Go cannot have, even if it equals one that it has."""
    if is_map(container) and kind(key) is not str and go.type_of(container):
        raise EvaluationError(f"unsupported map key type: {go_name(key)}")
    if is_list(container) and kind(key) is not int and go.type_of(container):
        raise EvaluationError(f"unsupported index type: {go_name(key)}")


def contains_key(container: dict[Value, Value], key: Value, go: GoTypes = NO_GO_TYPES) -> bool:
    """``key in container``."""
    check_go_key(container, key, go)
    return has_key(container, key)


def contains(container: list[Value], element: Value, go: GoTypes = NO_GO_TYPES) -> bool:
    """``element in container``."""
    if type(element) is str:  # which equals another text only: the most frequent case
        return element in container
    if go.type_of(container):
        return any(equal(each, element, go) for each in container)
    return any(equal(element, each, go) for each in container)
