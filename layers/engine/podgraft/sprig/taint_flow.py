"""How sprig's functions treat the text of a pod: ``Flow`` and ``Harm`` of each, by name.

A function that is missing here is refused (``refused.py``); a test compares the names.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from json import loads

from podgraft.go.reflect import Value
from podgraft.texttemplate.functions import Flow, Function, Harm, Serializer

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
FLOWS: Mapping[str, Flow] = {
    name: flow
    for flow, names in (
        (Flow.SELECTS, _SELECTS),
        (Flow.TESTS, _TESTS),
        (Flow.CARRIES, _CARRIES),
        (Flow.REWRITES, _REWRITES),
        (Flow.SERIALIZES, _SERIALIZES),
        (Flow.DERIVES, _DERIVES),
    )
    for name in names.split()
}

# What can make YAML syntax of harmless text; of what is left, none can.
_CAN = """
    replace regexReplaceAll mustRegexReplaceAll regexReplaceAllLiteral mustRegexReplaceAllLiteral
    regexQuoteMeta b64dec b32dec fromJson mustFromJson urlJoin wrap wrapWith initials
    date dateInZone date_in_zone htmlDate htmlDateInZone duration durationRound
"""
_CUTS = """
    trunc substr trimall trimAll trimPrefix trimSuffix split splitn splitList abbrev abbrevboth
    regexFind mustRegexFind regexFindAll mustRegexFindAll regexSplit mustRegexSplit untitle nospace
    base dir clean ext osBase osDir osClean osExt urlParse semver snakecase kebabcase camelcase
    swapcase
"""
_HARMS: Mapping[str, Harm] = {
    **dict.fromkeys(_CAN.split(), Harm.CAN),
    **dict.fromkeys(_CUTS.split(), Harm.CUTS),
}


def classified(functions: Mapping[str, Function]) -> Mapping[str, Function]:
    """The functions with their classes."""
    return {name: _classified(name, function) for name, function in functions.items()}


def _classified(name: str, function: Function) -> Function:
    flow = FLOWS.get(name)
    if flow is None:
        return function
    serializer = Serializer(_tree, partial(_written, function)) if flow is Flow.SERIALIZES else None
    return replace(function, flow=flow, harm=_HARMS.get(name, Harm.NEVER), serializer=serializer)


def _tree(result: str, _: Value) -> Value:
    return loads(result)


def _written(function: Function, tree: Value) -> str:
    return function.call(tree)
