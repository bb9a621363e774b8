"""The parser: text to tree, as cel-go 0.29 parses with Kubernetes' options.

Operators wait on the stack of their frame until one that binds less follows, so no depth of
brackets is a depth of Python calls. The limits are those of cel-go's parser, which counts the
active rules of its grammar and the depth of what it builds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from .errors import CompileError, Problem, locate_problem
from .frames import BINARY, CLOSING, OR, UNARY, Frame, FrameStack, LimitError
from .lexer import END, RESERVED, Token, TokenError, tokenize
from .literals import NUMBERS, LiteralError, read_text
from .macros import MacroError, find_macro, find_macro_release
from .syntax import Call, Constant, FieldOf, Ident, ListOf, MapOf, Node, Select, StructOf

MAX_LENGTH = 100_000

_KEYWORDS = {"true": True, "false": False, "null": None}


def parse(text: str, features: dict[str, int] | None = None) -> Node:
    """Parse an expression; macros are expanded. Raises ``CompileError``.

    ``features`` gets the macros and the syntax that not all releases of Kubernetes have, with the
    minor release that introduced them.
    """
    if len(text) > MAX_LENGTH and len(text.encode()) > MAX_LENGTH:
        size = f"size: {len(text)}, limit {MAX_LENGTH}"
        raise CompileError(
            text, (_limit_problem(f"expression code point size exceeds limit: {size}"),)
        )
    parser = _Parser(text, {} if features is None else features)
    try:
        node = parser.parse()
    except (TokenError, LimitError) as error:
        is_limit = isinstance(error, LimitError)
        parser.problems.append(_limit_problem(str(error)) if is_limit else error.problem)
        raise CompileError(text, _sort(parser.problems)) from None
    if parser.problems:
        raise CompileError(text, _sort(parser.problems))
    return node


def _limit_problem(message: str) -> Problem:
    return Problem(-1, 0, message)


def _sort(problems: list[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


class _Parser:
    """One parse. The states are methods; each reads tokens and returns the next state."""

    def __init__(self, text: str, features: dict[str, int]) -> None:
        self.text = text
        self.features = features
        self.tokens = list(tokenize(text))
        self.position = 0
        self.stack = FrameStack()
        self.problems: list[Problem] = []

    def parse(self) -> Node:
        """The tree. Raises ``TokenError``; other problems are collected."""
        self.stack.open("whole", 0)
        state: _State = self._read_operand
        while state != self._end:
            state = state()
        return self.stack.frames[0].operands[0][0]

    def _take(self) -> Token:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def _peek(self, ahead: int = 0) -> str:
        position = self.position + ahead
        return self.tokens[position].kind if position < len(self.tokens) else END

    def _skip(self, kind: str) -> bool:
        """Whether the next token is of a kind; it is read then."""
        if self._peek() != kind:
            return False
        self.position += 1
        return True

    def _report(self, at: int, message: str) -> None:
        self.problems.append(locate_problem(self.text, at, message))

    # Where a value must follow.

    def _read_operand(self) -> _State:
        token = self._take()
        if token.kind == "IDENT":
            return self._read_name(token, "")
        if token.kind in NUMBERS:
            return self._push_number(token, "")
        if token.kind == "TEXT":
            return self._push_text(token)
        if token.kind in _KEYWORDS:
            return self._push(Constant(token.at, _KEYWORDS[token.kind]), 0)
        if token.kind in "!-":
            return self._read_prefix(token)
        return self._open_bracket(token)

    def _open_bracket(self, token: Token) -> _State:
        match token.kind:
            case "(":
                self.stack.open("group", token.at)
            case "[":
                self.stack.open("list", token.at)
                self._read_optional()
            case "{":
                self.stack.open("key", token.at)
                self._read_optional()
            case "." if self._peek() == "IDENT":
                return self._read_name(self._take(), ".")
            case ".":
                raise TokenError(self.text, self._take())
            case _:
                return self._close_empty(token)
        return self._read_operand

    def _push(self, node: Node, depth: int) -> _State:
        self.stack.push(node, depth)
        return self._read_operator

    def _push_number(self, token: Token, sign: str) -> _State:
        at = token.at
        if sign:
            at = self.tokens[self.position - 2].at
        return self._push_literal(at, lambda: NUMBERS[token.kind](sign + token.text))

    def _push_text(self, token: Token) -> _State:
        return self._push_literal(token.at, lambda: read_text(token.text))

    def _push_literal(self, at: int, read: Callable[[], object]) -> _State:
        try:
            value = read()
        except LiteralError as error:
            self._report(at, str(error))
            value = None
        return self._push(Constant(at, value), 0)

    def _read_prefix(self, token: Token) -> _State:
        """``!`` and ``-``: two of them are none, and they do not mix."""
        operators = self.stack.top.operators
        if token.kind == "-" and self._peek() in {"INT", "FLOAT"}:
            return self._push_number(self._take(), "-")
        if operators and operators[-1][0] == UNARY:
            # After ``!``, a ``-`` can only start a number.
            raise TokenError(self.text, self._take() if token.kind == "-" else token)
        is_odd = True
        while self._skip(token.kind):
            is_odd = not is_odd
        operators.append((UNARY, f"{token.kind}_" if is_odd else "", token.at))
        return self._read_operand

    def _read_name(self, token: Token, dot: str) -> _State:
        ahead = 0
        while self._peek(ahead) == "." and self._peek(ahead + 1) == "IDENT":
            ahead += 2
        if self._peek(ahead) == "{":
            names = [each.text for each in self.tokens[self.position : self.position + ahead]]
            self.position += ahead
            frame = self.stack.open("struct", self._take().at, "".join((dot, token.text, *names)))
            return self._read_field(frame)
        start = token.at - len(dot) if not dot else self.tokens[self.position - 2].at
        is_reserved = token.text in RESERVED
        if is_reserved:
            self._report(start, f"reserved identifier: {token.text}")
        if self._peek() == "(":
            at = self._take().at
            frame = self.stack.open("call", start if is_reserved else at, dot + token.text)
            frame.hidden_from = len(self.problems) if is_reserved else None
            return self._read_operand
        name = Ident(token.at, dot + token.text)
        return self._push(Constant(start, None) if is_reserved else name, 0)

    def _read_optional(self) -> None:
        """``?`` before an element or a key."""
        frame = self.stack.top
        if self._skip("?"):
            frame.optional.add(len(frame.parts))

    def _check_field_name(self, name: Token) -> None:
        if name.kind == "ESCAPED":
            self.features["a name in backticks"] = 37
        elif name.kind != "IDENT":
            raise TokenError(self.text, name)

    def _read_field(self, frame: Frame) -> _State:
        """The name of a struct's field and its colon, or the end of the struct."""
        lone_comma = not frame.parts and self._skip(",")
        if self._skip("}"):
            return self.close_struct(frame)
        if lone_comma:
            raise TokenError(self.text, self._take())
        optional = self._skip("?")
        name = self._take()
        self._check_field_name(name)
        colon = self._take()
        if colon.kind != ":":
            raise TokenError(self.text, colon)
        frame.fields.append((colon.at, name.text.strip("`"), optional))
        return self._read_operand

    def _close_empty(self, token: Token) -> _State:
        """The end of a bracket after no element, or after the last comma."""
        frame = self.stack.top
        lone_comma = token.kind == "," and not frame.parts
        if frame.is_fresh and len(frame.parts) not in frame.optional:
            match frame.kind, token.kind:
                case ("list", ",") if lone_comma and self._peek() == "]":
                    self.position += 1
                    return self.close_list(frame)
                case ("key", ",") if lone_comma and self._peek() == "}":
                    self.position += 1
                    return self.close_map(frame)
                case "list", "]":
                    return self.close_list(frame)
                case "key", "}":
                    return self.close_map(frame)
                case ("call" | "method", ")") if not frame.parts:
                    return self.close_call(frame)
                case ("list" | "key", ",") if lone_comma:
                    raise TokenError(self.text, self._take())
                case _:
                    pass
        raise TokenError(self.text, token)

    # Where an operator, a suffix or an end must follow.

    def _read_operator(self) -> _State:
        token = self._take()
        if token.kind == ".":
            return self._read_suffix(token)
        if token.kind == "[":
            self.stack.open("index", token.at, "_[?_]" if self._skip("?") else "_[_]")
            return self._read_operand
        if token.kind in BINARY:
            self.stack.push_operator(token.kind, token.at)
            return self._read_operand
        if token.kind == "?" and self.stack.top.kind != "then":
            self.stack.reduce(OR)
            self.stack.open("then", token.at)
            return self._read_operand
        return self._read_end(token)

    def _read_suffix(self, dot: Token) -> _State:
        optional = self._skip("?")
        name = self._take()
        self._check_field_name(name)
        if self._peek() == "(" and name.kind == "IDENT" and not optional:
            self.stack.open("method", self._take().at, name.text)
            return self._read_operand
        operand, depth = self.stack.top.operands.pop()
        field_name = name.text.strip("`")
        if optional:
            selected: Node = Call(dot.at, "_?._", (operand, Constant(name.at, field_name)))
        else:
            selected = Select(dot.at, operand, field_name)
        return self._push(selected, depth + 1)

    def _read_end(self, token: Token) -> _State:
        """A token that ends the open expression, and all branches that end with it."""
        self.stack.reduce(OR)
        while self.stack.top.kind == "else":
            self._close_conditional(self.stack.top)
        frame = self.stack.top
        close = _ENDS.get((frame.kind, token.kind))
        if close is None:
            raise TokenError(self.text, token, CLOSING.get(frame.kind, ""))
        return close(self, frame)

    def _end(self) -> _State:
        return self._end

    def finish(self, _frame: Frame) -> _State:
        """The end of the text."""
        return self._end

    def close_group(self, frame: Frame) -> _State:
        """``)`` of a bracket around a value."""
        self.stack.frames.pop()
        return self._push(*frame.operands[0])

    def open_else(self, frame: Frame) -> _State:
        """``:`` of ``?:``."""
        self.stack.frames.pop()
        inner = self.stack.open("else", frame.at)
        inner.add(frame.operands[0])
        return self._read_operand

    def _close_conditional(self, frame: Frame) -> None:
        self.stack.frames.pop()
        condition, depth = self.stack.top.operands.pop()
        frame.add(frame.operands[0])
        self._push(Call(frame.at, "_?_:_", (condition, *frame.parts)), max(depth, frame.depth) + 1)

    def next_part(self, frame: Frame) -> _State:
        """After an element, argument, key or value."""
        frame.add(frame.operands.pop())
        if frame.kind == "key":
            frame.kind = "value"
        elif frame.kind == "value":
            frame.kind = "key"
        if frame.kind == "struct":
            return self._read_field(frame)
        if frame.kind in {"list", "key"}:
            self._read_optional()
        return self._read_operand

    def close_list(self, frame: Frame) -> _State:
        """``]`` of a list."""
        self._take_last(frame)
        node = ListOf(frame.at, tuple(frame.parts), frozenset(frame.optional))
        return self._push(node, frame.depth)

    def _take_last(self, frame: Frame) -> None:
        self.stack.frames.pop()
        if frame.operands:
            frame.add(frame.operands.pop())

    def close_map(self, frame: Frame) -> _State:
        """``}`` of a map."""
        self._take_last(frame)
        entries = tuple(
            (key, value, 2 * number in frame.optional)
            for number, (key, value) in enumerate(
                zip(frame.parts[::2], frame.parts[1::2], strict=True)
            )
        )
        return self._push(MapOf(frame.at, entries), frame.depth)

    def close_struct(self, frame: Frame) -> _State:
        """``}`` of a struct."""
        self._take_last(frame)
        fields = tuple(
            FieldOf(at, name, value, optional)
            for (at, name, optional), value in zip(frame.fields, frame.parts, strict=True)
        )
        return self._push(StructOf(frame.at, frame.name, fields), frame.depth)

    def close_index(self, frame: Frame) -> _State:
        """``]`` of an index."""
        self._take_last(frame)
        operand, depth = self.stack.top.operands.pop()
        node = Call(frame.at, frame.name, (operand, *frame.parts))
        return self._push(node, max(depth, frame.depth) + 1)

    def close_call(self, frame: Frame) -> _State:
        """``)`` of a call, which may be a macro."""
        self._take_last(frame)
        is_member = frame.kind == "method"
        macro = find_macro(frame.name, len(frame.parts), member=is_member)
        depth = frame.depth
        parts = tuple(frame.parts)
        if is_member:
            target, target_depth = self.stack.top.operands.pop()
            parts = (target, *parts)
            depth = max(depth, target_depth) + 1
        if frame.hidden_from is not None:
            del self.problems[frame.hidden_from :]
            return self._push(Constant(frame.at, None), depth)
        if macro is None:
            return self._push(Call(frame.at, frame.name, parts, is_member), depth)
        release = find_macro_release(frame.name, len(frame.parts))
        if release:
            self.features[f"the macro {frame.name}"] = release
        try:
            return self._push(macro(frame.at, parts), depth)
        except MacroError as error:
            self._report(error.at, str(error))
            return self._push(Constant(error.at, None), depth)


_State: TypeAlias = "Callable[[], _State]"

_ENDS: Mapping[tuple[str, str], Callable[[_Parser, Frame], _State]] = {
    ("whole", END): _Parser.finish,
    ("group", ")"): _Parser.close_group,
    ("then", ":"): _Parser.open_else,
    ("list", ","): _Parser.next_part,
    ("list", "]"): _Parser.close_list,
    ("key", ":"): _Parser.next_part,
    ("value", ","): _Parser.next_part,
    ("value", "}"): _Parser.close_map,
    ("struct", ","): _Parser.next_part,
    ("struct", "}"): _Parser.close_struct,
    ("index", "]"): _Parser.close_index,
    ("call", ","): _Parser.next_part,
    ("call", ")"): _Parser.close_call,
    ("method", ","): _Parser.next_part,
    ("method", ")"): _Parser.close_call,
}
