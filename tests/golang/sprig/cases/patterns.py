"""Regular expressions."""

from .builders import Questions, combine_choices, repeat_for_functions, table_lines

TEXTS = table_lines(
    r"""
    ""
    "banana"
    "foo bar foo"
    "été 日本"
    "a\nb\nc"
    "a1b22"
    (trunc 2 "été")
    """
)
PATTERNS = table_lines(
    r"""
    ``
    `a`
    `a*`
    `a+?`
    `(a|n)+`
    `^`
    `$`
    `(?m)^.`
    `.`
    `(?s).+`
    `\bfoo\b`
    `\d+`
    `[^a-z\s]+`
    `(?i)BAN`
    `\pL+`
    `\p{Han}`
    `(\w)(\d)?`
    `(?P<x>o+)(?P<y> )?`
    `\Qa1\E`
    `[[:alpha:]]{2,3}`
    `é`
    `\x{65E5}`
    `(a*)*`
    """
)
BAD_PATTERNS = table_lines(
    r"""
    `(`
    `)`
    `[a`
    `a**`
    `*`
    `a++`
    `\`
    `\q`
    `\1`
    `\C`
    `\8`
    `(?`
    `(?=a)`
    `(?<=a>b)`
    `(?<!a)`
    `(?P=x)`
    `(?P<x`
    `(?P<>a)`
    `(?z)`
    `[b-a]`
    `a{1001}`
    `a{2,1}`
    `(a{100}){100}`
    `\p{Foo}`
    `\pX`
    `[[:foo:]]`
    `[z-\d]`
    `\x{`
    `\x{110000}`
    "`("
    "a\xff"
    `x{2}{3}`
    `[]`
    """
)
TEMPLATES = table_lines(
    r"""
    ""
    "<$0>"
    "$1-$2"
    "${1}x"
    "$1x"
    "$x-$y"
    "$$"
    "$"
    "a$"
    "${"
    "${1"
    "$9"
    "$01"
    "${x}!"
    "é$0"
    """
)

QUESTIONS: Questions = {
    "regexFind": (
        *combine_choices(PATTERNS, TEXTS[1:6]),
        *combine_choices(BAD_PATTERNS[:4], ('"a"',)),
    ),
    "mustRegexFind": (
        *combine_choices(PATTERNS[:3], TEXTS),
        *combine_choices(BAD_PATTERNS, ('"a"',)),
    ),
    **repeat_for_functions(
        "regexMatch mustRegexMatch",
        (*combine_choices(PATTERNS, TEXTS[1:3]), *combine_choices(BAD_PATTERNS[:5], ('"a"',))),
    ),
    **repeat_for_functions(
        "regexFindAll regexSplit",
        (
            *combine_choices(PATTERNS, TEXTS[1:5], ("-1",)),
            *combine_choices(PATTERNS[1:5], TEXTS, ("0", "2")),
            *combine_choices(BAD_PATTERNS[:4], ('"a"',), ("-1",)),
        ),
    ),
    **repeat_for_functions(
        "mustRegexFindAll mustRegexSplit",
        (
            *combine_choices(PATTERNS[:4], TEXTS[:3], ("2",)),
            *combine_choices(BAD_PATTERNS[:4], ('"a"', "1")),
        ),
    ),
    "regexReplaceAll": (
        *combine_choices(PATTERNS, TEXTS[1:5], ('"<$0>"',)),
        *combine_choices(("`(o)(x)?`", PATTERNS[17]), (TEXTS[2],), TEMPLATES),
        *combine_choices(BAD_PATTERNS[:4], ('"a"',), ('"b"',)),
    ),
    "mustRegexReplaceAll": (
        *combine_choices(PATTERNS[16:18], TEXTS[:5], ('"$1-$x"',)),
        *combine_choices(BAD_PATTERNS[:4], ('"a"',), ('"b"',)),
    ),
    **repeat_for_functions(
        "regexReplaceAllLiteral mustRegexReplaceAllLiteral",
        (
            *combine_choices(PATTERNS[:6], TEXTS[1:4], ('"$0"',)),
            *combine_choices(BAD_PATTERNS[:4], ('"a"',), ('"b"',)),
        ),
    ),
    "regexQuoteMeta": (*TEXTS, r"`\.+*?()|[]{}^$-é`"),
}
