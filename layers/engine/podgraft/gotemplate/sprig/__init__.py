"""Sprig's text functions, as release 3.3 and its libraries have them.

Each module holds a family and its table ``FUNCTIONS``; a function takes and gives Go values, and
raises ``FunctionError`` with the words that Go would have, those of a panic included. ``REFUSED``
tells why some of sprig's functions are not among them.

Differences by intent: maps are walked in the order of their keys where Go's order is random; there
is no clock and no time zone but UTC (``dates``); no result is longer than ``bounds`` allows. Older
releases lack functions, but those they have behave as in 3.3.
"""

from collections.abc import Mapping

from podgraft.gotemplate.functions import Function

from . import (
    arithmetic,
    casing,
    casting,
    conversion,
    dates,
    decimals,
    deep,
    defaults,
    dicts,
    encoding,
    flow,
    jsontext,
    lists,
    merging,
    paths,
    reflection,
    refused,
    regex,
    semver,
    strings,
    urls,
    words,
)

__all__ = ["REFUSED", "RELEASES", "functions"]

REFUSED = refused.REFUSED

RELEASES = ("3.1", "3.2", "3.3")

# The release that brought a function; all others are older.
_SINCE = {
    "3.2": (
        *("add1f", "addf", "all", "any", "bcrypt", "chunk", "dig", "divf", "fromJson"),
        *("genCAWithKey", "genSelfSignedCertWithKey", "genSignedCertWithKey", "maxf", "minf"),
        *("mulf", "mustChunk", "mustFromJson", "osBase", "osClean", "osDir", "osExt", "osIsAbs"),
        *("randBytes", "randInt", "regexQuoteMeta", "subf"),
    ),
    "3.3": ("sha512sum",),
}

_FUNCTIONS: Mapping[str, Function] = {
    **arithmetic.FUNCTIONS,
    **casing.FUNCTIONS,
    **casting.FUNCTIONS,
    **conversion.FUNCTIONS,
    **dates.FUNCTIONS,
    **decimals.FUNCTIONS,
    **deep.FUNCTIONS,
    **defaults.FUNCTIONS,
    **dicts.FUNCTIONS,
    **encoding.FUNCTIONS,
    **flow.FUNCTIONS,
    **jsontext.FUNCTIONS,
    **lists.FUNCTIONS,
    **merging.FUNCTIONS,
    **paths.FUNCTIONS,
    **reflection.FUNCTIONS,
    **regex.FUNCTIONS,
    **semver.FUNCTIONS,
    **strings.FUNCTIONS,
    **urls.FUNCTIONS,
    **words.FUNCTIONS,
    **refused.FUNCTIONS,
}


def functions(release: str = "3.3") -> Mapping[str, Function]:
    """The functions of a release of sprig ("3.1", "3.2" or "3.3"), the refused ones among them."""
    newer = RELEASES[RELEASES.index(release) + 1 :]
    missing = {name for later in newer for name in _SINCE[later]}
    return {name: made for name, made in _FUNCTIONS.items() if name not in missing}
