"""The format of a value of any kind for one verb (fmt/print.go: printArg, printValue)."""

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from podgraft.golang.errors import FunctionError
from podgraft.golang.fmtsort import sort_items
from podgraft.golang.reflect import GoType, Kind, PanicError, Value, bind_method, is_nil, type_of

from .format import (
    Flags,
    pad,
    write_bool,
    write_bytes,
    write_complex,
    write_float,
    write_hexadecimal,
    write_integer,
    write_string,
)

# Go prints memory addresses. Here all values have one address, so the output is deterministic.
ADDRESS = 0xC000010000

SIGNED = frozenset((Kind.INT, Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64))
UNSIGNED = frozenset((Kind.UINT, Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64, Kind.UINTPTR))
INTEGERS = SIGNED | UNSIGNED
_POINTED_AT = (Kind.ARRAY, Kind.SLICE, Kind.STRUCT, Kind.MAP)
_BYTES = "[]uint8"
_BYTE_VERBS = "sqxX"
_STRINGABLE = "vsxXq"


def print_arg(flags: Flags, verb: str, value: Value) -> str:
    """printArg: ``value`` as an operand of a directive."""
    printer = _Printer(flags, verb)
    if value.__class__ is str and verb not in "Tp":  # the most frequent type
        text = write_string(flags, value, verb)
        return printer.print_bad_verb(value) if text is None else text
    type_ = type_of(value)
    if type_ is None:
        return pad(flags, "<nil>") if verb in "Tv" else printer.print_bad_verb(None)
    if verb == "T":
        return write_string(flags, type_.name, "s") or ""
    if verb == "p":
        return printer.print_pointer(value, type_)
    if type_.name == _BYTES and verb in "vd":
        return printer.print_byte_list(value)
    if type_.name in (type_.kind, _BYTES):  # predeclared types have no methods
        return printer.print_by_kind(value, type_, 0)
    text = printer.print_with_method(value)
    return printer.print_by_kind(value, type_, 0) if text is None else text


