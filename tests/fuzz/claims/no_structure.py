"""No value of a pod changes the structure of a rendered template.

Three kinds of input: the frames of ``injectors.generated``, with the functions that are known to be
dangerous; every function of the function table, with generated arguments, in the same frames; and
hostile values in every place of a pod that a user writes, through the samples.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from typing import Any

from core.injectors.generated import PAYLOADS, Pair, find_wrong_structure, make_pairs
from core.injectors.hostile_templates import make_injector, make_overlay, make_pod
from core.injectors.istio import bundles
from core.injectors.istio.hostile import VALUES
from fuzz.byte_source import ByteRandom
from fuzz.harness import check_claim
from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.review_context import ReviewContext
from podgraft.golang import sprig
from podgraft.golang.reflect import BOOL, INT, STRING, GoType
from podgraft.golang.texttemplate import TemplateError

WAYS = ("overlay", "overlay", "overlay", "1.30", "1.30", "1.24", "1.13", "1.9", "1.8")
_VALUE = '(index .ObjectMeta.Annotations "cfg")'
_FRAME = (
    "spec:\n  containers:\n  - name: agent\n    image: x\n    args:\n    - {}\n    - last\n"
    "    env: [{{name: a, value: y}}]\n"
)
_SCALARS = ("{}", "{}", "pre-{}", '"{}"', "'{}'", "a {} b", "|-\n      {}")
# Functions that write structure on purpose; the pages say so.
_STRUCTURED = {"toYaml", "toJson", "toRawJson", "toPrettyJson", "fromJson", "mustFromJson"}


def fuzz(data: bytes) -> str:
    """Render one template for one value, and compare the structure with the expected one."""
    random = ByteRandom(data)
    kind = random.random()
    if kind < 0.45:
        way = random.choice(WAYS)
        return _check_pair(way, random.choice(make_pairs(random, istio=way != "overlay")))
    if kind < 0.8:
        return _check_pair("overlay", _make_call_pair(random))
    return _check_sample(random)


def _check_pair(way: str, pair: Pair) -> str:
    pod = make_pod({"cfg": pair.value})
    try:
        if way == "overlay":
            result = make_overlay.__wrapped__(pair.template).apply(pod, "shop", {})
        else:
            injector = make_injector.__wrapped__(pair.template, way)
            result = injector.inject(pod, ReviewContext(namespace="shop")).pod
    except UserError as error:
        check_claim("cfg" in str(error), f"{way}: names another cause: {error}", pair)
        return "refused"
    except (OperatorError, AssertionError, TemplateError) as error:
        # A call with impossible arguments: the template does not parse, or fails for every pod.
        return f"failed: {type(error).__name__}"
    wrong = find_wrong_structure(result)
    check_claim(not wrong, f"{way}: {wrong}", pair)
    return "passed"


@cache
def _functions() -> Mapping[str, Any]:
    return {
        name: function
        for name, function in sorted(sprig.functions().items())
        if not function.unsupported_reason and name not in _STRUCTURED and "seq" not in name
    }


def _make_call_pair(random: ByteRandom) -> Pair:
    call = _VALUE
    for _ in range(random.choice((1, 1, 2, 3))):
        call = f"({_make_call(random, call)})"
    scalar = random.choice(_SCALARS).format("{{ " + call + " | print }}")
    value = random.choice((*PAYLOADS, *VALUES))
    return Pair(_FRAME.format(scalar), value)


def _make_call(random: ByteRandom, value: str) -> str:
    name = random.choice([*_functions()])
    function = _functions()[name]
    types = [*function.parameters]
    if function.variadic is not None:
        types += [function.variadic] * random.choice((0, 1, 2))
    if not types:
        return value
    arguments = [_make_argument(random, type_) for type_ in types]
    fitting = [i for i, type_ in enumerate(types) if type_ not in (INT, BOOL)] or [0]
    arguments[random.choice((fitting[-1], fitting[-1], random.choice(fitting)))] = value
    return " ".join([name, *arguments])


def _make_argument(random: ByteRandom, type_: GoType) -> str:
    if type_ is INT:
        return str(random.choice((0, 1, 3, 6, 20)))
    if type_ is BOOL:
        return random.choice(("true", "false"))
    texts = ('"a"', '": "', '"\\n"', '"-"', '"e"', '","', '"%s"', '"[^<>]+"', '"2006"', '"x"')
    if type_ is STRING:
        return random.choice(texts)
    values = (*texts, "5", "(list 1 2)", f"(list {_VALUE})", '(dict "k" 1)', f'(dict "k" {_VALUE})')
    return random.choice(values)


# Places of a pod that its author writes, each with a harmless value.
_PLACES: tuple[tuple[tuple[str | int, ...], str], ...] = (
    (("metadata", "annotations", "sidecar.istio.io/logLevel"), "info"),
    (("metadata", "annotations", "sidecar.istio.io/proxyImage"), "hub/proxy"),
    (("metadata", "annotations", "sidecar.istio.io/componentLogLevel"), "info"),
    (("metadata", "annotations", "sidecar.istio.io/bootstrapOverride"), "map"),
    (("metadata", "annotations", "traffic.sidecar.istio.io/includeOutboundPorts"), "80"),
    (("metadata", "annotations", "example.com/any"), "any"),
    (("metadata", "labels", "app"), "web"),
    (("metadata", "labels", "service.istio.io/canonical-name"), "web"),
    (("metadata", "name"), "p"),
    (("metadata", "generateName"), "p-"),
    (("spec", "serviceAccountName"), "default"),
    (("spec", "containers", 0, "name"), "app"),
    (("spec", "containers", 0, "image"), "nginx"),
    (("spec", "containers", 0, "env", 0, "value"), "v"),
)


def _check_sample(random: ByteRandom) -> str:
    """Inject with the template of the sample; strings can differ, and nothing else can."""
    path, harmless = random.choice(_PLACES)
    value = random.choice(VALUES) if random.random() < 0.7 else random.take_text(64)
    namespace = random.choice(("shop", "shop", value))
    try:
        hostile = _inject(path, value, namespace)
    except UserError:
        return "refused"
    plain = _shape(_inject(path, harmless, "shop"))
    shape = _shape(hostile)
    check_claim(shape <= plain, path, value, shape - plain)
    return "passed"


def _inject(path: tuple[str | int, ...], value: str, namespace: str) -> JSON:
    pod: Any = copy.deepcopy(make_pod({}))
    pod["spec"]["containers"][0]["env"] = [{"name": "A", "value": "x"}]
    target = pod
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return bundles.sample().inject(pod, ReviewContext(namespace=namespace)).pod


def _shape(value: JSON, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The paths of all maps, lists, and scalars; elements of lists count by their number."""
    match value:
        case dict():
            return {path}.union(*(_shape(child, (*path, key)) for key, child in value.items()))
        case list():
            return {(*path, f"[{len(value)}]")}.union(
                *(_shape(child, (*path, str(i))) for i, child in enumerate(value))
            )
        case _:
            return {path}
