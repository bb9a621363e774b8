"""PyYAML's parser, for environments without libyaml's binding."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# The stubs of PyYAML have no types for its scanner.

import re

from yaml.error import Mark, MarkedYAMLError
from yaml.events import Event
from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.scanner import Scanner, ScannerError
from yaml.tokens import ScalarToken, TagToken

# PyYAML's messages, and the messages of libyaml for the same errors.
_MESSAGES = tuple(
    (re.compile(pattern), message)
    for pattern, message in (
        (r"expected ',' or '(.)', but got .*", r"did not find expected ',' or '\1'"),
        (r"expected the node content, but found .*", "did not find expected node content"),
        (r"expected '<document start>', but found .*", "did not find expected <document start>"),
        (r"found undefined tag handle .*", "found undefined tag handle"),
        (r"found undefined alias .*", "found undefined alias"),
        (r"found character .* that cannot start .*", "found character that cannot start any token"),
        (
            r"(mapping values|mapping keys) are not allowed here",
            r"\1 are not allowed in this context",
        ),
        (
            r"sequence entries are not allowed here",
            "block sequence entries are not allowed in this context",
        ),
        (r"found unknown escape character .*", "found unknown escape character"),
        (
            r"expected escape sequence of \d hexadecimal numbers.*",
            "did not find expected hexdecimal number",
        ),
        (
            r"expected alphabetic or numeric character, but found .*",
            "did not find expected alphabetic or numeric character",
        ),
        (r"found unexpected document separator", "found unexpected document indicator"),
        (
            r"expected (chomping or indentation indicators|a comment or a line break), but .*",
            "did not find expected comment or line break",
        ),
        (
            r"expected indentation indicator in the range 1-9, but found 0",
            "found an indentation indicator equal to 0",
        ),
        (r"special characters are not allowed", "control characters are not allowed"),
    )
)
_BLOCK_ENDS = {
    "while parsing a block mapping": "did not find expected key",
    "while parsing a block collection": "did not find expected '-' indicator",
}


class PythonParser(Reader, Scanner, Parser):
    """Gives the same events and the same messages, some ten times slower."""

    def __init__(self, text: str) -> None:
        try:
            Reader.__init__(self, text)
        except ReaderError as error:
            error.reason = _translate("", str(error.reason))
            raise
        Scanner.__init__(self)
        Parser.__init__(self)

    def get_event(self) -> Event | None:
        """The next event; raises ``YAMLError``."""
        try:
            return super().get_event()
        except MarkedYAMLError as error:
            error.problem = _translate(str(error.context), str(error.problem))
            raise

    def scan_to_next_token(self) -> None:
        """Skip blanks, comments, and line breaks; tabs too if libyaml skips them."""
        if self.index == 0 and self.peek() == "\ufeff":
            self.forward()
        while True:
            while self.peek() == " " or (
                self.peek() == "\t" and (self.flow_level or not self.allow_simple_key)
            ):
                self.forward()
            if self.peek() == "#":
                while self.peek() not in "\0\r\n\x85\u2028\u2029":
                    self.forward()
            if not self.scan_line_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    # libyaml rejects the following; PyYAML accepts them with some meaning.

    def scan_plain(self) -> ScalarToken:
        """A plain scalar; in flow style, a colon before an indicator is an error."""
        start: Mark = self.get_mark()
        token = super().scan_plain()
        if self.flow_level and self.peek() == ":" and self.peek(1) in ",[]{}":
            raise self._error("scanning a plain scalar", start, "found unexpected ':'")
        return token

    def scan_tag(self) -> TagToken:
        """A tag; an indicator of flow style in it is an error."""
        start: Mark = self.get_mark()
        index = self.index
        token = super().scan_tag()
        text = self.buffer[self.pointer - (self.index - index) : self.pointer]
        if not text.startswith("!<") and set(text) & set(",[]{}"):
            problem = "did not find expected whitespace or line break"
            raise self._error("scanning a tag", start, problem)
        return token

    def scan_directive_name(self, start_mark: Mark) -> str:
        """The name of a directive, which must be YAML or TAG."""
        name = super().scan_directive_name(start_mark)
        if name not in {"YAML", "TAG"}:
            raise self._error("scanning a directive", start_mark, "found unknown directive name")
        return name

    def scan_block_scalar_indentation(self) -> tuple[list[str], int, Mark]:
        """The indent of a block scalar; a tab in it is an error."""
        indentation = super().scan_block_scalar_indentation()
        if self.peek() == "\t":
            start: Mark = self.get_mark()
            problem = "found a tab character where an indentation space is expected"
            raise self._error("scanning a block scalar", start, problem)
        return indentation

    def _error(self, action: str, start: Mark, problem: str) -> ScannerError:
        position: Mark = self.get_mark()
        return ScannerError(f"while {action}", start, problem, position)

    def scan_plain_spaces(self, indent: int, start_mark: Mark) -> list[str] | None:
        """The blanks inside a plain scalar, with tabs."""
        length = 0
        while self.peek(length) in {" ", "\t"}:
            length += 1
        blanks = self.prefix(length)
        self.forward(length)
        if self.peek() in "\r\n\x85\u2028\u2029":
            return super().scan_plain_spaces(indent, start_mark)
        return [blanks] if blanks else []


def _translate(context: str, problem: str) -> str:
    if problem.startswith("expected <block end>, but found ") and context in _BLOCK_ENDS:
        return _BLOCK_ENDS[context]
    for pattern, message in _MESSAGES:
        if match := pattern.fullmatch(problem):
            return match.expand(message)
    return problem
