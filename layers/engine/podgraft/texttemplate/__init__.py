"""Go's text/template, compiled to Python.

In comes a template's text with the functions it may call, out comes a ``Program`` that renders Go
values (see ``podgraft.go.reflect``) to text. Pure: no I/O, no clock, no randomness, and no attribute
of a Python object is reachable from a template.

    lexer → parser → (nodes) → compiler → runtime, with printing for fmt and library for builtins

Equals text/template and fmt of Go 1.26, errors word by word, with these differences by intent:

- What costs is bounded: see ``Limits``; nesting (``parser.MAX_NESTING``, ``MAX_LOOPS``) and the
  length of a formatted text (``printing.MAX_CHARACTERS``) too. Beyond is a ``LimitError``; Go would
  go on, or say "exceeded maximum template depth" at 100,000.
- What is printed of a pointer's address is always the same one (``printer.ADDRESS``).
- No value is a function or a channel, so that ``call`` always fails and ``range`` visits neither.
- Slices have no capacity beyond their length, into which Go's ``slice`` could reach.
- Maps whose keys are of an interface type are walked by the names of the keys' types first; Go's
  order among types is by address. Keys that are equal in Python (1, 1.0, true) are one key.
- ``missingkey`` is what Go has by default; there are no other options.
- A function that is refused by name (``Function.refused``) is a parse error of its own.
- An exception that is no ``FunctionError`` is a bug of the function, not an error of the template.
"""  # noqa: E501

from podgraft.go.fmt import sprintf

from .dependencies import Projection
from .errors import ExecError, FunctionError, LimitError, LimitExceededError, TemplateError
from .functions import ALL_ELEMENTS, Dependency, Flow, Function, Harm, KeyArgument, Serializer
from .limits import LIMITS, Limits
from .program import Program, compile_
from .run.builtins import BUILTINS

__all__ = [
    "ALL_ELEMENTS",
    "BUILTINS",
    "LIMITS",
    "Dependency",
    "ExecError",
    "Flow",
    "Function",
    "FunctionError",
    "Harm",
    "KeyArgument",
    "LimitError",
    "LimitExceededError",
    "Limits",
    "Program",
    "Projection",
    "Serializer",
    "TemplateError",
    "compile_",
    "sprintf",
]
