"""Requests for generated mutating policies, and the fixture of kube-apiserver's answers.

python -m oracle.mutation.policies [COUNT [SEED [RELEASE]]]   (in tests/, with its environment)

With a count, it compares so many requests with a release of Kubernetes, and records none.
"""
# ruff: noqa: E501 (expressions)

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from oracle import program
from oracle.jsonpatch.record import path as random_path
from oracle.mutation.merges import Generator
from oracle.mutation.openapi import provide_documents
from podgraft.base.jsonvalue import JSON, Object, equal, object_at
from podgraft.kube import mutation
from podgraft.kube.defaults import complete
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.matching.constraints import make_create_request
from podgraft.kube.matching.params import ParamIndex
from podgraft.kube.structured import Schema, release_schema
from podgraft.kube.types import NEWEST

# The releases of the fixtures, of which ``go.mod`` has the newest, and how many requests are
# generated for each.
RELEASES = {"": 600, "1.36.5": 120}
KINDS = {
    "Pod": ("v1", "pods"),
    "Deployment": ("apps/v1", "deployments"),
    "StatefulSet": ("apps/v1", "statefulsets"),
    "DaemonSet": ("apps/v1", "daemonsets"),
    "Job": ("batch/v1", "jobs"),
    "CronJob": ("batch/v1", "cronjobs"),
    "ConfigMap": ("v1", "configmaps"),
}
_NAMESPACE: Object = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "shop", "labels": {"team": "a"}},
}
_PARAMS: list[Object] = [
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "shop", "labels": {"kind": "limits"}},
        "data": {"a": name, "n": "2"},
    }
    for name in ("one", "two")
]
_CONDITIONS = (
    "object.metadata.name == 'web'",
    "has(object.metadata.labels) && 'a' in object.metadata.labels",
    "!has(object.metadata.annotations)",
    "object.metadata.labels.a == 'x'",
    "request.operation == 'CREATE'",
    "oldObject == null",
    "object.spec.containers.size() > 1",
    "namespaceObject == null",
)
_VARIABLES = (
    "object.metadata.name",
    "object.metadata.?labels[?'a'].orValue('none')",
    "object.?spec.?containers.orValue([]).map(c, c.name)",
    "request.namespace + '/' + namespaceObject.metadata.labels['team']",
    "object.spec.nope",
)
# Mutations that read what is there, in addition to the generated ones.
_READING = (
    "Object{metadata: Object.metadata{labels: {'a': object.metadata.name}}}",
    "Object{metadata: Object.metadata{annotations: {'n': string(object.metadata.?labels.orValue({}).size())}}}",
    "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, env: [Object.spec.containers.env{name: 'A', value: c.imagePullPolicy}]})}}",
    "Object{spec: Object.spec{containers: object.spec.containers.filter(c, !has(c.resources.limits)).map(c, Object.spec.containers{name: c.name, resources: Object.spec.containers.resources{limits: {'cpu': '0.5'}}})}}",
    "Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{labels: {'x': string(object.spec.?replicas.orValue(0))}}}}}",
    "Object{metadata: Object.metadata{?labels: object.metadata.?annotations}}",
    "object.metadata.name == 'web' ? Object{metadata: Object.metadata{labels: {'w': 'b'}}} : Object{}",
    "has(object.nope) ? Object{} : null",
    "Object{spec: Object.wrong{a: 1}}",
    "Object{data: {'a': variables.v0}}",
    "Object{data: {'p': params.data.a}}",
    "Object{metadata: Object.metadata{labels: {'p': params.data.a + variables.v0}}}",
)
_PATCHING = (
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'x'}}]",
    "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('x/y~z'), value: 'b'}]",
    "[JSONPatch{op: 'test', path: '/metadata/labels/a', value: 'x'}, JSONPatch{op: 'replace', path: '/metadata/labels/a', value: 'y'}]",
    "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'side', image: 'b:1', ports: [Object.spec.containers.ports{containerPort: 8080}]}}]",
    "[JSONPatch{op: 'add', path: '/spec/containers/0/unknown', value: 1}]",
    "[JSONPatch{op: 'add', path: '/spec/replicas', value: 'x'}]",
    "[JSONPatch{op: 'remove', path: '/spec/containers/0/imagePullPolicy'}]",
    "object.spec.containers.map(c, JSONPatch{op: 'add', path: '/metadata/annotations', value: {'c': c.name}})",
    "[JSONPatch{op: 'copy', from: '/metadata/name', path: '/metadata/generateName'}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': string(params.data.a), 'v': string(variables.v0)}}]",
    "[JSONPatch{op: 'add', path: '/spec/terminationGracePeriodSeconds', value: 5}]",
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'d': string(object.spec.containers[1].ports[0].protocol)}}]",
    "[JSONPatch{op: 'add', path: '/spec/containers/0/env', value: [{'name': 'A', 'value': 'b'}]}]",
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: null}]",
    "[JSONPatch{op: 'test', path: '/metadata/generateName', value: null}, JSONPatch{op: 'remove', path: '/metadata/labels'}]",
    "[JSONPatch{op: 'add', path: '/data', value: {'q': quantity('1')}}]",
    "[JSONPatch{op: 'add', path: '/data', value: {'t': string(duration('90s'))}}, JSONPatch{op: 'add', path: '/data/b', value: b'abc'}]",
)

