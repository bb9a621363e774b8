"""Go's text/template, compiled to Python.

In comes a template's text with the functions it may call, out comes a ``Program`` that renders Go
values (see ``podgraft.golang.reflect``) to text. Pure: no I/O, no clock, no randomness, and no
attribute of a Python object is reachable from a template.

    parse (lexer → parser → nodes) → compile (Python code) → run (runtime and builtins)

The results and the error texts equal those of text/template and fmt in Go 1.26, with these
intended differences:

- Rendering has limits: ``Limits``, the nesting (``parser.MAX_NESTING`` and ``MAX_LOOPS``), and the
  length of a formatted text (``sprintf.MAX_CHARACTERS``). A template that exceeds a limit raises
  ``LimitError``. Go continues, or reports "exceeded maximum template depth" at 100,000.
- All pointers have the same printed address (``print.ADDRESS``).
- No value is a function or a channel: ``call`` always fails, and ``range`` accepts neither.
- The capacity of a slice is its length, so ``slice`` cannot extend a slice.
- Maps with keys of an interface type are sorted by the names of the key types first; Go sorts types
  by address. Keys that are equal in Python (1, 1.0, true) are one key.
- ``missingkey`` has Go's default; the other options are not supported.
- A template that names an unsupported function (``Function.unsupported_reason``) does not parse.
- An exception other than ``FunctionError`` is a bug in the function, not an error in the template.
"""

from podgraft.golang.errors import FunctionError

from .dependencies import Projection
from .errors import DEFAULT_LIMITS, ExecError, LimitError, Limits, TemplateError
from .functions import Dependency, Function, KeyArgument, Propagation, Serializer, SyntaxRisk
from .program import OBSERVER, Program, compile_, notify_observer
from .run.builtins import BUILTINS
from .run.runtime import SectionText
from .sections import SectionReuse

__all__ = [
    "BUILTINS",
    "DEFAULT_LIMITS",
    "OBSERVER",
    "Dependency",
    "ExecError",
    "Function",
    "FunctionError",
    "KeyArgument",
    "LimitError",
    "Limits",
    "Program",
    "Projection",
    "Propagation",
    "SectionReuse",
    "SectionText",
    "Serializer",
    "SyntaxRisk",
    "TemplateError",
    "compile_",
    "notify_observer",
]
