"""The type checker, as cel-go 0.29 checks with Kubernetes' options (checker/checker.go).

``check`` returns the tree with dotted names joined and functions resolved, the type of each of its
nodes, and the overloads that a call can have. Problems are collected.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from .declarations import CONSTANTS, NAMED_TYPES, Declarations, signature_of
from .overloads import Overload
from .substitution import Substitution, most_general
from .syntax import (
    Call,
    Comprehension,
    Constant,
    FieldOf,
    Ident,
    ListOf,
    MapOf,
    Node,
    Select,
    StructOf,
    dotted_name,
)
from .types import (
    BOOL,
    DYN,
    ERROR,
    INT,
    STRING,
    Type,
    is_dyn,
    is_dyn_or_error,
    is_exact,
    is_optional,
    list_of,
    map_of,
    optional_of,
    rename_parameters,
    show_type,
    unwrap_optional,
)
from .values import TypeValue, kind

_LOGIC = frozenset(("_&&_", "_||_"))


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked tree; ``types`` and ``overloads`` are by the ``id`` of a node."""

    root: Node
    types: Mapping[int, Type]
    overloads: dict[int, tuple[Overload, ...]]
    problems: tuple[tuple[int, str], ...]

    @property
    def type(self) -> Type:
        """The type of the expression."""
        return self.types[id(self.root)]


def check(root: Node, declarations: Declarations) -> Checked:
    """Check a tree against declarations."""
    checker = _Checker(declarations)
    checked = checker.check(root)
    types = {
        node: checker.substitution.apply(type_, close=True) for node, type_ in checker.types.items()
    }
    return Checked(checked, types, checker.overloads, tuple(checker.problems))


