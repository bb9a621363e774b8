"""Replacement for cel-expr-python in the browser: a table of checked expressions.

The build checks each expression of the samples with the original. An expression that is not in the
table stops the evaluation; it never returns another result than the original.
"""

from . import cel

__all__ = ["cel"]