# Values of patches that kube-apiserver cannot convert after a match condition, and others that it can.
_CONVERTED = (
    "object.spec.initContainers",
    "object.spec.initContainers[0]",
    "object.spec.initContainers.transformList(i, e, e)",
    "object.spec.initContainers.filter(e, true)",
    "object.spec.initContainers.filter(e, false)",
    "object.spec.initContainers + []",
    "[] + object.spec.initContainers",
    "{'a': object.spec.initContainers[0]}",
    "{'a': object.spec.initContainers}",
    "[[object.spec.initContainers[0].args]]",
    "object.spec.initContainers[0].args + ['x']",
    "[] + object.spec.initContainers[0].args",
    "object.spec.initContainers.map(e, e.name)",
    "object.metadata.labels",
    "object.metadata.labels.transformMap(k, v, v)",
    "object.spec.?initContainers[?0]",
    "object.spec.containers[0].resources.limits",
    "object.spec.containers[0].resources.limits.cpu",
    "object",
    "request.userInfo",
    "request.userInfo.groups",
    "request.kind",
    "namespaceObject",
    "namespaceObject.metadata.labels",
    "params.data",
    "params.data.a",
    "params",
    "Object.spec{initContainers: object.spec.initContainers}",
    "Object.spec{initContainers: [object.spec.initContainers[0]]}",
    "Object.spec{initContainers: object.spec.initContainers.map(e, e)}",
)

# Values of patches with a struct, whose members kube-apiserver converts as those of literals.
_STRUCTS = tuple(
    f"Object.spec.containers{{name: 'one', {fields}}}"
    for fields in (
        "args: ['a']",
        "env: [{'name': 'A', 'value': 'b'}]",
        "env: object.spec.containers.map(c, {'name': 'A', 'value': 'b'})",
        "resources: {'limits': {'cpu': '2'}}",
        "resources: {'limits': object.spec.containers[0].resources.limits}",
        "ports: [Object.spec.containers.ports{containerPort: 80}]",
        "env: [{'name': 'A', 'value': 'b'}] + [{'name': 'B', 'value': 'b'}]",
        "env: [{'name': 'A'}] + []",
        "args: ['a'] + ['b']",
    )
)