@dataclass(slots=True)
class _Checker:
    """One pass; ``local`` has the types of loop variables."""

    declarations: Declarations
    substitution: Substitution = field(default_factory=Substitution)
    types: dict[int, Type] = field(default_factory=dict[int, Type])
    overloads: dict[int, tuple[Overload, ...]] = field(
        default_factory=dict[int, tuple[Overload, ...]]
    )
    problems: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    local: dict[str, Type] = field(default_factory=dict[str, Type])

    def check(self, node: Node) -> Node:
        """The node with its names resolved; its type is recorded."""
        return _CHECKS[type(node)](self, node)

    def type_of(self, node: Node) -> Type:
        """The type of a node that has been checked."""
        return self.types[id(node)]

    def _record(self, node: Node, type_: Type) -> Node:
        self.types[id(node)] = type_
        return node

    def _report(self, at: int, message: str) -> None:
        self.problems.append((at, message))

    def _report_mismatch(self, at: int, expected: Type, actual: Type) -> None:
        self._report(at, f"expected type '{show_type(expected)}' but found '{show_type(actual)}'")

    def check_constant(self, node: Constant) -> Node:
        """A literal."""
        return self._record(node, CONSTANTS[kind(node.value)])

    def check_ident(self, node: Ident) -> Node:
        """A variable of a loop, a variable, or the name of a type."""
        name = node.name
        if name in self.local and not name.startswith("."):
            return self._record(node, self.local[name])
        resolved = self._resolve_global(node.at, name.removeprefix("."))
        if resolved is not None:
            return resolved
        self._report(node.at, f"undeclared reference to '{name}'")
        return self._record(node, ERROR)

    def _resolve_global(self, at: int, name: str) -> Node | None:
        """The node of a variable or type; a dot is before a name that a loop variable hides."""
        type_ = self.declarations.find_name(name)
        if type_ is None:
            return None
        if name in NAMED_TYPES and name not in self.declarations.variables:
            return self._record(Constant(at, TypeValue(name)), type_)
        hidden = name.partition(".")[0] in self.local
        return self._record(Ident(at, f".{name}" if hidden else name), type_)

    def check_select(self, node: Select) -> Node:
        """A dotted name, or a field."""
        name = "" if node.test else dotted_name(node)
        if name and (name[0] == "." or name.partition(".")[0] not in self.local):
            resolved = self._resolve_global(node.at, name.removeprefix("."))
            if resolved is not None:
                return resolved
        operand = self.check(node.operand)
        type_ = self._field_type(node.at, self.type_of(operand), node.field)
        type_ = BOOL if node.test else self.substitution.apply(type_, close=False)
        return self._record(Select(node.at, operand, node.field, node.test), type_)

    def _field_type(self, at: int, operand: Type, name: str, *, optional: bool = False) -> Type:
        operand = self.substitution.apply(operand, close=False)
        target = unwrap_optional(operand)
        found = self._plain_field_type(at, target, name)
        return optional_of(found) if optional or is_optional(operand) else found

    def _plain_field_type(self, at: int, target: Type, name: str) -> Type:
        match target.kind:
            case "map":
                return target.parameters[1]
            case "struct":
                return self._member_type(at, target.name, name)
            case "param":
                self.substitution.is_assignable(DYN, target)
            case _ if not is_dyn_or_error(target):
                shown = show_type(target)
                self._report(at, f"type '{shown}' does not support field selection")
            case _:
                pass
        return DYN

    def _member_type(self, at: int, struct: str, name: str) -> Type:
        """The type of a field of a struct; ``ERROR`` for one that it does not have."""
        fields = self.declarations.find_fields(struct)
        if fields is None:
            self._report(at, f"unexpected failed resolution of '{struct}'")
            return ERROR
        type_ = fields(name)
        if type_ is None:
            known = ", ".join(sorted(self.declarations.structs.get(struct, ())))
            remedy = f"; there are {known}" if known else ""
            self._report(at, f"undefined field '{name}'{remedy}")
            return ERROR
        return type_

    def check_call(self, node: Call) -> Node:
        """A function, method or operator; a dotted target can be a part of a function's name."""
        if node.function == "_?._":
            return self._check_optional_select(node, self.check(node.arguments[0]))
        arguments: list[Node] = []
        for argument in node.arguments[node.member :]:
            arguments.append(self.check(argument))  # noqa: PERF401 - one Python frame less a level
        name = node.function
        if node.member:
            prefix = dotted_name(node.arguments[0])
            joined = f"{prefix.removeprefix('.')}.{name}"
            if prefix and self.declarations.find_function(joined):
                return self._resolve(Call(node.at, joined, tuple(arguments)))
            arguments.insert(0, self.check(node.arguments[0]))
        else:
            name = name.removeprefix(".")
        if not self.declarations.find_function(name):
            self._report(node.at, f"undeclared reference to '{node.function}'")
            unknown = Call(node.at, node.function, tuple(arguments), node.member)
            return self._record(unknown, ERROR)
        return self._resolve(Call(node.at, name, tuple(arguments), node.member))

    def _check_optional_select(self, node: Call, operand: Node) -> Node:
        name = node.arguments[1]
        self._record(name, STRING)
        field_name = str(name.value) if isinstance(name, Constant) else ""
        type_ = self._field_type(node.at, self.type_of(operand), field_name, optional=True)
        checked = Call(node.at, node.function, (operand, name))
        return self._record(checked, self.substitution.apply(type_, close=False))

    def _resolve(self, node: Call) -> Node:
        if node.function in _LOGIC:
            return self._check_logic(node)
        types = [self.type_of(argument) for argument in node.arguments]
        candidates: list[Overload] = []
        result: Type | None = None
        for overload in self.declarations.find_function(node.function):
            if overload.member is not node.member or len(overload.parameters) != len(types):
                continue
            parameters, own_result = self._instantiate(overload)
            if self.substitution.are_assignable(types, parameters):
                candidates.append(overload)
                found = self.substitution.apply(own_result, close=False)
                if result is None:
                    result = found
                elif not is_dyn(result) and not is_exact(found, result):
                    result = DYN
        if result is None:
            self._report_no_overload(node, types)
            return self._record(node, ERROR)
        self.overloads[id(node)] = tuple(candidates)
        return self._record(node, result)

    def _instantiate(self, overload: Overload) -> tuple[tuple[Type, ...], Type]:
        """The parameters and result of an overload, with fresh type parameters."""
        parameters, result, free = signature_of(overload.parameters, overload.result)
        if not free:
            return parameters, result
        fresh = {name: self.substitution.fresh_parameter() for name in free}
        return tuple(rename_parameters(each, fresh) for each in parameters), rename_parameters(
            result, fresh
        )

    def _check_logic(self, node: Call) -> Node:
        result = BOOL
        for argument in node.arguments:
            type_ = self.type_of(argument)
            if not self.substitution.is_assignable(type_, BOOL):
                self._report_mismatch(argument.at, BOOL, type_)
                result = ERROR
        return self._record(node, result)

    def _report_no_overload(self, node: Call, types: list[Type]) -> None:
        shown = [show_type(self.substitution.apply(type_, close=True)) for type_ in types]
        target = f"{shown.pop(0)}." if node.member else ""
        self._report(
            node.at,
            f"found no matching overload for '{node.function}' applied to "
            f"'{target}({', '.join(shown)})'",
        )

    def check_list(self, node: ListOf) -> Node:
        """A list; elements of unlike types make it a ``list(dyn)``."""
        elements: list[Node] = []
        joined: Type | None = None
        for position, element in enumerate(node.elements):
            checked = self.check(element)
            elements.append(checked)
            type_ = self._element_type(checked, optional=position in node.optional)
            joined = self._join(joined, type_)
        joined = self.substitution.fresh_parameter() if joined is None else joined
        checked_list = ListOf(node.at, tuple(elements), node.optional)
        return self._record(checked_list, list_of(joined))

    def _element_type(self, node: Node, *, optional: bool) -> Type:
        type_ = self.type_of(node)
        if not optional:
            return type_
        if not is_optional(type_) and not is_dyn(type_):
            self._report_mismatch(node.at, optional_of(type_), type_)
        return unwrap_optional(type_)

    def _join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        if self.substitution.is_assignable(previous, current):
            return most_general(previous, current)
        return DYN

    def check_map(self, node: MapOf) -> Node:
        """A map; keys and values are joined as elements of a list are."""
        entries: list[tuple[Node, Node, bool]] = []
        keys: Type | None = None
        values: Type | None = None
        for key, value, optional in node.entries:
            checked_key = self.check(key)
            keys = self._join(keys, self.type_of(checked_key))
            checked_value = self.check(value)
            values = self._join(values, self._element_type(checked_value, optional=optional))
            entries.append((checked_key, checked_value, optional))
        if keys is None or values is None:
            keys = self.substitution.fresh_parameter()
            values = self.substitution.fresh_parameter()
        return self._record(MapOf(node.at, tuple(entries)), map_of(keys, values))

    def check_struct(self, node: StructOf) -> Node:
        """A struct, and the types of its fields."""
        name = node.type_name.removeprefix(".")
        found = self.declarations.find_type(name)
        if found is None:
            self._report(node.at, f"undeclared reference to '{node.type_name}'")
            return self._record(node, ERROR)
        struct, fields_of = found
        if not fields_of:
            self._report(node.at, f"'{struct.name}' is not a message type")
            struct = ERROR
        fields: list[FieldOf] = []
        for each in node.fields:
            value = self.check(each.value)
            fields.append(replace(each, value=value))
            self._check_field(each, value, fields_of)
        return self._record(StructOf(node.at, name, tuple(fields)), struct)

    def _check_field(self, each: FieldOf, value: Node, struct: str) -> None:
        declared = self._member_type(each.at, struct, each.name) if struct else ERROR
        type_ = self._element_type(value, optional=each.optional)
        if not self.substitution.is_assignable(declared, type_):
            self._report(
                each.at,
                f"expected type of field '{each.name}' is '{show_type(declared)}' but provided "
                f"type is '{show_type(type_)}'",
            )

    def check_comprehension(self, node: Comprehension) -> Node:
        """A loop: its variables have the types of what it runs over."""
        range_, initial = self.check(node.range), self.check(node.initial)
        outside = self.local
        accumulated = self.type_of(initial)
        around = {**outside, node.accumulator: accumulated}
        first, second = self._loop_types(range_, pairs=bool(node.second_variable))
        self.local = {**around, node.variable: first}
        if node.second_variable:
            self.local[node.second_variable] = second
        condition = self.check(node.condition)
        self._check_assignable(condition, BOOL)
        step = self.check(node.step)
        self._check_assignable(step, accumulated)
        self.local = around
        result = self.check(node.result)
        self.local = outside
        checked = replace(
            node, range=range_, initial=initial, condition=condition, step=step, result=result
        )
        return self._record(checked, self.substitution.apply(self.type_of(result), close=False))

    def _loop_types(self, range_: Node, *, pairs: bool) -> tuple[Type, Type]:
        type_ = self.substitution.apply(self.type_of(range_), close=False)
        match type_.kind:
            case "list":
                element = type_.parameters[0]
                return (INT, element) if pairs else (element, ERROR)
            case "map":
                return type_.parameters[0], type_.parameters[1]
            case "dyn" | "error" | "param":
                self.substitution.is_assignable(DYN, type_)
                return DYN, DYN
            case _:
                self._report(
                    range_.at,
                    f"expression of type '{show_type(type_)}' cannot be range of a comprehension "
                    "(must be list, map, or dynamic)",
                )
                return ERROR, ERROR

    def _check_assignable(self, node: Node, expected: Type) -> None:
        type_ = self.type_of(node)
        if not self.substitution.is_assignable(expected, type_):
            self._report_mismatch(node.at, expected, type_)


_Check: TypeAlias = Callable[..., Node]

_CHECKS: Mapping[type[object], _Check] = {
    Constant: _Checker.check_constant,
    Ident: _Checker.check_ident,
    Select: _Checker.check_select,
    Call: _Checker.check_call,
    ListOf: _Checker.check_list,
    MapOf: _Checker.check_map,
    StructOf: _Checker.check_struct,
    Comprehension: _Checker.check_comprehension,
}
