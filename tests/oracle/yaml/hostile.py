"""Texts and values on which readers and writers of YAML disagree."""

from podgraft.base.jsonvalue import JSON

# Scalars on which YAML's readers disagree.
SCALARS = (
    "", "~", "null", "Null", "NULL", "nULL", "y", "Y", "n", "N", "yes", "Yes", "YES", "yEs", "no",
    "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "true", "True", "TRUE", "tRue", "false",
    "False", "FALSE", "t", "f", "o", "0", "00", "-0", "+0", "1", "+1", "-1", "01", "07", "08",
    "089", "0o7", "0o17", "0O17", "0o8", "-0o7", "0x1F", "0X1f", "0x", "0xG", "+0x1", "-0x1",
    "0x_f", "0b1", "0B11", "0b", "0b2", "-0b11", "+0b11", "0b+1", "0b-101", "0b_1", "1_000", "1__0",
    "_1", "1_", "-_1", "+_", "0_0", "0_7", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "+18446744073709551615", "123456789012345678901234567890", "0777777777777777777777777",
    "0xffffffffffffffff", "0x10000000000000000", "1.", "1.0", "-0.0", "0.1", "1.5", "1e3", "1E3",
    "1e+3", "1e-3", "1e", "1e400", "-1e400", "1e-400", "1.5e-7", "1e20", "1e21", "1e22", "1_000.5",
    ".5", "+.5", "-.5", ".5e3", ".5_0", "._5", ".5_", ".5__0", ".e1", ".1e400", ".", "..", "...x",
    "+", "-", "+-1", "1.2.3", "0.1.2", "1,000", ".inf", ".Inf", ".INF", "+.inf", "-.inf", "-.Inf",
    "inf", "+inf", ".nan", ".NaN", ".NAN", "nan", "+.nan", "0x1p3", "0x1.8", "Infinity", "12:30:45",
    "1:2", "190:20:30.15", "1:60", "2001-01-01", "2001-1-1", "2001-13-01", "2001-02-29",
    "2000-02-29", "1900-02-29", "2001-1-1 1:2:3", "2001-1-1  1:2:3", "2001-1-1T1:2:3Z",
    "2001-1-1t1:2:3z", "2001-1-1T1:2:3", "2001-1-1T1:2:3.5+01:00", "2001-1-1T1:2:3,5Z",
    "2001-1-1T24:2:3Z", "2001-1-1T1:60:3Z", "2001-1-1T1:2:3+24:60", "2001-1-1T1:2:3+25:00",
    "2001-1-1T1:2:3+0100", "2001-1-1T1:2Z", "2001-1-1 1:2:3Z", "02001-1-1", "2001-1-0", "2001-0-1",
    "2001-1-32", "2001-1-001", "=", "<<", "<", "x", "a b", "é", "漢字", "\U0001f600", "a:b", "a#b",
    "$(A)", "/bin/sh", "10m", "1Gi", "1e3m", "8080:80", "1337",
)  # fmt: skip

TAGS = (
    "!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!!timestamp", "!!merge", "!!set",
    "!foo", "!", "!<tag:yaml.org,2002:int>",
)  # fmt: skip

