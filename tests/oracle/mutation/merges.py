"""Pairs of object and apply configuration, and the fixture of the answers of kube-apiserver.

python -m oracle.mutation.merges [COUNT]     (in tests/, with the repository's environment)

With a count, it compares so many pairs and records none.
"""

import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random

from oracle import program
from oracle.mutation.openapi import provide_documents
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.structured import Schema, StructuredError, merge, release_schema

FIXTURE = Path(__file__).parents[2] / "kube/structured/fixtures/merges.jsonl"
KINDS = (
    *("v1 Pod",) * 6,
    *("v1 Service", "v1 ConfigMap", "v1 Secret", "v1 Namespace", "v1 ServiceAccount", "v1 Node"),
    *("v1 PersistentVolume", "v1 PersistentVolumeClaim", "v1 Event", "v1 Endpoints"),
    *("apps/v1 Deployment",) * 2,
    *("apps/v1 StatefulSet", "apps/v1 DaemonSet", "batch/v1 Job", "batch/v1 CronJob"),
    *("networking.k8s.io/v1 Ingress", "networking.k8s.io/v1 NetworkPolicy"),
    *("rbac.authorization.k8s.io/v1 Role", "rbac.authorization.k8s.io/v1 RoleBinding"),
    *("autoscaling/v2 HorizontalPodAutoscaler", "policy/v1 PodDisruptionBudget"),
    *("apiextensions.k8s.io/v1 CustomResourceDefinition", "storage.k8s.io/v1 StorageClass"),
    *("admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",),
    *("resource.k8s.io/v1 ResourceClaim", "flowcontrol.apiserver.k8s.io/v1 FlowSchema"),
)
_JUNK: tuple[JSON, ...] = (None, 1, 1.5, True, "x", [], {}, ["a"], [None], [[1]], [{}], {"a": 1})
_WORDS = ("a", "b", "c", "TCP", "UDP", "")


class Generator:
    """Objects and patches of the types of a schema."""

    def __init__(self, random: Random, schema: Schema) -> None:
        self.random = random
        self.schema = schema
        self.keeps_atomic = False
        self.faults = 0.0

    def pair(self) -> program.Row:
        """An object of a kind, and a patch for it."""
        version, _, kind = self.random.choice(KINDS).partition(" ")
        ref = self.schema.find_kind(version, kind)
        assert ref is not None, kind
        head: Object = {"apiVersion": version, "kind": kind}
        self.faults = self.random.choice((0, 0, 0, 0.02))
        self.keeps_atomic = True
        live = self.map(ref, 7, 0.35)
        self.keeps_atomic = self.random.random() < 0.15
        patch = self.map(ref, 7, 0.3)
        return {"object": {**live, **head}, "patch": {**patch, **head}}

    def value(self, ref: str, depth: int, density: float) -> JSON:
        """A value of a type; a wrong one with the probability of a fault."""
        if self.random.random() < self.faults:
            return deepcopy(self.random.choice(_JUNK))
        atom = self.schema.resolve(ref)
        if atom.map is not None and not atom.scalar:
            return self.map(ref, depth, density)
        if atom.list is not None and not atom.scalar:
            return self.list(ref, depth, density)
        match atom.scalar:
            case "n":
                return self.random.choice((0, 1, 2, 80, 443))
            case "b":
                return self.random.random() < 0.5
            case "s":
                return self.random.choice(_WORDS)
            case _ if ref == "*":
                return self.random.choice((1, "x", True, {"a": {"b": 1}}, {"a": {"c": 2}}, [1]))
            case _:
                return self.random.choice((1, "x", "10%", "2027-01-01T00:00:00Z"))

    def map(self, ref: str, depth: int, density: float) -> Object:
        """A struct, or a map of a few keys."""
        type_ = self.schema.resolve(ref).map
        assert type_ is not None
        if type_.element is not None:
            keys = self.random.sample(("a", "b", "c", "d"), self.random.randrange(3))
            return {key: self.value(type_.element, depth - 1, density) for key in keys}
        result: Object = {}
        for name, field in type_.fields.items():
            if name in {"apiVersion", "kind"} and depth == 7:
                continue
            spec = 1.0 if name in {"spec", "template", "containers", "metadata"} else density
            if depth > 0 and self.random.random() < spec and self._is_allowed(field.type):
                result[name] = self.value(field.type, depth - 1, density * 0.75)
        if self.random.random() < self.faults:
            result["unknown"] = 1
        return result

    def _is_allowed(self, ref: str) -> bool:
        atom = self.schema.resolve(ref)
        if atom.scalar or self.keeps_atomic:
            return True
        return not (
            (atom.map is not None and atom.map.is_atomic)
            or (atom.list is not None and atom.list.keys is None)
        )

    def list(self, ref: str, depth: int, density: float) -> JSON:
        """Elements, mostly with different keys."""
        type_ = self.schema.resolve(ref).list
        assert type_ is not None
        repeats = self.random.random() < (0.15 if self.keeps_atomic else self.faults)
        elements: list[JSON] = []
        identities: set[str] = set()
        for _ in range(self.random.randrange(4)):
            element = self.value(type_.element, depth - 1, density)
            if type_.keys and isinstance(element, dict):
                fields = self.schema.resolve(type_.element).map
                for key in type_.keys:
                    field = fields.fields.get(key) if fields else None
                    if field is not None and (self.random.random() < 0.9 or field.default is None):
                        element[key] = self.value(field.type, 0, 1)
                identity = str([element.get(key) for key in type_.keys])
            else:
                identity = str(element)
            if identity not in identities or repeats or type_.keys is None:
                elements.append(element)
            identities.add(identity)
        return elements


def make_rows(count: int, seed: int) -> Iterator[program.Row]:
    """Pairs by a seed."""
    generator = Generator(Random(seed), release_schema())  # noqa: S311 - no secret
    for _ in range(count):
        yield generator.pair()


def answer(row: program.Row) -> tuple[str, JSON]:
    """The answer of podgraft: the merged object, or the text of the error."""
    live, patch = row["object"], row["patch"]
    schema = release_schema()
    ref = schema.find_kind(live["apiVersion"], live["kind"])
    assert ref is not None
    try:
        return "merged", merge(schema, live, patch, ref)
    except StructuredError as error:
        return "error", str(error)


def go_answer(row: program.Row) -> tuple[str, JSON]:
    """The answer of kube-apiserver."""
    return ("error", row["error"]) if "error" in row else ("merged", row["after"])


def differs(row: program.Row) -> bool:
    """Whether the answers differ; the text is compared if the original has one error."""
    (ours, value), (go, expected) = answer(row), go_answer(row)
    if go == "error" and "original object" in str(expected) and "not declared" in str(expected):
        return False  # podgraft keeps fields of newer releases
    if ours != go:
        return True
    if go == "merged":
        return value != expected
    if "atomic" in str(expected):
        first, second = (
            sorted(str(text).rpartition("structs: ")[2].split(", ")) for text in (value, expected)
        )
        return first != second
    return False


def main() -> None:
    """Record the fixture, or compare many pairs."""
    provide_documents()
    if len(sys.argv) > 1:
        count, seed = int(sys.argv[1]), 1
        while count > 0:
            rows = program.ask_program("mutation", list(make_rows(min(count, 2000), seed)))
            for row in filter(differs, rows):
                sys.stdout.write(json.dumps({**row, "ours": answer(row)}) + "\n")
            count, seed = count - 2000, seed + 1
        return
    program.write(FIXTURE, program.ask_program("mutation", list(make_rows(900, 0))))


if __name__ == "__main__":
    main()
