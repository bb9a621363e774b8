"""A drop-in replacement for ``dataclasses.dataclass`` that generates code on first use.

``dataclasses.dataclass`` compiles up to seven methods when it defines a class. This costs 0.3 ms
per class: a sixth of a cold start for its 140 classes. This module compiles ``__init__`` when the
first instance is created. All classes share the other methods.

A class behaves as with ``dataclasses.dataclass(slots=True)``. A field is an annotation:
``ClassVar``, ``InitVar``, ``KW_ONLY``, and ``__post_init__`` are not supported. The modules that a
cold start loads must use this module, and a test checks that. Other modules can use the standard
library.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from operator import attrgetter
from typing import Any, Literal, NoReturn, TypeAlias, TypeVar, dataclass_transform

__all__ = ["dataclass"]

T = TypeVar("T")
Fields: TypeAlias = "dict[str, Field[Any]]"

# The attribute in which dataclasses.fields, replace, asdict, and is_dataclass find the fields.
_FIELDS = "__dataclass_fields__"
_REGULAR_FIELD: Any = vars(dataclasses)["_FIELD"]


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    *,
    slots: Literal[True],
    frozen: bool = False,
    kw_only: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 — the name in dataclasses
) -> Callable[[type[T]], type[T]]:
    """``dataclasses.dataclass`` for classes with slots."""
    del slots

    def decorate(cls: type[T]) -> type[T]:
        declared = _declared_fields(cls, kw_only=kw_only)
        fields = _inherited_fields(cls) | declared
        methods = {
            **(_equality_methods(fields, hashes=frozen) if eq else {}),
            **({"__repr__": _repr} if repr else {}),
            **(_FROZEN if frozen else {}),
        }
        return _make_slotted_class(cls, declared, fields, methods)

    return decorate


def _declared_fields(cls: type, *, kw_only: bool) -> Fields:
    """A field for each annotation of the class."""
    fields: Fields = {}
    for name in cls.__annotations__:
        spec = _field(cls.__dict__.get(name, MISSING))
        spec.name = name
        spec.kw_only = kw_only if spec.kw_only is MISSING else spec.kw_only
        spec._field_type = _REGULAR_FIELD  # noqa: SLF001 — see above
        fields[name] = spec
    return fields


def _field(default: Any) -> Any:
    """The field of an annotation with the given default value or field specifier."""
    return default if default.__class__ is Field else field(default=default)


def _inherited_fields(cls: type) -> Fields:
    """The fields of the base classes, the outermost base first."""
    fields: Fields = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get(_FIELDS, {})
    return fields


def _make_slotted_class(
    cls: type[T], declared: Fields, fields: Fields, methods: dict[str, Any]
) -> type[T]:
    """Create the class again with slots, because Python cannot add slots to a class."""
    left_out = {*declared, "__dict__", "__weakref__"}
    slotted: Any = type(cls)(
        cls.__name__,
        cls.__bases__,
        {
            **methods,
            **{name: member for name, member in cls.__dict__.items() if name not in left_out},
            "__qualname__": cls.__qualname__,
            "__slots__": tuple(declared),
            "__match_args__": tuple(name for name, spec in fields.items() if not spec.kw_only),
            _FIELDS: fields,
        },
    )

    def init_first(self: T, *values: Any, **keywords: Any) -> None:
        """Compile ``__init__``, replace this method with it, and call it."""
        slotted.__init__ = init = _compile_init(slotted, fields)
        init(self, *values, **keywords)

    slotted.__init__ = init_first
    return slotted


def _compile_init(cls: type, fields: Fields) -> Callable[..., None]:
    """Compile ``__init__`` from text, because a loop over the fields would slow down each instance.

    The setter of a slot sets its value. A setter neither checks ``frozen`` nor looks up the slot.
    """
    namespace: dict[str, Any] = {"MISSING": MISSING}
    positional: list[str] = []
    keyword_only: list[str] = []
    lines: list[str] = []
    for name, spec in fields.items():
        parameter, value = _parameter(spec, namespace)
        (keyword_only if spec.kw_only else positional).append(parameter)
        namespace[f"set_{name}"] = getattr(cls, name).__set__
        lines.append(f" set_{name}(self, {value})")
    parameters = ", ".join(["self", *positional, *(["*", *keyword_only] if keyword_only else [])])
    text = "\n".join([f"def __init__({parameters}):", *lines, " return None"])
    exec(text, namespace)  # noqa: S102 — the text contains only names of fields, which are identifiers
    init = namespace["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _parameter(spec: "Field[Any]", namespace: dict[str, Any]) -> tuple[str, str]:
    """The parameter of a field, and the expression for its value."""
    if spec.default_factory is not MISSING:
        namespace[f"make_{spec.name}"] = spec.default_factory
        return (
            f"{spec.name}=MISSING",
            f"make_{spec.name}() if {spec.name} is MISSING else {spec.name}",
        )
    if spec.default is MISSING:
        return spec.name, spec.name
    namespace[f"default_{spec.name}"] = spec.default
    return f"{spec.name}=default_{spec.name}", spec.name


def _equality_methods(fields: Fields, *, hashes: bool) -> dict[str, Any]:
    """``__eq__`` and ``__hash__``, by the fields that take part in comparisons."""
    names = tuple(name for name, spec in fields.items() if spec.compare)
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: object, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self is other or values(self) == values(other)

    def hash_fields(self: object) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hash_fields if hashes else None}


def _repr(self: Any) -> str:
    class_ = self.__class__
    members = (
        f"{spec.name}={getattr(self, spec.name)!r}"
        for spec in dataclasses.fields(class_)
        if spec.repr
    )
    return f"{class_.__qualname__}({', '.join(members)})"


def _reject_setattr(_: object, name: str, value: object) -> NoReturn:
    del value
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _reject_delattr(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _pickle_state(self: Any) -> dict[str, Any]:
    """The state of a frozen instance for pickle and copy."""
    return {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}


def _unpickle_state(self: object, state: dict[str, Any]) -> None:
    for name, value in state.items():
        object.__setattr__(self, name, value)


_FROZEN = {
    "__setattr__": _reject_setattr,
    "__delattr__": _reject_delattr,
    "__getstate__": _pickle_state,
    "__setstate__": _unpickle_state,
}
