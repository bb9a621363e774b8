"""Trees, limits, and the first problem of what does not parse, as cel-go 0.29 has them."""

import pytest

from podgraft.kube.cel import CompileError
from podgraft.kube.cel.parser import parse
from podgraft.kube.cel.syntax import (
    Call,
    Comprehension,
    Constant,
    Ident,
    ListOf,
    MapOf,
    Node,
    Select,
    StructOf,
)


def show(node: Node) -> str:
    """A tree in one line; calls in prefix form, methods with a dot before them."""
    match node:
        case Constant(value=value):
            return repr(value)
        case Ident(name=name):
            return name
        case Select(operand=operand, field=field, test=test):
            return f"{show(operand)}.{field}{'~' if test else ''}"
        case Call(function=function, arguments=arguments, member=member):
            return f"{'.' if member else ''}{function}({', '.join(map(show, arguments))})"
        case ListOf(elements=elements, optional=optional):
            marked = [f"{'?' if i in optional else ''}{show(e)}" for i, e in enumerate(elements)]
            return f"[{', '.join(marked)}]"
        case MapOf(entries=entries):
            marked = [f"{'?' if o else ''}{show(k)}: {show(v)}" for k, v, o in entries]
            return f"{{{', '.join(marked)}}}"
        case StructOf(type_name=type_name, fields=fields):
            marked = [f"{'?' if f.optional else ''}{f.name}: {show(f.value)}" for f in fields]
            return f"{type_name}{{{', '.join(marked)}}}"
        case Comprehension():
            names = ", ".join(filter(None, (node.variable, node.second_variable)))
            return (
                f"for {names} in {show(node.range)}: {node.accumulator} = {show(node.initial)}"
                f" while {show(node.condition)}: {show(node.step)} -> {show(node.result)}"
            )


