"""A reader of tokens with lookahead (text/template/parse/parse.go: Tree)."""

from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from .lexer import Token, TokenKind
from .source import Source


class TokenReader(Struct):
    """The tokens of a text, the index of the next one, and the last one that the parser has read.

    The line of an error is the line of the last token, including tokens that were only peeked.
    """

    source: Source
    tokens: list[Token]
    index: int = 0
    last_token_index: int = -1

    def next(self) -> Token:
        """Read the next token."""
        index = self.index
        self.index = index + 1
        if index > self.last_token_index:  # noqa: PLR1730 - max() costs more than the rest of the method
            self.last_token_index = index
        return self.tokens[index]

    def next_operand(self) -> Token:
        """Read the next token that is not a space; there are no two spaces in a row."""
        index = self.index + (self.tokens[self.index].kind is TokenKind.SPACE)
        self.index = index + 1
        if index > self.last_token_index:  # noqa: PLR1730
            self.last_token_index = index
        return self.tokens[index]

    def peek(self) -> Token:
        """Return the next token without reading it."""
        self.last_token_index = max(self.last_token_index, self.index)
        return self.tokens[self.index]

    def peek_operand(self) -> Token:
        """Return the next token that is not a space without reading it; skip the space."""
        token = self.next_operand()
        self.index -= 1
        return token

    @property
    def last_token(self) -> Token:
        """The last token, read or peeked."""
        return self.tokens[self.last_token_index]

    @property
    def last_end(self) -> int:
        """The offset after the last token that was read."""
        return self.tokens[self.index - 1].end

    def line(self, token: Token) -> int:
        """The line of ``token``."""
        return self.source.line_at(token.start)

    @contextmanager
    def isolate_last_token(self) -> Generator[None, None, None]:
        """Hide the tokens that another parser reads inside from this parser's errors."""
        before, self.last_token_index = self.last_token_index, -1
        yield
        self.last_token_index = before
