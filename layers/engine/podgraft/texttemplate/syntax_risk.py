"""Whether a template can make YAML syntax of text that is none, found without running it.

A template that cannot, and that reads only harmless text of a pod, writes no structure of the pod's
author: it needs no traced rendering. A template is said to be able to more often than it is.
"""

from collections.abc import Iterable, Iterator, Mapping

from podgraft.lazy_re import lazy_compile

from .functions import Function, Harm
from .parse import nodes
from .parse.source import Source

# Directives that write text as it is, and numbers in digits.
_PLAIN_FORMAT = lazy_compile(r"(?:[^%]|%%|%(?:\[[0-9]\])?[sdvt])*")
# The name of an anchor, which text of the pod could refer to.
_ANCHOR = lazy_compile(r"&\w")
# They write a text as often, or as far to the right, as a number says.
_COUNTING = ("indent", "nindent", "repeat")
# They write text as a scalar in double quotes, whatever it is.
_QUOTING = ("quote", "toJson", "mustToJson")


def can_harm(
    source: Source, templates: Mapping[str, nodes.Template], functions: Mapping[str, Function]
) -> bool:
    """Whether the template can make YAML syntax of harmless text."""
    if _ANCHOR.search(source.text):
        return True
    pipes = (pipe for template in templates.values() for pipe in _pipes(template.body))
    return any(_harms(pipe, functions) for pipe in pipes)


def _harms(pipe: nodes.Pipe, functions: Mapping[str, Function]) -> bool:
    last = pipe.commands[-1].operands[0]
    quoted = isinstance(last, nodes.Identifier) and last.name in _QUOTING and not pipe.variables
    return any(_command_harms(command, functions, quoted=quoted) for command in pipe.commands)


def _command_harms(
    command: nodes.Command, functions: Mapping[str, Function], *, quoted: bool
) -> bool:
    first, *arguments = command.operands
    operands: Iterable[nodes.Operand] = command.operands or ()
    for operand in operands:
        if isinstance(operand, nodes.Identifier) and _name_harms(
            operand.name, arguments if operand is first else (), functions, quoted=quoted
        ):
            return True
        if isinstance(operand, nodes.Pipe) and quoted and _all_cuts(operand, functions):
            continue
        if isinstance(operand, nodes.Pipe) and _harms(operand, functions):
            return True
        if isinstance(operand, nodes.Chain):
            inner = operand.node
            if isinstance(inner, nodes.Pipe) and _harms(inner, functions):
                return True
            if isinstance(inner, nodes.Identifier) and _name_harms(
                inner.name, (), functions, quoted=False
            ):
                return True
    return False


def _all_cuts(pipe: nodes.Pipe, functions: Mapping[str, Function]) -> bool:
    """Whether a nested pipeline harms no more than one that is quoted at its end."""
    return not any(_command_harms(command, functions, quoted=True) for command in pipe.commands)


def _name_harms(
    name: str,
    arguments: Iterable[nodes.Operand],
    functions: Mapping[str, Function],
    *,
    quoted: bool,
) -> bool:
    harm = functions[name].harm
    first = next(iter(arguments), None)
    if name == "printf":
        is_plain = isinstance(first, nodes.String) and _PLAIN_FORMAT.fullmatch(first.text)
        return is_plain is None or is_plain is False
    if name in _COUNTING and not isinstance(first, nodes.Number):
        return True
    return harm is not Harm.NEVER and not (quoted and harm is Harm.CUTS)


def _pipes(body: nodes.Nodes) -> Iterator[nodes.Pipe]:
    for node in body:
        match node:
            case nodes.Action():
                yield node.pipe
            case nodes.Invocation():
                if node.pipe:
                    yield node.pipe
            case nodes.Branch():
                yield node.pipe
                yield from _pipes(node.body)
                yield from _pipes(node.else_body or ())
            case _:
                pass
