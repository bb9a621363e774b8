"""Values of types that templates meet in data: named, sized, pointed to, nil and structs."""

from typing import Any

from .builders import Questions, combine_choices, repeat_for_functions

DATA: dict[str, Any] = {
    "point": {"$type": "main.Point", "value": {"X": 1, "Y": 2}},
    "same": {"$type": "main.Point", "value": {"X": 1, "Y": 2}},
    "pointer": {"$type": "*main.Point", "value": {"X": 3, "Y": 4}},
    "nowhere": {"$type": "*main.Point"},
    "size": {"$type": "*main.Size", "value": {"Bytes": 7}},
    "bare": {"$type": "main.Size", "value": {"Bytes": 7}},
    "fault": {"$type": "main.Fault", "value": {"Reason": "no"}},
    "number": {"$type": "*int", "value": 5},
    "level": {"$type": "main.Level", "value": 2},
    "word": {"$type": "main.Word", "value": "a<b"},
    "flag": {"$type": "main.Flag", "value": True},
    "unset": {"$type": "main.Flag"},
    "ratio": {"$type": "main.Ratio", "value": 0.1},
    "small": {"$type": "int8", "value": -8},
    "large": {"$type": "uint64", "value": 18446744073709551615},
    "byte": {"$type": "uint8", "value": 7},
    "single": {"$type": "float32", "value": 1e-7},
    "complex": {"$type": "complex64", "value": [1, 0]},
    "labels": {"$type": "main.Labels", "value": {"b": "2", "a": "1"}},
    "unlabelled": {"$type": "main.Labels"},
    "strings": {"$type": "map[string]string", "value": {"a": "x", "b": ""}},
    "lists": {"$type": "map[string][]string", "value": {"a": ["x"], "n": None}},
    "numbered": {"$type": "map[int]string", "value": [[10, "x"], [9, "y"]]},
    "answers": {"$type": "map[bool]int", "value": [[True, 1]]},
    "path": {"$type": "main.Path", "value": ["a", "b"]},
    "nothing": {"$type": "[]string"},
    "bytes": {"$type": "[]uint8", "value": [104, 105]},
    "pair": {"$type": "[2]int", "value": [1, 2]},
    "none": {"$type": "[0]int", "value": []},
    "points": {"$type": "[]main.Point", "value": [{"X": 1, "Y": 2}, {"X": 1, "Y": 2}]},
    "pointers": {"$type": "[]*main.Point", "value": [{"X": 1, "Y": 2}, None]},
    "anys": {"$type": "[]interface {}"},
    "map": {"$type": "map[string]interface {}"},
    "things": {"$type": "*[]int", "value": [3, 1]},
}
FIELDS = tuple(f".{name}" for name in DATA)
# Whose text is no address.
PRINTED = tuple(field for field in FIELDS if field not in (".number", ".pointers", ".things"))
LISTS = (
    ".path",
    ".nothing",
    ".bytes",
    ".pair",
    ".none",
    ".points",
    ".pointers",
    ".anys",
    ".things",
)

QUESTIONS: Questions = {
    **repeat_for_functions("typeOf kindOf empty", FIELDS),
    **repeat_for_functions("toString quote squote cat", PRINTED),
    **repeat_for_functions(
        "toJson mustToJson toPrettyJson toRawJson", (*FIELDS, "(dict `k` .point)")
    ),
    **repeat_for_functions("int float64 toDecimal add1 ceil", FIELDS[:22]),
    **repeat_for_functions("join", combine_choices(('","',), PRINTED)),
    **repeat_for_functions("typeIsLike", combine_choices(('"main.Point"', '"int"'), FIELDS[:12])),
    **repeat_for_functions("deepCopy", FIELDS),
    **repeat_for_functions(
        "deepEqual",
        (
            *combine_choices((".point", ".pointer", ".path", ".flag"), FIELDS[:24]),
            ".same .point",
            ".anys (list)",
            ".map (dict)",
            ".labels .labels",
            ".points .points",
            ".pair .pair",
            ".complex .complex",
        ),
    ),
    **repeat_for_functions("first last rest initial reverse uniq compact concat", LISTS),
    **repeat_for_functions("sortAlpha toStrings", (*LISTS[:6], LISTS[7])),
    **repeat_for_functions("slice", combine_choices(LISTS, ("", "1", "0 3"))),
    **repeat_for_functions("has", combine_choices((".same", "1", '"a"', "nil"), LISTS)),
    **repeat_for_functions("without", combine_choices(LISTS, (".same", '"a" 1'))),
    **repeat_for_functions("append", combine_choices(LISTS, (".small",))),
    **repeat_for_functions("get hasKey unset", combine_choices((".map", ".strings"), ('"a"',))),
    **repeat_for_functions("set", ('.map "a" 1',)),
    **repeat_for_functions("keys values", (".map",)),
    **repeat_for_functions("pick omit", ('.map "a"',)),
    **repeat_for_functions("pluck", ('"a" .map (dict "a" 1)',)),
    **repeat_for_functions(
        "dig", ('"a" "x" 0 (dict "a" .strings)', '"a" "x" 0 (dict "a" .map)', '"a" 0 .map')
    ),
    **repeat_for_functions("urlJoin", ('(dict "host" .word)', '(dict "host" .level)')),
    **repeat_for_functions(
        "merge mergeOverwrite mustMerge mustMergeOverwrite",
        (
            ".map .map",
            '.map (dict "a" 1)',
            *combine_choices(
                ('(dict "k" (dict "a" "y" "z" 1))', '(dict "k" "s")', '(dict "k" (list 1))'),
                tuple(f'(dict "k" {field})' for field in FIELDS),
            ),
            *(f'(dict "k" {field}) (dict "k" (dict "a" "y"))' for field in FIELDS),
            *(f'(dict "k" {field}) (dict "k" (dict "a" (list 1)))' for field in FIELDS),
            *(f'(dict "k" {field}) (dict "k" (list 1))' for field in FIELDS),
            '(dict "k" .strings) (dict "k" .labels)',
            '(dict "k" .labels) (dict "k" .strings)',
            '(dict "k" .strings) (dict "k" .numbered)',
            '(dict "k" .lists) (dict "k" .lists)',
            '(dict "k" (dict)) (dict "k" .lists)',
            '(dict "k" .lists) (dict "k" .strings)',
            '(dict "k" .pointer) (dict "k" .nowhere)',
            '(dict "k" .number) (dict "k" .number)',
            '(dict "k" .point) (dict "k" .same)',
        ),
    ),
}
