"""Questions for the oracle beside this file, always the same ones.

python tests/oracle/kube/generate.py objects |
    go -C tests/oracle/kube run . objects > tests/kube/fixtures/objects.jsonl
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from podgraft import kube
from podgraft.golang.reflect import Field, GoType, Kind

_NUMBERS = (
    *("0", "1", "5", "12", "100", "250", "500", "1000", "1024", "1025", "1500", "2048", "4096"),
    *("0.5", ".5", "5.", "0.1", "1.5", "1.250", "2.000", "0.001", "0.0001", "1.0009", "12.345"),
    *("00", "007", "+5", "-5", "-1.5", "-0", "+", "-", ".", "", "1 ", "1,5", "1.2.3", "x"),
    *("999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808"),
    *("123456789.123456789", "0.000000001", "0.0000000001", "1.00000000001", "100000000.5"),
)
_SUFFIXES = (
    *("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"),
    *("e0", "e3", "E3", "e-3", "e+3", "e03", "E-9", "e-12", "e5", "e18"),
    *("i", "K", "ki", "Kib", "mi", "e", "ee3", "e3m", "m3", "3e", "e99999999999999999999", "%"),
)
_WORDS = ("web", "a", "", "x-1", "café", "<&>", 'say "hi"', "line\nline", "80")
_TIMES = (
    *("2024-02-29T23:59:59Z", "2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05+02:00"),
    *("2023-02-29T00:00:00Z", "2024-01-02", "yesterday", ""),
)
_LABEL_KEYS = (
    *("app", "tier", "example.com/app", "a.b/c_d", "", "/x", "x/", "a/b/c", "-a", "a-", "UPPER"),
    *("Example.com/app", "a..b/c", "n" * 63, "n" * 64, f"{'p' * 250}.io/x", f"{'p' * 253}.io/x"),
)
_LABEL_VALUES = ("web", "", "a.b-c_d", "-a", "a b", "v" * 63, "v" * 64, "db")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "in", "")


def _random(seed: int) -> Random:
    return Random(seed)  # noqa: S311 (the same rows each time are the point)


def quantities() -> Iterator[dict[str, Any]]:
    """Every kind of number with every suffix once, and random pairs to compare."""
    random = _random(1)
    for number in _NUMBERS:
        for suffix in random.sample(_SUFFIXES, 9):
            yield {"text": number + suffix, "other": random.choice(("1", "1Ki", "1m", "2G"))}
    for suffix in _SUFFIXES:
        for number in random.sample(_NUMBERS, 4):
            yield {"text": number + suffix, "other": random.choice(_NUMBERS[:13]) + "Mi"}
    for _ in range(200):
        suffixes = random.choices(_SUFFIXES[:16], k=2)
        text, other = (random.choice(_NUMBERS[:22]) + suffix for suffix in suffixes)
        yield {"text": text, "other": other}


def selectors() -> Iterator[dict[str, Any]]:
    """Random selectors, two of three of them valid, each with random labels."""
    random = _random(2)
    yield {"selector": {}, "labels": [{}, {"app": "web"}]}
    for index in range(300):
        yield make_selector_row(random, strict=bool(index % 3))


def make_selector_row(random: Random, *, strict: bool) -> dict[str, Any]:
    """A selector with labels; a *strict* one is valid."""
    keys = _LABEL_KEYS[:4] if strict else _LABEL_KEYS
    values = _LABEL_VALUES[:3] if strict else _LABEL_VALUES
    operators = _OPERATORS[:4] if strict else _OPERATORS
    selector: dict[str, Any] = {}
    if random.random() < 0.6:
        count = random.randint(0, 2)
        selector["matchLabels"] = {random.choice(keys): random.choice(values) for _ in range(count)}
    if random.random() < 0.7:
        selector["matchExpressions"] = [
            _expression(random, keys, values, random.choice(operators), exact=strict)
            for _ in range(random.randint(0, 2))
        ]
    labels = [
        {key: random.choice(values[:3]) for key in random.sample(_LABEL_KEYS[:4], size)}
        for size in (0, 1, 2, 4)
    ]
    return {"selector": selector, "labels": labels}


def _expression(
    random: Random, keys: tuple[str, ...], values: tuple[str, ...], operator: str, *, exact: bool
) -> dict[str, Any]:
    made: dict[str, Any] = {"key": random.choice(keys), "operator": operator}
    fewest, most = (0, 0) if operator.endswith(("Exists", "Exist")) else (1, 3)
    count = random.randint(fewest, most) if exact else random.randint(0, 3)
    if count or random.random() < 0.2:
        made["values"] = random.sample(values, count)
    return made


def generate_objects() -> Iterator[dict[str, Any]]:
    """Random objects: canonical ones, some with empty and odd values, some with wrong ones."""
    types = ("Pod", "PodSpec", "Container", "ObjectMeta", "PodTemplateSpec", "Deployment")
    for index in range(420):
        random = _random(index)
        yaml = index % 5 == 4
        odd, wrong = (0.0, 0.1, 0.25)[index % 3], 0.02 * (index % 2)
        made = _ObjectGenerator(random, odd=odd, wrong=wrong, yaml=yaml)
        name = (*types, "StatefulSet", "CronJob", "Namespace")[index % 9]
        value = made.value(kube.TYPES[name])
        if yaml:  # which Go sorts on the way, so that its first fault would not be ours
            value = json.loads(json.dumps(value, sort_keys=True))
        yield {"type": name, "object": value, "yaml": yaml}


_CONTAINER = {
    "name": "web",
    "ports": [{"containerPort": 8080, "protocol": "TCP"}],
    "resources": {
        "limits": {"cpu": "1500m", "memory": "1024Mi", "example.com/x": 3},
        "requests": {"cpu": "+5", "memory": "1e3"},
    },
    "env": [
        {"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "r", "divisor": "0.5"}}},
        {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
    ],
    "readinessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 5},
    "livenessProbe": {"tcpSocket": {"port": 81}},
    "securityContext": {"runAsUser": 0, "privileged": True},
}
_META = {
    "name": "web-0",
    "uid": "u-1",
    "labels": {"app": "web"},
    "creationTimestamp": "2024-02-29T03:04:05.678+02:00",
    "ownerReferences": [{"kind": "Job", "name": "j", "controller": True}],
}
_CONTAINER_TEMPLATES = (
    "{{ .Name }} {{ .Image }} {{ .Stdin }} {{ .TerminationMessagePolicy }}",
    '{{ range .Ports }}{{ . | printf "%T" }} {{ .ContainerPort }} {{ .HostPort }} {{ end }}',
    '{{ (index .Ports 0).Protocol | printf "%T %v %q" (index .Ports 0).Protocol }}',
    "{{ .Resources.Limits.Cpu }} {{ .Resources.Limits.Memory }} {{ .Resources.Limits.Pods }}",
    "{{ .Resources.Requests.Cpu }} {{ .Resources.Requests.Memory }}",
    "{{ .Resources.Requests.Storage }} {{ .Resources.Limits.StorageEphemeral.Format }}",
    '{{ .Resources.Limits.Name "memory" "BinarySI" }}',
    "{{ .Resources.Limits.Cpu.Value }} {{ .Resources.Limits.Cpu.MilliValue }}",
    "{{ .Resources.Limits.Cpu.ScaledValue 2 }} {{ .Resources.Limits.Cpu.Sign }}",
    "{{ .Resources.Limits.Cpu.IsZero }} {{ .Resources.Limits.Pods.IsZero }}",
    "{{ .Resources.Limits.Cpu.AsApproximateFloat64 }} {{ .Resources.Limits.Memory.String }}",
    "{{ .Resources.Limits.Cpu.CmpInt64 1 }} {{ .Resources.Limits.Cpu.CmpInt64 2 }}",
    "{{ .Resources.Limits.Cpu.Cmp .Resources.Limits.Cpu.DeepCopy }}",
    "{{ .Resources.Limits.Cpu.Equal .Resources.Limits.Cpu.DeepCopy }}",
    "{{ range $name, $quantity := .Resources.Limits }}{{ $name }}={{ $quantity }} {{ end }}",
    "{{ .Resources.Limits }} {{ .Resources.Requests }}",
    '{{ printf "%T %T" .Resources.Limits .Resources.Limits.Cpu }}',
    '{{ index .Resources.Limits "cpu" }}',
    "{{ len .Resources.Limits }} {{ if .Resources.Claims }}yes{{ else }}no{{ end }}",
    "{{ (index .Env 0).ValueFrom.ResourceFieldRef.Divisor }}",
    '{{ (index .Env 0).Value | printf "%q" }}',
    "{{ (index .Env 1).ValueFrom.SecretKeyRef.Name }}",
    "{{ if (index .Env 1).ValueFrom.FieldRef }}set{{ else }}unset{{ end }}",
    "{{ (index .Env 1).ValueFrom.SecretKeyRef.LocalObjectReference.Name }}",
    "{{ .ReadinessProbe.HTTPGet.Port }} {{ .ReadinessProbe.HTTPGet.Port.StrVal }}",
    "{{ .ReadinessProbe.HTTPGet.Port.Type }} {{ .ReadinessProbe.HTTPGet.Port.IntValue }}",
    "{{ .LivenessProbe.TCPSocket.Port }} {{ .LivenessProbe.TCPSocket.Port.IntVal }}",
    "{{ .LivenessProbe.TCPSocket.Port.String }} {{ .LivenessProbe.ProbeHandler.TCPSocket.Port }}",
    '{{ printf "%T %T" .LivenessProbe .LivenessProbe.TCPSocket.Port }}',
    "{{ if or .LivenessProbe.HTTPGet .StartupProbe .Lifecycle }}set{{ else }}unset{{ end }}",
    "{{ .StartupProbe.PeriodSeconds }}",
    "{{ .SecurityContext.RunAsUser }} {{ .SecurityContext.Privileged }}",
    "{{ if .SecurityContext.RunAsUser }}set{{ end }} {{ .SecurityContext.RunAsGroup }}",
    "{{ .SecurityContext.Nonsense }}",
    "{{ .Command }} {{ .VolumeMounts }} {{ len .Args }}",
)
_META_TEMPLATES = (
    '{{ .Name }} {{ .UID }} {{ printf "%T" .UID }} {{ .Generation }} {{ .Labels }}',
    "{{ .GetName }} {{ .GetLabels }} {{ .GetNamespace }} {{ .GetUID }} {{ .GetAnnotations }}",
    "{{ .CreationTimestamp }} {{ .CreationTimestamp.Year }} {{ .CreationTimestamp.Month }}",
    '{{ .CreationTimestamp.Unix }} {{ .CreationTimestamp.Format "Jan _2 15:04 MST" }}',
    "{{ .CreationTimestamp.IsZero }} {{ .CreationTimestamp.Time.Weekday }}",
    "{{ .CreationTimestamp.Rfc3339Copy }} {{ .GetCreationTimestamp.Hour }}",
    '{{ printf "%T %T" .CreationTimestamp .CreationTimestamp.Time }}',
    "{{ .DeletionTimestamp }} {{ .DeletionTimestamp.IsZero }}",
    "{{ .CreationTimestamp.Equal .DeletionTimestamp }}",
    "{{ .CreationTimestamp.Before .DeletionTimestamp }}",
    "{{ range .OwnerReferences }}{{ .Kind }}/{{ .Name }} {{ .Controller }} {{ end }}",
    "{{ .ManagedFields }} {{ .Finalizers }} {{ .Annotations }} {{ index .Labels `app` }}",
    "{{ .Annotations.missing }} {{ .Labels.missing }} {{ .Labels.app }}",
)
_MARKED_TEMPLATES = (
    "{{ .CreationTimestamp }} {{ .DeletionTimestamp }} {{ .CreationTimestamp.IsZero }}",
    "{{ .CreationTimestamp.Equal .DeletionTimestamp }}",
    "{{ .DeletionTimestamp.Equal .DeletionTimestamp }}",
    "{{ .DeletionTimestamp.Before .DeletionTimestamp }}",
    "{{ .CreationTimestamp.Rfc3339Copy.Before .DeletionTimestamp }}",
    "{{ .CreationTimestamp.Rfc3339Copy }}",
)
_DEPLOYMENT: dict[str, Any] = {
    "spec": {
        "strategy": {"rollingUpdate": {"maxSurge": "25%"}},
        "template": {
            "spec": {
                "volumes": [
                    {"name": "a", "emptyDir": {"sizeLimit": "1024Mi"}},
                    {"name": "b", "emptyDir": {}},
                ]
            }
        },
    }
}
_DEPLOYMENT_TEMPLATES = (
    "{{ with .Spec.Strategy.RollingUpdate }}{{ .MaxSurge }} {{ .MaxUnavailable }}{{ end }}",
    "{{ with .Spec.Strategy.RollingUpdate }}{{ .MaxSurge.IntValue }}{{ end }}",
    "{{ with .Spec.Strategy.RollingUpdate }}{{ .MaxUnavailable.String }}{{ end }}",
    "{{ range .Spec.Template.Spec.Volumes }}{{ .Name }} {{ .EmptyDir.SizeLimit }} {{ end }}",
    "{{ range .Spec.Template.Spec.Volumes }}{{ .EmptyDir.SizeLimit.String }} {{ end }}",
    "{{ .Spec.Replicas }} {{ .Spec.Template.Spec.HostNetwork }}",
)


def templates() -> Iterator[dict[str, Any]]:
    """Everything that templates may ask of Kubernetes' special types."""
    for template in _CONTAINER_TEMPLATES:
        yield {"type": "Container", "object": _CONTAINER, "template": template}
    for template in _META_TEMPLATES:
        yield {"type": "ObjectMeta", "object": _META, "template": template}
    pod = {"metadata": _META, "spec": {"containers": [_CONTAINER], "nodeName": "n"}}
    named = "{{ .Name }} {{ .GetName }} {{ .Spec.NodeName }}"
    yield {"type": "Pod", "object": pod, "template": named}
    marked = _META | {"deletionTimestamp": _META["creationTimestamp"]}
    for template in _MARKED_TEMPLATES:
        yield {"type": "ObjectMeta", "object": marked, "template": template}
        yield {"type": "ObjectMeta", "object": {}, "template": template}
    for template in _DEPLOYMENT_TEMPLATES:
        yield {"type": "Deployment", "object": _DEPLOYMENT, "template": template}
    yield {"type": "Pod", "object": {}, "template": "{{ .Kind }} {{ .Spec.Containers }} {{ .UID }}"}


