"""semver and semverCompare, and the version object for templates.

The methods that change the Go object (UnmarshalJSON, UnmarshalText, and Scan) are omitted.
"""

from collections.abc import Callable
from dataclasses import asdict, replace

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import (
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
    struct_type,
)
from podgraft.golang.utf8 import encode

from .constraints import parse_constraints
from .failures import NIL_POINTER
from .versions import Version, check_metadata, check_prerelease, parse

_BYTES = slice_of(UINT8)
_TYPE = struct_type("semver.Version")
_POINTER = pointer_to(_TYPE)


def semver(text: str) -> Pointer:
    """Parse a version; an invalid version is an error."""
    return Pointer(_POINTER, _to_struct(parse(text)))


def semver_compare(constraint: str, version: str) -> bool:
    """Whether the version satisfies the constraint."""
    alternatives = parse_constraints(constraint)
    candidate = parse(version)
    return any(all(part.allows(candidate) for part in alternative) for alternative in alternatives)


def _to_struct(version: Version) -> Struct:
    return Struct(_TYPE, asdict(version))


def _to_version(receiver: Struct) -> Version:
    return Version(**receiver.raw)


def _setter_method(field: str, check: Callable[[str], None]) -> Method:
    def call(receiver: Struct, text: str) -> Struct:
        check(text)
        changed = replace(_to_version(receiver), **{field: text})
        return _to_struct(changed.with_normalized_original())

    return Method(call, (STRING,), result=_TYPE)


def _getter_method(
    result: GoType, get: Callable[[Version], Value], *, pointer: bool = False
) -> Method:
    def call(receiver: Struct) -> Value:
        return result.convert(get(_to_version(receiver)))

    return Method(call, pointer=pointer, result=result)


def _increment_method(advance: Callable[[Version], Version]) -> Method:
    def call(receiver: Struct) -> Struct:
        return _to_struct(advance(_to_version(receiver)))

    return Method(call, result=_TYPE)


def _comparison_method(result: GoType, convert: Callable[[int], bool | int]) -> Method:
    def call(receiver: Struct, other: Pointer) -> bool | int:
        if other.target is None:
            raise FunctionError(NIL_POINTER)
        return convert(_to_version(receiver).compare(_to_version(other.target)))

    return Method(call, (_POINTER,), pointer=True, result=result)


def _equal(receiver: Struct, other: Pointer) -> bool:
    return bool(other) and _to_version(receiver).compare(_to_version(other.target)) == 0


_TYPE.methods = {
    "Major": _getter_method(UINT64, lambda version: version.major),
    "Minor": _getter_method(UINT64, lambda version: version.minor),
    "Patch": _getter_method(UINT64, lambda version: version.patch),
    "Prerelease": _getter_method(STRING, lambda version: version.prerelease),
    "Metadata": _getter_method(STRING, lambda version: version.metadata),
    "Original": _getter_method(STRING, lambda version: version.original, pointer=True),
    "String": _getter_method(STRING, str),
    "Value": _getter_method(STRING, str),
    "MarshalText": _getter_method(_BYTES, lambda version: [*encode(str(version))]),
    "MarshalJSON": _getter_method(_BYTES, lambda version: [*encode(f'"{version}"')]),
    "IncMajor": _increment_method(Version.next_major),
    "IncMinor": _increment_method(Version.next_minor),
    "IncPatch": _increment_method(Version.next_patch),
    "SetPrerelease": _setter_method("prerelease", check_prerelease),
    "SetMetadata": _setter_method("metadata", check_metadata),
    "Compare": _comparison_method(INT, lambda order: order),
    "Equal": Method(_equal, (_POINTER,), pointer=True, result=BOOL),
    "LessThan": _comparison_method(BOOL, lambda order: order < 0),
    "LessThanEqual": _comparison_method(BOOL, lambda order: order <= 0),
    "GreaterThan": _comparison_method(BOOL, lambda order: order > 0),
    "GreaterThanEqual": _comparison_method(BOOL, lambda order: order >= 0),
}
