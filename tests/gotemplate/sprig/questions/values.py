"""Lists, dictionaries, defaults, reflection and JSON."""

from .asking import Questions, combined, each, lines
from .text import VALUES

LISTS = lines(
    r"""
    nil
    (list)
    (list 1 "a" nil 2.5 "" 0)
    (list "b" "a" "b" "b")
    (list (list 1) (list 1) (dict) (dict))
    (splitList "," "x,y,z")
    (splitList "," "")
    (until 4)
    (regexFindAll "z" "abc" -1)
    (chunk 2 (list 1 2 3))
    "text"
    5
    (dict "a" 1)
    (semver "1.2.3")
    """
)
DICTS = lines(
    r"""
    (dict)
    (dict "a" 1 "b" (dict "c" "x") "n" nil "e" "")
    (urlParse "http://h/p")
    (fromJson `{"a":{"b":{"c":[1]}},"b":false}`)
    """
)
FEW_LISTS = (*LISTS[:4], "(until 4)", "5")
NUMBERS = ("0", "1", '"1"', "1.0", "(int64 1)", "nil", "true")
MERGES = lines(
    r"""
    (dict "a" 1 "b" 2) (dict "a" 9 "c" 3)
    (dict "a" "" "b" 0 "c" nil "d" false) (dict "a" "x" "b" 1 "c" 2 "d" true)
    (dict "m" (dict "x" 1)) (dict "m" (dict "x" 2 "y" 3) "n" (dict "z" 4))
    (dict "m" (dict)) (dict "m" (dict "y" 3))
    (dict "m" 1) (dict "m" (dict "y" 3))
    (dict "m" (dict "y" 3)) (dict "m" 1)
    (dict "l" (list 1)) (dict "l" (list 2 3))
    (dict "l" (list)) (dict "l" (list 2 3))
    (dict) (dict "l" (list 2 3))
    (dict "l" "s") (dict "l" (list 2))
    (dict "l" (list 2)) (dict "l" "s")
    (dict "l" (list 2)) (dict "l" (list))
    (dict "a" 1) (dict "a" nil "b" nil)
    (dict "a" 1) (dict "a" "" "b" "")
    (dict "a" nil) (dict "a" (rest (list)))
    (dict "s" (split "," "a,b")) (dict "s" (split "," "c,d,e"))
    (dict "s" (split "," "a,b")) (dict "s" (dict "_0" "x" "_9" "y"))
    (dict "s" (dict "_0" "x")) (dict "s" (split "," "c,d,e"))
    (dict "v" (semver "1.2.3")) (dict "v" (semver "2.0.0"))
    (dict "v" (semver "1.2.3")) (dict "v" (dict "x" 1))
    (dict "v" (dict "x" 1)) (dict "v" (semver "1.2.3"))
    (dict "a" 1)
    (dict "a" 1) (dict "b" 2) (dict "b" 3 "c" 4)
    nil (dict "a" 1)
    (dict "a" 1) nil
    nil nil
    """
)
JSON = lines(
    r"""
    ``
    ` `
    `null`
    `true`
    `-0`
    `1`
    `1.50`
    `1e5`
    `1e21`
    `1e-7`
    `123456789012345678901234567890`
    `1e999`
    `[1,1e999,-1e999]`
    `[]`
    `{}`
    `{"b":1,"a":[1,null,"x",{"y":false}]}`
    `{"a":1,"a":2}`
    `"<&>\u2028\u0000"`
    `"\ud83d\ude00\ud800x\u00e9"`
    `"\udc80"`
    `{"\ud800":1}`
    `  [1]  `
    `[1,]`
    `{"a"}`
    `{"a":}`
    `{,}`
    `nul`
    `nulx`
    `"abc`
    `"\x"`
    `"\u12g4"`
    `"\u12`
    `"\`
    `01`
    `-`
    `-a`
    `1.`
    `1.x`
    `1e`
    `1e+`
    `1ex`
    `[1 2]`
    `[true x`
    `["\ud800"]`
    `{"a" 1}`
    `{"a":1 "b"}`
    `{1:2}`
    `[1]x`
    `NaN`
    `+1`
    `Infinity`
    "\"a\nb\""
    `'a'`
    `{"a":1,}`
    `[`
    `{`
    `{"a"`
    `{"a":1`
    "\xff"
    "\"\xff\""
    `é`
    `.5`
    "\ufeff1"
    "\"\x7f\""
    `[[[]]]x`
    """
)
ENCODED = (
    *VALUES,
    '(dict "b" 1 "a" (dict) "é" (list))',
    '"<a href=\\"x\\">&\\u2028\\u2029\\t\\u0001\\x7f"',
    "0.000001",
    "0.0000001",
    "100000000000000000000.0",
    "(float64 `nan`)",
    "(list (float64 `-inf`))",
    '(dict "k" (list (dict "deep" (split "," "a,b"))))',
    "(list 1i)",
    "(chunk 1 (list 1 2))",
)