class _Printer(Struct, frozen=True):
    """One verb with its flags; ``uses_methods`` enables the methods Error and String of values."""

    flags: Flags
    verb: str
    uses_methods: bool = True

    def print_value(self, value: Value, static: GoType | None, depth: int) -> str:
        """A value inside another value, with the static type ``static`` (printValue)."""
        type_ = type_of(value)
        if type_ is None:
            return f"{static}(nil)" if self.flags.sharp_v else "<nil>"
        text = self.print_with_method(value)
        return self.print_by_kind(value, type_, depth) if text is None else text

    def print_by_kind(self, value: Value, type_: GoType, depth: int) -> str:
        """A value that has no print method (printValue)."""
        write_leaf = _LEAVES.get(type_.kind)
        if write_leaf is not None:
            text = write_leaf(self.flags, value, self.verb)
            return self.print_bad_verb(value) if text is None else text
        match type_.kind:
            case Kind.MAP:
                return self.print_map(value, type_, depth)
            case Kind.STRUCT:
                return self.print_struct(value, type_, depth)
            case Kind.SLICE | Kind.ARRAY:
                return self.print_list(value, type_, depth)
            case Kind.POINTER:
                if depth == 0 and value and type_.elem and type_.elem.kind in _POINTED_AT:
                    return f"&{self.print_value(value.target, type_.elem, 1)}"
                return self.print_pointer(value, type_)
            case _:
                return f"?{type_.name}?"

    def print_map(self, value: Value, type_: GoType, depth: int) -> str:
        """``map[k:v k:v]``, or with %#v ``map[K]V{k:v, k:v}``."""
        items = (
            f"{self.print_value(key, type_.key, depth + 1)}:"
            f"{self.print_value(item, type_.elem, depth + 1)}"
            for key, item in sort_items(value)
        )
        return self._print_collection(value, type_, items, "map[]")

    def print_list(self, value: Value, type_: GoType, depth: int) -> str:
        """``[a b]``, or with %#v ``[]T{a, b}``."""
        if type_.elem and type_.elem.kind is Kind.UINT8 and self.verb in _BYTE_VERBS:
            return self.print_bytes(value)
        items = (self.print_value(item, type_.elem, depth + 1) for item in value)
        return self._print_collection(value, type_, items, "[]")

    def print_struct(self, value: Value, type_: GoType, depth: int) -> str:
        """``{a b}``, with %+v ``{A:a B:b}``, with %#v ``T{A:a, B:b}``."""
        has_names = self.flags.plus_v or self.flags.sharp_v
        without_methods = replace(self, uses_methods=False)
        items = (
            (f"{field.name}:" if has_names else "")
            + (self if field.name[0].isupper() else without_methods).print_value(
                value.get(field), field.type, depth + 1
            )
            for field in type_.fields
        )
        return self._print_collection(value, type_, items, "{}")

    def _print_collection(
        self, value: Value, type_: GoType, items: Iterable[str], brackets: str
    ) -> str:
        if not self.flags.sharp_v:
            return f"{brackets[:-1]}{' '.join(items)}{brackets[-1]}"
        if type_.kind is not Kind.STRUCT and is_nil(value):
            return f"{type_.name}(nil)"
        return f"{type_.name}{{{', '.join(items)}}}"

    def print_bytes(self, value: Value) -> str:
        """A list of bytes as a string: %s, %q, %x and %X (fmtBytes)."""
        data = bytes(map(int, value))
        if self.verb in "xX":
            return write_bytes(self.flags, data, self.verb)
        text = data.decode("utf-8", "surrogateescape")
        return write_string(self.flags, text, self.verb) or ""

    def print_byte_list(self, value: Value) -> str:
        """``[]byte`` for %v and %d; %#v prints the type as ``[]byte`` (fmtBytes)."""
        if not self.flags.sharp_v:
            digits = (write_integer(self.flags, byte, "d", signed=False) for byte in value)
            return f"[{' '.join(map(str, digits))}]"
        if is_nil(value):
            return "[]byte(nil)"
        return (
            f"[]byte{{{', '.join(write_hexadecimal(self.flags, b, prefix=True) for b in value)}}}"
        )

    def print_pointer(self, value: Value, type_: GoType) -> str:
        """fmtPointer: the address of a value."""
        if type_.kind not in (Kind.MAP, Kind.SLICE, Kind.POINTER):
            return self.print_bad_verb(value)
        flags, address = self.flags, 0 if is_nil(value) else ADDRESS
        if self.verb == "v" and flags.sharp_v:
            digits = write_hexadecimal(flags, address, prefix=True) if address else "nil"
            return f"({type_.name})({digits})"
        if self.verb == "v" and not address:
            return pad(flags, "<nil>")
        if self.verb in "vp":
            return write_hexadecimal(flags, address, prefix=not flags.sharp)
        if self.verb in "bodxX":
            return write_integer(flags, address, self.verb, signed=False) or ""
        return self.print_bad_verb(value)

    def print_bad_verb(self, value: Value) -> str:
        """``%!verb(type=value)``, with the value in the format of %v without its methods."""
        type_ = type_of(value)
        if type_ is None:
            return f"%!{self.verb}(<nil>)"
        without_methods = replace(self, verb="v", uses_methods=False)
        return f"%!{self.verb}({type_.name}={without_methods.print_by_kind(value, type_, 0)})"

    def print_with_method(self, value: Value) -> str | None:
        """handleMethods: the result of the value's print method; ``None`` if it has none."""
        if not self.uses_methods:
            return None
        if self.verb == "w":
            return self.print_bad_verb(value)
        if self.flags.sharp_v:
            return self._call_method(value, ("GoString",), "s")
        if self.verb in _STRINGABLE:
            return self._call_method(value, ("Error", "String"), self.verb)
        return None

    def _call_method(self, value: Value, methods: Iterable[str], verb: str) -> str | None:
        """The result of the first of these methods, or its panic (catchPanic)."""
        for name in methods:
            try:
                bound = bind_method(value, name, without_pointer_methods=True)
                if bound and not (bound.method.parameters or bound.method.variadic):
                    return write_string(self.flags, bound.call(), verb) or ""
            except (PanicError, FunctionError) as error:
                if type_of(value) is not None and is_nil(value):
                    return "<nil>"
                return f"%!{self.verb}(PANIC={name} method: {error})"
        return None


def _integer_writer(signed: bool) -> Callable[[Flags, Value, str], str | None]:
    return lambda flags, value, verb: write_integer(flags, int(value), verb, signed=signed)


_LEAVES: dict[Kind, Callable[[Flags, Value, str], str | None]] = {
    Kind.BOOL: lambda flags, value, verb: write_bool(flags, bool(value), verb),
    Kind.STRING: lambda flags, value, verb: write_string(flags, str(value), verb),
    Kind.FLOAT32: lambda flags, value, verb: write_float(flags, value, verb, 32),
    Kind.FLOAT64: lambda flags, value, verb: write_float(flags, value, verb, 64),
    Kind.COMPLEX64: lambda flags, value, verb: write_complex(flags, value, verb, 64),
    Kind.COMPLEX128: lambda flags, value, verb: write_complex(flags, value, verb, 128),
    **dict.fromkeys(SIGNED, _integer_writer(signed=True)),
    **dict.fromkeys(UNSIGNED, _integer_writer(signed=False)),
}
