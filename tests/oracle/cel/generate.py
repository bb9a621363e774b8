"""Expressions at random, to compare with the original: typed ones, damaged ones, odd arguments.

``make_typed`` builds an expression of a type from the declared overloads, with now and then a part
of another type. ``damage`` deletes, doubles, swaps or replaces one token. ``make_call`` calls a
function with odd arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from podgraft.kube.cel.library import DECLARED
from podgraft.kube.cel.overloads import Overload
from podgraft.kube.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UINT,
    Type,
    list_of,
    map_of,
    optional_of,
    parse_type,
)

_LEAVES: Mapping[Type, Sequence[str]] = {
    BOOL: ("true", "false", "variables.flag", "request.dryRun", "has(object.spec)"),
    INT: (
        "0",
        "1",
        "-1",
        "3",
        "9223372036854775807",
        "variables.n",
        "namespaceObject.metadata.generation",
    ),
    UINT: ("0u", "1u", "18446744073709551615u", "variables.u"),
    DOUBLE: ("0.0", "1.5", "-1e300", "double('NaN')", "variables.d"),
    STRING: (
        *("''", "'a'", "'é😀'", "'%d'", "'1h'", "'2024-01-01T00:00:00Z'", "'10.0.0.0/8'", "'::1'"),
        *("'1.2.3'", "'https://a.b:80/c?d=e'", "'['", "request.name", "variables.s", "'1.5Gi'"),
    ),
    BYTES: ("b''", "b'a'", "b'\\xff'"),
    NULL: ("null",),
    DURATION: ("duration('1h')", "duration('0s')"),
    TIMESTAMP: ("timestamp('2024-01-01T00:00:00Z')", "timestamp(0)"),
    DYN: (
        *("object", "object.spec.n", "object.spec.f", "object.spec.b", "object.spec.s", "params"),
        *("object.spec.l", "object.spec.m", "object.spec.nope", "variables.o", "oldObject"),
        *("variables.err", "request.options", "dyn(1)", "dyn('a')", "dyn([])", "dyn(null)"),
        *("object.spec.m.a", "object.metadata.labels", "object['spec']", "object.`a-b`"),
    ),
    parse_type("map(string,string)"): ("namespaceObject.metadata.labels", "{'a': 'b'}", "{}"),
    parse_type("list(string)"): ("request.userInfo.groups", "['a', 'b']", "[]", "variables.l"),
    parse_type("list(int)"): ("[1, 2]", "[]", "[3, 1, 2]"),
    parse_type("net.IP"): ("ip('::1')", "ip('10.0.0.1')"),
    parse_type("net.CIDR"): ("cidr('10.0.0.0/8')", "cidr('::/0')"),
    parse_type("kubernetes.Quantity"): ("quantity('1')", "quantity('1.5Gi')", "variables.q"),
    parse_type("kubernetes.Semver"): ("semver('1.2.3')",),
    parse_type("kubernetes.URL"): ("url('https://a.b:80/c?d=e')",),
    parse_type("kubernetes.NamedFormat"): ("format.dns1123Label()",),
}
SIMPLE = (BOOL, INT, UINT, DOUBLE, STRING, BYTES, DURATION, TIMESTAMP, DYN)
_OPERATORS = re.compile(r"_([^_a-z?\[]+|in)_")
_TOKEN = re.compile(
    r"\s+|[a-zA-Z_]\w*|\d+\.\d+|\d+u?|'(?:[^'\\]|\\.)*'|&&|\|\||[=!<>]=|.", re.DOTALL
)
_TOKENS = (
    *("(", ")", "[", "]", "{", "}", ".", ",", ":", "?", "!", "-", "+", "*", "/", "%", "in", "&&"),
    *("||", "==", "<", "1", "1.0", "1u", "'a'", "true", "null", "x", "has", "if", "\\", "'", "`"),
)


def random_type(random: Random, depth: int = 1) -> Type:
    """A simple type, or a list, map or optional of one."""
    inner = random.choice(SIMPLE)
    match random.randrange(10) if depth else 0:
        case 7:
            return list_of(inner)
        case 8:
            return map_of(random.choice((STRING, INT, BOOL)), inner)
        case 9:
            return optional_of(inner)
        case _:
            return inner


class TypedGenerator:
    """Expressions of a type; one part in ``wrong`` has another type."""

    def __init__(self, random: Random, wrong: int = 40) -> None:
        self.random = random
        self.wrong = wrong
        self.scope: list[tuple[str, Type]] = []

    def make(self, type_: Type, depth: int) -> str:
        """An expression that has, mostly, the type."""
        random = self.random
        if not random.randrange(self.wrong):
            type_ = random_type(random)
        if type_ == DYN and depth and random.randrange(2):
            return f"dyn({self.make(random_type(random), depth - 1)})"
        local = [name for name, known in self.scope if known == type_]
        if local and not random.randrange(3):
            return random.choice(local)
        if depth <= 0:
            return self._leaf(type_)
        makers = (self._call, self._call, self._call, self._leaf_at, self._ternary, self._macro)
        return random.choice(makers)(type_, depth)

    def _leaf_at(self, type_: Type, _depth: int) -> str:
        return self._leaf(type_)

    def _leaf(self, type_: Type) -> str:
        known = _LEAVES.get(type_)
        if known and self.random.randrange(4):
            return self.random.choice(known)
        count = self.random.randrange(3)
        match type_.kind, type_.parameters:
            case "list", (element,):
                return f"[{', '.join(self._leaf(element) for _ in range(count))}]"
            case "map", (key, value):
                entries = (f"{self._leaf(key)}: {self._leaf(value)}" for _ in range(count))
                return f"{{{', '.join(entries)}}}"
            case "opaque", (value,):
                return f"optional.of({self._leaf(value)})" if count else "optional.none()"
            case "type", _:
                return self.random.choice(("int", "string", "type", "list", "net.IP"))
            case _:
                return self.random.choice(known or _LEAVES[DYN])

    def _ternary(self, type_: Type, depth: int) -> str:
        condition = self.make(BOOL, depth - 1)
        return f"({condition} ? {self.make(type_, depth - 1)} : {self.make(type_, depth - 1)})"

    def _macro(self, type_: Type, depth: int) -> str:
        random, name = self.random, self.random.choice("xyv")
        element = random_type(random, 0)
        range_ = self.make(list_of(element), depth - 1)
        self.scope.append((name, element))
        try:
            return self._expand(type_, depth, name, range_)
        finally:
            self.scope.pop()

    def _expand(self, type_: Type, depth: int, name: str, range_: str) -> str:
        if type_ == BOOL:
            macro = self.random.choice(("all", "exists", "exists_one"))
            return f"{range_}.{macro}({name}, {self.make(BOOL, depth - 1)})"
        if type_.kind == "list":
            element = self.make(type_.parameters[0], depth - 1)
            if self.random.randrange(2):
                return f"{range_}.transformList(i, {name}, {element})"
            return f"{range_}.map({name}, {element})"
        if type_.kind == "opaque" and type_.parameters:
            value = self.make(type_.parameters[0], depth - 1)
            return f"optional.of({range_}).optMap({name}, {value})"
        return f"{range_}.filter({name}, {self.make(BOOL, depth - 1)}).size()"

    def _call(self, type_: Type, depth: int) -> str:
        for _ in range(8):
            overload = self.random.choice(_BY_RESULT.get(type_.kind, ()) or DECLARED)
            bound: dict[str, Type] = {}
            if match(parse_type(overload.result), type_, bound):
                arguments = [
                    self.make(close(parse_type(each), bound, self.random), depth - 1)
                    for each in overload.parameters
                ]
                return write_call(overload, arguments)
        return self._leaf(type_)


def match(pattern: Type, type_: Type, bound: dict[str, Type]) -> bool:
    """Whether a type fits a pattern; its parameters are bound."""
    if pattern.kind == "param":
        return bound.setdefault(pattern.name, type_) == type_
    return (
        pattern.kind == type_.kind
        and pattern.name == type_.name
        and len(pattern.parameters) == len(type_.parameters)
        and all(
            match(a, b, bound) for a, b in zip(pattern.parameters, type_.parameters, strict=True)
        )
    )


def close(type_: Type, bound: dict[str, Type], random: Random) -> Type:
    """A type without parameters."""
    if type_.kind == "param":
        if type_.name not in bound:
            bound[type_.name] = random_type(random, 0)
        return bound[type_.name]
    return type_._replace(parameters=tuple(close(each, bound, random) for each in type_.parameters))


def write_call(overload: Overload, arguments: Sequence[str]) -> str:
    """A call as it is written."""
    name = overload.name
    match name:
        case "_?_:_":
            return "({} ? {} : {})".format(*arguments)
        case "_[_]":
            return "{}[{}]".format(*arguments)
        case "_[?_]":
            return "{}[?{}]".format(*arguments)
        case "_?._":
            return f"{arguments[0]}.?a"
        case "!_" | "-_":
            return f"{name[0]}({arguments[0]})"
        case "@in":
            return "({} in {})".format(*arguments)
        case _ if name.startswith("@") or ".@" in name:
            return arguments[0]
        case _ if (operator := _OPERATORS.fullmatch(name)) is not None:
            return f"({arguments[0]} {operator[1]} {arguments[1]})"
        case _ if overload.member:
            return f"{arguments[0]}.{name}({', '.join(arguments[1:])})"
        case _:
            return f"{name}({', '.join(arguments)})"


_BY_RESULT: dict[str, list[Overload]] = {}
for _row in DECLARED:
    _kind = parse_type(_row.result).kind
    for _each in (_kind,) if _kind != "param" else ("bool", "int", "string", "double", "dyn"):
        _BY_RESULT.setdefault(_each, []).append(_row)


def make_typed(random: Random) -> str:
    """An expression, mostly of one type in all its parts."""
    return TypedGenerator(random).make(random_type(random), random.randrange(1, 5))


def damage(random: Random, text: str) -> str:
    """The text with one to three tokens changed."""
    tokens = _TOKEN.findall(text)
    for _ in range(random.randrange(1, 4)):
        place = random.randrange(len(tokens) + 1)
        match random.randrange(5):
            case 0:
                del tokens[place : place + 1]
            case 1:
                tokens[place:place] = tokens[place : place + 1]
            case 2:
                other = random.randrange(len(tokens) + 1)
                tokens[place : place + 1] = tokens[other : other + 1]
            case 3:
                tokens[place : place + 1] = [random.choice(_TOKENS)]
            case _:
                tokens.insert(place, random.choice(_TOKENS))
    return "".join(tokens)


_ODD = tuple(leaf for leaves in _LEAVES.values() for leaf in leaves)


def make_call(random: Random) -> str:
    """A function with arguments of any types, some behind ``dyn``."""
    overload = random.choice(DECLARED)
    arguments = [
        f"dyn({leaf})" if random.randrange(3) else leaf
        for leaf in (random.choice(_ODD) for _ in overload.parameters)
    ]
    return write_call(overload, arguments)


# What an object, a request, a Namespace, and parameters have, and what an expression makes.
_READ = (
    *("object", "object.metadata", "object.metadata.labels", "object.spec", "oldObject.spec"),
    *("object.spec.containers", "object.spec.containers[0]", "object.spec.containers[0].env"),
    *("object.spec.containers[0].resources", "oldObject.spec.containers[0].resources"),
    *("object.spec.containers[0].resources.requests", "object.spec.containers[0].command"),
    *("oldObject.spec.containers[0].resources.requests", "object.spec.containers[0].ports[0]"),
    *("object.spec.nodeSelector", "object.spec.volumes[0].emptyDir", "object.spec.hostNetwork"),
    *("object.metadata.name", "object.spec.priority", "object.spec.containers[0].ports"),
    *("request", "request.kind", "request.requestKind", "request.resource", "request.userInfo"),
    *("request.userInfo.groups", "request.userInfo.extra", "request.options", "namespaceObject"),
    *("namespaceObject.metadata", "namespaceObject.metadata.labels", "params", "params.data"),
    *("object.metadata.managedFields[0].fieldsV1", "variables.l", "variables.c"),
)
_MADE = (
    *("[]", "{}", "[1]", "[dyn(1), dyn('a')]", "['a', 'b']", "['sh', '-c']", "{'app': 'web'}"),
    *("{'app': dyn(1)}", "{'app': dyn({})}", "{'name': 'LEVEL', 'value': 'info'}", "{1: 'a'}"),
    *("{1u: 'a'}", "{1.0: 'a'}", "{true: 'a'}", "null", "1", "1u", "1.0", "0", "0u", "0.0", "1.5"),
    *("-1", "true", "'a'", "'app'", "'sh'", "b'a'", "18446744073709551615u", "double('NaN')"),
    *("9007199254740993", "9007199254740992.0", "duration('1s')", "timestamp(0)", "optional.of(1)"),
    *("optional.of(dyn({}))", "optional.none()", "type(1)", "quantity('1')", "quantity('1000m')"),
    *("quantity('2')", "quantity('1Gi').add(1)", "ip('::1')", "ip('127.0.0.1')", "cidr('::/0')"),
    *("cidr('10.0.0.0/8')", "url('https://a/b')", "semver('1.2.3')", "semver('1.2.3+a')"),
    *("format.dns1123Label()", "format.named('uuid').value()", "{'requests': {'cpu': '1000m'}}"),
    *("Object.spec{a: 1}", "Object.spec{a: [1]}", "Object{a: {'b': 1}}"),
)


def make_comparison(random: Random) -> str:
    """A comparison, a membership, or an index of values of Go and of an expression."""
    left, right = (_make_operand(random, 2) for _ in range(2))
    match random.randrange(8):
        case 0 | 1 | 2:
            return f"{left} {random.choice(('==', '==', '!='))} {right}"
        case 3 | 4:
            return f"{left} in {right}"
        case 5:
            return f"{left}[{right}]"
        case 6:
            return f"{left}[?{right}].hasValue()"
        case _:
            return f"[{left}].{random.choice(('indexOf', 'includes'))}({right})"


def _make_operand(random: Random, depth: int) -> str:
    inside = _make_operand(random, depth - 1) if depth else ""
    match random.randrange(9) if depth else 0:
        case 5:
            return f"[{inside}]"
        case 6:
            return f"{{{random.choice(_KEYS)}: {inside}}}"
        case 7:
            return f"optional.of({inside})"
        case 8:
            return f"({inside} + {_make_operand(random, 0)})"
        case _:
            value = random.choice(random.choice((_READ, _MADE)))
            return f"dyn({value})"


_KEYS = ("'app'", "'containers'", "'name'", "1", "0u", "1.0", "true")
