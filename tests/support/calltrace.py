"""Counts of the calls between the engine's modules while one action runs; deterministic."""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import podgraft

_ROOT = Path(podgraft.__file__).parent
LIBRARIES = frozenset({"flask", "mangum"})


@dataclass(slots=True)
class CallTrace:
    """The calls of one action.

    ``crossings`` counts calls from one package of podgraft to another, by both names. A call from
    code outside podgraft (a compiled template, a library) counts for the module that ran it.
    ``carriers`` are the modules with a function that received or returned a carrier. ``changes``
    counts the calls into another module than the last call, and ``libraries`` are those on the way.
    """

    crossings: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    modules: set[str] = field(default_factory=set[str])
    carriers: set[str] = field(default_factory=set[str])
    libraries: set[str] = field(default_factory=set[str])
    changes: int = 0


def trace_calls(action: Callable[[], object], carrier_types: tuple[type, ...]) -> CallTrace:
    """Run the action, and count its calls."""
    trace = CallTrace()
    last = ""

    def observe(frame: FrameType, event: str, value: Any) -> None:
        nonlocal last
        module = _module_of(frame.f_code) if event in {"call", "return"} else None
        if module is None:
            trace.libraries.update(LIBRARIES.intersection(Path(frame.f_code.co_filename).parts))
            return
        if event == "return":
            if isinstance(value, carrier_types):
                trace.carriers.add(module)
            return
        trace.modules.add(module)
        trace.changes += module != last
        last = module
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        # A method of a carrier receives it as self: that alone does not pass the carrier on.
        arguments = [frame.f_locals.get(name) for name in names if name != "self"]
        if any(isinstance(argument, carrier_types) for argument in arguments):
            trace.carriers.add(module)
        caller = _find_caller(frame)
        packages = (caller.partition(".")[0], module.partition(".")[0]) if caller else None
        if packages is not None and packages[0] != packages[1]:
            trace.crossings[packages] += 1

    sys.setprofile(observe)
    try:
        action()
    finally:
        sys.setprofile(None)
    return trace


def _find_caller(frame: FrameType) -> str | None:
    outer = frame.f_back
    while outer is not None:
        module = _module_of(outer.f_code)
        if module is not None:
            return module
        outer = outer.f_back
    return None


def _module_of(code: CodeType) -> str | None:
    """The module of code within podgraft, such as ``web.app``."""
    path = Path(code.co_filename)
    if not path.is_relative_to(_ROOT):
        return None
    return ".".join(path.relative_to(_ROOT).with_suffix("").parts)
