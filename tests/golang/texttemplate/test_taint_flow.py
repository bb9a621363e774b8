"""Every function that a template can call says how it treats the text of a pod, and does so."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import mesh, protojson
from podgraft.core.injectors.istio.data import mesh_types
from podgraft.core.injectors.istio.render import functions
from podgraft.core.injectors.istio.render.functions import add_render
from podgraft.core.injectors.overlay.data import FUNCTIONS, OverlayData
from podgraft.golang import sprig
from podgraft.golang.reflect.taint import PlaceholderRegistry
from podgraft.golang.reflect.tainted_values import taint_json
from podgraft.golang.texttemplate import BUILTINS, Function, Propagation, SyntaxRisk, compile_


def of_release(profile: releases.Profile) -> Mapping[str, Function]:
    types = mesh_types.types(protojson.schema(profile))
    known = functions.template_functions(profile, mesh.proxy_defaults(profile), {}, types)
    return add_render(known)


NEWEST = of_release(releases.newest())
TABLES: tuple[tuple[str, Mapping[str, Function]], ...] = (
    ("builtins", BUILTINS),
    *((f"sprig {release}", sprig.functions(release)) for release in sprig.RELEASES),
    ("overlays", FUNCTIONS),
    ("istio", {**functions._TABLE, **NEWEST}),  # pyright: ignore[reportPrivateUsage]
)


@pytest.mark.parametrize(("table", "known"), TABLES, ids=[table for table, _ in TABLES])
def test_every_function_is_classified(table: str, known: Mapping[str, Function]) -> None:
    missing = [
        name
        for name, each in known.items()
        if not each.unsupported_reason and (each.propagation is None or each.syntax_risk is None)
    ]
    assert not missing, table


@pytest.mark.parametrize(("table", "known"), TABLES, ids=[table for table, _ in TABLES])
def test_a_serializer_can_write_a_tree(table: str, known: Mapping[str, Function]) -> None:
    serializers = {
        name for name, each in known.items() if each.propagation is Propagation.SERIALIZES
    }
    assert all(known[name].serializer for name in serializers), table


CANARY = "zqj"
# The function's name, and its arguments: V is a text of the pod in which the canary is, L a list
# and D a map of such texts.
CALLS = {
    "and": "1 V", "or": "V 1", "index": "D `k`", "slice": "L 0 1", "html": "V", "js": "V",
    "print": "V 1 L", "printf": "`%s-%v-%q` V D L", "println": "V", "urlquery": "V",
    "upper": "V", "lower": "V", "title": "V", "trim": "V", "trimall": "`x` V", "trimAll": "`x` V",
    "trimPrefix": "`x` V", "trimSuffix": "`x` V", "replace": "`x` `y` V", "repeat": "2 V",
    "trunc": "9 V", "substr": "0 9 V", "indent": "2 V", "nindent": "2 V", "split": "`,` V",
    "splitn": "`,` 2 V", "splitList": "`,` V", "plural": "V V 1", "untitle": "V", "swapcase": "V",
    "nospace": "V", "abbrev": "9 V", "abbrevboth": "5 9 V", "wrap": "9 V", "wrapWith": "9 `x` V",
    "snakecase": "V", "kebabcase": "V", "camelcase": "V", "toString": "V", "toStrings": "L",
    "join": "`,` L", "quote": "V", "squote": "V", "cat": "V 1 V", "list": "V", "tuple": "V",
    "concat": "L L", "sortAlpha": "L", "append": "L V", "push": "L V", "prepend": "L V",
    "first": "L", "last": "L", "rest": "L", "initial": "(append L 1)", "reverse": "L",
    "compact": "L", "uniq": "L", "without": "L 1", "chunk": "1 L", "dict": "V V",
    "get": "D `k`", "set": "(dict) V V", "unset": "D `x`", "pluck": "`k` D", "keys": "D",
    "values": "D", "pick": "D `k`", "omit": "D `x`", "dig": "`k` 1 D", "merge": "(dict) D",
    "mergeOverwrite": "(dict) D", "deepCopy": "L", "default": "V ``", "coalesce": "`` V",
    "ternary": "V 1 true", "b64dec": "(V | b64enc)", "b32dec": "(V | b32enc)",
    "fromJson": "(V | quote)", "toJson": "D", "toPrettyJson": "D", "toRawJson": "D",
    "toYaml": "D", "regexQuoteMeta": "V", "regexFind": "`.*` V", "regexFindAll": "`.*` V -1",
    "regexSplit": "`,` V -1", "regexReplaceAll": "`x` V `y`",
    "regexReplaceAllLiteral": "`x` V `y`", "urlParse": "(print `http://h/` V)", "base": "V",
    "dir": "(print V `/a`)", "clean": "V", "osBase": "V", "semver": "(print `1.2.3-` V)",
    "initials": "V", "join ": "`,` (list V)",
}  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), CALLS.items())
def test_no_function_loses_the_taint_of_a_text(name: str, arguments: str) -> None:
    """The masked text of whatever it returns, or is made of that, is without the pod's text."""
    operands = arguments.replace("V", ".v").replace("L", ".l").replace("D", ".d")
    call = f"({name} {operands})"
    forms = (call, f"(print {call})", f"(toJson {call})", f"(list {call} | toStrings | first)")
    slots = PlaceholderRegistry()
    data = taint_json(slots, {"v": CANARY, "l": [CANARY], "d": {"k": CANARY}})
    for form in forms:
        program = compile_(f"{{{{ {form} }}}}", name="x", functions=FUNCTIONS)
        trace = program.trace(data, slots)

        assert CANARY not in trace.masked_text.lower(), form
        assert trace.text == program.render({"v": CANARY, "l": [CANARY], "d": {"k": CANARY}})


