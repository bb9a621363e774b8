"""Generated pairs of a template and a hostile value, and what must be so for each of them.

A template decodes, cuts, joins, and prints the value in a frame whose maps, lists, and keys are
known. Whatever the value is, the result has these and no others, or the pod is refused.
"""

from __future__ import annotations

import json
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from podgraft.base.jsonvalue import JSON

PAYLOADS = (
    "x\n    evil: y",
    "x\n    - evil",
    "x\n  - name: evil\n    image: evil\n",
    "x: evil",
    "- evil",
    "a\n\n- evil\n",
    "{evil: x}",
    "[evil, x]",
    'x", evil: "y',
    "x', evil: 'y",
    "x}, {evil: y",
    "x]\n    evil: [y",
    "evil:",
    "evil:-",
    "-",
    "- ",
    "? evil",
    "&evil x",
    "*evil",
    "!!map {}",
    "|\n      x",
    "x # evil",
    "# evil",
    "null",
    "~",
    "nullx",
    "---\nevil: x",
    "x\n...\nevil: y",
    "<<",
    "$patch",
    "$patch: delete",
    "%YAML 1.1",
    "@x",
    "`x",
    "\tevil: x",
    " evil",
    "evil ",
    "\u2028evil: x",
    "\x85evil: x",
    "x\r\nevil: y",
    "\u00e9: evil",
    '{"k": "x: evil", "l": ["a", {"evil": "- y"}]}',
    "58",
    "10",
    "evil:xxx",
    "a,b: c,- d",
    "a=b;evil: c",
    "web-1.2",
    "plain words",
    "",
    "%s: %d",
    "{{ .Values }}",
    "evil\\n- x",
    "evil\\",
    "web\n",
    "web \t\n\n",
    "a\n      evil",
    "it''s",
    "C:\\n",
    "a\\\n  b",
    'x\\" #',
    "x\u0085# evil",
    "\\x22: evil",
)


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


# How a value hides a text, and how a template finds it again.
CODES: tuple[tuple[Callable[[str], str], str], ...] = (
    (_base64, "{} | b64dec"),
    (lambda text: b32encode(text.encode()).decode(), "{} | b32dec"),
    (lambda text: f"b64:{_base64(text)}", '{} | trimPrefix "b64:" | b64dec'),
    (lambda text: f"abc.{_base64(text)}.sig", 'index (splitList "." ({})) 1 | b64dec'),
    (
        lambda text: urlsafe_b64encode(text.encode()).decode(),
        '{} | replace "-" "+" | replace "_" "/" | b64dec',
    ),
    (lambda text: json.dumps({"k": text}), "({} | FROMJSON).k"),
    (lambda text: json.dumps([text]), "index ({} | FROMJSON) 0"),
    (lambda text: text[::-1], '{0} | splitList "" | reverse | join ""'),
    (lambda text: text.replace(":", "_"), '{} | replace "_" ":"'),
    (lambda text: text.replace("\n", ","), '{} | splitList "," | join "\\n"'),
    (lambda text: text.replace("\n", "|"), '{} | replace "|" "\\n"'),
    (lambda text: f"{text}xxxx", '{} | trimSuffix "xxxx"'),
    (lambda text: f"<{text}>", '{} | regexFind "[^<>]+"'),
    (lambda text: text, 'regexReplaceAll "_" ({}) ": "'),
)
# Functions on the way; what they make of a text does not matter.
STEPS = (
    "{} | trunc {n}",
    "{} | trunc -{n}",
    "substr 0 {n} ({})",
    "{} | trim",
    '{} | trimAll "x- "',
    '{} | trimSuffix "-"',
    "{} | nospace",
    "{} | lower",
    "{} | upper",
    "{} | title",
    "{} | swapcase",
    "{} | snakecase",
    "{} | abbrev 20",
    "{} | indent {n}",
    "{} | nindent 6",
    "{} | repeat 2",
    '{} | cat "a"',
    '{} | print "a:" ',
    '{} | printf "%s"',
    '{} | printf "%v-%[1]v"',
    '{} | printf "%5s|"',
    '{} | printf "%.{n}s"',
    '{} | printf "%x"',
    '{} | printf "%q"',
    '{} | printf "%d"',
    '{} | printf "%T %t %U"',
    '{} | len | printf "a%c b"',
    '{} | atoi | printf "a%c b"',
    '{} | atoi | add 1 | printf "%s%c b" "x"',
    'atoi ({}) | printf "%*d" {n}',
    "{} | println",
    "{} | html",
    "{} | js",
    "{} | urlquery",
    '{} | quote | trimAll "\\""',
    "{} | squote",
    "{} | quote",
    "{} | b64enc",
    "{} | sha256sum",
    "{} | toString",
    "{} | list | toStrings | first",
    '{} | list | join ","',
    '{} | splitList "," | first',
    '{} | splitList "," | sortAlpha | last',
    '{} | regexSplit "[:,]" -1 | rest | join ": "',
    'regexReplaceAll "e(.)" ({}) "${{1}}: "',
    'regexReplaceAllLiteral "e" ({}) ": "',
    'regexFindAll "[a-z]+" ({}) -1 | join ": "',
    'dict "k" ({}) | values | first',
    'dict ({}) "k" | keys | first',
    'get (dict "k" ({})) "k"',
    'default "d" ({})',
    'coalesce "" ({}) "x"',
    'ternary ({}) "no" true',
    '{} | list "a" | last',
    "index (list ({})) 0",
    'dict "k" ({}) | print',
    "list ({}) 1 | print",
    "slice ({}) 0 (min {n} (len ({})))",
    '{} | replace "e" ": " ',
    '{} | replace "," "\\n    - "',
    'and "a" ({})',
    'or "" ({})',
    "{} | wrap {n}",
    '(urlParse (print "http://h/" ({} | b64enc))).path | base | b64dec',
    "dir ({})",
)  # fmt: skip
OVERLAY_STEPS = ("{} | toJson", "{} | toYaml", "{} | toJson | fromJson", "{} | toRawJson")

