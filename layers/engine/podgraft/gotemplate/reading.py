"""Reading tokens one after the other, with a look ahead (text/template/parse/parse.go: Tree)."""

from collections.abc import Generator
from contextlib import contextmanager

from podgraft.records import dataclass

from .lexer import Kind, Token
from .source import Source


@dataclass(slots=True)
class Reader:
    """The tokens of a text, the next one to read, and the last one ``seen`` by the parser at work.

    Faults are blamed on the line of the token that was seen last.
    """

    source: Source
    tokens: list[Token]
    at: int = 0
    seen: int = -1

    def next(self) -> Token:
        """The next token."""
        at = self.at
        self.at = at + 1
        if at > self.seen:  # noqa: PLR1730 - max() costs more than all the rest
            self.seen = at
        return self.tokens[at]

    def next_operand(self) -> Token:
        """The next token that is no space; two spaces never follow each other."""
        at = self.at + (self.tokens[self.at].kind is Kind.SPACE)
        self.at = at + 1
        if at > self.seen:  # noqa: PLR1730
            self.seen = at
        return self.tokens[at]

    def peek(self) -> Token:
        """The next token, which stays the next."""
        self.seen = max(self.seen, self.at)
        return self.tokens[self.at]

    def peek_operand(self) -> Token:
        """The next token that is no space, which becomes the next."""
        token = self.next_operand()
        self.at -= 1
        return token

    @property
    def last_seen(self) -> Token:
        """The token that was seen last."""
        return self.tokens[self.seen]

    @property
    def end_of_last(self) -> int:
        """Where the token ends that was read last."""
        return self.tokens[self.at - 1].end

    def line(self, token: Token) -> int:
        """The line on which ``token`` begins."""
        return self.source.line(token.start)

    @contextmanager
    def apart(self) -> Generator[None, None, None]:
        """What another parser sees within is not seen by this one."""
        before, self.seen = self.seen, -1
        yield
        self.seen = before
