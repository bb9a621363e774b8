"""Dataclasses that cost a cold start little more than their classes.

``dataclasses.dataclass`` compiles the text of up to seven methods for every class while it is being
defined: 0.3 ms each, a sixth of a cold start for the 140 classes on its path. Here ``__init__`` is
compiled when the first value is made, and the other methods are a few functions for all classes.

A class means what it means there with ``slots=True``. Fields are annotations and nothing else:
``ClassVar``, ``InitVar``, ``KW_ONLY`` and ``__post_init__`` have no meaning here. The modules that
a cold start loads use this, which a test holds them to; elsewhere the standard library's will do.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from operator import attrgetter
from typing import Any, Literal, NoReturn, TypeAlias, TypeVar, dataclass_transform

__all__ = ["dataclass"]

T = TypeVar("T")
Fields: TypeAlias = "dict[str, Field[Any]]"

# Where and how dataclasses.fields, replace, asdict and is_dataclass find what a class has.
_FIELDS = "__dataclass_fields__"
_REGULAR_FIELD: Any = vars(dataclasses)["_FIELD"]


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    *,
    slots: Literal[True],
    frozen: bool = False,
    kw_only: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 — the name that dataclasses gives it
) -> Callable[[type[T]], type[T]]:
    """``dataclasses.dataclass``, of classes with slots alone."""
    del slots

    def decorate(cls: type[T]) -> type[T]:
        own = _own_fields(cls, kw_only=kw_only)
        every = _inherited_fields(cls) | own
        methods = {
            **(_equality_methods(every, hashes=frozen) if eq else {}),
            **({"__repr__": _repr} if repr else {}),
            **(_FROZEN if frozen else {}),
        }
        return _make_slotted_class(cls, own, every, methods)

    return decorate


def _own_fields(cls: type, *, kw_only: bool) -> Fields:
    """A field for each annotation of the class."""
    made: Fields = {}
    for name in cls.__annotations__:
        one = _field(cls.__dict__.get(name, MISSING))
        one.name = name
        one.kw_only = kw_only if one.kw_only is MISSING else one.kw_only
        one._field_type = _REGULAR_FIELD  # noqa: SLF001 — see above
        made[name] = one
    return made


def _field(default: Any) -> Any:
    """The field of an annotation, from what the class says is its value."""
    return default if default.__class__ is Field else field(default=default)


def _inherited_fields(cls: type) -> Fields:
    """The fields of the bases, the most basic first."""
    found: Fields = {}
    for base in reversed(cls.__mro__[1:]):
        found |= base.__dict__.get(_FIELDS, {})
    return found


def _make_slotted_class(
    cls: type[T], own: Fields, every: Fields, methods: dict[str, Any]
) -> type[T]:
    """The class again: with slots, which cannot be added to one that exists."""
    left_out = {*own, "__dict__", "__weakref__"}
    slotted: Any = type(cls)(
        cls.__name__,
        cls.__bases__,
        {
            **methods,
            **{name: each for name, each in cls.__dict__.items() if name not in left_out},
            "__qualname__": cls.__qualname__,
            "__slots__": tuple(own),
            "__match_args__": tuple(name for name, one in every.items() if not one.kw_only),
            _FIELDS: every,
        },
    )

    def init_first(self: T, *values: Any, **named: Any) -> None:
        """Make ``__init__``, which takes the place of this one, and call it."""
        slotted.__init__ = init = _compile_init(slotted, every)
        init(self, *values, **named)

    slotted.__init__ = init_first
    return slotted


def _compile_init(cls: type, every: Fields) -> Callable[..., None]:
    """``__init__``, as text: a loop over the fields would make every value dearer.

    Each slot is filled by its own setter, which neither asks whether the value is frozen nor has to
    find the slot.
    """
    known: dict[str, Any] = {"MISSING": MISSING}
    positional: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for name, one in every.items():
        parameter, value = _parameter(one, known)
        (named if one.kw_only else positional).append(parameter)
        known[f"set_{name}"] = getattr(cls, name).__set__
        lines.append(f" set_{name}(self, {value})")
    parameters = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    text = "\n".join([f"def __init__({parameters}):", *lines, " return None"])
    exec(text, known)  # noqa: S102 — names of fields, which are Python's identifiers
    made = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _parameter(one: "Field[Any]", known: dict[str, Any]) -> tuple[str, str]:
    """A field's parameter, and the expression for its value."""
    if one.default_factory is not MISSING:
        known[f"make_{one.name}"] = one.default_factory
        return f"{one.name}=MISSING", f"make_{one.name}() if {one.name} is MISSING else {one.name}"
    if one.default is MISSING:
        return one.name, one.name
    known[f"default_{one.name}"] = one.default
    return f"{one.name}=default_{one.name}", one.name


def _equality_methods(every: Fields, *, hashes: bool) -> dict[str, Any]:
    """``__eq__`` and ``__hash__`` of the fields that count."""
    names = tuple(name for name, one in every.items() if one.compare)
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: object, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self is other or values(self) == values(other)

    def hash_fields(self: object) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hash_fields if hashes else None}


def _repr(self: Any) -> str:
    kind = self.__class__
    shown = (
        f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(kind) if one.repr
    )
    return f"{kind.__qualname__}({', '.join(shown)})"


def _reject_setattr(_: object, name: str, value: object) -> NoReturn:
    del value
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _reject_delattr(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _pickle_state(self: Any) -> dict[str, Any]:
    """What pickle and copy keep of a frozen value."""
    return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}


def _unpickle_state(self: object, state: dict[str, Any]) -> None:
    for name, value in state.items():
        object.__setattr__(self, name, value)


_FROZEN = {
    "__setattr__": _reject_setattr,
    "__delattr__": _reject_delattr,
    "__getstate__": _pickle_state,
    "__setstate__": _unpickle_state,
}
