"""From tokens to the parse tree (text/template/parse/parse.go).

Names are settled here as in Go: a function or variable that nobody defined is a parse error. The
faults are Go's, word by word; the line that one is blamed on is the line of the last token that
the parser of the template at hand has looked at, so that is kept (``_Parser.seen``).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from . import constants, nodes
from .errors import LimitError, TemplateError
from .functions import Function
from .lexer import Kind, Token, tokens
from .quoting import quote, unquote
from .source import Source, Span

MAX_NESTING = 100  # of branches and parentheses; each level costs Python a few frames

_T = TypeVar("_T")
_OPERANDS = frozenset(
    (
        Kind.BOOL,
        Kind.CHARACTER,
        Kind.COMPLEX,
        Kind.DOT,
        Kind.FIELD,
        Kind.NIL,
        Kind.NUMBER,
        Kind.OPEN,
        Kind.RAW_STRING,
        Kind.STRING,
        Kind.VARIABLE,
        Kind.WORD,
    )
)


def parse(
    source: Source, delimiters: tuple[str, str], functions: Mapping[str, Function]
) -> dict[str, nodes.Template]:
    """Every template in the text, by name: the text itself, and what it defines.

    Raises ``TemplateError``, and ``LimitError`` for nesting that Python could not follow.
    """
    templates: dict[str, nodes.Template] = {}
    reader = _Reader(source, tuple(tokens(source.text, delimiters, functions)))
    _Parser(reader, functions, templates).text()
    return templates


@dataclass(slots=True)
class _Reader:
    """The tokens, and the next one to read; shared by the parsers of all templates in a text."""

    source: Source
    tokens: tuple[Token, ...]
    at: int = 0
    nesting: int = 0


@dataclass(frozen=True, slots=True)
class _End(nodes.Placed):
    def __str__(self) -> str:
        return "{{end}}"


@dataclass(frozen=True, slots=True)
class _Else(nodes.Placed):
    def __str__(self) -> str:
        return "{{else}}"


@dataclass(slots=True)
class _Parser:
    """The parser of one template; ``define`` and ``block`` start another one."""

    reader: _Reader
    functions: Mapping[str, Function]
    templates: dict[str, nodes.Template]
    variables: list[str] = field(default_factory=lambda: ["$"])
    seen: int = -1
    action_line: int = 0
    ranges: int = 0

    def text(self) -> None:
        """``text = { statement | define }``."""
        body: list[nodes.Statement] = []
        while self._peek().kind is not Kind.END:
            before = self.reader.at
            if self._next().kind is Kind.LEFT and self._next_operand().is_keyword("define"):
                _Parser(self.reader, self.functions, self.templates).define()
                continue
            self.reader.at = before
            body.append(self._only_statement(self._statement()))
        self._add(self.reader.source.name, body)

    def define(self) -> None:
        """``define = "define" string "}}" statements end``; the keyword is past."""
        context = "define clause"
        token = self._next_operand()
        if token.kind not in (Kind.STRING, Kind.RAW_STRING):
            self._unexpected(token, context)
        name = self._made(token, lambda: unquote(token.text))
        self._expect(Kind.RIGHT, context)
        self.body_of(name, context)

    def body_of(self, name: str, context: str) -> None:
        """``statements end``: the body of a template called ``name``."""
        body, end = self._statements()
        if not isinstance(end, _End):
            self._fail(f"unexpected {end} in {context}")
        self._add(name, body)

    def _add(self, name: str, body: list[nodes.Statement]) -> None:
        """Keep the template, unless it is empty and there is one of that name (Tree.add)."""
        new = nodes.Template(name, tuple(body))
        old = self.templates.get(name)
        if old is None or old.empty:
            self.templates[name] = new
        elif not new.empty:
            self._fail(f"template: multiple definition of template {quote(name)}")

    # Statements

    def _statements(self) -> tuple[list[nodes.Statement], _End | _Else]:
        """``statements = { statement } ( end | else )``."""
        body: list[nodes.Statement] = []
        while self._peek_operand().kind is not Kind.END:
            node = self._statement()
            if isinstance(node, _End | _Else):
                return body, node
            body.append(node)
        self._fail("unexpected EOF")

    def _only_statement(self, node: nodes.Statement | _End | _Else) -> nodes.Statement:
        if isinstance(node, _End | _Else):
            self._fail(f"unexpected {node}")
        return node

    def _statement(self) -> nodes.Statement | _End | _Else:
        """``statement = text | "{{" action``."""
        token = self._next_operand()
        if token.kind is Kind.TEXT:
            return nodes.Text(token.text, start=token.start, end=token.end)
        if token.kind is not Kind.LEFT:
            self._unexpected(token, "input")
        self.action_line = self.reader.source.line(token.start)
        node = self._action()
        self.action_line = 0
        return node

    def _action(self) -> nodes.Statement | _End | _Else:
        """``action = keyword … "}}" | pipeline "}}"``; the left delimiter is past."""
        token = self._next_operand()
        if token.kind is Kind.KEYWORD and token.text in _ACTIONS:
            return _ACTIONS[token.text](self, token)
        self.reader.at -= 1
        pipe = self._pipeline("command", Kind.RIGHT)
        return nodes.Action(pipe, start=pipe.start, end=pipe.end)

    def _branch(self, token: Token) -> nodes.Branch:
        """``branch = keyword pipeline "}}" statements [ else … ] end``; the keyword is past.

        ``{{else if x}}…{{end}}`` is read as ``{{else}}{{if x}}…{{end}}{{end}}``.
        """
        control = nodes.Control(token.text)
        known = len(self.variables)
        with self._nested(token):
            pipe = self._pipeline(control, Kind.RIGHT)
            self.ranges += control is nodes.Control.RANGE
            body, closing = self._statements()
            self.ranges -= control is nodes.Control.RANGE
            otherwise = self._otherwise(control) if isinstance(closing, _Else) else None
        del self.variables[known:]
        return nodes.Branch(
            control, pipe, tuple(body), otherwise, start=token.start, end=self._end_of_last()
        )

    def _otherwise(self, control: nodes.Control) -> nodes.Nodes:
        """What follows ``else``: a branch of the same kind, or statements and the end."""
        if control is not nodes.Control.RANGE and self._peek().is_keyword(control):
            return (self._branch(self._next()),)
        body, closing = self._statements()
        if isinstance(closing, _Else):
            self._fail(f"expected end; found {closing}")
        return tuple(body)

    def _end(self, token: Token) -> _End:
        """``end = "{{" "end" "}}"``."""
        self._expect(Kind.RIGHT, "end")
        return _End(start=token.start, end=token.end)

    def _else(self, token: Token) -> _Else:
        """``else = "{{" "else" ( "}}" | "if" … | "with" … )``; if and with are left to read."""
        following = self._peek_operand()
        if not (following.is_keyword("if") or following.is_keyword("with")):
            self._expect(Kind.RIGHT, "else")
        return _Else(start=token.start, end=token.end)

    def _break(self, token: Token) -> nodes.Break:
        """``break = "{{" "break" "}}"``."""
        self._inside_range(token)
        return nodes.Break(start=token.start, end=token.end)

    def _continue(self, token: Token) -> nodes.Continue:
        """``continue = "{{" "continue" "}}"``."""
        self._inside_range(token)
        return nodes.Continue(start=token.start, end=token.end)

    def _inside_range(self, keyword: Token) -> None:
        action = f"{{{{{keyword.text}}}}}"
        token = self._next_operand()
        if token.kind is not Kind.RIGHT:
            self._unexpected(token, action)
        if self.ranges == 0:
            self._fail(f"{action} outside {{{{range}}}}")

    def _block(self, _: Token) -> nodes.Invocation:
        """``block = "block" string pipeline "}}" statements end``; the keyword is past."""
        context = "block clause"
        token = self._next_operand()
        name = self._template_name(token, context)
        pipe = self._pipeline(context, Kind.RIGHT)
        _Parser(self.reader, self.functions, self.templates).body_of(name, context)
        return nodes.Invocation(name, pipe, start=token.start, end=pipe.end)

    def _template(self, _: Token) -> nodes.Invocation:
        """``template = "template" string [ pipeline ] "}}"``; the keyword is past."""
        context = "template clause"
        token = self._next_operand()
        name = self._template_name(token, context)
        pipe = None
        if self._next_operand().kind is not Kind.RIGHT:
            self.reader.at -= 1
            pipe = self._pipeline(context, Kind.RIGHT)
        end = token.end if pipe is None else pipe.end
        return nodes.Invocation(name, pipe, start=token.start, end=end)

    def _template_name(self, token: Token, context: str) -> str:
        if token.kind not in (Kind.STRING, Kind.RAW_STRING):
            self._unexpected(token, context)
        return self._made(token, lambda: unquote(token.text))

    # Pipelines

    def _pipeline(self, context: str, closing: Kind) -> nodes.Pipe:
        """``pipeline = [ declarations ] command { "|" command } closing``."""
        start = self._peek_operand().start
        declared, assigns = self._declarations(context)
        commands: list[nodes.Command] = []
        while (token := self._next_operand()).kind is not closing:
            if token.kind not in _OPERANDS:
                self._unexpected(token, context)
            self.reader.at -= 1
            commands.append(self._command())
        self._check_pipeline(commands, context)
        end = commands[-1].end
        return nodes.Pipe(tuple(commands), tuple(declared), assigns, start=start, end=end)

    def _declarations(self, context: str) -> tuple[list[nodes.Variable], bool]:
        """``declarations = variable [ "," variable ] ( ":=" | "=" )``, two only for a range."""
        declared: list[nodes.Variable] = []
        while (token := self._peek_operand()).kind is Kind.VARIABLE:
            before = self.reader.at
            self._next()
            after = self._peek_operand()
            comma = after.kind is Kind.OTHER and after.text == ","
            if not comma and after.kind not in (Kind.ASSIGN, Kind.DECLARE):
                self.reader.at = before
                break
            self._next()
            declared.append(_variable(token))
            self.variables.append(token.text)
            if not comma:
                return declared, after.kind is Kind.ASSIGN
            self._check_second(context, len(declared))
        return declared, False

    def _check_second(self, context: str, count: int) -> None:
        """Whether a comma may follow the ``count``-th variable."""
        if context != nodes.Control.RANGE or count > 1:
            self._fail(f"too many declarations in {context}")
        if self._peek_operand().kind not in (Kind.VARIABLE, Kind.RIGHT, Kind.CLOSE):
            self._fail("range can only initialize variables")

    def _check_pipeline(self, commands: list[nodes.Command], context: str) -> None:
        """Only the first command may start with what cannot be called."""
        if not commands:
            self._fail(f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.operands[0], nodes.Constant | nodes.Dot):
                self._fail(f"non executable command in pipeline stage {stage}")

    def _command(self) -> nodes.Command:
        """``command = operand { space operand }``, with the pipe sign that may follow."""
        start = self._peek_operand().start
        operands: list[nodes.Operand] = []
        while True:
            self._peek_operand()
            operand = self._operand()
            if operand is not None:
                operands.append(operand)
            end = self._end_of_last()
            token = self._next()
            if token.kind is Kind.SPACE:
                continue
            if token.kind in (Kind.RIGHT, Kind.CLOSE):
                self.reader.at -= 1
            elif token.kind is not Kind.PIPE:
                self._unexpected(token, "operand")
            break
        if not operands:
            self._fail("empty command")
        return nodes.Command(tuple(operands), start=start, end=end)

    def _operand(self) -> nodes.Operand | None:
        """``operand = term { field }``; nothing, if what comes next is no operand."""
        start = self._peek_operand().start
        term = self._term()
        if term is None or self._peek().kind is not Kind.FIELD:
            return term
        at = self._peek().start
        names: list[str] = []
        ends: list[int] = []
        while self._peek().kind is Kind.FIELD:
            token = self._next()
            names.append(token.text[1:])
            ends.append(token.end)
        match term:
            case nodes.Field():
                return nodes.Field(
                    (*term.names, *names), (*term.ends, *ends), at, start=start, end=ends[-1]
                )
            case nodes.Variable():
                return nodes.Variable(
                    term.name, tuple(names), tuple(ends), at, start=start, end=ends[-1]
                )
            case nodes.Pipe() | nodes.Identifier():
                return nodes.Chain(term, tuple(names), tuple(ends), at, start=start, end=ends[-1])
            case _:
                self._fail(f"unexpected . after term {quote(str(term))}")

    def _term(self) -> nodes.Operand | None:
        """``term = constant | "." | field | variable | function | "(" pipeline ")"``."""
        token = self._next_operand()
        if token.kind is Kind.OPEN:
            with self._nested(token):
                return self._pipeline("parenthesized pipeline", Kind.CLOSE)
        if token.kind is Kind.VARIABLE and token.text not in self.variables:
            self._fail(f"undefined variable {quote(token.text)}", token)
        if token.kind is Kind.WORD:
            self._check_function(token)
        make = _TERMS.get(token.kind)
        if make is None:
            self.reader.at -= 1
            return None
        return self._made(token, lambda: make(token))

    def _check_function(self, token: Token) -> None:
        function = self.functions.get(token.text)
        if function is None:
            self._fail(f"function {quote(token.text)} not defined", token)
        if function.refused:
            self._fail(f"function {quote(token.text)} is refused: {function.refused}", token)

    # Reading tokens

    def _next(self) -> Token:
        reader = self.reader
        at = min(reader.at, len(reader.tokens) - 1)
        reader.at = at + 1
        self.seen = max(self.seen, at)
        return reader.tokens[at]

    def _peek(self) -> Token:
        token = self._next()
        self.reader.at -= 1
        return token

    def _next_operand(self) -> Token:
        """The next token that is no space."""
        token = self._next()
        return self._next() if token.kind is Kind.SPACE else token

    def _peek_operand(self) -> Token:
        token = self._next_operand()
        self.reader.at -= 1
        return token

    def _end_of_last(self) -> int:
        return self.reader.tokens[self.reader.at - 1].end

    def _expect(self, kind: Kind, context: str) -> None:
        token = self._next_operand()
        if token.kind is not kind:
            self._unexpected(token, context)

    # Failing

    def _unexpected(self, token: Token, context: str) -> NoReturn:
        if token.kind is not Kind.ERROR:
            self._fail(f"unexpected {token} in {context}", token)
        extra = ""
        if self.action_line not in (0, self.reader.source.line(token.start)):
            within = "" if token.text.endswith(" action") else " in action"
            extra = f"{within} started at {self.reader.source.name}:{self.action_line}"
        self._fail(f"{token}{extra}", token)

    def _fail(self, reason: str, culprit: Token | None = None) -> NoReturn:
        seen = self.reader.tokens[self.seen]
        token = culprit or seen
        end = token.start if token.kind is Kind.ERROR else token.end
        source = self.reader.source
        raise TemplateError(reason, source.line(seen.start), Span(source, token.start, end))

    def _made(self, token: Token, make: Callable[[], _T]) -> _T:
        try:
            return make()
        except ValueError as error:
            self._fail(str(error), token)

    @contextmanager
    def _nested(self, token: Token) -> Iterator[None]:
        reader = self.reader
        if reader.nesting == MAX_NESTING:
            span = Span(reader.source, token.start, token.end)
            raise LimitError(f"nests deeper than {MAX_NESTING} levels", span)
        reader.nesting += 1
        yield
        reader.nesting -= 1


def _variable(token: Token) -> nodes.Variable:
    return nodes.Variable(token.text, at=token.start, start=token.start, end=token.end)


def _string(token: Token) -> nodes.String:
    return nodes.String(token.text, unquote(token.text), start=token.start, end=token.end)


_ACTIONS: dict[str, Callable[[_Parser, Token], nodes.Statement | _End | _Else]] = {
    "block": _Parser._block,
    "break": _Parser._break,
    "continue": _Parser._continue,
    "else": _Parser._else,
    "end": _Parser._end,
    "if": _Parser._branch,
    "range": _Parser._branch,
    "template": _Parser._template,
    "with": _Parser._branch,
}
_TERMS: dict[Kind, Callable[[Token], nodes.Operand]] = {
    Kind.BOOL: lambda t: nodes.Bool(t.text == "true", start=t.start, end=t.end),
    Kind.CHARACTER: lambda t: constants.character(t.text, t.start),
    Kind.COMPLEX: lambda t: constants.pair(t.text, t.start),
    Kind.DOT: lambda t: nodes.Dot(start=t.start, end=t.end),
    Kind.FIELD: lambda t: nodes.Field((t.text[1:],), (t.end,), t.start, start=t.start, end=t.end),
    Kind.NIL: lambda t: nodes.Nil(start=t.start, end=t.end),
    Kind.NUMBER: lambda t: constants.number(t.text, t.start),
    Kind.RAW_STRING: _string,
    Kind.STRING: _string,
    Kind.VARIABLE: _variable,
    Kind.WORD: lambda t: nodes.Identifier(t.text, start=t.start, end=t.end),
}