# Whole texts: structure, keys, anchors, merges, styles, documents, and what is wrong with them.
TEXTS = (
    # nothing, or nearly nothing
    "", "\n", "# only", "---", "---\n---\na", "--- a\n--- b", "a\n...\nb",
    "---\na: 1\n...\n---\nb: 2", "\ufeffa: 1", "%YAML 1.1\n---\na: 1", "%YAML 2.0\n---\na: 1",
    "%FOO bar\n---\na", "%TAG !e! tag:example.com,2000:\n---\n!e!foo x",
    "%TAG !i! tag:yaml.org,2002:\n---\n!i!int '1'",
    "%YAML 1.2\n---\na: 1", "%YAML 1.0\n---\na: 1", "%YAML 1.3\n---\na: 1", "%YAML 1\n---\na: 1",
    "%YAML 1.\n---\na: 1", "%YAML 1.01\n---\na: 1", "%YAML  1.1 # c\n---\na: 1",
    "%YAML 1.1 x\n---\na", "%YAML 1.1\n%YAML 1.1\n---\na: 1", "%YAML 1.1\na: 1",
    "%YAML 1.2\n--- {a: 1}", " %YAML 1.2\n---\na", "a: 1\n---\n%YAML 1.2\n",
    "a: 1\n...\n%YAML 1.2\n---\nb", "%TAG !! tag:x,2000:\n---\n!!int 4", "%YAML 1.2\n",
    "# c\n%YAML 1.2\n---\na: 1", "\ufeff%YAML 1.2\n---\na: 1", "'%YAML 1.2'",
    # block structure
    "a:\n- b\n- c\nd: e", "a:\n  - b\n - c", "- - a\n  - b\n- c", "-\n - a", "- a\n b", "- a\n-b",
    "-b", "- a: 1\n  b: 2", "- a: 1\n   b: 2", "a:\n b: 1\n  c: 2", "a:\n  b:\n    - c: [d]\n",
    "a: - b", "a: -", "a: b: c", "a: 1 b: 2", "a: 1\n b: 2", "a:\n\tb: 1", "\ta: 1", "a:\tb",
    "-\ta", "a: b\t# c", "a : b", "a:: b", "a: :", ": a", ":", "- :", "a:b", "a:\nb:\n",
    "a:\r\n- b\r\n", "a: 1\rb: 2", "a: ? b", "a: ?", "? a\n? b", "? a\n: b\n? c\n: d",
    "? |\n  a\n: b", "x: y z\n  w\nq: 1", "x: y\n\n  z", "a\u00a0: 1",
    # flow structure
    "[]", "{}", "[a, b]", "[a,]", "[a,,b]", "[,]", "{,}", "{a, b: 1}", "{a: 1,}", "[a: b]",
    "[a: b, c: d]", '{"a":1}', '{"a":"b","c":[1,2,{"d":null}]}', "{'a':1}", "{a:1}", "[\n1,\n2]",
    "a: [\n1\n]\nb: 2", "a: {\nb: 1}", "[abc", "{abc", "a: [b", "[a]]", "{a: 1}}", "[a] b",
    "{? a : b}", "- {a: 1, b: [2]}",
    # quoted and block scalars
    '"abc', "'abc", '"a" b', "a: 'b''c'", 'a: "b" # c', "a: b# c", "a: b #c",
    '"\\n\\t\\"\\\\\\0\\x41\\u00e9"', '"\\U0001F600\\e\\N\\_\\L\\P"', '"\\q"', '"\\x4"',
    '"\\ud83d\\ude00"', '"\\ud800"', '"\\\n  a"', '"a\\\n  b"', 'a: "x\n  y\n\n  z"', "a: 'x\n  y'",
    '"a\u0085b"', '"a\u2028b"', "a: |\n  x\n  y\n", "a: |-\n  x\n\n", "a: |+\n  x\n\nb: 1",
    "a: >\n  x\n  y\n\n  z\n", "a: >-\n\n  x\n", "a: |2\n   x\n", "a: |0\n x", "a: |\n\tx",
    "a: |\n   x\n  y\n", "a: |\n  x\n # c\nb: 1", "a: |\r\n  b\r\n", "- |\n a\n- >\n b\n",
    "--- |\n a\n", "a: |\n  {{ x }}\n  - y: z\n", "@a", "`a", "%a", "a: @b", "a: %b", "a\x00b",
    "a\x7f", "a\x1bb",
    # keys
    "1: a", "1.5: a", "1.0: a", "0.1: a", "3.141592653589793: a", "1e6: a", "1e7: a",
    "16777217.0: a", "1e300: a", "-1e300: a", "1e-50: a", ".inf: a", "-.inf: a", ".nan: a",
    "yes: a", "n: a", "0x10: a", "-1: a", "2001-01-01: a", "null: a", "~: a", "? \n: a",
    "9223372036854775808: a", "!!str 1: a", "!!binary aGk=: a", "[a]: 1", "{a: 1}: 2", "? [a]\n: 1",
    "'': 1", '"": 1', "<<", '"<<": {a: 1}', "a: 1\na: 2", "{a: 1, a: 2}", "a: {b: 1, b: 2}\na: 3",
    "a: 1\n'a': 2", "a: 1\nb: 2\na: 3\nb: 4",
    # anchors, aliases, merges
    "a: &x 1\nb: *x", "a: &x [1]\nb: *x\nc: [*x, *x]", "&x a: *x", "? &x a\n: *x", "*x : 1",
    "a: &x k\n*x : 1", "a: &x 1.0\n*x : 1", "a: &x [1]\n*x : 1", "a: *b", "a: &b", "a: &x\nb: *x",
    "a: &x 1\nb: &x 2\nc: *x", "a: &x [*x]", "&x {a: *x}", "a: &x {b: &x 1}\nc: *x", "*a", "&a",
    "&a &b c", "a: &a.b 1\nb: *a.b", "x: &x {k: 1, j: 2}\ny:\n  <<: *x\n  z: 3",
    "x: &x {k: 1}\ny: {<<: *x, k: 2}", "x: &x {k: 1}\ny: {k: 2, <<: *x}",
    "a: &a {k: 1}\nb: &b {k: 2, j: 3}\nc:\n  <<: [*a, *b]", "<<: {a: 1}", "<<: [{a: 1}, {b: 2}]",
    "<<: {a: 1}\n<<: {b: 2}", "<<: 1", "<<: [1]", "<<: [[{a: 1}]]", "a: &a [{b: 1}]\n<<: *a",
    "a: <<", "!!merge <<: {a: 1}", "!!str <<: {a: 1}", "{<<: {a: {<<: {b: 1}}}}", "- <<", "<<:",
    "! <<: {a: 1}",
    # tags
    "!!str\n- a", "!!map {a: 1}", "!!seq [1]", "!!str {a: 1}", "!\n- a", "!a !b c", "!!int !!str c",
    "a: !b", "!!binary aGk=", "!!binary |\n aGk=\n", "!!binary a", "!!binary 'gICA'",
    "!!binary aGl=", "!!binary ====", "!!binary ''", "!!null ''", "!!null x", "!!null b",
    "!!bool ''", "!!int ''", "!!float 1", "!!float 18446744073709551615",
    "!!float 9007199254740993", "!!int 1.0", "!!timestamp 2001-01-01", "!!timestamp '2001-01-01'",
    "!!timestamp x", "!!timestamp 1", "!!float .inf", "!!int 0x_f", "!!bool 'yes'", "!!null '~'",
)  # fmt: skip

