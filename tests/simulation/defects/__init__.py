"""Planted defects: small changes of the product, in memory, that a law must find."""

from __future__ import annotations

import inspect
import pkgutil
import sys
import textwrap
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

import podgraft
from simulation.actors import stack  # it imports the modules of the functions

from .catalog import ALL_DEFECTS, DEFECTS, MENDED
from .defect import Defect

__all__ = ["ALL_DEFECTS", "DEFECTS", "MENDED", "Defect", "plant", "stack"]


@dataclass(frozen=True, slots=True)
class _Place:
    """A function of the product: the class or module that has it, and its name."""

    owner: Any
    name: str
    module: Any


def _find_place(target: str) -> _Place:
    module_name, _, path = target.partition(":")
    module = import_module(module_name)
    owner: Any = module
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    return _Place(owner, name, module)


@contextmanager
def plant(name: str) -> Generator[None]:
    """Change the code of a defect; every change must apply, or the defect is out of date."""
    _import_engine()
    before: list[tuple[Any, str, Any]] = []
    try:
        for change in ALL_DEFECTS[name].changes:
            place = _find_place(change.target)
            original: Any = place.owner.__dict__[place.name]
            changed = _change(place, change.old, change.new)
            for owner, each in _find_references(place, original):
                before.append((owner, each, original))
                setattr(owner, each, changed)
        yield
    finally:
        for owner, each, value in reversed(before):
            setattr(owner, each, value)


@cache
def _import_engine() -> None:
    """Import all modules: one that is imported while a defect is planted would keep it."""
    for module in pkgutil.walk_packages(podgraft.__path__, "podgraft."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def _find_references(place: _Place, original: Any) -> list[tuple[Any, str]]:
    """The names of the function: where it is defined, and where ``from … import`` copied it."""
    found = [(place.owner, place.name)]
    if isinstance(original, FunctionType) and place.owner is place.module:
        found += [
            (module, name)
            for key, module in list(sys.modules.items())
            if key.startswith("podgraft.") and module is not place.module
            for name, value in vars(module).items()
            if value is original
        ]
    return found


def _change(place: _Place, old: str, new: str) -> Any:
    """Return the function, or the constant, with other text in it."""
    original: Any = place.owner.__dict__[place.name]
    if not old:
        return eval(new)  # noqa: S307 — a constant of the catalog
    function: Any = inspect.unwrap(getattr(original, "__func__", original))
    if isinstance(original, property):
        function = original.fget  # pyright: ignore[reportUnknownMemberType]
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1, f"{place.name}: {old!r} occurs {source.count(old)} times"
    namespace: dict[str, Any] = {}
    code = compile(
        f"from __future__ import annotations\n{source.replace(old, new)}", "defect", "exec"
    )
    exec(code, {**vars(place.module)}, namespace)  # noqa: S102
    changed: Any = namespace[place.name]
    plain: Any = getattr(changed, "__func__", changed)
    plain = plain.fget if isinstance(plain, property) else plain
    if hasattr(plain, "__wrapped__"):
        return contextmanager(_rebuild(place, plain.__wrapped__))
    rebuilt = _rebuild(place, plain)
    if isinstance(original, property):
        return property(rebuilt)
    if type(original) is classmethod:
        return classmethod(rebuilt)
    return rebuilt


def _rebuild(place: _Place, plain: Any) -> Any:
    """The code of the change, with the globals of the module: other defects must see it, too."""
    rebuilt: Any = type(plain)(plain.__code__, vars(place.module), place.name, plain.__defaults__)
    rebuilt.__kwdefaults__ = plain.__kwdefaults__
    return rebuilt
