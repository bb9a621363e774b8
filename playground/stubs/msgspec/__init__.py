"""Replacement for msgspec in the browser: the part that podgraft uses, in Python.

``Struct`` generates no code, because a browser compiles Python slowly. ``tests/playground``
compares it with msgspec.
"""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar


class MsgspecError(Exception):
    """The base of all errors."""


class DecodeError(MsgspecError, ValueError):
    """The text is not JSON."""


class _NoDefault:
    """The marker of a field without a default."""

    def __repr__(self) -> str:
        return "NODEFAULT"


NODEFAULT: Any = _NoDefault()


class _Default:
    """A default that ``field`` declares."""

    def __init__(self, value: Any, make_value: Callable[[], Any] | None) -> None:
        self.value = value
        self.make_value = make_value


def field(*, default: Any = NODEFAULT, default_factory: Callable[[], Any] | None = None) -> Any:
    """Declare the default of a field."""
    return _Default(default, default_factory)


class Struct:
    """The base of records. The annotations of a class are its fields, as in msgspec."""

    __struct_fields__: ClassVar[tuple[str, ...]] = ()
    __struct_defaults__: ClassVar[tuple[Any, ...]] = ()
    _positional: ClassVar[tuple[str, ...]] = ()
    _keyword_only: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _is_frozen: ClassVar[bool] = False
    _has_eq: ClassVar[bool] = True

    def __init_subclass__(
        cls, *, frozen: bool | None = None, kw_only: bool = False, eq: bool | None = None
    ) -> None:
        super().__init_subclass__()
        own = [name for name, type_ in _read_annotations(cls).items() if not _is_class_var(type_)]
        inherited = cls._positional + cls._keyword_only
        new = tuple(name for name in own if name not in inherited)
        cls._defaults = {**cls._defaults, **{name: _pop_default(cls, name) for name in own}}
        cls._positional = cls._positional + (() if kw_only else new)
        cls._keyword_only = cls._keyword_only + (new if kw_only else ())
        cls._is_frozen = cls._is_frozen if frozen is None else frozen
        cls._has_eq = cls._has_eq if eq is None else eq
        cls.__struct_fields__ = cls._positional + cls._keyword_only
        cls.__struct_defaults__ = _trailing_defaults(cls.__struct_fields__, cls._defaults)

    def __init__(self, *values: Any, **members: Any) -> None:
        if len(values) > len(self._positional):
            raise TypeError("Extra positional arguments provided")
        positional = dict(zip(self._positional, values, strict=False))
        for name in members:
            if name not in self.__struct_fields__:
                raise TypeError(f"Unexpected keyword argument '{name}'")
            if name in positional:
                raise TypeError(f"Argument '{name}' given by name and position")
        members |= positional
        for name in self.__struct_fields__:
            if name not in members:
                members[name] = _make_default(name, self._defaults[name])
            object.__setattr__(self, name, members[name])

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_frozen:
            raise AttributeError(f"immutable type: '{type(self).__name__}'")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not self._has_eq:
            return self is other
        if type(other) is not type(self):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        if not self._has_eq:
            return object.__hash__(self)
        if not self._is_frozen:
            raise TypeError(f"unhashable type: '{type(self).__name__}'")
        return hash((type(self), *_values(self)))

    def __repr__(self) -> str:
        members = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__)
        return f"{type(self).__name__}({', '.join(members)})"


def _read_annotations(class_: type) -> dict[str, Any]:
    return inspect.get_annotations(class_)


def _is_class_var(annotation: object) -> bool:
    return "ClassVar" in str(annotation)


def _pop_default(class_: type, name: str) -> _Default | None:
    """Remove the default of a field from its class, so that no instance can miss the field."""
    if name not in class_.__dict__:
        return None
    value = class_.__dict__[name]
    delattr(class_, name)
    if isinstance(value, _Default):
        return None if value.value is NODEFAULT and value.make_value is None else value
    if isinstance(value, list | dict | set) and not value:
        return _Default(NODEFAULT, type(value))
    return _Default(value, None)


def _make_default(name: str, default: _Default | None) -> Any:
    if default is None:
        raise TypeError(f"Missing required argument '{name}'")
    return default.make_value() if default.make_value else default.value


def _trailing_defaults(
    fields: tuple[str, ...], defaults: dict[str, _Default | None]
) -> tuple[Any, ...]:
    """The defaults of the fields, from the first field that has one."""
    found = [defaults[name] for name in fields]
    while found and found[0] is None:
        del found[0]
    return tuple(NODEFAULT if each is None else each.value for each in found)


def _values(struct: Any) -> tuple[Any, ...]:
    return tuple(getattr(struct, name) for name in struct.__struct_fields__)


from . import json as json  # noqa: E402 - both modules use the classes above
from . import structs as structs  # noqa: E402
