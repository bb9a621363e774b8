"""The signatures of sprig's functions, from ``functions.json``. A body is imported when it is used.

A row names the ``body`` as MODULE.NAME of this package. The ``parameters`` have Go's types, so the
engine rejects the same arguments as Go; ``...`` after the last type means any number of arguments.
A body with ``casts`` converts its arguments with cast, its first argument. ``taint`` is the
propagation of taint, and ``syntax`` the risk of YAML syntax; a row without it has none. A body that
``mutates`` changes maps of its arguments.

A sidecar must depend only on the pod, the bundle, and the policy. Otherwise, a review could not be
repeated, and podgraft could not explain the containers of a pod. For this reason, some functions
are ``unsupported``; they stand under the reason. ``since`` has the functions that a release of
sprig added.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from json import loads
from operator import attrgetter
from typing import Any, NoReturn

from msgspec.structs import replace

from podgraft.base.tables import read_table
from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import ANY, ANY_MAP, BOOL, FLOAT64, INT, STRING, GoType, Value
from podgraft.golang.texttemplate.functions import (
    Function,
    LazyFunction,
    Propagation,
    Serializer,
    SyntaxRisk,
)
from podgraft.golang.time import TIME

NEWEST_CAST = "1.10"

_TYPES: Mapping[str, GoType] = {
    "any": ANY,
    "bool": BOOL,
    "float64": FLOAT64,
    "int": INT,
    "map": ANY_MAP,
    "string": STRING,
    "time": TIME,
}


def _import_later(path: str, cast: str = "") -> LazyFunction:
    """The function ``MODULE.NAME`` of this package; ``cast`` is its first argument, if set."""

    def import_body() -> Callable[..., Value]:
        module, _, name = path.partition(".")
        body = attrgetter(name)(import_module(f"{__package__}.{module}"))
        return partial(body, _lookup_cast(cast)) if cast else body

    return LazyFunction(import_body)


def _lookup_cast(release: str) -> Value:
    from .cast import CASTS  # a cold start loads no body

    return CASTS[release]


def _make_function(row: Mapping[str, Any]) -> Function:
    call = _import_later(row["body"], NEWEST_CAST if row.get("casts") else "")
    names: list[str] = row.get("parameters", "").split()
    variadic = _TYPES[names.pop()[: -len("...")]] if names and names[-1].endswith("...") else None
    propagation = Propagation(row["taint"])
    serializes = propagation is Propagation.SERIALIZES
    return Function(
        call,
        tuple(_TYPES[name] for name in names),
        variadic,
        mutates=row.get("mutates", False),
        propagation=propagation,
        syntax_risk=SyntaxRisk[row.get("syntax", "none").upper()],
        serializer=Serializer(_parse_tree, call) if serializes else None,
    )


def _parse_tree(result: str, _: Value) -> Value:
    return loads(result)


def _make_unsupported_function(reason: str) -> Function:
    """A function that fails; a template that names it does not parse."""

    def call(*_: object) -> NoReturn:
        raise FunctionError(reason)

    return Function(call, unsupported_reason=reason)


def select_cast(cast: str) -> Mapping[str, Function]:
    """``FUNCTIONS`` with the conversions of a release of cast (a key of ``CASTS``)."""
    if cast == NEWEST_CAST:
        return FUNCTIONS
    return FUNCTIONS | {
        name: replace(FUNCTIONS[name], call=_import_later(row["body"], cast))
        for name, row in _TABLE["functions"].items()
        if row.get("casts")
    }


_TABLE = read_table(__file__, "functions.json")
FUNCTIONS: dict[str, Function] = {
    name: _make_function(row) for name, row in _TABLE["functions"].items()
}
UNSUPPORTED: Mapping[str, str] = {
    name: reason for reason, names in _TABLE["unsupported"].items() for name in names.split()
}
UNSUPPORTED_FUNCTIONS: Mapping[str, Function] = {
    name: _make_unsupported_function(reason) for name, reason in UNSUPPORTED.items()
}
SINCE: Mapping[str, str] = _TABLE["since"]
