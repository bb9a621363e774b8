"""The parser: from tokens to the parse tree (text/template/parse/parse.go).

As in Go, the parser resolves names: an undefined function or variable is a parse error. The error
texts are Go's.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import NoReturn, TypeVar

from msgspec import Struct, field

from podgraft.golang.strconv.quote import quote, unquote
from podgraft.golang.texttemplate.errors import LimitError, TemplateError
from podgraft.golang.texttemplate.functions import Function

from . import nodes
from .constants import OPERAND_FACTORIES, variable_node
from .lexer import Token, TokenKind, tokens
from .source import Source, Span
from .token_reader import TokenReader

MAX_NESTING = 100  # branches and parentheses; each level needs a few Python frames
# CPython nests at most 20 blocks; the body and the else of a range are one block each.
MAX_LOOPS = 18

_T = TypeVar("_T")
_OPERANDS = frozenset((*OPERAND_FACTORIES, TokenKind.OPEN))  # the first tokens of an operand
_STRINGS = (TokenKind.RAW_STRING, TokenKind.STRING)


def parse(
    source: Source, delimiters: tuple[str, str], functions: Mapping[str, Function]
) -> dict[str, nodes.Template]:
    """Parse the text to its templates, by name: the text itself, and the templates that it defines.

    Raises ``TemplateError``, or ``LimitError`` if the nesting is too deep for Python.
    """
    reader = TokenReader(source, tokens(source.text, delimiters, functions))
    parsing = _ParseContext(functions)
    _Parser(parsing, reader).parse_text()
    return parsing.templates


class _ParseContext(Struct):
    """The state that the parsers of all templates in a text share."""

    functions: Mapping[str, Function]
    templates: dict[str, nodes.Template] = field(default_factory=dict[str, nodes.Template])
    nesting: int = 0


class _Closing(nodes.NodeBase, frozen=True):
    """``{{end}}`` or ``{{else}}``."""

    keyword: str

    def __str__(self) -> str:
        return f"{{{{{self.keyword}}}}}"


class _Parser(Struct):
    """The parser of one template; ``define`` and ``block`` start another parser."""

    parsing: _ParseContext
    reader: TokenReader
    variables: list[str] = field(default_factory=lambda: ["$"])
    calls: set[str] = field(default_factory=set[str])
    action_line: int = 0
    ranges: int = 0
    loops: int = 0

    def parse_text(self) -> None:
        """``text = { define | statement }``."""
        body: list[nodes.Statement] = []
        while self.reader.peek().kind is not TokenKind.END:
            before = self.reader.index
            opens = self.reader.next().kind is TokenKind.LEFT
            if opens and self.reader.next_operand().is_keyword("define"):
                with self.reader.isolate_last_token():
                    _Parser(self.parsing, self.reader).parse_define()
                continue
            self.reader.index = before
            node = self._statement()
            if isinstance(node, _Closing):
                self._fail(f"unexpected {node}")
            body.append(node)
        self.add_template(self.reader.source.name, body)

    def parse_define(self) -> None:
        """``define = "define" string "}}" statements end``, after the keyword."""
        context = "define clause"
        name = self._template_name(self.reader.next_operand(), context)
        self._expect(TokenKind.RIGHT, context)
        body, closing = self.parse_statements()
        if closing.keyword == "else":
            self._fail(f"unexpected {closing} in {context}")
        self.add_template(name, body)

    def add_template(self, name: str, body: list[nodes.Statement]) -> None:
        """Add the template, unless it is empty and a template has its name (Tree.add)."""
        new = nodes.Template(name, tuple(body), frozenset(self.calls))
        old = self.parsing.templates.get(name)
        if old is None or old.is_empty:
            self.parsing.templates[name] = new
        elif not new.is_empty:
            self._fail(f"template: multiple definition of template {quote(name)}")

    # Statements

    def parse_statements(self) -> tuple[list[nodes.Statement], _Closing]:
        """``statements = { statement } ( end | else )``."""
        body: list[nodes.Statement] = []
        while self.reader.peek_operand().kind is not TokenKind.END:
            node = self._statement()
            if isinstance(node, _Closing):
                return body, node
            body.append(node)
        return self._fail("unexpected EOF")

    def _statement(self) -> nodes.Statement | _Closing:
        """``statement = text | "{{" action``."""
        token = self.reader.next_operand()
        if token.kind is TokenKind.TEXT:
            return nodes.Text(token.text, start=token.start, end=token.end)
        if token.kind is not TokenKind.LEFT:
            self._fail_unexpected(token, "input")
        self.action_line = self.reader.line(token)
        node = self._action()
        self.action_line = 0
        return node

    def _action(self) -> nodes.Statement | _Closing:
        """``action = keyword … "}}" | pipeline "}}"``, after the left delimiter."""
        token = self.reader.next_operand()
        match token.text if token.kind is TokenKind.KEYWORD else "":
            case "if" | "range" | "with":
                return self._branch(token)
            case "else":
                return self._else(token)
            case "end":
                self._expect(TokenKind.RIGHT, "end")
                return _Closing("end", start=token.start, end=token.end)
            case "break" | "continue":
                return self._parse_break_or_continue(token)
            case "block":
                return self._block()
            case "template":
                return self._template()
            case _:
                self.reader.index -= 1
                pipe = self._pipeline("command", TokenKind.RIGHT)
                return nodes.Action(pipe, start=pipe.start, end=pipe.end)

    def _branch(self, token: Token) -> nodes.Branch:
        """``branch = keyword pipeline "}}" statements [ else … ] end``, after the keyword.

        ``{{else if x}}…{{end}}`` is parsed as ``{{else}}{{if x}}…{{end}}{{end}}``.
        """
        control = nodes.Control(token.text)
        variable_count = len(self.variables)
        with self._enter_nesting(token):
            pipe = self._pipeline(control, TokenKind.RIGHT)
            self.ranges += control is nodes.Control.RANGE
            body, closing = self.parse_statements()
            self.ranges -= control is nodes.Control.RANGE
            otherwise = self._parse_else(control) if closing.keyword == "else" else None
        del self.variables[variable_count:]
        end = self.reader.last_end
        return nodes.Branch(control, pipe, tuple(body), otherwise, start=token.start, end=end)

    def _parse_else(self, control: nodes.Control) -> nodes.Nodes:
        """Parse the part after ``else``: a branch of the same kind, or statements and the end."""
        if control is not nodes.Control.RANGE and self.reader.peek().is_keyword(control):
            return (self._branch(self.reader.next()),)
        body, closing = self.parse_statements()
        if closing.keyword == "else":
            self._fail(f"expected end; found {closing}")
        return tuple(body)

    def _else(self, token: Token) -> _Closing:
        """``else = "else" ( "}}" | "if" … | "with" … )``, without the tokens if and with."""
        following = self.reader.peek_operand()
        if not (following.is_keyword("if") or following.is_keyword("with")):
            self._expect(TokenKind.RIGHT, "else")
        return _Closing("else", start=token.start, end=token.end)

    def _parse_break_or_continue(self, token: Token) -> nodes.Jump:
        """``exit = ( "break" | "continue" ) "}}"``, inside a range, after the keyword."""
        jump = nodes.Jump(token.text, start=token.start, end=token.end)
        self._expect(TokenKind.RIGHT, str(jump))
        if self.ranges == 0:
            self._fail(f"{jump} outside {{{{range}}}}")
        return jump

    def _block(self) -> nodes.Invocation:
        """``block = "block" string pipeline "}}" statements end``, after the keyword."""
        context = "block clause"
        token = self.reader.next_operand()
        name = self._template_name(token, context)
        pipe = self._pipeline(context, TokenKind.RIGHT)
        with self.reader.isolate_last_token():
            parser = _Parser(self.parsing, self.reader)
            body, closing = parser.parse_statements()
            if closing.keyword == "end":
                parser.add_template(name, body)
        if closing.keyword == "else":
            self._fail(f"unexpected {closing} in {context}")
        return nodes.Invocation(name, pipe, start=token.start, end=pipe.end)

    def _template(self) -> nodes.Invocation:
        """``template = "template" string [ pipeline ] "}}"``, after the keyword."""
        context = "template clause"
        token = self.reader.next_operand()
        name = self._template_name(token, context)
        if self.reader.next_operand().kind is TokenKind.RIGHT:
            return nodes.Invocation(name, None, start=token.start, end=token.end)
        self.reader.index -= 1
        pipe = self._pipeline(context, TokenKind.RIGHT)
        return nodes.Invocation(name, pipe, start=token.start, end=pipe.end)

    def _template_name(self, token: Token, context: str) -> str:
        if token.kind not in _STRINGS:
            self._fail_unexpected(token, context)
        return self._make_node(token, lambda token: unquote(token.text))

    # Pipelines

    def _pipeline(self, context: str, closing: TokenKind) -> nodes.Pipe:
        """``pipeline = [ declarations ] command { "|" command } closing``."""
        first = self.reader.peek_operand()
        declares = first.kind is TokenKind.VARIABLE
        declared, assigns = self._declarations(context) if declares else ([], False)
        commands: list[nodes.Command] = []
        while (token := self.reader.next_operand()).kind is not closing:
            if token.kind not in _OPERANDS:
                self._fail_unexpected(token, context)
            commands.append(self._command(token))
        self._check_pipeline(commands, context)
        # A pipeline in parentheses includes them, so its location differs from the location of
        # its commands (source_map.py).
        end = token.end if closing is TokenKind.CLOSE else commands[-1].end
        return nodes.Pipe(tuple(commands), tuple(declared), assigns, start=first.start, end=end)

    def _declarations(self, context: str) -> tuple[list[nodes.Variable], bool]:
        """``declarations = variable [ "," variable ] ( ":=" | "=" )``; only a range has two."""
        declared: list[nodes.Variable] = []
        while (token := self.reader.peek_operand()).kind is TokenKind.VARIABLE:
            before = self.reader.index
            self.reader.next()
            after = self.reader.peek_operand()
            comma = after.kind is TokenKind.OTHER and after.text == ","
            if not comma and after.kind not in (TokenKind.ASSIGN, TokenKind.DECLARE):
                self.reader.index = before
                break
            self.reader.next()
            declared.append(variable_node(token))
            self.variables.append(token.text)
            if not comma:
                return declared, after.kind is TokenKind.ASSIGN
            self._check_comma(context, len(declared))
        return declared, False

    def _check_comma(self, context: str, count: int) -> None:
        """Check that a comma can follow the ``count``-th variable."""
        if context != nodes.Control.RANGE or count > 1:
            self._fail(f"too many declarations in {context}")
        if self.reader.peek_operand().kind not in (
            TokenKind.VARIABLE,
            TokenKind.RIGHT,
            TokenKind.CLOSE,
        ):
            self._fail("range can only initialize variables")

    def _check_pipeline(self, commands: list[nodes.Command], context: str) -> None:
        """Check that there are commands, and that all except the first can be called."""
        if not commands:
            self._fail(f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.operands[0], nodes.Constant | nodes.Dot):
                self._fail(f"non executable command in pipeline stage {stage}")

    def _command(self, first: Token) -> nodes.Command:
        """``command = operand { space operand }``, including a following pipe sign.

        ``first`` is the first token, which is already consumed.
        """
        operands = [self._operand(first)]
        while (token := self.reader.next()).kind is TokenKind.SPACE:
            token = self.reader.next()
            if token.kind in _OPERANDS:
                operands.append(self._operand(token))
            else:
                self.reader.index -= 1
        if token.kind in (TokenKind.RIGHT, TokenKind.CLOSE):
            self.reader.index -= 1
        elif token.kind is not TokenKind.PIPE:
            self._fail_unexpected(token, "operand")
        return nodes.Command(tuple(operands), start=first.start, end=operands[-1].end)

    def _operand(self, first: Token) -> nodes.Operand:
        """``operand = term { field }``; ``first`` is its first token, already consumed."""
        term = self._term(first)
        following = self.reader.peek()
        if following.kind is not TokenKind.FIELD:
            return term
        names = self._names()
        end = self.reader.last_end
        place = {"start": first.start, "fields_start": following.start, "end": end}
        match term:
            case nodes.Field():
                return nodes.Field((*term.names, *names), **place)
            case nodes.Variable():
                return nodes.Variable(term.name, names, **place)
            case nodes.Pipe() | nodes.Identifier():
                return nodes.Chain(term, names, **place)
            case _:
                return self._fail(f"unexpected . after term {quote(str(term))}")

    def _names(self) -> tuple[str, ...]:
        """Read the names of the following fields."""
        names: list[str] = []
        while (token := self.reader.next()).kind is TokenKind.FIELD:
            names.append(token.text[1:])
        self.reader.index -= 1
        return tuple(names)

    def _term(self, token: Token) -> nodes.Operand:
        """``term = constant | "." | field | variable | function | "(" pipeline ")"``."""
        if token.kind is TokenKind.OPEN:
            with self._enter_nesting(token):
                return self._pipeline("parenthesized pipeline", TokenKind.CLOSE)
        if token.kind is TokenKind.VARIABLE and token.text not in self.variables:
            self._fail(f"undefined variable {quote(token.text)}", token)
        if token.kind is TokenKind.WORD:
            self._check_function(token)
        return self._make_node(token, OPERAND_FACTORIES[token.kind])

    def _check_function(self, token: Token) -> None:
        function = self.parsing.functions.get(token.text)
        if function is None:
            self._fail(f"function {quote(token.text)} not defined", token)
        if function.unsupported_reason:
            self._fail(
                f"function {quote(token.text)} is not supported: {function.unsupported_reason}",
                token,
            )
        self.calls.add(token.text)

    # Errors and limits

    def _expect(self, kind: TokenKind, context: str) -> None:
        token = self.reader.next_operand()
        if token.kind is not kind:
            self._fail_unexpected(token, context)

    def _fail_unexpected(self, token: Token, context: str) -> NoReturn:
        if token.kind is not TokenKind.ERROR:
            self._fail(f"unexpected {token} in {context}", token)
        extra = ""
        if self.action_line not in (0, self.reader.line(token)):
            context_text = "" if token.text.endswith(" action") else " in action"
            extra = f"{context_text} started at {self.reader.source.name}:{self.action_line}"
        self._fail(f"{token}{extra}", token)

    def _fail(self, reason: str, error_token: Token | None = None) -> NoReturn:
        last_token = self.reader.last_token
        raise TemplateError(
            reason, self.reader.line(last_token), self._span(error_token or last_token)
        )

    def _span(self, token: Token) -> Span:
        end = token.start if token.kind is TokenKind.ERROR else token.end
        return Span(self.reader.source, token.start, end)

    def _make_node(self, token: Token, make: Callable[[Token], _T]) -> _T:
        try:
            return make(token)
        except ValueError as error:
            return self._fail(str(error), token)

    @contextmanager
    def _enter_nesting(self, token: Token) -> Generator[None, None, None]:
        """Enter one level of nesting, and of loops if ``token`` is range."""
        loops = token.is_keyword("range")
        if self.parsing.nesting == MAX_NESTING:
            raise LimitError(f"nests deeper than {MAX_NESTING} levels", self._span(token))
        if loops and self.loops == MAX_LOOPS:
            raise LimitError(f"nests ranges deeper than {MAX_LOOPS} levels", self._span(token))
        self.parsing.nesting += 1
        self.loops += loops
        yield
        self.loops -= loops
        self.parsing.nesting -= 1
