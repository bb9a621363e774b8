"""Lists, dictionaries, defaults, reflection and JSON."""

from .builders import Questions, combine_choices, repeat_for_functions, table_lines
from .text import VALUES

LISTS = table_lines(
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
DICTS = table_lines(
    r"""
    (dict)
    (dict "a" 1 "b" (dict "c" "x") "n" nil "e" "")
    (urlParse "http://h/p")
    (fromJson `{"a":{"b":{"c":[1]}},"b":false}`)
    """
)
FEW_LISTS = (*LISTS[:4], "(until 4)", "5")
NUMBERS = ("0", "1", '"1"', "1.0", "(int64 1)", "nil", "true")
MERGES = table_lines(
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
JSON = table_lines(
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
    **repeat_for_functions("list tuple", ("", "nil", '1 "a" (list 2)')),
    **repeat_for_functions("first last rest initial reverse compact uniq", LISTS),
    **repeat_for_functions(
        "mustFirst mustLast mustRest mustInitial mustReverse mustCompact mustUniq", FEW_LISTS
    ),
    **repeat_for_functions("append prepend", combine_choices(LISTS, ('"new"', "nil"))),
    **repeat_for_functions(
        "push mustAppend mustPush mustPrepend", combine_choices(FEW_LISTS, ('"new"',))
    ),
    **repeat_for_functions(
        "concat", ("", *LISTS, '(list 1) (until 2) (splitList "," "a")', "(list) nil")
    ),
    **repeat_for_functions("without", combine_choices(LISTS, ('"b"', 'nil 1 (list 1) "x"', ""))),
    **repeat_for_functions("mustWithout", combine_choices(FEW_LISTS, ('"b"',))),
    **repeat_for_functions(
        "has", combine_choices(('"b"', "nil", "1", "(dict)", "(list 1)"), LISTS)
    ),
    **repeat_for_functions("mustHas", combine_choices(('"b"',), FEW_LISTS)),
    **repeat_for_functions(
        "slice", combine_choices(LISTS[1:8], ("", "1", "0 1", "1 3", "2 1", "-1", "0 9"))
    ),
    **repeat_for_functions("mustSlice", combine_choices(FEW_LISTS, ("1", "0 9"))),
    **repeat_for_functions("chunk", combine_choices(("-4", "-1", "0", "1", "2", "9"), LISTS)),
    **repeat_for_functions("mustChunk", combine_choices(("0", "2"), FEW_LISTS)),
    **repeat_for_functions(
        "dict", ("", '"a"', '"a" 1', "1 2 nil 3 true 4", '"a" 1 "a" 2', "(list 1) 2")
    ),
    **repeat_for_functions("get hasKey unset", combine_choices(DICTS, ('"a"', '"zz"'))),
    **repeat_for_functions("set", combine_choices(DICTS[:2], ('"a" 5', '"new" nil'))),
    **repeat_for_functions("pick omit", combine_choices(DICTS, ("", '"a"', '"a" "b" "zz"'))),
    **repeat_for_functions(
        "pluck", combine_choices(('"a"', '"zz"'), ("", *DICTS, f"{DICTS[1]} {DICTS[3]}"))
    ),
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
        *combine_choices(
            ('"a"', '"a" "b"', '"a" "b" "c"', '"zz" "b"', '"b" "x"', "1"), ('"or"',), DICTS
        ),
        '"a" 1',
        '"a" "or" nil',
        "",
        '"n" "x" 0 (dict "n" nil)',
    ),
    **repeat_for_functions("merge mergeOverwrite mustMerge mustMergeOverwrite", MERGES),
    **repeat_for_functions(
        "deepCopy mustDeepCopy", (*VALUES, *DICTS, '(split "," "a")', '(list (semver "1.0"))')
    ),
    "deepEqual": (
        *combine_choices(NUMBERS, NUMBERS),
        *combine_choices(LISTS[:6], ("(list)", "(rest (list))", '(list "x" "y" "z")')),
        *combine_choices(DICTS, DICTS),
        '(split "," "a") (split "," "a")',
        '(split "," "a") (dict "_0" "a")',
        '(semver "1.2.3") (semver "1.2.3")',
        '(semver "1.2.3") (semver "v1.2.3")',
        '(toDate "2006" "2000") (toDate "2006" "2000")',
        "(float64 `nan`) (float64 `nan`)",
        "(list (float64 `nan`)) (list (float64 `nan`))",
    ),
    **repeat_for_functions(
        "empty", (*VALUES, "0", "0.0", '""', "false", "0i", "(dict)", '(split "," "")')
    ),
    **repeat_for_functions(
        "default", ('"d"', *combine_choices(('"d"',), (*VALUES, "0", '""', "(dict)")), '1 nil "x"')
    ),
    **repeat_for_functions(
        "coalesce all any", ("", "nil", '0 "" nil', '0 "a" nil', '"a" 1 true', "(list) (dict)")
    ),
    **repeat_for_functions(
        "ternary", combine_choices(('"yes"', "nil"), ("2",), ("true", "false", "(empty 0)"))
    ),
    **repeat_for_functions("fail", ('"for a reason"', '""', '"ü\\n"')),
    **repeat_for_functions("typeOf kindOf", VALUES),
    **repeat_for_functions(
        "typeIs typeIsLike",
        combine_choices(('"[]interface {}"', '"semver.Version"', '"<nil>"'), VALUES[::2]),
    ),
    **repeat_for_functions(
        "kindIs", combine_choices(('"slice"', '"ptr"', '"invalid"'), VALUES[::2])
    ),
    **repeat_for_functions("fromJson mustFromJson", JSON),
    **repeat_for_functions("toJson toPrettyJson toRawJson", ENCODED),
    **repeat_for_functions("mustToJson mustToPrettyJson mustToRawJson", ENCODED[::3]),
}