# Actions that write an expression.
ACTIONS = (
    "{{{{ {e} }}}}",
    "{{{{ with {e} }}}}{{{{ . }}}}{{{{ end }}}}",
    "{{{{ $x := {e} }}}}{{{{ $x }}}}",
    "{{{{ range $i, $x := list ({e}) }}}}{{{{ $x }}}}{{{{ end }}}}",
    '{{{{ define "t" }}}}{{{{ . }}}}{{{{ end }}}}{{{{ template "t" ({e}) }}}}',
    "{{{{ if {e} }}}}a{{{{ {e} }}}}{{{{ end }}}}",
    "{{{{ $d := dict }}}}{{{{ $_ := set $d `k` ({e}) }}}}{{{{ $d.k }}}}",
    "{{{{ range $k, $v := dict ({e}) 1 }}}}{{{{ $k }}}}{{{{ end }}}}",
)
# Scalars that hold an action, each indented as an element of ``args``.
SCALARS = ("{}", "{}", "{}", "pre-{}", "{}-post", '"{}"', "'{}'", "a {} b", "|-\n      {}")
FRAME = (
    "spec:\n  containers:\n  - name: agent\n    image: {image}\n    args:\n    - {arg}\n"
    "    - last\n    env: [{{{{name: a, value: {flow}}}}}]\n"
)


@dataclass(frozen=True)
class Pair:
    """A template, and the text of an annotation ``cfg``."""

    template: str
    value: str


def make_expression(random: Random, steps: tuple[str, ...], from_json: str) -> tuple[str, str]:
    """An expression and a value that it decodes."""
    value, made = random.choice(PAYLOADS), '(index .ObjectMeta.Annotations "cfg")'
    codes = random.choices(CODES, k=random.choice((0, 0, 1, 1, 2, 3)))
    for encode, _ in codes:
        value = encode(value)
    for _, decode in reversed(codes):
        made = f"({decode.format(made)})".replace("FROMJSON", from_json)
    for step in random.choices(steps, k=random.choice((0, 0, 1, 1, 2, 3))):
        made = f"({step.format(made, made, n=random.choice((1, 3, 5, 6, 12, 40)))})"
    return made, value


def make_pairs(random: Random, *, istio: bool, values: int = 4) -> list[Pair]:
    """A template with values for it: the one that it decodes, and others."""
    steps = STEPS if istio else STEPS + OVERLAY_STEPS
    from_json = "fromJSON" if istio else "fromJson"
    made, value = make_expression(random, steps, from_json)
    action = random.choice(ACTIONS).format(e=made)
    if "$" in made:
        action = "{{ " + made + " }}"
    written = random.choice(SCALARS).format(action)
    plain = random.choice(("x", "y-{{ .ObjectMeta.Name }}"))
    place = random.choice(("image", "arg", "arg", "arg", "flow"))
    if place == "flow" and "\n" in written:
        place = "arg"
    named = {"image": plain, "arg": plain, "flow": plain, place: written}
    template = FRAME.replace("{image}", named["image"]).replace("{arg}", named["arg"])
    template = template.replace("{flow}", named["flow"]).replace("{{{{", "{", 1)
    template = template.replace("[{{name", "[{name").replace("}}}}]", "}]")
    others = [random.choice(PAYLOADS) for _ in range(values - 1)]
    return [Pair(template, each) for each in (value, *others)]


def find_wrong_structure(result: JSON) -> str:
    """What is in the rendered container that its frame has not; empty if nothing is."""
    assert isinstance(result, dict)
    spec = result.get("spec")
    if set(result) - {"apiVersion", "kind", "metadata", "spec"} or not isinstance(spec, dict):
        return f"keys {[*result]}"
    containers = spec["containers"]
    assert isinstance(containers, list)
    agents = [each for each in containers if isinstance(each, dict) and each["name"] != "app"]
    if len(containers) != 2 or len(agents) != 1:
        return f"containers {containers}"
    agent = agents[0]
    # Before 1.9, podgraft writes containers whole.
    if not set(agent) <= {"name", "image", "args", "env", "resources"} or agent.get("resources"):
        return f"fields {[*agent]}"
    args, env = agent.get("args"), agent.get("env")
    if not isinstance(args, list) or len(args) != 2 or args[1] != "last":
        return f"args {args}"
    if not isinstance(env, list) or len(env) != 1:
        return f"env {env}"
    (variable,) = env
    assert isinstance(variable, dict)
    if not set(variable) <= {"name", "value"}:
        return f"env {env}"
    leaves = (args[0], agent.get("image"), variable.get("value"), variable.get("name"))
    return "" if not any(isinstance(each, dict | list) for each in leaves) else f"leaves {leaves}"
