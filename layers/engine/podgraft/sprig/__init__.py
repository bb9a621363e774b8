"""Sprig's text functions, as release 3.3 and its libraries have them.

``signatures`` lists them all; each other module holds the functions of a family, or what a family
stands on. A function takes and gives Go values, and fails with the words that Go would have, those
of a panic included.

Differences by intent: maps are walked in the order of their keys where Go's order is random; there
is no clock and no time zone but UTC (``dates``); a slice has no spare capacity (``lists``); data
under views does not change (``merging``); no result is larger than ``bounds`` allows; some
functions are refused by name (``refused``). Older releases lack functions, but those they have
behave as in 3.3.
"""

from collections.abc import Mapping

from podgraft.texttemplate.functions import Function

from .deepcopy import deep_copy
from .mutation import mutates_maps
from .signatures import FUNCTIONS
from .taint_flow import classified
from .unsupported import UNSUPPORTED, UNSUPPORTED_FUNCTIONS

__all__ = ["RELEASES", "UNSUPPORTED", "deep_copy", "functions", "mutates_maps"]

RELEASES = ("3.1", "3.2", "3.3")

_CLASSIFIED = classified(FUNCTIONS)

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


def functions(release: str = "3.3") -> Mapping[str, Function]:
    """The functions of a release of sprig ("3.1", "3.2" or "3.3"), the refused ones among them."""
    newer = RELEASES[RELEASES.index(release) + 1 :]
    missing = {name for later in newer for name in _SINCE[later]}
    known = {**_CLASSIFIED, **UNSUPPORTED_FUNCTIONS}
    return {name: function for name, function in known.items() if name not in missing}