NUMBERS = (
    *("printf `%c` (atoi .n)", "printf `%c` .i", "repeat (atoi .n) `x`", "print .i"),
    # Serialized numbers, and times.
    *("toJson .i", "toYaml .i", "toRawJson (list .i)", "printf `%c` (atoi (toJson .i))"),
    *("toYaml (len .n)", "date `05` (toDate `05` .n)", "(toDate `05` .n).Second"),
    *("unixEpoch (toDate `05` .n)", "toDate `05` .n", "print (deepCopy (toDate `05` .n))"),
    # Numbers below a number.
    *("range (atoi .n) }}{{ printf `%c` . }}{{ end", "range $i := .i }}{{ $i }}{{ end"),
    *("toJson (toDate `05` .n)", "((toDate `05` .n).AddDate 1 0 0).Format `05`"),
)


@pytest.mark.parametrize("number", [58, 58.0])
@pytest.mark.parametrize("form", ["IntVal", "IntValue", "String", "MarshalJSON"])
def test_a_field_with_an_own_json_form_is_followed(form: str, number: float) -> None:
    slots = PlaceholderRegistry()
    program = compile_(
        f"{{{{ (index .Spec.Containers 0).LivenessProbe.HTTPGet.Port.{form} }}}}",
        name="x",
        functions=FUNCTIONS,
    )
    container = {"livenessProbe": {"httpGet": {"port": number}}}
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container]}}
    data = OverlayData(taint_json(slots, pod), "", {}, {}).to_struct()

    assert slots.placeholder_ids(program.trace(data, slots).masked_text)


@pytest.mark.parametrize("form", NUMBERS)
def test_numbers_of_a_text_are_followed(form: str) -> None:
    slots = PlaceholderRegistry()
    data = taint_json(slots, {"n": "58", "i": 58})
    program = compile_(f"{{{{ {form} }}}}", name="x", functions=FUNCTIONS)

    assert slots.placeholder_ids(program.trace(data, slots).masked_text)


REDUCTIONS = ("replace `z` `: `", "trimAll `xPz0`", "printf `%.3s`", "trimSuffix `x`", "wrap 4")


@pytest.mark.parametrize("form", REDUCTIONS)
def test_a_text_that_equals_its_placeholder_is_no_constant(form: str) -> None:
    program = compile_(f"{{{{ {form} .v }}}}", name="x", functions=FUNCTIONS)
    for text in ("xPz000000zPx", "xPz000001zPx", "xPz", "xPzevil", "-"):
        slots = PlaceholderRegistry()
        trace = program.trace(taint_json(slots, {"v": text}), slots)
        assert not trace.text or slots.placeholder_ids(trace.masked_text), (form, text)


@pytest.mark.parametrize("form", ["printf `a: b`", "plural `a: b` `c` 1", "print `a: ` `b`"])
def test_a_constant_result_is_a_constant(form: str) -> None:
    slots = PlaceholderRegistry()
    source = f"{{{{ {form} }}}}{{{{ ternary `a: b` `` (ne .v ``) }}}}"
    program = compile_(source, name="x", functions=FUNCTIONS)
    trace = program.trace(taint_json(slots, {"v": CANARY}), slots)
    assert trace.masked_text == trace.text


HARMS = (
    # template, whether it can make syntax of harmless text
    ("{{ .a }}", False),
    ("{{ .a | trunc 5 }}", True),
    ("{{ .a | trunc 5 | quote }}", False),
    ("{{ (.a | trunc 5) | quote }}", False),
    ("{{ $x := .a | trunc 5 | quote }}", True),
    ("{{ .a | b64dec | quote }}", True),
    ('{{ printf "%s:%d" .a .b }}', False),
    ('{{ printf "%.3s" .a }}', True),
    ('{{ printf "%c" .b }}', True),
    ("{{ printf .a }}", True),
    ("{{ indent 2 .a }}", False),
    ("{{ indent .b .a }}", True),
    ("{{ range splitList `,` .a }}{{ end }}", True),
    ("{{ (.a | trunc 5).b }}", True),
    ("{{ define `t` }}{{ trunc 1 . }}{{ end }}", True),
    ("a: &x b\nc: {{ .a }}", True),
    ("a: &-x b\nc: {{ .a }}", True),
    ("a: x && y\nc: {{ .a }}", False),
    ("{{ .t.Format .a }}", True),
    ("{{ .a | .t.Format }}", True),
    ("{{ (.t).Format .a | quote }}", True),
    ("{{ .t.Format `05` }}", False),
    ("{{ if contains `x` .a }}x{{ end }}", False),
)


@pytest.mark.parametrize(("template", "can_create_syntax"), HARMS)
def test_a_template_that_makes_no_syntax_is_known(template: str, can_create_syntax: bool) -> None:
    assert compile_(template, name="x", functions=FUNCTIONS).can_create_syntax is can_create_syntax


def test_what_is_not_classified_is_not_trusted() -> None:
    known = {"new": Function(str, (BUILTINS["len"].parameters[0],))}
    slots = PlaceholderRegistry()
    program = compile_("{{ new .v }}", name="x", functions=known)

    assert program.can_create_syntax
    assert CANARY not in program.trace(taint_json(slots, {"v": CANARY}), slots).masked_text
    assert SyntaxRisk.POSSIBLE is not SyntaxRisk.NONE
