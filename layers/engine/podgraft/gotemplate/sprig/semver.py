"""semver and semverCompare, and the version object that templates see.

Of the Go object's methods those are left out that would change it (UnmarshalJSON, UnmarshalText,
Scan).
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TypeVar

from podgraft.gotemplate.errors import FunctionError
from podgraft.govalue import (
    BOOL,
    INT,
    STRING,
    UINT8,
    UINT64,
    GoType,
    Method,
    Pointer,
    Struct,
    Value,
    pointer_to,
    slice_of,
    struct,
)

from .constraints import parse_constraints
from .panics import NIL_POINTER
from .runes import encoded
from .versions import Version, VersionError, check_metadata, check_prerelease, parse

_T = TypeVar("_T")

_BYTES = slice_of(UINT8)
_TYPE = struct("semver.Version")
_POINTER = pointer_to(_TYPE)


def semver(text: str) -> Pointer:
    """The version, or the error that it is none."""
    return Pointer(_POINTER, _value(_checked(parse, text)))


def semver_compare(constraint: str, version: str) -> bool:
    """Whether the version meets the constraint."""
    alternatives = _checked(parse_constraints, constraint)
    candidate = _checked(parse, version)
    return any(all(one.allows(candidate) for one in each) for each in alternatives)


def _checked(read: Callable[[str], _T], text: str) -> _T:
    try:
        return read(text)
    except VersionError as error:
        raise FunctionError(str(error)) from error


def _value(version: Version) -> Struct:
    return Struct(_TYPE, asdict(version))


def _version(receiver: Struct) -> Version:
    return Version(**receiver.raw)


def _with_prerelease(receiver: Struct, prerelease: str) -> Struct:
    _checked(check_prerelease, prerelease)
    return _value(replace(_version(receiver), prerelease=prerelease).renamed())


def _with_metadata(receiver: Struct, metadata: str) -> Struct:
    _checked(check_metadata, metadata)
    return _value(replace(_version(receiver), metadata=metadata).renamed())


def _getter(result: GoType, get: Callable[[Version], Value], *, pointer: bool = False) -> Method:
    def call(receiver: Struct) -> Value:
        return result.convert(get(_version(receiver)))

    return Method(call, pointer=pointer, result=result)


def _next(advance: Callable[[Version], Version]) -> Method:
    def call(receiver: Struct) -> Struct:
        return _value(advance(_version(receiver)))

    return Method(call, result=_TYPE)


def _ordered(result: GoType, holds: Callable[[int], bool | int]) -> Method:
    def call(receiver: Struct, other: Pointer) -> bool | int:
        if other.target is None:
            raise FunctionError(NIL_POINTER)
        return holds(_version(receiver).compare(_version(other.target)))

    return Method(call, (_POINTER,), pointer=True, result=result)


def _equal(receiver: Struct, other: Pointer) -> bool:
    return bool(other) and _version(receiver).compare(_version(other.target)) == 0


_TYPE.methods = {
    "Major": _getter(UINT64, lambda version: version.major),
    "Minor": _getter(UINT64, lambda version: version.minor),
    "Patch": _getter(UINT64, lambda version: version.patch),
    "Prerelease": _getter(STRING, lambda version: version.prerelease),
    "Metadata": _getter(STRING, lambda version: version.metadata),
    "Original": _getter(STRING, lambda version: version.original, pointer=True),
    "String": _getter(STRING, str),
    "Value": _getter(STRING, str),
    "MarshalText": _getter(_BYTES, lambda version: [*encoded(str(version))]),
    "MarshalJSON": _getter(_BYTES, lambda version: [*encoded(f'"{version}"')]),
    "IncMajor": _next(Version.next_major),
    "IncMinor": _next(Version.next_minor),
    "IncPatch": _next(Version.next_patch),
    "SetPrerelease": Method(_with_prerelease, (STRING,), result=_TYPE),
    "SetMetadata": Method(_with_metadata, (STRING,), result=_TYPE),
    "Compare": _ordered(INT, lambda order: order),
    "Equal": Method(_equal, (_POINTER,), pointer=True, result=BOOL),
    "LessThan": _ordered(BOOL, lambda order: order < 0),
    "LessThanEqual": _ordered(BOOL, lambda order: order <= 0),
    "GreaterThan": _ordered(BOOL, lambda order: order > 0),
    "GreaterThanEqual": _ordered(BOOL, lambda order: order >= 0),
}
