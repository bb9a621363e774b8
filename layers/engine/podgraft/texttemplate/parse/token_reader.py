"""Reading tokens one after the other, with a look ahead (text/template/parse/parse.go: Tree)."""

from collections.abc import Generator
from contextlib import contextmanager

from podgraft.lazy_dataclass import dataclass

from .lexer import Token, TokenKind
from .source import Source


@dataclass(slots=True)
class TokenReader:
    """The tokens of a text, the next one to read, and the last one ``seen`` by the parser at work.

    Faults are blamed on the line of the token that was seen last.
    """

    source: Source
    tokens: list[Token]
    index: int = 0
    last_seen_index: int = -1

    def next(self) -> Token:
        """The next token."""
        at = self.index
        self.index = at + 1
        if at > self.last_seen_index:  # noqa: PLR1730 - max() costs more than all the rest
            self.last_seen_index = at
        return self.tokens[at]

    def next_operand(self) -> Token:
        """The next token that is no space; two spaces never follow each other."""
        at = self.index + (self.tokens[self.index].kind is TokenKind.SPACE)
        self.index = at + 1
        if at > self.last_seen_index:  # noqa: PLR1730
            self.last_seen_index = at
        return self.tokens[at]

    def peek(self) -> Token:
        """The next token, which stays the next."""
        self.last_seen_index = max(self.last_seen_index, self.index)
        return self.tokens[self.index]

    def peek_operand(self) -> Token:
        """The next token that is no space, which becomes the next."""
        token = self.next_operand()
        self.index -= 1
        return token

    @property
    def last_token(self) -> Token:
        """The token that was seen last."""
        return self.tokens[self.last_seen_index]

    @property
    def last_end(self) -> int:
        """Where the token ends that was read last."""
        return self.tokens[self.index - 1].end

    def line(self, token: Token) -> int:
        """The line on which ``token`` begins."""
        return self.source.line_at(token.start)

    @contextmanager
    def isolate_last_seen(self) -> Generator[None, None, None]:
        """What another parser sees within is not seen by this one."""
        before, self.last_seen_index = self.last_seen_index, -1
        yield
        self.last_seen_index = before
