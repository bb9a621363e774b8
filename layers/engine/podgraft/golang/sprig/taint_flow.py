"""The taint propagation and the syntax risk of sprig's functions, by name.

A function that is missing here is not supported (``unsupported.py``); a test compares the names.
"""

from collections.abc import Mapping
from functools import partial
from json import loads

from msgspec.structs import replace

from podgraft.golang.reflect import Value
from podgraft.golang.texttemplate.functions import Function, Propagation, Serializer, SyntaxRisk

_SELECTS = """
    list tuple concat append push prepend first last rest initial reverse compact uniq without
    slice chunk mustAppend mustPush mustPrepend mustFirst mustLast mustRest mustInitial mustReverse
    mustCompact mustUniq mustWithout mustSlice mustChunk dict get set unset pluck keys values pick
    omit dig merge mergeOverwrite mustMerge mustMergeOverwrite deepCopy mustDeepCopy default
    coalesce ternary
"""
_TESTS = """
    contains hasPrefix hasSuffix has mustHas hasKey deepEqual empty all any typeOf typeIs typeIsLike
    kindOf kindIs regexMatch mustRegexMatch semverCompare isAbs osIsAbs hello
"""
_CARRIES = """
    repeat indent nindent plural toString join quote squote cat fail
"""
_REWRITES = """
    trim trimall trimAll trimPrefix trimSuffix replace nospace wrap wrapWith untitle
"""
_SERIALIZES = """
    toJson mustToJson toPrettyJson mustToPrettyJson toRawJson mustToRawJson
"""
_DERIVES = """
    upper lower title trunc substr split splitn splitList swapcase initials abbrev abbrevboth
    snakecase kebabcase camelcase toStrings sortAlpha
    int int64 float64 atoi toDecimal add add1 sub mul div mod max biggest min maxf minf floor ceil
    round until untilStep seq addf add1f subf mulf divf
    date dateInZone date_in_zone htmlDate htmlDateInZone dateModify date_modify mustDateModify
    must_date_modify toDate mustToDate unixEpoch duration durationRound
    b64enc b64dec b32enc b32dec sha1sum sha256sum sha512sum adler32sum fromJson mustFromJson
    regexQuoteMeta regexFind mustRegexFind regexFindAll mustRegexFindAll regexSplit mustRegexSplit
    regexReplaceAll mustRegexReplaceAll regexReplaceAllLiteral mustRegexReplaceAllLiteral
    semver urlParse urlJoin base dir clean ext osBase osDir osClean osExt
"""
PROPAGATIONS: Mapping[str, Propagation] = {
    name: flow
    for flow, names in (
        (Propagation.SELECTS, _SELECTS),
        (Propagation.TESTS, _TESTS),
        (Propagation.CARRIES, _CARRIES),
        (Propagation.REWRITES, _REWRITES),
        (Propagation.SERIALIZES, _SERIALIZES),
        (Propagation.DERIVES, _DERIVES),
    )
    for name in names.split()
}

# Functions that can create YAML syntax from plain text. The functions without an entry cannot.
_POSSIBLE = """
    replace regexReplaceAll mustRegexReplaceAll regexReplaceAllLiteral mustRegexReplaceAllLiteral
    regexQuoteMeta b64dec b32dec fromJson mustFromJson urlJoin wrap wrapWith initials
    date dateInZone date_in_zone htmlDate htmlDateInZone duration durationRound
"""
_SLICES = """
    trunc substr trimall trimAll trimPrefix trimSuffix split splitn splitList abbrev abbrevboth
    regexFind mustRegexFind regexFindAll mustRegexFindAll regexSplit mustRegexSplit untitle nospace
    base dir clean ext osBase osDir osClean osExt urlParse semver snakecase kebabcase camelcase
    swapcase
"""
_SYNTAX_RISKS: Mapping[str, SyntaxRisk] = {
    **dict.fromkeys(_POSSIBLE.split(), SyntaxRisk.POSSIBLE),
    **dict.fromkeys(_SLICES.split(), SyntaxRisk.SLICES),
}


def classify_functions(functions: Mapping[str, Function]) -> Mapping[str, Function]:
    """Return the functions with their taint propagation and their syntax risk."""
    return {name: _classify_function(name, function) for name, function in functions.items()}


def _classify_function(name: str, function: Function) -> Function:
    propagation = PROPAGATIONS.get(name)
    if propagation is None:
        return function
    serializer = (
        Serializer(_parse_tree, partial(_serialize_tree, function))
        if propagation is Propagation.SERIALIZES
        else None
    )
    return replace(
        function,
        propagation=propagation,
        syntax_risk=_SYNTAX_RISKS.get(name, SyntaxRisk.NONE),
        serializer=serializer,
    )


def _parse_tree(result: str, _: Value) -> Value:
    return loads(result)


def _serialize_tree(function: Function, tree: Value) -> str:
    return function.call(tree)
