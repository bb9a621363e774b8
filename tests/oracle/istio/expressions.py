"""Template expressions for both sides: a fixed list, and calls of functions from a seed.

``python -m oracle.istio.expressions PROGRAM RELEASE`` in tests records the answers of a compiled
injector (build.py) to tests/core/injectors/istio/data/expressions-RELEASE.jsonl, and the methods of
the data's types to methods-RELEASE.json.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import mesh, protojson
from podgraft.core.injectors.istio.data import mesh_types
from podgraft.core.injectors.istio.render import functions
from podgraft.golang import sprig
from podgraft.golang.reflect import ANY, ANY_MAP, BOOL, FLOAT64, INT, STRING, STRING_MAP, GoType
from podgraft.golang.strconv.quote import quote
from podgraft.golang.texttemplate import Function
from podgraft.golang.time import TIME

from .known_differences import DATA
from .program import Istio

NAME = "expression"
POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "x",
        "namespace": "ns",
        "creationTimestamp": "2024-01-02T03:04:05Z",
        "labels": {"app": "web"},
        "annotations": {"v": "1.2.3", "n": "3.7", "proxy.istio.io/config": "concurrency: 2"},
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "u"}
        ],
    },
    "spec": {
        "containers": [
            {
                "name": "app",
                "image": "app:1",
                "ports": [{"containerPort": 80, "name": "http"}],
                "resources": {"limits": {"cpu": "500m"}},
                "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
                "securityContext": {"runAsUser": 5},
                "livenessProbe": {"httpGet": {"path": "/", "port": 8080}, "timeoutSeconds": 3},
            }
        ],
        "volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "secret": {"secretName": "s"}}],
        "securityContext": {"runAsUser": 7},
        "nodeSelector": {"b": "2", "a": "1"},
    },
}
MESH = """
trustDomain: example.org
defaultConfig:
  concurrency: 3
  proxyMetadata: {B: "x y", A: "1"}
  tracing: {zipkin: {address: "z:1"}, sampling: 5.5}
  holdApplicationUntilProxyStarts: false
  runtimeValues: {k: "v\\"\\né"}
  extraStatTags: [a, b]
extensionProviders:
- name: otel
  envoyOtelAls:
    service: s
    port: 80
    logFormat: {text: t, labels: {a: b, c: {d: [1, true, null]}}}
"""
FIXED = (
    # The data and its types
    *("typeOf .", "kindOf $", "typeOf .Spec", "typeOf .ProxyConfig", "structToJSON ."),
    # Messages as JSON
    *("toJson .ProxyConfig", "structToJSON .MeshConfig", "structToJSON .MeshConfig.DefaultConfig"),
    *("structToJSON .ProxyConfig.Tracing", "structToJSON .ProxyConfig.DrainDuration"),
    *("toPrettyJson .ProxyConfig.Tracing", "toRawJson .ProxyConfig", "toYaml .ProxyConfig"),
    *("structToJSON .ProxyConfig.Concurrency", "structToJSON .ProxyConfig.InterceptionMode"),
    "dict `a` .ProxyConfig.DrainDuration `b` .ProxyConfig.Tracing | toJson",
    "structToJSON .DeploymentMeta",
    # Texts as integers
    *("int `3.7`", "mul 2 `3.7`", "add 1 `-2.9`", "max 0 `7.`", "div 10 `3.7`", "int64 `-.5`"),
    *("sub `9.9` 1", "mod 7 `2.5`", "min `3.0` 9", "biggest `3.7` 1", "add1 `1.5`", "int `1e3`"),
    *("int (index .ObjectMeta.Annotations `n`)", "int .ProxyConfig.InterceptionMode"),
    "slice (list 1 2 3) `1.9`",
    # The text of messages and of Kubernetes' types
    *("toString .ProxyConfig.DrainDuration", "printf `%v` .ProxyConfig.DrainDuration"),
    *(".ProxyConfig.DrainDuration | quote", ".ProxyConfig", ".MeshConfig", ".ProxyConfig.Tracing"),
    *("printf `%s|%d|%v` .ProxyConfig.InterceptionMode .ProxyConfig.InterceptionMode 1",),
    *("index .Spec.Containers 0", ".Spec.Volumes", ".Spec.SecurityContext", ".ObjectMeta"),
    *("(index .Spec.Containers 0) | quote", ".Spec.Volumes | squote", ".TypeMeta | quote"),
    *("printf `%+v` .Spec.Volumes", "cat .ProxyConfig.DrainDuration .Spec.SecurityContext"),
    *("list .ProxyConfig.DrainDuration .Spec.SecurityContext", ".Spec.Affinity", ".DeploymentMeta"),
    ".ProxyConfig.GetTracing.GetLightstep",
    # Methods
    *(".ProxyConfig.String", ".MeshConfig.String", ".ProxyConfig.InterceptionMode.Number"),
    *(".ProxyConfig.InterceptionMode.Enum", ".ObjectMeta.GetName", ".ObjectMeta.String"),
    *(".Spec.String", "(index .Spec.Containers 0).String", ".Spec.DeepCopy", ".TypeMeta.String"),
    *(".ProxyConfig.MarshalJSON", ".ProxyConfig.DrainDuration.AsDuration.Truncate 10000000000"),
    *(".ProxyConfig.DrainDuration.IsValid", ".ProxyConfig.DrainDuration.CheckValid"),
    *(".ObjectMeta.GetObjectMeta", ".TypeMeta.GetObjectKind", ".DeploymentMeta.String"),
    *(".ProxyConfig.Reset", ".ProxyConfig.Descriptor", ".ProxyConfig.DeepCopy", ".Spec.Gone"),
    ".ObjectMeta.GetOwnerReferences",
    # Structs in quotes
    *(".ObjectMeta.OwnerReferences | quote", "semver (index .ObjectMeta.Annotations `v`) | squote"),
    # Zones, widths, and sequences
    *("dateInZone `2006` (toDate `2006-01-02` `2026-01-02`) `No/Zone`",),
    *(
        "htmlDateInZone 0 `mars`",
        "dateInZone `15:04 MST` 0 `Etc/UTC`",
        "htmlDateInZone 0 `../UTC`",
    ),
    *("indent -9223372036854775808 `x`", "indent 9223372036854775807 (print `x\\n` `y`)"),
    *('indent 9223372036854775807 "x\\ny"', 'indent -5 "x\\ny"', "seq 1 9223372036854775807 1"),
    *("untilStep 3 1 -1", "seq 9223372036854775806 9223372036854775807"),
    "dateInZone `15` 0 `Europe/Berlin`",
)
# Expressions that podgraft refuses by intent (docs/conformance.md).
REFUSED = (
    *("date `x` nil", "htmlDate `text`", ".Spec.Size", ".ProxyConfig.ProtoReflect"),
    ".TypeMeta.GroupVersionKind",
)
# Random arguments would change the values of all pods, or make too large or random results.
_EXCLUDED = frozenset(
    """
    date dateInZone date_in_zone htmlDate htmlDateInZone durationRound repeat indent nindent seq
    until untilStep set unset merge mergeOverwrite mustMerge mustMergeOverwrite keys values env
    fail hello formatDuration render
    """.split()  # noqa: SIM905 - a list of strings would be 40 lines long
)
_OPERANDS = (
    *(".", ".ProxyConfig", ".MeshConfig", ".Spec", ".ObjectMeta", ".DeploymentMeta", ".TypeMeta"),
    *(".ProxyConfig.DrainDuration", ".ProxyConfig.Tracing", ".ProxyConfig.InterceptionMode"),
    *(".ProxyConfig.Concurrency", ".ProxyConfig.ProxyMetadata", ".MeshConfig.DefaultConfig"),
    *(
        ".MeshConfig.ExtensionProviders",
        ".MeshConfig.EnableAutoMtls",
        ".Values.global",
        ".Revision",
    ),
    *(".Spec.Containers", "(index .Spec.Containers 0)", ".Spec.Volumes", ".Spec.SecurityContext"),
    *("(index .Spec.Containers 0).Ports", "(index .Spec.Containers 0).Resources.Limits"),
    *(".ObjectMeta.Annotations", ".ObjectMeta.Labels", ".ObjectMeta.OwnerReferences"),
    *(".ObjectMeta.Name", ".ObjectMeta.CreationTimestamp", "nil", "true", "7", "2.5", "(int64 5)"),
    *("`3.7`", "`-2.9`", "`7.`", "`12`", "`0x1f`", "`text`", "``", "`1.2.3`", '"a\\n b"'),
    *("(list 1 `2` nil)", "(dict `a` 1 `b` (list 2))", "(semver `1.2.3-rc.1`)"),
    "(toDate `2006-01-02` `2017-12-31`)",
)
_TEXTS = (
    *("`text`", "``", "`a,b,,c`", "`1.2.3`", '`{"a":[1,"x"]}`', "`[a-c]+`", "`3.7`", "`İ ΣΑΣ ß`"),
    *(".ObjectMeta.Name", ".ObjectMeta.Namespace", ".Revision", ".ProxyImage", '"a\\nb"', "`2006`"),
    *(".ProxyConfig.DiscoveryAddress", ".MeshConfig.TrustDomain", "`https://u:p@h:1/x?y=z#f`"),
)
# Before 1.25, encoding/json prints the structs of mesh messages (docs/conformance.md).
_JSON_METHODS = 25
_MESSAGE_AS_JSON = re.compile(
    r"(?=.*(?:Json|JSON|[yY]aml)).*(?:ProxyConfig|MeshConfig| \.(?: |$))", re.DOTALL
)
_WRAPPERS = ("", "", "", " | quote", " | squote", " | toString", " | toJson", " | printf `%v`")


def make_template(expression: str) -> str:
    """A template that writes the text of the expression to an annotation, in quotes."""
    return f"metadata:\n  annotations:\n    out: {{{{ print ({expression}) | quote }}}}\n"


def make_direct_template(expression: str) -> str:
    """A template that quotes the value itself, without a text in between."""
    return f"metadata:\n  annotations:\n    out: {{{{ {expression} | quote }}}}\n"


def normalize(pod: Object) -> Object:
    """The pod without what differs from run to run in the text of an expression.

    These are Istio's addresses of pointers, and the spaces between the fields of messages.
    """
    metadata = object_at(pod, "metadata")
    annotations = object_at(metadata, "annotations")
    text = annotations.get("out")
    if not isinstance(text, str):
        return pod
    text = re.sub("0x[0-9a-f]{8,}", "ADDRESS", re.sub("  +", " ", text))
    return {**pod, "metadata": {**metadata, "annotations": {**annotations, "out": text}}}


def make_expression(random_: random.Random, release: str) -> str:
    """A call of one function that both sides print alike."""
    text = _make_call(random_, release)
    while releases.parse_release(release).minor < _JSON_METHODS and _MESSAGE_AS_JSON.search(text):
        text = _make_call(random_, release)
    return text


def _make_call(random_: random.Random, release: str) -> str:
    """A call of one function, with arguments that mostly have the types of its parameters."""
    table = _functions(release)
    name = random_.choice(sorted(table))
    function = table[name]
    types = [*function.parameters]
    if function.variadic is not None:
        types += [function.variadic] * random_.randint(0, 3)
    arguments = [_make_argument(random_, type_) for type_ in types]
    if arguments and random_.random() < 0.03:
        arguments.pop()
    return " ".join([name, *arguments]) + random_.choice(_WRAPPERS)


def _make_argument(random_: random.Random, type_: GoType) -> str:
    chance = random_.random()
    if chance < 0.05:
        return random_.choice(_OPERANDS)
    if type_ is STRING:
        if chance < 0.2:
            return quote("".join(random_.choices('aB1 _-./,:"\\é\n', k=random_.randint(0, 8))))
        return random_.choice(_TEXTS)
    return random_.choice(_CHOICES.get(type_) or _OPERANDS)


_CHOICES: Mapping[GoType, tuple[str, ...]] = {
    INT: tuple(map(str, range(-3, 9))),
    BOOL: ("true", "false"),
    FLOAT64: ("0.5", "1.0"),
    TIME: ("(toDate `2006-01-02` `2017-12-31`)", ".ObjectMeta.CreationTimestamp.Time"),
    ANY_MAP: ("(dict `a` 1 `b` `x`)", "(dict `a` (dict `c` 2))", ".Values", ".Values.global"),
    STRING_MAP: (".ObjectMeta.Labels", ".ObjectMeta.Annotations", ".ProxyConfig.ProxyMetadata"),
    ANY: _OPERANDS,
}


def _functions(release: str) -> Mapping[str, Function]:
    """The functions of a release whose calls can be compared."""
    profile = releases.parse_release(release)
    types = mesh_types.types(protojson.schema(profile))
    defaults = mesh.proxy_defaults(profile)
    table = {
        **sprig.functions(profile.sprig or "3.3", profile.cast),
        **functions.template_functions(profile, defaults, {}, types),
    }
    return {
        name: function
        for name, function in table.items()
        if name not in _EXCLUDED
        and not function.unsupported_reason
        and all(type_ in _CHOICES or type_ is STRING for type_ in function.parameters)
    }


def make_settings(expression: str) -> Object:
    """The documents of an istiod with a template for the expression alone."""
    config: Object = {
        "policy": "enabled",
        "defaultTemplates": [NAME],
        "templates": {NAME: make_template(expression)},
    }
    return {
        "config": json.dumps(config),
        "values": '{"global": {"network": "n"}}',
        "mesh": MESH,
        "revision": "default",
        "proxyConfigs": [],
    }


def output_of(pod: Object) -> JSON:
    """The text that the template wrote to the pod."""
    return object_at(object_at(normalize(pod), "metadata"), "annotations")["out"]


def record(program: Path, release: str) -> None:
    """Write the text of each expression, or that Istio refuses the pod, and the methods."""
    with Istio(program, {}) as istio:
        rows = [json.dumps(row, ensure_ascii=False) for row in _ask(istio)]
        methods = sorted(istio.methods().items())
    path = DATA / f"expressions-{release}.jsonl"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(names)}" for name, names in methods)
    (DATA / f"methods-{release}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _ask(istio: Istio) -> Iterator[Object]:
    for expression in (*FIXED, *REFUSED):
        refusal = istio.load(make_settings(expression))
        outcome = istio.review(POD, "ns", "/inject") if refusal is None else None
        if outcome is None or outcome.pod is None:
            yield {"expression": expression, "refused": True}
        else:
            yield {"expression": expression, "output": output_of(outcome.pod)}


if __name__ == "__main__":
    record(Path(sys.argv[1]), sys.argv[2])