class _ObjectGenerator:
    """Makes JSON for Go types; ``odd`` is the share of empty values, ``wrong`` of wrong types."""

    def __init__(self, random: Random, *, odd: float, wrong: float, yaml: bool) -> None:
        self.random = random
        # JSON's 80.0 is no integer to Go, but YAML's becomes 80 on its way.
        self.integers = (80, 0, 2**31 - 1, *([80.0] if yaml else []))
        self.texts = (*_WORDS, *([80, True, 1.5, 1e6] if yaml else []))
        self.odd = odd
        self.wrong = wrong
        self.depth = 0

    def value(self, type_: GoType) -> Any:
        chance = self.random.random()
        if chance < self.wrong:
            return self.random.choice((5, "text", True, 1.5, [], {}, ["x"], {"a": 1}, 2**40))
        if chance < self.wrong + self.odd:
            return self.random.choice((None, *_empty_values(type_)))
        return self._valid_value(type_)

    def _valid_value(self, type_: GoType) -> Any:
        if type_.name in _SPECIAL:
            return _SPECIAL[type_.name](self.random)
        match type_.kind, type_.elem:
            case Kind.STRUCT, _:
                return self._struct(type_)
            case Kind.POINTER, GoType() as target:
                return self.value(target)
            case Kind.SLICE, GoType() as elem:
                return [self.value(elem) for _ in range(self.random.randint(0, 2))]
            case Kind.MAP, GoType() as elem:
                keys = self.random.sample(("cpu", "memory", "z", "a"), self.random.randint(0, 3))
                return {key: self.value(elem) for key in keys}
            case Kind.STRING, _:
                return self.random.choice(self.texts)
            case Kind.BOOL, _:
                return self.random.random() < 0.7
            case _:
                return self.random.choice(self.integers)

    def _struct(self, type_: GoType) -> dict[str, Any]:
        self.depth += 1
        made: dict[str, Any] = {}
        for field in self._choose_fields(type_):
            key = field.json
            if self.random.random() < self.odd / 4:
                key = key.upper()
            made[key] = self.value(field.type)
        if self.random.random() < self.odd / 2:
            made["unknown"] = {"deep": [1, None]}
        self.depth -= 1
        return made

    def _choose_fields(self, type_: GoType) -> list[Field]:
        """Some fields, promoted ones among them: fewer the deeper they are."""
        fields = [*_flat(type_)]
        count = min(len(fields), self.random.randint(1, max(1, 6 - self.depth)))
        return self.random.sample(fields, count)


