"""Static check whether a template can create YAML syntax from plain text.

If a template cannot, and reads only plain text of a pod, the pod's author cannot change the
structure of the output, and the template needs no traced rendering. The check is conservative: it
can report a safe template, but it never misses an unsafe one.
"""

import re
from collections.abc import Iterable, Mapping

from .functions import Function, SyntaxRisk
from .parse import nodes
from .parse.source import Source

# Directives that write text unchanged, and numbers in digits.
_PLAIN_FORMAT = re.compile(r"(?:[^%]|%%|%(?:\[[0-9]\])?[sdvt])*")
# An anchor, which text of the pod could reference, and the start of a tag before an action.
_PROPERTY = re.compile(r"&[^\s&]|![!\w:,.<-]*(?:\{\{|\s*\{\{-)")
# Functions that repeat or indent a text by a number.
_COUNTING = ("indent", "nindent", "repeat")
# Functions that write any text as a scalar in double quotes.
_QUOTING = ("quote", "toJson", "mustToJson")


def can_create_syntax(
    source: Source, templates: Mapping[str, nodes.Template], functions: Mapping[str, Function]
) -> bool:
    """Whether the template can create YAML syntax from plain text."""
    if _PROPERTY.search(source.text):
        return True
    return any(
        _has_pipe_risk(pipe, functions)
        for template in templates.values()
        for pipe in nodes.find_pipes(template.body)
    )


def _has_pipe_risk(pipe: nodes.Pipe, functions: Mapping[str, Function]) -> bool:
    if any(not isinstance(command.operands[0], nodes.Identifier) for command in pipe.commands[1:]):
        return True  # a method of what the pipeline computes
    last = pipe.commands[-1].operands[0]
    quoted = isinstance(last, nodes.Identifier) and last.name in _QUOTING and not pipe.variables
    return any(_has_command_risk(command, functions, quoted=quoted) for command in pipe.commands)


def _has_command_risk(
    command: nodes.Command, functions: Mapping[str, Function], *, quoted: bool
) -> bool:
    first, *arguments = command.operands
    # A method, such as Format of a time, can write anything for an argument.
    if not isinstance(first, nodes.Identifier) and not all(
        isinstance(argument, nodes.Constant) for argument in arguments
    ):
        return True
    for operand in command.operands:
        inner = operand.node if isinstance(operand, nodes.Chain) else operand
        is_quoted = quoted and inner is operand
        if isinstance(inner, nodes.Identifier):
            own = arguments if inner is first else ()
            if _has_function_risk(inner.name, own, functions, quoted=is_quoted):
                return True
        elif isinstance(inner, nodes.Pipe):
            is_safe = is_quoted and _is_safe_when_quoted(inner, functions)
            if not is_safe and _has_pipe_risk(inner, functions):
                return True
    return False


def _is_safe_when_quoted(pipe: nodes.Pipe, functions: Mapping[str, Function]) -> bool:
    """Whether a nested pipeline is safe, given that the outer pipeline quotes its result."""
    return not any(_has_command_risk(command, functions, quoted=True) for command in pipe.commands)


def _has_function_risk(
    name: str,
    arguments: Iterable[nodes.Operand],
    functions: Mapping[str, Function],
    *,
    quoted: bool,
) -> bool:
    harm = functions[name].syntax_risk
    first = next(iter(arguments), None)
    if name == "printf":
        is_plain = isinstance(first, nodes.String) and _PLAIN_FORMAT.fullmatch(first.text)
        return not is_plain
    if name in _COUNTING and not isinstance(first, nodes.Number):
        return True
    return harm is not SyntaxRisk.NONE and not (quoted and harm is SyntaxRisk.SLICES)
