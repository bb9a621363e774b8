"""Lookup of the method ``value.name`` and its receiver."""

import msgspec

from podgraft.golang.errors import FunctionError

from .types import Field, GoType, Kind, Method, Value
from .values import PanicError, Pointer, Struct, copy_value, type_of


class BoundMethod(msgspec.Struct, frozen=True):
    """A method of ``type`` with its receiver."""

    name: str
    type: GoType
    method: Method
    receiver: Value

    def call(self, *arguments: Value) -> Value:
        """Call the method and return its result."""
        if self.receiver is None and not self.method.pointer:
            bare = self.type.name.rpartition(".")[2]
            method = f"{self.type.name}.{self.name}"
            raise PanicError(f"value method {method} called using nil *{bare} pointer")
        return copy_value(self.method.call(self.receiver, *arguments))


def refused_methods(type_name: str, names: str) -> dict[str, Method]:
    """Methods, separated by spaces, whose call is an error that names them."""

    def refuse(name: str) -> Method:
        def call(*_: Value) -> Value:
            raise FunctionError(f"podgraft does not support the method {name} of {type_name}")

        return Method(call, pointer=True)

    return {name: refuse(name) for name in names.split()}


def bind_method(
    value: Value, name: str, *, without_pointer_methods: bool = False
) -> BoundMethod | None:
    """Return the method ``name`` in the method set of ``value``; ``None`` if it has none.

    With ``without_pointer_methods``, the value has no methods of its pointer. This is the method
    set that fmt uses for a value inside another value.
    """
    type_ = type_of(value)
    if type_ is None:
        return None
    pointer = type_.kind is Kind.POINTER
    base = type_.elem if pointer else type_
    member = base.member(name) if base else None
    if base is None or member is None or isinstance(member.target, Field):
        return None
    container = _walk_path(value, member.path)
    reachable = container.__class__ is Pointer or (
        container.__class__ is Struct and container.addressable and not without_pointer_methods
    )
    if member.target.pointer and not reachable:
        return None
    receiver = container.target if container.__class__ is Pointer else container
    owner = base if not member.path else member.path[-1].type
    owner = owner.elem if owner.kind is Kind.POINTER and owner.elem else owner
    return BoundMethod(name, owner, member.target, receiver)


def _walk_path(value: Value, path: tuple[Field, ...]) -> Value:
    """The embedded struct, or the pointer to it, that a promoted method belongs to."""
    for step in path:
        struct = value.target if value.__class__ is Pointer else value
        if struct is None:
            raise PanicError("runtime error: invalid memory address or nil pointer dereference")
        value = struct.get(step)
    return value
