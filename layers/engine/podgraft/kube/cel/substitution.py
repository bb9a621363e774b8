"""What is assignable to what, and what type parameters stand for (cel-go checker/types.go)."""

from collections.abc import Sequence

from .types import DYN, Type, is_dyn, is_dyn_or_error, is_exact, is_nullable

_BY_NAME = frozenset(
    ("bool", "bytes", "double", "int", "string", "uint", "duration", "timestamp", "struct")
)
_CONTAINERS = frozenset(("opaque", "list", "map"))


class Substitution:
    """The types that stand for parameters; a check that fails changes none of them.

    ``_replaced`` has what each step of a check replaced, so that no check copies all types.
    """

    __slots__ = ("_bound", "_count", "_replaced")

    def __init__(self) -> None:
        self._bound: dict[Type, Type] = {}
        self._replaced: list[tuple[Type, Type | None]] = []
        self._count = 0

    def fresh_parameter(self) -> Type:
        """A parameter of no other type."""
        self._count += 1
        return Type("param", f"_var{self._count - 1}")

    def are_assignable(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        """Whether each type of one list is assignable to its partner; parameters are bound."""
        self._replaced.clear()
        return self._are_assignable(left, right) or self._undo()

    def is_assignable(self, left: Type, right: Type) -> bool:
        """Whether one type is assignable to another; parameters are bound."""
        self._replaced.clear()
        return self._is_assignable(left, right) or self._undo()

    def _undo(self) -> bool:
        """Restore the types that a failed check replaced; return ``False``."""
        for free, type_ in reversed(self._replaced):
            if type_ is None:
                del self._bound[free]
            else:
                self._bound[free] = type_
        return False

    def _replace(self, free: Type, type_: Type) -> None:
        self._replaced.append((free, self._bound.get(free)))
        self._bound[free] = type_

    def apply(self, type_: Type, *, close: bool) -> Type:
        """The type with its parameters replaced; free ones become ``dyn`` with ``close``."""
        if type_.kind == "param":
            bound = self._bound.get(type_)
            if bound is not None:
                return self.apply(bound, close=close)
            return DYN if close else type_
        if not type_.parameters:
            return type_
        parameters = [self.apply(each, close=close) for each in type_.parameters]
        return type_._replace(parameters=tuple(parameters))

    def _is_assignable(self, left: Type, right: Type) -> bool:
        kind = left.kind
        if right.kind == "param":
            is_valid, is_bound = self._bind(left, right)
            if is_valid or is_bound:
                return is_valid
        if kind == "param":
            return self._bind(right, left)[0]
        if is_dyn_or_error(left) or is_dyn_or_error(right):
            return True
        if kind == "null":
            return is_nullable(right)
        if right.kind == "null":
            return is_nullable(left)
        if kind in _BY_NAME:
            return kind == right.kind and left.name == right.name
        if kind == "type":
            return right.kind == "type"
        if kind in _CONTAINERS and kind == right.kind and left.name == right.name:
            return self._are_assignable(left.parameters, right.parameters)
        return False

    def _are_assignable(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        return len(left) == len(right) and all(map(self._is_assignable, left, right))

    def _bind(self, type_: Type, free: Type) -> tuple[bool, bool]:
        """Whether a type can stand for a parameter, and whether the parameter had one."""
        if type_ == free:
            return True, True
        bound = self._bound.get(free)
        if bound is None:
            if self._occurs(free, type_):
                return False, False
            self._replace(free, type_)
            return True, False
        if is_exact(type_, bound):
            return True, True
        if not self._is_assignable(type_, bound):
            return False, True
        wider = most_general(type_, bound)
        if not self._occurs(free, wider):
            self._replace(free, wider)
        return True, True

    def _occurs(self, free: Type, within: Type) -> bool:
        if free == within:
            return True
        if within.kind == "param":
            bound = self._bound.get(within)
            return bound is not None and self._occurs(free, bound)
        return any(self._occurs(free, each) for each in within.parameters)


def most_general(left: Type, right: Type) -> Type:
    """The more general of two types of which one is assignable to the other."""
    return left if _is_at_most_as_specific(left, right) else right


def _is_at_most_as_specific(left: Type, right: Type) -> bool:
    if is_dyn(left) or left.kind == "param":
        return True
    if is_dyn(right) or right.kind == "param" or left.kind != right.kind:
        return False
    if left.kind == "type":
        return True
    if left.kind not in _CONTAINERS:
        return is_exact(left, right)
    return (
        left.name == right.name
        and len(left.parameters) == len(right.parameters)
        and all(map(_is_at_most_as_specific, left.parameters, right.parameters))
    )
