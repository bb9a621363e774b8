"""Remedies for templates that do not parse. The messages themselves are Go's."""

import re
from collections.abc import Iterable
from itertools import pairwise

from podgraft.base.diagnostics import find_similar

from .errors import TemplateError
from .parse.lexer import Token, TokenKind, tokens
from .parse.source import Span
from .run.builtins import BUILTINS

_UNKNOWN_FUNCTION = re.compile(r'function "(.*)" not defined')
_UNEXPECTED_END = "unexpected EOF"
_BLOCKS = frozenset({"if", "range", "with", "block", "define"})


def find_remedy(error: TemplateError, functions: Iterable[str], delimiters: tuple[str, str]) -> str:
    """Return how to correct a template; *functions* are those that it can call."""
    default = error.remedy
    match = _UNKNOWN_FUNCTION.fullmatch(error.reason)
    if match is not None:
        name = find_similar(match[1], (*functions, *BUILTINS))
        return f"did you mean {name}?" if name else default
    if error.reason == _UNEXPECTED_END:
        return _describe_open_block(error, delimiters) or default
    return default


def _describe_open_block(error: TemplateError, delimiters: tuple[str, str]) -> str:
    """Name the innermost block without an end, and its line; the span becomes that of the block."""
    source = error.span.source
    open_blocks: list[Token] = []
    all_tokens = [
        token for token in tokens(source.text, delimiters) if token.kind is not TokenKind.SPACE
    ]
    for before, token in pairwise(all_tokens):
        if before.kind is not TokenKind.LEFT or token.kind is not TokenKind.KEYWORD:
            continue
        if token.text in _BLOCKS:
            open_blocks.append(token)
        elif token.text == "end" and open_blocks:
            open_blocks.pop()
    if not open_blocks:
        return ""
    left, right = delimiters
    block = open_blocks[-1]
    line = source.line_at(block.start)
    error.span = Span(source, block.start, block.end)  # the end of the text has no excerpt
    return f"add {left}end{right}: the {left}{block.text}{right} of line {line} is not closed"