QUESTIONS: Questions = {
    **each("list tuple", ("", "nil", '1 "a" (list 2)')),
    **each("first last rest initial reverse compact uniq", LISTS),
    **each("mustFirst mustLast mustRest mustInitial mustReverse mustCompact mustUniq", FEW_LISTS),
    **each("append prepend", combined(LISTS, ('"new"', "nil"))),
    **each("push mustAppend mustPush mustPrepend", combined(FEW_LISTS, ('"new"',))),
    **each("concat", ("", *LISTS, '(list 1) (until 2) (splitList "," "a")', "(list) nil")),
    **each("without", combined(LISTS, ('"b"', 'nil 1 (list 1) "x"', ""))),
    **each("mustWithout", combined(FEW_LISTS, ('"b"',))),
    **each("has", combined(('"b"', "nil", "1", "(dict)", "(list 1)"), LISTS)),
    **each("mustHas", combined(('"b"',), FEW_LISTS)),
    **each("slice", combined(LISTS[1:8], ("", "1", "0 1", "1 3", "2 1", "-1", "0 9"))),
    **each("mustSlice", combined(FEW_LISTS, ("1", "0 9"))),
    **each("chunk", combined(("-4", "-1", "0", "1", "2", "9"), LISTS)),
    **each("mustChunk", combined(("0", "2"), FEW_LISTS)),
    **each("dict", ("", '"a"', '"a" 1', "1 2 nil 3 true 4", '"a" 1 "a" 2', "(list 1) 2")),
    **each("get hasKey unset", combined(DICTS, ('"a"', '"zz"'))),
    **each("set", combined(DICTS[:2], ('"a" 5', '"new" nil'))),
    **each("pick omit", combined(DICTS, ("", '"a"', '"a" "b" "zz"'))),
    **each("pluck", combined(('"a"', '"zz"'), ("", *DICTS, f"{DICTS[1]} {DICTS[3]}"))),
    "keys": (
        "",
        '(dict "a" 1)',
        '(dict "a" 1) (dict "a" 2)',
        f"{{{{ keys {DICTS[1]} {DICTS[2]} | sortAlpha }}}}",
    ),
    "values": (
        "(dict)",
        '(dict "a" (list 1))',
        '{{ values (dict "a" 3 "b" 1 "c" 2) | sortAlpha }}',
    ),
    "dig": (
        *combined(('"a"', '"a" "b"', '"a" "b" "c"', '"zz" "b"', '"b" "x"', "1"), ('"or"',), DICTS),
        '"a" 1',
        '"a" "or" nil',
        "",
        '"n" "x" 0 (dict "n" nil)',
    ),
    **each("merge mergeOverwrite mustMerge mustMergeOverwrite", MERGES),
    **each("deepCopy mustDeepCopy", (*VALUES, *DICTS, '(split "," "a")', '(list (semver "1.0"))')),
    "deepEqual": (
        *combined(NUMBERS, NUMBERS),
        *combined(LISTS[:6], ("(list)", "(rest (list))", '(list "x" "y" "z")')),
        *combined(DICTS, DICTS),
        '(split "," "a") (split "," "a")',
        '(split "," "a") (dict "_0" "a")',
        '(semver "1.2.3") (semver "1.2.3")',
        '(semver "1.2.3") (semver "v1.2.3")',
        '(toDate "2006" "2000") (toDate "2006" "2000")',
        "(float64 `nan`) (float64 `nan`)",
        "(list (float64 `nan`)) (list (float64 `nan`))",
    ),
    **each("empty", (*VALUES, "0", "0.0", '""', "false", "0i", "(dict)", '(split "," "")')),
    **each("default", ('"d"', *combined(('"d"',), (*VALUES, "0", '""', "(dict)")), '1 nil "x"')),
    **each("coalesce all any", ("", "nil", '0 "" nil', '0 "a" nil', '"a" 1 true', "(list) (dict)")),
    **each("ternary", combined(('"yes"', "nil"), ("2",), ("true", "false", "(empty 0)"))),
    **each("fail", ('"for a reason"', '""', '"ü\\n"')),
    **each("typeOf kindOf", VALUES),
    **each(
        "typeIs typeIsLike",
        combined(('"[]interface {}"', '"semver.Version"', '"<nil>"'), VALUES[::2]),
    ),
    **each("kindIs", combined(('"slice"', '"ptr"', '"invalid"'), VALUES[::2])),
    **each("fromJson mustFromJson", JSON),
    **each("toJson toPrettyJson toRawJson", ENCODED),
    **each("mustToJson mustToPrettyJson mustToRawJson", ENCODED[::3]),
}
