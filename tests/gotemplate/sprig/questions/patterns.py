"""Regular expressions."""

from .asking import Questions, combined, each, lines

TEXTS = lines(
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
PATTERNS = lines(
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
BAD_PATTERNS = lines(
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
TEMPLATES = lines(
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
    "regexFind": (*combined(PATTERNS, TEXTS[1:6]), *combined(BAD_PATTERNS[:4], ('"a"',))),
    "mustRegexFind": (*combined(PATTERNS[:3], TEXTS), *combined(BAD_PATTERNS, ('"a"',))),
    **each(
        "regexMatch mustRegexMatch",
        (*combined(PATTERNS, TEXTS[1:3]), *combined(BAD_PATTERNS[:5], ('"a"',))),
    ),
    **each(
        "regexFindAll regexSplit",
        (
            *combined(PATTERNS, TEXTS[1:5], ("-1",)),
            *combined(PATTERNS[1:5], TEXTS, ("0", "2")),
            *combined(BAD_PATTERNS[:4], ('"a"',), ("-1",)),
        ),
    ),
    **each(
        "mustRegexFindAll mustRegexSplit",
        (*combined(PATTERNS[:4], TEXTS[:3], ("2",)), *combined(BAD_PATTERNS[:4], ('"a"', "1"))),
    ),
    "regexReplaceAll": (
        *combined(PATTERNS, TEXTS[1:5], ('"<$0>"',)),
        *combined(("`(o)(x)?`", PATTERNS[17]), (TEXTS[2],), TEMPLATES),
        *combined(BAD_PATTERNS[:4], ('"a"',), ('"b"',)),
    ),
    "mustRegexReplaceAll": (
        *combined(PATTERNS[16:18], TEXTS[:5], ('"$1-$x"',)),
        *combined(BAD_PATTERNS[:4], ('"a"',), ('"b"',)),
    ),
    **each(
        "regexReplaceAllLiteral mustRegexReplaceAllLiteral",
        (
            *combined(PATTERNS[:6], TEXTS[1:4], ('"$0"',)),
            *combined(BAD_PATTERNS[:4], ('"a"',), ('"b"',)),
        ),
    ),
    "regexQuoteMeta": (*TEXTS, r"`\.+*?()|[]{}^$-é`"),
}