# One list of ten scalars, and lists that each repeat the one before ten times: few of them are
# allowed, then it is a bomb.
BOMBS = tuple(
    "".join(
        f"{name}: &{name} [{', '.join([f'*{before}' if before else 'x'] * 10)}]\n"
        for before, name in zip(("", *"abcdefg"), "abcdefgh"[:levels], strict=False)
    )
    for levels in range(1, 9)
)

# Pieces of strings that a writer must quote, escape, fold or leave alone.
PIECES = (
    "a", "word", "longer words here", "0", "1", ".", "-", ":", "#", " ", "  ", "\n", "\t", "'", '"',
    "\\", "{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "?", "---", "...", "=",
    "<", "_", "é", "漢", "\U0001f600", "\u2028", "\u2029", "\xa0", "\r", "\x01", "\x1b", "\ue000",
    "x" * 30, "y " * 20,
)  # fmt: skip

STRINGS = (
    "a: b", "a:", ": a", ":a", "a #b", "a# b", "#a", "- a", "-a", "-", "--", "---", "--- a", "...",
    "...a", "? a", "?a", "?", "@a", "`a", "%a", "!a", "&a", "*a", "|a", "> a", "'a", '"a', "a'b",
    'a"b', "a\\b", "a\\", "[a", "{a}", "]", "a]", "a, b", " ", "  ", " a", "a ", "a  b", "\t",
    "a\tb", "a\tb\n", "\n", "\n\n", "\na", "a\n", "a\n\n", "a\nb", " a\nb", "a \nb", "a\n b",
    "a\nb ", "a\n ", " \n", "\n \n", "  a\n b\n", "a\n\nb\n", "#a\nb", "- a\n- b\n", "a: b\nc: d\n",
    "\r", "a\rb", "a\r\nb", "\u2028", "a\u2028b", "a\u2028", "a\u2028'b", "a\u2028\nb",
    "a\nb\u2028", "a \u2028b", "\ufeffa b", "a\ufeff", "\x00", "\x1b[0m", "\xa0", "a\xa0b",
    "\ud7ff", "\ue000", "\ufffd", "\U00010000", "{{ .Values.x }}", "[[ annotation .x ]]",
    "sh -c 'echo \"$HOME\"'", "word " * 30, " word" * 30, "word " * 30 + "\n", "'" + " word" * 30,
    "\t" + " word" * 30, "x" * 200, "x" * 79 + " " + "y" * 30, "x" * 85 + "  " + "y" * 5,
    "x" * 85 + " ", "\t" + "x" * 85 + "  " + "y", "x" * 85 + " y z", "é " * 60,
)  # fmt: skip