def _flat(type_: GoType) -> Iterator[Field]:
    for field in type_.fields:
        if field.inline:
            yield from _flat(field.type)
        else:
            yield field


def _empty_values(type_: GoType) -> tuple[Any, ...]:
    match type_.kind:
        case Kind.STRING:
            return ("",)
        case Kind.BOOL:
            return (False,)
        case Kind.SLICE:
            return ([],)
        case Kind.STRUCT if type_.name in _SPECIAL:
            return ()
        case Kind.STRUCT | Kind.MAP:
            return ({},)
        case Kind.POINTER:
            return ()
        case _:
            return (0,)


_SPECIAL: dict[str, Callable[[Random], Any]] = {
    "resource.Quantity": lambda random: random.choice(
        ("100m", "0.5", "1024Mi", 2, 1.5, "x", "1e3")
    ),
    "intstr.IntOrString": lambda random: random.choice((80, "http", 0, "")),
    "v1.FieldsV1": lambda _: {"f:spec": {}},
    "v1.Time": lambda random: random.choice(_TIMES[: random.choice((3, len(_TIMES)))]),
}

_QUESTIONS = {
    "objects": generate_objects,
    "quantities": quantities,
    "selectors": selectors,
    "templates": templates,
}

if __name__ == "__main__":
    for row in _QUESTIONS[sys.argv[1]]():
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
