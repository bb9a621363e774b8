"""Text of a pod never becomes structure, whatever functions it passes; nothing else is refused."""

from __future__ import annotations

from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha1

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.injectors.istio.pod_builder import pod_annotations
from podgraft.core.review_context import ReviewContext
from support.opcount import count_lines, measure_growth

from .hostile_templates import (
    Render,
    check_object,
    istio_renderer,
    make_mesh,
    make_pod,
    render_overlay,
)

HOSTILE = """x
  - name: evil
    image: evil
    securityContext: {privileged: true}
"""
OTHERS = (
    HOSTILE,
    "x: y",
    "- a",
    "a\n- b",
    "{a: b}",
    "x\n---\na: b",
    "&a b",
    "*a",
    "null",
    "$patch",
)
VALUE = '(index .ObjectMeta.Annotations "cfg")'
SECOND = '(index .ObjectMeta.Annotations "cfg2")'

WAYS: tuple[tuple[str, Render], ...] = (
    ("overlay", render_overlay),
    *((release, istio_renderer(release)) for release in ("1.9", "1.13", "1.24", "1.30")),
)


def base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def base32(text: str) -> str:
    return b32encode(text.encode()).decode()


def split_base64(text: str) -> tuple[str, str]:
    coded = base64(text)
    return coded[: len(coded) // 2], coded[len(coded) // 2 :]


NAMES: tuple[str, ...] = ("cfg", "cfg2")

# F1: the expression, and how the annotations hide a text from who looks at them.
DECODERS: tuple[tuple[str, Callable[[str], tuple[str, ...]]], ...] = (
    (f"{VALUE} | b64dec", lambda text: (base64(text),)),
    (f"{VALUE} | b64dec | b64dec", lambda text: (base64(base64(text)),)),
    (f"{VALUE} | b32dec | b64dec", lambda text: (base32(base64(text)),)),
    (f'{VALUE} | trimPrefix "b64:" | b64dec', lambda text: (f"b64:{base64(text)}",)),
    (
        f'index (splitList "." {VALUE}) 1 | b64dec',
        lambda text: (f"abc.{base64(text)}.sig",),
    ),
    (
        f'{VALUE} | replace "-" "+" | replace "_" "/" | b64dec',
        lambda text: (urlsafe_b64encode(text.encode()).decode(),),
    ),
    (f"cat {VALUE} {SECOND} | nospace | b64dec", split_base64),
)
# What else makes text of a pod: each gets letters that are harmless, or text that is not.
MAKERS: tuple[tuple[str, Callable[[str], tuple[str, ...]]], ...] = (
    *DECODERS,
    (VALUE, lambda text: (text,)),
    (f'{VALUE} | replace "_" ": "', lambda _: ("a_b",)),
    (f'{VALUE} | replace "," "\\n  - "', lambda text: (text.replace("\n", ","),)),
    (f"{VALUE} | trunc 5", lambda _: ("evil:xxx",)),
    (f'{VALUE} | trunc 63 | trimSuffix "-"', lambda _: ("evil:-",)),
    (f"substr 0 5 {VALUE}", lambda _: ("evil:xxx",)),
    (f"slice {VALUE} 0 5", lambda _: ("evil:xxx",)),
    (f'regexFind "^[^x]*" {VALUE}', lambda _: ("evil:xxx",)),
    (f'regexReplaceAll "(.)_" {VALUE} "$1: "', lambda _: ("a_b",)),
    (f'printf "%.5s" {VALUE}', lambda _: ("evil:xxx",)),
    (f'printf "%s%c %s" {VALUE} (atoi {SECOND}) {VALUE}', lambda _: ("a", "58")),
    (f'printf "%s%c %s" {VALUE} (len {SECOND}) {VALUE}', lambda _: ("a", ":" * 58)),
    (f'printf "%s%c %s" {VALUE} (index {SECOND} 0) {VALUE}', lambda _: ("a", ":")),
    (f'printf "%s%c %s" {VALUE} (add {SECOND} 1) {VALUE}', lambda _: ("a", "57")),
    (f'repeat (atoi {VALUE}) "x\\n  - "', lambda _: ("3",)),
    (f'printf {VALUE} "x"', lambda _: ("a: %s",)),
    (f"(fromJson {VALUE}).k", lambda text: (_json(text),)),
    (f"index (fromJson {VALUE} | values) 0", lambda text: (_json(text),)),
    (f"range $k, $v := fromJson {VALUE} }}}}{{{{ $k }}}}{{{{ end", lambda _: ('{"a: b": 1}',)),
    (f"(urlParse {VALUE}).path", lambda _: ("http://h/a:%20b",)),
    (f'join ": " (splitList "," {VALUE})', lambda _: ("a,b",)),
    (f"print (dict {VALUE} 1)", lambda text: (text,)),
    (f'get (dict "a" {VALUE}) "a"', lambda text: (text,)),
    (f"index (dict {VALUE} 1 | keys) 0", lambda text: (text,)),
    (f"list {VALUE} | toStrings | first", lambda text: (text,)),
    (f"list {VALUE} | sortAlpha | first", lambda text: (text,)),
    (f"snakecase {VALUE}", lambda text: (text,)),
    (f"{VALUE} | squote", lambda _: ("a': 'b",)),
    (f"html {VALUE}", lambda _: ("a: b",)),
)  # fmt: skip


def _json(text: str) -> str:
    import json

    return json.dumps({"k": text})


def make_template(expression: str) -> str:
    return (
        "spec:\n  containers:\n  - name: agent\n    image: agent:1\n    args:\n"
        f"    - {{{{ {expression} }}}}\n"
    )


def render_args_or_error(
    render: Render, expression: str, annotations: dict[str, str]
) -> str | JSON:
    """The message with which a pod is refused, or the arguments of the container."""
    pod = make_pod(annotations)
    try:
        result = render(make_template(expression), pod)
    except UserError as error:
        return str(error)
    spec = check_object(result["spec"])
    containers = {
        check_object(each)["name"]: check_object(each) for each in _list(spec["containers"])
    }
    assert set(containers) == {"app", "agent"}
    assert set(containers["agent"]) <= {"name", "image", "args"}
    return containers["agent"]["args"]


def _list(value: JSON) -> list[JSON]:
    assert isinstance(value, list)
    return value


@pytest.mark.parametrize("text", OTHERS, ids=repr)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(("expression", "hide"), MAKERS, ids=[each for each, _ in MAKERS])
def test_no_function_makes_structure_of_text(
    expression: str, hide: Callable[[str], tuple[str, ...]], way: tuple[str, Render], text: str
) -> None:
    annotations = dict[str, str](zip(NAMES, hide(text), strict=False))
    if way[0] != "overlay" and "fromJson" in expression:
        expression = expression.replace("fromJson", "fromJSON")

    result = render_args_or_error(way[1], expression, annotations)

    if isinstance(result, str):
        assert "cfg" in result.split(":")[0]
    else:
        (value,) = _list(result)
        assert value is None or isinstance(value, str)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(("expression", "hide"), DECODERS, ids=[each for each, _ in DECODERS])
def test_decoded_structure_is_rejected_with_the_name_of_the_annotation(
    expression: str, hide: Callable[[str], tuple[str, ...]], way: tuple[str, Render]
) -> None:
    annotations = dict[str, str](zip(NAMES, hide(HOSTILE), strict=False))

    message = render_args_or_error(way[1], expression, annotations)

    place = "/metadata/annotations/cfg" if way[0] == "overlay" else "annotation cfg"
    assert isinstance(message, str)
    assert message.startswith(f"{place}: its text would change the structure")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(("expression", "hide"), DECODERS, ids=[each for each, _ in DECODERS])
def test_plain_text_can_be_decoded(
    expression: str, hide: Callable[[str], tuple[str, ...]], way: tuple[str, Render]
) -> None:
    annotations = dict[str, str](zip(NAMES, hide("some words"), strict=False))

    assert render_args_or_error(way[1], expression, annotations) == ["some words"]


V = '(index .ObjectMeta.Annotations "v")'
# F11: the expression, the annotation, what comes out.
LOOKS = (
    (f'{{{{ if contains "," {V} }}}}many{{{{ else }}}}one{{{{ end }}}}', "80,443", "many"),
    (f'{{{{ if eq {V} "a, b" }}}}x{{{{ else }}}}y{{{{ end }}}}', "a, b", "x"),
    (f'{{{{ if hasPrefix "{{" {V} }}}}json{{{{ else }}}}text{{{{ end }}}}', '{"a":1}', "json"),
    (f'{{{{ if regexMatch "^[0-9]+%$" {V} }}}}pct{{{{ else }}}}no{{{{ end }}}}', "50%", "pct"),
    (f'{{{{ ternary "on" "off" (ne ({V} | trim) "") | quote }}}}', "  ", "off"),
    (f'n{{{{ len (regexFindAll "[^,]+" {V} -1) }}}}', "a,b,c", "n3"),
    # What passed before
    (f"{{{{ sha1sum {V} }}}}", "a: b\n", "SHA"),
    (f"n{{{{ len {V} }}}}", "a: b", "n4"),
    (f"{{{{ {V} | quote }}}}", 'a: "b"', 'a: "b"'),
    (f"{{{{ {V} | toJson }}}}", 'a: "b"', 'a: "b"'),
    (f"{{{{ {V} | b64enc }}}}", "a: b", "YTogYg=="),
    (f'{{{{ {V} | replace ": " "=" | quote }}}}', "a: b", "a=b"),
    (f"{{{{ {V} | trim | quote }}}}", " a: b ", "a: b"),
    (f'{{{{ join "_" (regexFindAll "[a-z]" {V} -1) | quote }}}}', "a: b", "a_b"),
    # Other tests
    (f"{{{{ if empty {V} }}}}x{{{{ else }}}}z{{{{ end }}}}", "a: b", "z"),
    (f'{{{{ if lt {V} "b" }}}}x{{{{ else }}}}y{{{{ end }}}}', "a: b", "x"),
    (f'{{{{ if semverCompare ">=1.2.0" {V} }}}}x{{{{ else }}}}y{{{{ end }}}}', "1.3.0", "x"),
    (f'{{{{ if has "b" (splitList ", " {V}) }}}}x{{{{ else }}}}y{{{{ end }}}}', "a, b", "x"),
    (f"{{{{ kindOf {V} }}}}", "a: b", "string"),
    (f'{{{{ default "x" ({V} | trim) | quote }}}}', "\n", "x"),
)  # fmt: skip


@pytest.mark.parametrize("way", [WAYS[0], WAYS[-1], WAYS[1]], ids=lambda way: way[0])
@pytest.mark.parametrize(("expression", "value", "expected"), LOOKS)
def test_a_template_that_compares_a_value_rejects_no_pod(
    expression: str, value: str, expected: str, way: tuple[str, Render]
) -> None:
    if way[0] != "overlay":
        expression = expression.replace("toJson", "quote")  # Istio's takes maps
    template = f"metadata:\n  annotations:\n    out: {expression}\n"
    result = way[1](template, make_pod({"v": value}))

    digest = sha1(value.encode(), usedforsecurity=False).hexdigest()
    assert pod_annotations(result)["out"] == expected.replace("SHA", digest)


# White space that YAML folds or drops, and what it reads; a scalar remains one scalar.
FOLDED = (
    ("{{ V }}", "x ", "x"),
    ("{{ V }}", " x\t", "x"),
    ("{{ V }}", " x\n", "x"),
    ("{{ V }}", "x\r\n\n", "x"),
    ("{{ V }}", "x\u0085", "x"),
    ("{{ V }}", "a\n      b", "a b"),
    ("--level={{ V }}", "debug\n", "--level=debug"),
    ('"{{ V }}"', "a\n\n b\n", "a\nb "),
    ('"{{ V }}"', "C:\\n", "C:\n"),
    ('"{{ V }}"', "a\\\n\n  b", "a\nb"),
    ('"{{ V }}"', '\\x41 # \\"', 'A # "'),
    ("'{{ V }}'", '[\n  {"name": "macvlan"}\n]\n', '[ {"name": "macvlan"} ] '),
    ("'{{ V }}, b'", "a\n", "a , b"),
    ("'{{ V }}'", "it''s", "it's"),
    ("'{{ V }}'", "a\u2028b", "a\u2028b"),
    ("[{{ V }}, b]", "a\n\n", ["a", "b"]),
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(("written", "text", "expected"), FOLDED)
def test_white_space_and_escapes_that_yaml_reads_are_accepted(
    written: str, text: str, expected: str | list[str], way: tuple[str, Render]
) -> None:
    args = written if isinstance(expected, list) else f"\n    - {written}"
    template = f"spec:\n  containers:\n  - name: agent\n    args: {args}\n".replace("V", V)
    result = way[1](template, make_pod({"v": text}))

    containers = map(check_object, _list(check_object(result["spec"])["containers"]))
    (args,) = [each["args"] for each in containers if each["name"] == "agent"]
    assert args == (expected if isinstance(expected, list) else [expected])


# Texts that end their scalar, so the rest of it is lost, or that get another type.
CUT = (
    ("{{ V }}", "x # y"),
    ("{{ V }}/proxy:1", "evil #"),
    ("{{ V }}/proxy:1", "evil\t# "),
    ("{{ V }}", "'x'"),
    ('"{{ V }}/proxy:1"', 'evil" #'),
    ('"{{ V }}"', 'evil" #'),
    ("'{{ V }}/proxy:1'", "evil' #"),
    ("{{ V }}", "~"),
    ("{{ V }}", "null\n"),
    ("{{ V }}", "\n"),
    ("{{ V }}", "&a x"),
    ("{{ V }}", "!!str x"),
    # A comment after a block, and after text that a function rewrote.
    ("|-\n      {{ V }} --secure", "x\n#"),
    (">\n      {{ V }} --secure", "x\r\n  #"),
    ('{{ print "hub/" V | trim }}/proxy:1', "evil # "),
    ('"{{ print `hub/` V | trim }}/proxy:1"', 'evil" # '),
    ('{{ print "hub/" V | html }}/proxy:1', "< #"),
    ('{{ print "hub/" V | js }}/proxy:1', "< #"),
    # An output that is more or less than the text of a scalar.
    ('{{ print "hub/" V "/proxy:1" | replace "_" "-" | squote }}', "ev_il' #"),
    ('{{ printf `"hub/%s/proxy:1"` V | replace "_" "-" }}', 'ev_il" #'),
    ('{{ printf "hub/%s/proxy:1 # x" V | replace "_" "-" }}', "ev_il #"),
    ('{{ printf "a\\n    tty: true\\n    workingDir: /%s/x" V | replace `_` `-` }}', "ev_il #"),
    (
        '{{ printf "a\\n    tty: true\\n    workingDir: /%s-x-%s" V V | replace `_` `-` }}',
        "ev_il #",
    ),
    ('{{ printf "a\\n    tty: true\\n    workingDir: x%sx" V | replace `_` `-` }}', " #_"),
    ('{{ printf `"hub/%s:1"` V | replace "_" "-" }}', 'ev_il:1" #'),
    ("{{ printf `'hub/%s:1'` V | replace `_` `-` }}", "ev_il:1' #"),
    ('"{{ print `a\\"b/` V | trim }}/proxy:1"', 'evil" # '),
    ("'{{ print `it''s/` V | trim }}/proxy:1'", "evil' # "),
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(("written", "text"), CUT)
def test_a_text_that_ends_its_scalar_is_refused(
    written: str, text: str, way: tuple[str, Render]
) -> None:
    template = (
        "spec:\n  containers:\n  - name: agent\n    args:\n    - last\n    image: " + written + "\n"
    ).replace("V", V)
    place = "/metadata/annotations/v: " if way[0] == "overlay" else "annotation v: "
    with pytest.raises(UserError) as caught:
        way[1](template, make_pod({"v": text}))

    assert str(caught.value).startswith(place)


# Functions rewrite these texts, and the constant text around them is complete.
REWRITTEN = (
    ('{{ print "hub/" V "/proxy:1" | replace "_" "-" | squote }}', "a_b", "hub/a-b/proxy:1"),
    ('{{ print "hub/" V "/proxy:1" | replace "_" "-" | quote }}', 'a_"#', 'hub/a-"#/proxy:1'),
    ('{{ printf `"hub/%s/%s:1"` V V | replace "_" "-" }}', "a_b", "hub/a-b/a-b:1"),
    ('{{ printf "hub/%s/proxy:1 # x" V | replace "_" "-" }}', "a_b", "hub/a-b/proxy:1"),
    ("'{{ print `it''s/` V | trim }}/proxy:1'", " a ", "it's/ a/proxy:1"),
    ('{{ printf "%s-x-%s\\n    tty: true" V V | replace "_" "-" }}', "a_b", "a-b-x-a-b"),
    ('{{ printf "x%sx\\n    tty: true" V | replace "_" "" }}', "_", "xx"),
    ('{{ print V "-" | trimSuffix "--" }}', "a-", "a"),
    ('{{ print "a " V " b" | nospace | squote }}', " ", "ab"),
    ("'{{ print ` ` V ` b` | replace ` b` `c` }}'", " b", " cc"),
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(("written", "text", "expected"), REWRITTEN)
def test_a_rewritten_text_is_accepted(
    written: str, text: str, expected: str, way: tuple[str, Render]
) -> None:
    template = f"spec:\n  containers:\n  - name: agent\n    image: {written.replace('V', V)}\n"
    spec = check_object(way[1](template, make_pod({"v": text}))["spec"])

    assert check_object(_list(spec["containers"])[0])["image"] == expected


@pytest.mark.parametrize(
    "lists", ["list {made} {own}", "list {own} {made}", "list {made} {made} {own}"]
)
def test_a_text_that_equals_one_with_constants_is_still_of_the_pod(lists: str) -> None:
    made = '(printf "k: %s" (index .ObjectMeta.Annotations "b"))'
    written = lists.format(made=made, own='(index .ObjectMeta.Annotations "v")')
    template = f'x: {{{{ {written} | toJson | replace "\\"" "" }}}}\n'
    thing: Object = {"apiVersion": "example.com/v1", "kind": "Thing"}

    def apply(text: str) -> Object:
        metadata: Object = {"annotations": {"b": "y", "v": text}}
        return render_overlay(template, {**thing, "metadata": metadata})

    assert "plain" in _list(apply("plain")["x"])
    with pytest.raises(UserError):
        apply("k: y")


@pytest.mark.parametrize(
    ("key", "text"),
    [("1000", "1e3"), ("1.5", "1.50"), ("app", "app"), ("true", "yes"), ('"8"', "0o10")],
)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_no_spelling_of_a_key_replaces_a_key_of_the_template(
    key: str, text: str, way: tuple[str, Render]
) -> None:
    template = f"metadata:\n  labels:\n    {key}: a\n    {{{{ {V} }}}}: b\n"

    assert check_object(way[1](template, make_pod({"v": "other"}))["metadata"])["labels"]
    with pytest.raises(UserError):
        way[1](template, make_pod({"v": text}))


# A key of the pod, and a mapping in which it would replace a key of the template.
MERGED = (
    ("k: &a {key: b}\n    l:\n      <<: *a\n      {{ V }}: evil", "key"),
    ("k: &a {key: b}\n    l:\n      <<: [*a]\n      {{ V }}: evil", "key"),
    ("k: &a { {{ V }}: evil}\n    l:\n      key: b\n      <<: *a", "key"),
    ("k: &a {key: b}\n    l: &b {<<: *a}\n    m:\n      <<: *b\n      {{ V }}: evil", "key"),
    ("l:\n      key: b\n      !!binary {{ V }}: evil", "a2V5"),
    ("l:\n      key: b\n      !!str {{ V }}: evil", "key"),
)


@pytest.mark.parametrize(("written", "text"), MERGED)
@pytest.mark.parametrize("way", WAYS[1:], ids=lambda way: way[0])
def test_no_merge_or_tag_replaces_a_key_of_the_template(
    written: str, text: str, way: tuple[str, Render]
) -> None:
    template = f"metadata:\n  extra:\n    {written.replace('V', V)}\n"

    assert way[1](template, make_pod({"v": "b3Ro"}))
    with pytest.raises(UserError, match=r"^annotation v: its text would change the structure"):
        way[1](template, make_pod({"v": text}))


@pytest.mark.parametrize("release", ["1.8", "1.9", "1.30"])
@pytest.mark.parametrize(
    "text", ["Image", "IMAGE", "SecurityContext", "securitycontext", "\u017fecurityContext"]
)
def test_no_other_case_of_a_key_replaces_a_field(release: str, text: str) -> None:
    value = "{privileged: true}" if "ontext" in text else "evil"
    template = (
        "spec:\n  containers:\n  - name: agent\n    image: a\n"
        f"    securityContext: {{privileged: false}}\n    {{{{ {V} }}}}: {value}\n"
    )

    assert istio_renderer(release)(template, make_pod({"v": "other"}))
    with pytest.raises(UserError, match=r"^annotation v: .* is set twice, in another case"):
        istio_renderer(release)(template, make_pod({"v": text}))


@pytest.mark.parametrize("release", ["1.9", "1.30"])
def test_no_plain_text_ends_the_document(release: str) -> None:
    template = f"metadata:\n  labels: {{a: b}}\n{{{{ {V} }}}}: x\nspec:\n  priority: 1\n"
    render = istio_renderer(release)

    assert check_object(render(template, make_pod({"v": "..x y"}))["spec"])["priority"] == 1
    with pytest.raises(UserError, match=r"^annotation v: its text would change the structure"):
        render(template, make_pod({"v": "... x"}))


# The start of syntax in a template, and a plain text that makes syntax of it.
STARTS = (
    ("a: x\n    ${{ V }}: replace", "patch"),
    ("a: x\n    {{ print `$` V }}: replace", "patch"),
    ("a: x\n    {{ `$` }}{{ V }}: delete", "patch"),
    ("a: !!{{ V }} YQ==", "binary"),
    ("a: !<tag:yaml.org,2002:{{ V }}> YQ==", "binary"),
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(("written", "text"), STARTS)
def test_no_plain_text_completes_syntax_of_the_template(
    written: str, text: str, way: tuple[str, Render]
) -> None:
    template = f"metadata:\n  labels:\n    {written.replace('V', V)}\n"
    with pytest.raises(UserError, match=r"v: its text would change the structure"):
        way[1](template, make_pod({"v": text}))


def test_a_template_writes_directives_for_plain_text() -> None:
    template = f"metadata:\n  labels:\n    $patch: replace\n    a: {{{{ {V} }}}}\n"
    metadata = check_object(render_overlay(template, make_pod({"v": "patch"}))["metadata"])

    assert metadata["labels"] == {"a": "patch"}


ORDERED = """containers:
  - {name: agent, image: a}
  $setElementOrder/containers:
  - name: agent
  - name: "{{ V | trim }}"
"""
SELECTING = ('containers:\n  - name: "{{ V }}"\n    tty: true\n', ORDERED)


@pytest.mark.parametrize("written", SELECTING)
def test_a_text_selects_no_other_elements_of_a_list(written: str) -> None:
    template = f"spec:\n  {written.replace('V', V)}"

    assert render_overlay(template, make_pod({"v": "app"}))
    with pytest.raises(UserError, match=r"^/metadata/annotations/v: its text would change"):
        render_overlay(template, make_pod({"v": "*"}))


@pytest.mark.parametrize("written", ["{{ `*` }}", "{{ with V }}*{{ end }}"])
def test_a_template_selects_other_elements_of_a_list(written: str) -> None:
    template = f'spec:\n  containers:\n  - name: "{written.replace("V", V)}"\n    tty: true\n'

    spec = check_object(render_overlay(template, make_pod({"v": "*"}))["spec"])
    (container,) = _list(spec["containers"])
    assert check_object(container)["tty"] is True


def test_the_comparison_of_keys_is_linear() -> None:
    """The hashes of keys have another order than their placeholders."""
    template = (
        "{{ $d := dict }}{{ range $k, $v := .ObjectMeta.Annotations }}"
        "{{ $_ := set $d (sha1sum $k) $v }}{{ end }}"
        "metadata:\n  labels:\n{{ toYaml $d | indent 4 }}\n"
    )

    def cost(count: int) -> int:
        pod = make_pod({f"k{index}": f"v: {index}" for index in range(count)})
        return count_lines(lambda: render_overlay(template, pod))

    cost(1)
    assert measure_growth(cost, 100) < 2.5


@pytest.mark.parametrize(
    "form", ["X", "X | quote", "dict `k` (X) | toJson | squote", "printf `p %s s` (X)", "Y"]
)
def test_a_serialized_map_can_have_keys_of_the_pod(form: str) -> None:
    """Their placeholders have another place among the keys of the template."""
    made = f"dict `m` `1` {V} `x` `zz` `2` | toJson"
    form = form.replace("X", made).replace("Y", made.replace("toJson", "toYaml"))
    template = f"metadata:\n  labels:\n    {{{{- toYaml (dict `out` ({form})) | nindent 4 }}}}\n"
    for text in ("a: b", "m: b", "~"):
        labels = check_object(
            check_object(render_overlay(template, make_pod({"v": text}))["metadata"])["labels"]
        )
        assert text in str(labels["out"])


CONCURRENCY = (
    {"proxy.istio.io/config": "concurrency: 58"},
    {"proxy.istio.io/config": "concurrency: 0", "sidecar.istio.io/proxyCPU": "58"},
)


@pytest.mark.parametrize("annotations", CONCURRENCY)
def test_the_concurrency_of_a_pod_is_its_own_text(annotations: dict[str, str]) -> None:
    template = "metadata:\n  labels: {a: b, {{ printf `c%c d` .EstimatedConcurrency }}}\n"
    with pytest.raises(UserError, match="annotation proxy"):
        istio_renderer("1.13")(template, make_pod(annotations))


KEPT = (
    ("{{ V | quote }}", " x\t"),
    ("{{ V | toJson }}", "x: 'y'\n"),
    ('"{{ V }}"', " x # y "),
    ("'{{ V }}'", "x: y"),
    ("pre-{{ V }}", "x-y"),
    ("'{{ toJson V }}'", 'a "b" \\'),
    ('"{{ range .ObjectMeta.Annotations }}{{ . }},{{ end }}"', "a: b"),
    ("|-\n      {{ V | indent 6 | trim }}", "a: b\n\nc"),
    ("|\n      {{- V | nindent 6 }}", "a: b\n- c"),
    ("{{ V }}", "http://a/?b=c&d"),
    ("{{ V }}", "é [x] {y}"),
)


@pytest.mark.parametrize(("written", "text"), KEPT)
def test_text_that_stays_in_its_scalar_is_accepted(written: str, text: str) -> None:
    template = f"metadata:\n  annotations:\n    out: {written.replace('V', V)}\n"

    out = pod_annotations(render_overlay(template, make_pod({"v": text})))["out"]

    assert text.strip().split("\n")[0].replace('"', "").replace("\\", "")[:3] in out.replace(
        '"', ""
    ).replace("\\", "")


# F14: the author's value breaks the template, or what it writes.
BREAKS = (
    ('{{ index .ObjectMeta.Annotations "cfg" | trunc 63 | trimSuffix "-" }}', "evil:-"),
    ('{{ index .ObjectMeta.Annotations "cfg" | trunc 5 }}', "evil:xxx"),
    ('{{ if semverCompare ">=1.2.0" (index .ObjectMeta.Annotations "cfg") }}new{{ end }}', ">"),
    ("{{ (index .ObjectMeta.Annotations `cfg` | mustFromJson).a }}", "{"),
    ("{{ index (index .ObjectMeta.Annotations `cfg` | fromJson) 0 }}", "plain"),
    ("{{ index .ObjectMeta.Annotations `cfg` }}", "on"),
    ("{{ index .ObjectMeta.Annotations `cfg` }}", "1"),
    ("{{ index .ObjectMeta.Annotations `cfg` }}", "[a"),
)


@pytest.mark.parametrize(("expression", "value"), BREAKS)
@pytest.mark.parametrize("way", [WAYS[0], WAYS[-1]], ids=lambda way: way[0])
def test_a_value_that_breaks_a_template_is_a_user_error(
    expression: str, value: str, way: tuple[str, Render]
) -> None:
    template = (
        f"spec:\n  containers:\n  - name: agent\n    image: a\n    args:\n    - {expression}\n"
    )
    place = "/metadata/annotations/cfg: " if way[0] == "overlay" else "annotation cfg: "
    with pytest.raises(UserError) as caught:
        way[1](template, make_pod({"before": "x: y", "cfg": value, "later": "- z"}))

    assert str(caught.value).startswith(place)


@pytest.mark.parametrize(
    "expression", ["{{ .Missing }}", "[", "{{ fail .ObjectMeta.Name }}", "{a: b}"]
)
def test_a_template_that_fails_for_every_value_is_an_operator_error(expression: str) -> None:
    with pytest.raises(OperatorError):
        render_overlay(
            make_template("`x`").replace("{{ `x` }}", expression), make_pod({"cfg": "x: y"})
        )


def mesh_pod(node: str) -> Object:
    pod = make_pod({})
    metadata = check_object(pod["metadata"])
    return {**pod, "metadata": {**metadata, "labels": {"app": "web", "node": node}}}


MESHES = (
    "{{ slice .VirtualNodeName 0 4 }}",
    '{{ printf "%.4s" .VirtualNodeName }}',
    '{{ printf "%s%c %s" .MeshName (index .VirtualNodeName 3) .MeshName }}',
)  # fmt: skip


@pytest.mark.parametrize("expression", MESHES)
def test_a_label_adds_no_structure_to_an_app_mesh_template(expression: str) -> None:
    mesh = make_mesh(f"containers:\n- name: envoy\n  args:\n  - {expression}\n")
    with pytest.raises(UserError, match=r"^pod label node: "):
        mesh(mesh_pod("evl:xxx"), ReviewContext(namespace="shop"))


def test_an_app_mesh_template_can_cut_a_label() -> None:
    mesh = make_mesh("containers:\n- name: envoy\n  args:\n  - {{ slice .VirtualNodeName 0 3 }}\n")

    spec = check_object(mesh(mesh_pod("node"), ReviewContext(namespace="shop")).object["spec"])

    assert check_object(_list(spec["containers"])[1])["args"] == ["nod"]
