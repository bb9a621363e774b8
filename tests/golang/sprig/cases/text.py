"""Strings, words, casing, conversion to text, encodings and paths."""

from .builders import Questions, combine_choices, repeat_for_functions, table_lines

TEXTS = table_lines(
    r"""
    ""
    "hello"
    "Hello wide  World"
    "  \t padded\n"
    "a,b,,c"
    "it's an_under-score"
    "été Straße 日本 ΑΣ İ ǆ"
    "line\nbreak\r\n"
    (trunc 2 "été")
    (b64dec "YcM=")
    "\u00a0no\u2003break\u0085"
    """
)
NAMES = table_lines(
    r"""
    ""
    "a"
    "_"
    "-x-"
    "FirstName"
    "HTTPServer"
    "NoHTTPS"
    "GO_PATH"
    "GO PATH"
    "http2xx"
    "HTTP20xOK"
    "Duration2m3s"
    "Bld4Floor3rd"
    "_complex__case_"
    "some.dotted Name!"
    "ÉtéStraße日本ᾨ"
    "x1Y22-z"
    "12ab34"
    (trunc 4 "aBé日")
    (b64dec "/w==")
    (printf "a%sBc%s" (b64dec "/w==") (b64dec "/w=="))
    (printf "%sA%sBc" (b64dec "/w==") (b64dec "/w=="))
    """
)
COUNTS = ("-3", "-1", "0", "1", "4", "7", "100")
VALUES = table_lines(
    r"""
    nil
    "a\"b\\"
    1
    -1.5
    1e+06
    1e21
    true
    (list)
    (list 1 "a" nil 2.5)
    (dict "k" (list nil))
    (splitList "," "x,y")
    (semver "v1.2.3-a+b")
    (toDate "2006-01-02" "2017-12-31")
    (until 3)
    (rest (list))
    (b64dec "/w==")
    'x'
    1i
    (int64 5)
    """
)
PATHS = table_lines(
    r"""
    ""
    "/"
    "//"
    "."
    ".."
    "/.."
    "a/b/c.txt"
    "/a/b/"
    "a//b/./c/.."
    "../../a"
    "/../a"
    "a/../.."
    ".bashrc"
    "a.tar.gz"
    "a.b/c"
    "a."
    "é/ü.x"
    """
)
BASE64 = table_lines(
    r"""
    ""
    "aGk="
    "aGk"
    "aGVsbG8gd29ybGQ="
    "a==="
    "="
    "YQ==x"
    "YQ=a"
    "YQ="
    "Y\nQ=\r=\n"
    "YWI=x"
    "YR=="
    "!GVs"
    "aGVs!"
    "é"
    "/w=="
    "_-8="
    """
)
BASE32 = table_lines(
    r"""
    ""
    "NBSWY3DP"
    "MY======"
    "MY====="
    "MY"
    "MZXW6YQ="
    "MZX====="
    "m"
    "M======="
    "MZXW6="
    "MY======AB"
    "MY======ABCDEFGH"
    "M\nY======"
    "1"
    "MY=====A"
    "MZXW6YT="
    "ÿ"
    """
)

QUESTIONS: Questions = {
    **repeat_for_functions("hello", ("",)),
    **repeat_for_functions("upper lower title trim untitle swapcase initials nospace", TEXTS),
    **repeat_for_functions("toString quote squote", VALUES),
    **repeat_for_functions("snakecase kebabcase camelcase", NAMES),
    **repeat_for_functions("base dir clean ext isAbs", PATHS),
    **repeat_for_functions("osBase osDir osClean osExt osIsAbs", PATHS[::4]),
    **repeat_for_functions("b64dec", BASE64),
    **repeat_for_functions("b32dec", BASE32),
    **repeat_for_functions("b64enc b32enc sha1sum sha256sum sha512sum adler32sum", TEXTS[:9]),
    **repeat_for_functions(
        "trunc indent nindent", combine_choices(COUNTS, (TEXTS[1], TEXTS[7], '"日本"'))
    ),
    **repeat_for_functions(
        "repeat", combine_choices(("-1", "0", "1", "3"), ('""', '"ab"', '(trunc 1 "é")'))
    ),
    **repeat_for_functions(
        "abbrev",
        combine_choices(
            ("0", "3", "4", "5", "8", "100"), ('"hello world"', '"日本語テキスト"', '""')
        ),
    ),
    **repeat_for_functions(
        "abbrevboth",
        combine_choices(
            ("-5", "0", "4", "5", "20"), ("3", "4", "7", "10"), ('"1234 5678 9123 éé"',)
        ),
    ),
    **repeat_for_functions(
        "wrap",
        combine_choices(
            ("-1", "0", "5", "10"), ('"hello wide world"', '"abcdefghijkl mn o"', '""', '" 日本 x"')
        ),
    ),
    **repeat_for_functions(
        "wrapWith",
        combine_choices(
            ("0", "5", "10"), ('""', '"\\t"', '"é"'), ('"hello abcdefghijkl  mn"', '"日本語"')
        ),
    ),
    **repeat_for_functions(
        "trimAll trimall",
        combine_choices(('""', '"$"', '" é"', '"\\xff"'), ('"$é x é$"', '""', '"\\xffa\\xfe"')),
    ),
    **repeat_for_functions(
        "trimPrefix trimSuffix contains hasPrefix hasSuffix",
        combine_choices(('""', '"a"', '"é"', '"\\xc3"'), ('""', '"aba"', '"éaé"', '"日"')),
    ),
    **repeat_for_functions(
        "replace",
        combine_choices(
            ('""', '"a"', '"\\xa9"'), ('""', '"-"', '"\\xc3"'), ('"banana"', '"é日"', '""')
        ),
    ),
    **repeat_for_functions(
        "substr", combine_choices(("-1", "0", "2"), ("-1", "0", "3", "9"), ('"hello"', '"é"'))
    ),
    **repeat_for_functions(
        "plural", combine_choices(('"one"',), ('"many"',), ("-1", "0", "1", "2"))
    ),
    **repeat_for_functions(
        "split splitList",
        combine_choices(('","', '""', '"b"', '"\\xa9"'), ('"a,b,,c"', '""', '"é日"')),
    ),
    **repeat_for_functions(
        "splitn", combine_choices(('","', '""'), ("-1", "0", "1", "2", "9"), ('"a,b,c"', '"é日x"'))
    ),
    **repeat_for_functions("join", combine_choices(('", "', '""'), VALUES)),
    **repeat_for_functions("toStrings", (*VALUES, '(list "b" "a" "é" "B" "10" 9)')),
    **repeat_for_functions(
        "sortAlpha",
        (
            *VALUES,
            '(list "b" "a" "é" "B" "10" 9)',
            '{{ $l := splitList "," "b,a" }}{{ sortAlpha $l }} {{ $l }}',
            '{{ $l := list "b" "a" }}{{ sortAlpha $l }} {{ $l }}',
        ),
    ),
    **repeat_for_functions(
        "cat", ("", '"a"', "nil", '1 nil "b" 2.5 true', '(list 1) (dict "a" 1)', '"%d" 1')
    ),
}