# Lists of an apply configuration that can be empty, for a pod without containers: nil in Go. The
# second mutation reads what is left, as the answers are compared without null and empty lists.
_EMPTY = (
    "containers: []",
    "containers: object.spec.containers",
    "containers: object.spec.initContainers.filter(c, false)",
    "containers: [] + object.spec.containers",
    "?containers: optional.of([])",
    "priorityClassName: 'x'",
    "activeDeadlineSeconds: 1.5",
)
_READ_CONTAINERS = (
    "Object{metadata: Object.metadata{labels: {'a': has(object.spec.containers) ? "
    "(object.spec.containers == null ? 'null' : 'list') : 'none'}}}"
)

# Patches of the metadata of a ConfigMap, which is never missing afterward: a struct in Go. The
# second mutation reads it.
_METADATA = (
    "op: 'copy', from: '/metadata/none', path: '/metadata'",
    "op: 'add', path: '/metadata', value: null",
    "op: 'add', path: '/metadata', value: {'name': 'web'}",
    "op: 'add', path: '/metadata', value: []",
    "op: 'remove', path: '/metadata'",
    "op: 'move', from: '/metadata', path: '/data'",
)
_READ_METADATA = (
    "Object{data: {'a': string(has(object.metadata)), 'b': string(has(object.metadata.name))}}"
)

# Apply configurations of literal lists and maps, which kube-apiserver converts one level deep.
_LITERALS = (
    "spec: Object.spec{containers: [{'name': 'one', 'image': 'b'}]}",
    "spec: Object.spec{containers: [Object.spec.containers{name: 'one', image: 'b'}]}",
    "spec: Object.spec{containers: [] + [{'name': 'one'}]}",
    "spec: Object.spec{containers: object.spec.containers.map(c, {'name': c.name})}",
    "spec: Object.spec{containers: object.spec.containers.filter(c, true)}",
    "spec: Object.spec{containers: [Object.spec.containers{name: 'one', resources: {'limits': {'cpu': '2'}}}]}",
    "spec: Object.spec{containers: [Object.spec.containers{name: 'one', env: [{'name': 'A', 'value': 'b'}]}]}",
    "spec: Object.spec{containers: [Object.spec.containers{name: 'one', resources: object.spec.containers[0].resources}]}",
    "spec: Object.spec{?containers: optional.of([{'name': 'one'}])}",
    "spec: Object.spec{containers: [{'name': 'one'}].reverse()}",
    "spec: Object.spec{containers: [[{'name': 'one'}], [{'name': 'two'}]].flatten()}",
    "spec: Object.spec{containers: [variables.literal]}",
    "spec: Object.spec{containers: [{'name': 'one'}] + [{'name': 'two', 'image': 'b'}]}",
    "spec: Object.spec{containers: [{'name': 'one'}] + []}",
    "spec: Object.spec{containers: ([{'name': 'one'}] + [{'name': 'two'}]) + [{'name': 'three'}]}",
    "spec: Object.spec{containers: [{'name': 'one', 'env': dyn([{'name': 'A'}])}] + [{'name': 'two', 'image': 'b'}]}",
    "spec: Object.spec{containers: [{'name': 'one'}] + [{'name': 'two', 'env': dyn([{'name': 'A'}] + [{'name': 'B'}])}]}",
    "spec: Object.spec{containers: object.spec.containers + [{'name': 'two', 'image': 'b'}]}",
    "spec: Object.spec{containers: [{'name': 'two', 'image': 'b'}] + object.spec.initContainers}",
    "spec: Object.spec{containers: [Object.spec.containers{name: 'one'}] + [Object.spec.containers{name: 'two'}]}",
    "spec: Object.spec{?containers: optional.of([{'name': 'one'}] + [{'name': 'two'}])}",
    "spec: Object.spec{containers: true ? [{'name': 'one'}] + [{'name': 'two'}] : []}",
    "spec: Object.spec{containers: ([{'name': 'one'}] + [{'name': 'two'}]).map(c, c)}",
    "spec: Object.spec{containers: variables.joined}",
    "spec: {'containers': [{'name': 'one'}] + [{'name': 'two'}]}",
    "metadata: Object.metadata{finalizers: ['a/b'] + ['c/d']}",
    "spec: {'hostNetwork': true}",
    "spec: {'nodeSelector': {'a': 'b'}}",
    "metadata: {'labels': {'a': 'b'}}",
    "metadata: {'labels': object.metadata.labels}",
    "metadata: {'labels': object.metadata.labels.transformMap(k, v, v)}",
    "metadata: {'finalizers': ['a/b']}",
    "metadata: Object.metadata{finalizers: [] + ['a/b']}",
    "metadata: Object.metadata{labels: object.metadata.labels.transformMap(k, v, v)}",
)


