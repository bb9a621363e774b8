"""Sprig's template functions, as in release 3.3 and its libraries.

``functions.json`` lists all functions. Each other module contains a family of functions, or
helpers. A function accepts and returns Go values, and fails with Go's error text, including the
texts of panics.

Intended differences: maps are sorted by key where Go's order is random; there is no clock
(``dates.py``); the capacity of a slice is its length (``lists.py``); the data below views does not
change (``merge.py``); results have a size limit (``failures.py``); some functions are not supported
(``signatures.py``). Older releases lack some functions; the other
functions behave as in 3.3, except the conversion of numbers (``cast.py``).
"""

from collections.abc import Mapping

from podgraft.golang.texttemplate.functions import Function

from .deepcopy import deep_copy
from .signatures import NEWEST_CAST, SINCE, UNSUPPORTED, UNSUPPORTED_FUNCTIONS, select_cast

__all__ = ["RELEASES", "UNSUPPORTED", "deep_copy", "functions"]

RELEASES = ("3.1", "3.2", "3.3")


def functions(release: str = "3.3", cast: str = NEWEST_CAST) -> Mapping[str, Function]:
    """The functions of a release of sprig ("3.1", "3.2", or "3.3"), including unsupported ones.

    *cast* is the release of spf13/cast that converts numbers, a key of ``CASTS`` (``cast.py``).
    """
    newer = RELEASES[RELEASES.index(release) + 1 :]
    missing = {name for later in newer for name in SINCE[later].split()}
    all_functions = {**select_cast(cast), **UNSUPPORTED_FUNCTIONS}
    return {name: function for name, function in all_functions.items() if name not in missing}
