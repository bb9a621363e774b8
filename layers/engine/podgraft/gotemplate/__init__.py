"""Go's text/template, compiled to Python.

In comes a template's text with the functions it may call, out comes a ``Program`` that renders Go
values (see ``podgraft.govalue``) to text. Pure: no I/O, no clock, no randomness, and no attribute
of a Python object is reachable from a template.

Equals the text/template and fmt of Go 1.26.
"""

from . import printing
from .errors import ExecError, FunctionError, LimitError, TemplateError
from .functions import Function
from .library import BUILTINS
from .limits import Limits
from .program import Program, compile_

__all__ = [
    "BUILTINS",
    "ExecError",
    "Function",
    "FunctionError",
    "LimitError",
    "Limits",
    "Program",
    "TemplateError",
    "compile_",
    "printing",
]