def make_conversions() -> Iterator[program.Row]:
    """Requests with values that kube-apiserver converts, or cannot convert, to a patch."""
    conditions: list[JSON] = [{"name": "c", "expression": "true"}]
    for value, tested in product((*_CONVERTED, *_STRUCTS), ([], conditions)):
        patch = f"[JSONPatch{{op: 'test', path: '/metadata/none', value: {value}}}]"
        yield _make_request({"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}, tested)
    for fields in _LITERALS:
        text = f"Object{{{fields}}}"
        yield _make_request(_apply(text), [])
    for fields in _EMPTY:
        text = f"Object{{spec: Object.spec{{{fields}}}}}"
        row = _make_request(_apply(text), [])
        row["object"]["spec"]["containers"] = []
        row["policies"][0]["spec"]["mutations"].append(_apply(_READ_CONTAINERS))
        yield row
    for fields in _METADATA:
        patch = f"[JSONPatch{{{fields}}}]"
        row = _make_request({"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}, [])
        row["object"] = {**_PARAMS[0], "metadata": {"name": "web", "namespace": "shop"}}
        row["resource"] = "configmaps"
        spec = row["policies"][0]["spec"]
        spec["matchConstraints"]["resourceRules"][0]["resources"] = ["configmaps"]
        spec["mutations"].append(_apply(_READ_METADATA))
        yield row


def _apply(text: str) -> Object:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": text}}


def _make_request(mutation: Object, conditions: list[JSON]) -> program.Row:
    """The creation of a pod, with one policy that has one mutation."""
    containers: list[JSON] = [
        {
            "name": name,
            "image": "a",
            "args": ["b"],
            "resources": {"limits": {"cpu": "1"}},
        }
        for name in ("one", "two")
    ]
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", "labels": {"a": "x"}},
        "spec": {"containers": containers[:1], "initContainers": containers[1:]},
    }
    rule: Object = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
    }
    spec: Object = {
        "matchConstraints": {"resourceRules": [rule]},
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "variables": [
            {"name": "literal", "expression": "{'name': 'one'}"},
            {"name": "joined", "expression": "[{'name': 'one'}] + [{'name': 'two'}]"},
        ],
        "matchConditions": conditions,
        "mutations": [mutation],
    }
    params: Object = {"name": "one", "parameterNotFoundAction": "Deny"}
    binding: Object = {"policyName": "p", "paramRef": params}
    return {
        "policies": [_document("MutatingAdmissionPolicy", "p", spec)],
        "bindings": [_document("MutatingAdmissionPolicyBinding", "b", binding)],
        "params": _PARAMS,
        "namespace": _NAMESPACE,
        "object": pod,
        "resource": "pods",
    }


def find_fixture(minor: int) -> Path:
    """The answers of a release."""
    folder = Path(__file__).parents[2] / "kube/mutation/fixtures"
    return folder / ("policies.jsonl" if minor == NEWEST else f"policies-{minor}.jsonl")


def read_minor(release: str) -> int:
    """The minor of a release, such as 1.36.5; of none, that of ``go.mod``."""
    return int(release.split(".")[1]) if release else NEWEST


class PolicyGenerator:
    """Requests and policies from one seed, for a release of Kubernetes."""

    def __init__(self, seed: int, minor: int = NEWEST) -> None:
        self.random = Random(seed)  # noqa: S311 - no secret
        self.values = _ValidGenerator(self.random, release_schema(minor))

    def row(self) -> program.Row:
        """One request with up to three policies."""
        kind = self.random.choice(("Pod", "Pod", "Pod", *KINDS))
        version, resource = KINDS[kind]
        value = self._object(version, kind)
        policies: list[JSON] = []
        bindings: list[JSON] = []
        for number in range(self.random.randrange(1, 4)):
            policy, binding = self._policy(f"p{number}", version, resource, value)
            policies.append(policy)
            bindings.append(binding)
        return {
            "policies": policies,
            "bindings": bindings,
            "params": _PARAMS,
            "namespace": _NAMESPACE,
            "object": value,
            "resource": resource,
        }

    def _object(self, version: str, kind: str) -> Object:
        ref = self.values.schema.find_kind(version, kind)
        assert ref is not None
        self.values.keeps_atomic, self.values.faults = True, 0
        value = self.values.map(ref, 7, self.random.choice((0.1, 0.2, 0.3)))
        for key in ("status", "binaryData"):  # kube-apiserver decodes base64
            value.pop(key, None)
        spec = object_at(value, "spec")
        pod = spec if kind == "Pod" else object_at(spec, "template", "spec")
        if "containers" in pod and not pod["containers"]:  # no cluster has such an object
            pod["containers"] = [{"name": "app"}]
        metadata: Object = {"name": self.random.choice(("web", "api")), "namespace": "shop"}
        for key in ("labels", "annotations"):
            if self.random.random() < 0.5:
                metadata[key] = dict.fromkeys(self.random.sample(("a", "b"), 1), "x")
        return {**value, "apiVersion": version, "kind": kind, "metadata": metadata}

    def _policy(
        self, name: str, version: str, resource: str, value: Object
    ) -> tuple[Object, Object]:
        group, _, api_version = version.rpartition("/")
        random = self.random
        uses_params = random.random() < 0.2
        rule: Object = {
            "apiGroups": [group],
            "apiVersions": [api_version],
            "operations": ["CREATE"],
            "resources": [resource],
        }
        spec: Object = {
            "matchConstraints": {"resourceRules": [rule]},
            "reinvocationPolicy": random.choice(("Never", "IfNeeded")),
            "failurePolicy": random.choice(("Fail", "Ignore", "Ignore")),
            "variables": [
                {"name": f"v{number}", "expression": random.choice(_VARIABLES)}
                for number in range(2)
            ],
            "matchConditions": [
                {"name": f"c{number}", "expression": random.choice(_CONDITIONS)}
                for number in range(random.choice((0, 0, 1)))
            ],
            "mutations": [self._mutation(value) for _ in range(random.choice((1, 1, 2, 3)))],
        }
        binding: Object = {"policyName": name}
        if uses_params:
            spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
            binding["paramRef"] = random.choice(
                (
                    {"name": "one", "parameterNotFoundAction": "Deny"},
                    {"name": "nope", "parameterNotFoundAction": "Allow"},
                    {"name": "nope", "parameterNotFoundAction": "Deny"},
                    {
                        "selector": {"matchLabels": {"kind": "limits"}},
                        "parameterNotFoundAction": "Deny",
                    },
                )
            )
        return (
            _document("MutatingAdmissionPolicy", name, spec),
            _document("MutatingAdmissionPolicyBinding", f"b{name}", binding),
        )

    def _mutation(self, value: Object) -> Object:
        random = self.random
        if random.random() < 0.5:
            text = random.choice(_READING) if random.random() < 0.4 else self._apply(value)
            return _apply(text)
        text = random.choice(_PATCHING) if random.random() < 0.5 else self._patch(value)
        return {"patchType": "JSONPatch", "jsonPatch": {"expression": text}}

    def _apply(self, value: Object) -> str:
        ref = self.values.schema.find_kind(str(value["apiVersion"]), str(value["kind"]))
        assert ref is not None
        self.values.keeps_atomic = self.random.random() < 0.1
        self.values.faults = self.random.choice((0, 0, 0, 0.02))
        patch = self.values.map(ref, 6, self.random.choice((0.05, 0.1, 0.2)))
        for key in ("apiVersion", "kind", "status", "binaryData"):
            patch.pop(key, None)
        return to_cel(patch, ref, self.values.schema, "Object")

    def _patch(self, value: Object) -> str:
        operations: list[str] = []
        for _ in range(self.random.randrange(1, 3)):
            kind = self.random.choice(("add", "replace", "remove", "test", "copy", "move"))
            fields = [f"op: '{kind}'", f"path: {literal(random_path(self.random, value))}"]
            if kind in {"copy", "move"}:
                fields.append(f"from: {literal(random_path(self.random, value))}")
            if kind in {"add", "replace", "test"}:
                fields.append(f"value: {literal(self.random.choice(('x', 1, True, 80, '10%')))}")
            operations.append(f"JSONPatch{{{', '.join(fields)}}}")
        return f"[{', '.join(operations)}]"


def _document(kind: str, name: str, spec: Object) -> Object:
    head = "admissionregistration.k8s.io/v1"
    return {"apiVersion": head, "kind": kind, "metadata": {"name": name}, "spec": spec}


class _ValidGenerator(Generator):
    """Values that decode: times and quantities where the types have them."""

    def map(self, ref: str, depth: int, density: float) -> Object:
        result = super().map(ref, depth, density)
        type_ = self.schema.resolve(ref).map
        assert type_ is not None
        for key in result:
            field = type_.fields.get(key)
            if field is not None and field.type == "u" and self.random.random() >= self.faults:
                is_time = key.endswith(("Time", "Timestamp"))
                is_size = key in {"sizeLimit", "divisor"}
                numbers = ("1Gi", "0.5", "100m") if is_size else (80, "10%")
                result[key] = self.random.choice(("2027-01-01T00:00:00Z",) if is_time else numbers)
        if type_.element == "u":
            quantity: JSON = self.random.choice(("1", "100m", "0.5", "1Gi"))
            return {key: quantity for key in result}  # noqa: C420 - fromkeys has another type
        return result


def to_cel(value: JSON, ref: str, schema: Schema, name: str) -> str:
    """An apply configuration as an expression with the constructors of its types."""
    atom = schema.resolve(ref)
    if isinstance(value, dict) and atom.map is not None and atom.map.element is None:
        fields = (
            f"{key}: {to_cel(member, atom.map.fields[key].type, schema, f'{name}.{key}')}"
            if key in atom.map.fields
            else f"{key}: {literal(member)}"
            for key, member in value.items()
        )
        return f"{name}{{{', '.join(fields)}}}"
    if isinstance(value, list) and atom.list is not None:
        return f"[{', '.join(to_cel(each, atom.list.element, schema, name) for each in value)}]"
    return literal(value)


def literal(value: JSON) -> str:
    """A value as a literal of CEL; JSON is one, but for the quotes of ASCII."""
    return json.dumps(value, ensure_ascii=True)


def make_rows(count: int, seed: int, minor: int = NEWEST) -> Iterator[program.Row]:
    """Requests by a seed."""
    generator = PolicyGenerator(seed, minor)
    for _ in range(count):
        yield generator.row()


def _specs(documents: Iterable[Any], diagnostics: Diagnostics) -> Iterator[tuple[Cursor, str]]:
    for document in documents:
        yield Cursor(document["spec"], "/spec", diagnostics), document["metadata"]["name"]


def answer(row: program.Row, minor: int = NEWEST) -> tuple[str, JSON]:
    """The answer of podgraft: the object as the release stores it, or the denial."""
    diagnostics = Diagnostics()
    policies = [
        mutation.parse_policy(*spec, release=minor) for spec in _specs(row["policies"], diagnostics)
    ]
    bindings = [mutation.parse_binding(*spec) for spec in _specs(row["bindings"], diagnostics)]
    if diagnostics.errors:
        return "refused", str(diagnostics.errors[0])
    policy_set = mutation.MutatingPolicySet(
        policies=tuple(policies),
        bindings=mutation.group_by_policy(bindings),
        params=ParamIndex.build(_PARAMS),
        namespaces={"shop": _NAMESPACE},
        schema=release_schema(minor),
    )
    before = row["before"]
    review = policy_set.start(make_create_request(before, "shop"))
    try:
        return "after", complete(review.readmit(review.admit(before)), minor)
    except mutation.MutationDeniedError as error:
        return "error", f"{int(error.code)} {error}"


def go_answer(row: program.Row) -> tuple[str, JSON]:
    """The answer of kube-apiserver, or the refusal of its API."""
    if "refused" in row:
        return "refused", row["refused"]
    return ("error", f"{row['code']} {row['error']}") if "error" in row else ("after", row["after"])


def is_same(ours: tuple[str, JSON], go: tuple[str, JSON]) -> bool:
    """Whether the answers are equal, apart from the texts that name a type of Go or have no order."""
    if "refused" in {ours[0], go[0]}:
        return ours[0] == go[0]
    if ours[0] == go[0] == "error" and ours[1] != go[1]:
        # podgraft rejects null with another text: docs/overlays.md.
        has_struct = "structpb" in str(go[1]).replace("structpb.NullValue", "")
        return not has_struct and _outline(str(ours[1])) == _outline(str(go[1]))
    return ours[0] == go[0] and equal(without_empty(ours[1]), without_empty(go[1]))


def without_empty(value: JSON) -> JSON:
    """A value without empty members, which the last conversion of kube-apiserver removes.

    It also adds the annotation of DaemonSets, to what a webhook returns too.
    """
    match value:
        case dict():
            members = {key: without_empty(member) for key, member in value.items()}
            return {
                key: member
                for key, member in members.items()
                if member not in (None, "", [], {}) and key != _GENERATION
            }
        case list():
            return [without_empty(element) for element in value]
        case _:
            return value


_GENERATION = "deprecated.daemonset.template.generation"
_OUTLINES = (
    "failed to convert patch object to typed object",
    "invalid ApplyConfiguration",
    "type mismatch",
    "could not marshal to JSON",
    "500 Internal error occurred",
    "no such overload",
    "unable to convert unstructured object",
    "cannot unmarshal",
)


def _outline(message: str) -> str:
    if "couldn't get version/kind" in message:
        return message
    head, _, _ = message.partition(" denied request")
    message = message.replace("cannot be merged", _OUTLINES[0])
    for outline in _OUTLINES:
        if outline in message:
            return f"{head if 'denied request' in message else ''}{outline}"
    return message


def ask(rows: Iterable[program.Row], release: str) -> Iterator[program.Row]:
    """The rows that decode, each with the answer of kube-apiserver; no panics."""
    provide_documents(release)
    for row in program.ask_program("mutation", list(rows), release):
        if "before" in row and "panic" not in row.get("error", ""):
            yield row


def main() -> None:
    """Record the fixtures, or compare many requests."""
    if len(sys.argv) == 1:
        for release, count in RELEASES.items():
            minor = read_minor(release)
            rows = ask([*make_rows(count, 0, minor), *make_conversions()], release)
            kept = ("policies", "bindings", "before", "after", "error", "code", "refused")
            program.write(
                find_fixture(minor), [{key: row[key] for key in kept if key in row} for row in rows]
            )
        return
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    release = sys.argv[3] if len(sys.argv) > 3 else ""
    minor = read_minor(release)
    while count > 0:
        for row in ask(make_rows(min(count, 1000), seed, minor), release):
            ours = answer(row, minor)
            if not is_same(ours, go_answer(row)):
                sys.stdout.write(json.dumps({**row, "ours": ours}) + "\n")
        count, seed = count - 1000, seed + 1


if __name__ == "__main__":
    main()