VALUES: tuple[JSON, ...] = (
    None, True, False, 0, 1, -1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 10**20,
    10**30, 10**309, 0.0, -0.0, 1.0, 0.1, 1.5, 100000.0, 999999.5, 1e6, 1000000.5, 123456789.0,
    1e18, 1e19, 1e20, 1e21, 1e22, 2.0**53, 2.0**63, 2.0**64, 1e-4, 1e-5, 1.5e-7, 1e300, 5e-324, [],
    {}, [[]], [{}], {"a": []}, {"a": {}}, [1, [2, [3, []]]], [[["a"]], "b"],
    {"a": [{"b": [{"c": 1}]}]}, [{"a": 1, "b": 2}, {"c": [1]}], {"a": {"b": {"c": "x\ny"}}},
    ["x\ny\n", ["z\n"]], {"a": "x\n\n", "b": 1}, {"k" * 128: 1}, {"k" * 129: 1}, {"k" * 129: [1]},
    {"k" * 129: {"a": [1]}}, {"é" * 65: "v"}, {"a\nb": 1}, {"a\nb": {"c": 1}}, {"a\nb\n": [1, 2]},
    {"": 1}, {"a b " * 25: "v " * 50}, {"b10": 1, "b9": 1, "b1": 1, "b01": 1, "b": 1},
    {"a-1": 1, "a1": 1, "aa": 1, "a.1": 1, "a_1": 1, "A": 1, "B": 1},
    {"app.kubernetes.io/name": 1, "app": 1, "app-2": 1, "app10": 1, "app9": 1},
    {"é": 1, "e": 1, "z": 1, "1": 1}, {"10": 1, "9": 1, "1.5": 1, "true": 1, "yes": 1, "null": 1},
    {"v1beta1": 1, "v1": 1, "v10": 1, "v2": 1}, {"a100": 1, "a99": 1, "a1000000000000000000000": 1},
    {"a00": 1, "a0": 1, "a": 1, "a000": 1},
)  # fmt: skip

STREAM_LINES = (
    "---\n", "--- # x\n", "---\n# c\n", "...\n", "# c\n", "\n", "a: 1\n", "- b\n", "---a\n",
    "--- a\n", "x: |\n  b\n---\n", "\r\n", "a: 1\r\n---\r\n", "---\t\n", " ---\n", "b: 2",
    "c: {\n---\n}\n",
)  # fmt: skip