TREES = (
    # operators: levels, sides, chains as balanced trees
    ("1 + 2 * 3 - 4", "_-_(_+_(1, _*_(2, 3)), 4)"),
    ("1 < 2 < 3", "_<_(_<_(1, 2), 3)"),
    ("a in b == c", "_==_(@in(a, b), c)"),
    ("a || b && c", "_||_(a, _&&_(b, c))"),
    ("a && b && c && d", "_&&_(_&&_(a, b), _&&_(c, d))"),
    ("a && b && c", "_&&_(_&&_(a, b), c)"),
    ("a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"),
    ("a || b ? c || d : e", "_?_:_(_||_(a, b), _||_(c, d), e)"),
    ("!a.b", "!_(a.b)"),
    ("!!a", "a"),
    ("!!!a", "!_(a)"),
    ("-a[0]", "-_(_[_](a, 0))"),
    # signs of numbers
    ("- 5", "-5"),
    ("-1.size()", ".size(-1)"),
    ("--1", "1"),
    ("---1", "-_(1)"),
    ("1--1", "_-_(1, -1)"),
    ("1 -1", "_-_(1, 1)"),
    ("!-1", "!_(-1)"),
    ("-1u", "-_(1)"),
    # members
    ("a.b.c(d, e)", ".c(a.b, d, e)"),
    (".a.b", ".a.b"),
    (".a(b)", ".a(b)"),
    ("a.?b[?0][1]", "_[_](_[?_](_?._(a, 'b'), 0), 1)"),
    ("a.if.`b-c/d`", "a.if.b-c/d"),
    ("(a).b", "a.b"),
    ("1.5.size()", ".size(1.5)"),
    # lists, maps, structs
    ("[,]", "[]"),
    ("[?a, b,]", "[?a, b]"),
    ("{,}", "{}"),
    ("{?'a': b, c: d,}", "{?'a': b, c: d}"),
    ("Object{}", "Object{}"),
    ("Object.spec{a: 1, ?`b-c`: d, if: e,}", "Object.spec{a: 1, ?b-c: d, if: e}"),
    (".a.b{c: d{}}", ".a.b{c: d{}}"),
    ("a{b: c}.b", "a{b: c}.b"),
    # macros
    ("has(a.b.c)", "a.b.c~"),
    ("a.all(x, x)", ("for x in a: @result = True while @not_strictly_false(@result): "
                    "_&&_(@result, x) -> @result")),
    ("a.exists(x, x)", ("for x in a: @result = False while @not_strictly_false(!_(@result)): "
                       "_||_(@result, x) -> @result")),
    ("a.exists_one(x, x)", ("for x in a: @result = 0 while True: "
                           "_?_:_(x, _+_(@result, 1), @result) -> _==_(@result, 1)")),
    ("a.map(x, y, z)", ("for x in a: @result = [] while True: "
                       "_?_:_(y, _+_(@result, [z]), @result) -> @result")),
    ("a.filter(x, y)", ("for x in a: @result = [] while True: "
                       "_?_:_(y, _+_(@result, [x]), @result) -> @result")),
    ("a.transformMap(k, v, w)", ("for k, v in a: @result = {} while True: "
                                "cel.@mapInsert(@result, k, w) -> @result")),
    ("a.transformMapEntry(k, v, p, w)", ("for k, v in a: @result = {} while True: "
        "_?_:_(p, cel.@mapInsert(@result, w), @result) -> @result")),
    ("a.optMap(x, y)", ("_?_:_(.hasValue(a), optional.of(for #unused in []: x = .value(a)"
                       " while False: x -> y), optional.none())")),
    ("has()", "has()"),
    ("a.all(x)", ".all(a, x)"),
    # literals
    ("0x1F", "31"),
    ("[1e3, .5, 1.5e-1]", "[1000.0, 0.5, 0.15]"),
    ("'''a\r\n\"b'''", "'a\\n\"b'"),
    (r"r'\d'", "'\\\\d'"),
    (r"'\x41\101\u00e9\U0001F600\?\`'", "'AAé😀?`'"),
    (r"b'\x41\377é'", r"b'A\xff\xc3\xa9'"),
    (r"br'\x'", r"b'\\x'"),
    ("a // b\n + 1", "_+_(a, 1)"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_the_tree_is_that_of_cel_go(text: str, tree: str) -> None:
    assert show(parse(text)) == tree


# Line, column, and start of the message of the first problem; cel-go's texts of syntax errors
# list the tokens of its grammar, ours say what to write.
PROBLEMS = (
    ("--9223372036854775808", 1, 3, "invalid int literal"),
    ("18446744073709551616u", 1, 1, "invalid uint literal"),
    ("1e400", 1, 1, "invalid double literal"),
    ("true ? true ? 1 : 2 : 3", 1, 13, "Syntax error"),
    ("object.in", 1, 8, "Syntax error"),
    ("size([1,],)", 1, 11, "Syntax error"),
    (r"b'\u00e9'", 1, 1, "unable to unescape string"),
    (r"'\ud800'", 1, 1, "invalid unicode code point"),
    (r"'\400'", 1, 1, "Syntax error: token recognition error"),
    ("a = b", 1, 3, "Syntax error: token recognition error"),
    ("{'a' 1}", 1, 6, "Syntax error"),
    ("x ? y", 1, 6, "Syntax error: the expression ends too early"),
    ("-!x", 1, 2, "Syntax error"),
    ("!-x", 1, 3, "Syntax error"),
    ("a ||\n  b c", 2, 5, "Syntax error"),
    ("[1,,]", 1, 4, "Syntax error"),
    ("a.?b(c)", 1, 5, "Syntax error"),
    ("has(object['a'])", 1, 11, "invalid argument to has() macro"),
    ("[1].exists(x, x.y, true)", 1, 16, "argument must be a simple name"),
    ("a.map(b.c, d)", 1, 8, "argument is not an identifier"),
    ("a.all(x, x, true)", 1, 10, "duplicate variable name: x"),
    ("a.all(__result__, x)", 1, 7, "iteration variable overwrites accumulator variable"),
    ("a.optMap(1, x)", 1, 10, "optMap() variable name must be a simple identifier"),
    ("1.sortBy(x, x)", 1, 1, "sortBy can only be applied to a list, identifier"),
    ("if + [for]", 1, 1, "reserved identifier: if"),
    ("x" * 100_001, -1, 0, "expression code point size exceeds limit: size: 100001, limit 100000"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "message"), PROBLEMS)
def test_the_first_problem_is_where_cel_go_has_it(
    text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(CompileError) as raised:
        parse(text)

    problem = raised.value.problems[0]
    assert (problem.line, problem.column) == (line, column)
    assert problem.message.startswith(message)


def test_all_problems_but_those_after_a_syntax_error_are_reported() -> None:
    with pytest.raises(CompileError) as raised:
        parse("[for(has(x)), has(a), 1e400]")

    assert [problem.message for problem in raised.value.problems] == [
        "reserved identifier: for",
        "invalid argument to has() macro",
        "invalid double literal",
    ]


# What is repeated, and how often it passes at most; once more is too deep.
BORDERS = (
    ("(", "1", ")", 249),
    ("[", "1", "]", 249),
    ("1 ? 1 : ", "1", "", 249),
    ("1+2*(", "1", ")", 83),
    ("1+(", "1", ")", 124),
    ("size([", "1", "])", 124),
    ("", "a", ".b", 250),
    ("", "a", "[0]", 250),
    ("", "a", ".trim()", 250),
    ("1+", "1", "", 250),
    ("1==", "1", "", 250),
)


@pytest.mark.parametrize(("before", "inside", "after", "most"), BORDERS)
def test_the_depth_that_passes_is_that_of_cel_go(
    before: str, inside: str, after: str, most: int
) -> None:
    parse(before * most + inside + after * most)
    with pytest.raises(CompileError, match=r"expression recursion limit exceeded|max recursion"):
        parse(before * (most + 1) + inside + after * (most + 1))


@pytest.mark.parametrize("operator", ["&&", "||"])
def test_a_chain_of_logic_has_no_limit(operator: str) -> None:
    parse(operator.join(["a"] * 5000))
    parse("!" * 5001 + "a")


def test_a_byte_limit_is_not_a_limit_of_code_points() -> None:
    parse("'" + "é" * 99_000 + "'")
