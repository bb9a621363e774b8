"""Objects with the defaults that kube-apiserver sets, by release, and their fixture.

python -m oracle.defaults.record     (in tests/, with the repository's environment)
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from oracle import program
from oracle.mutation.policies import PolicyGenerator
from podgraft.base.jsonvalue import JSON, Object
from podgraft.golang.reflect import GoType, Kind, fields_by_key
from podgraft.kube.types import API_GROUPS, types

FIXTURE = Path(__file__).parents[2] / "kube/fixtures/defaults.jsonl"
RELEASES = (
    *("1.28.0", "1.29.0", "1.30.0", "1.31.0", "1.32.0"),
    *("1.33.0", "1.34.0", "1.35.4", "1.36.5", "1.37.2"),
)
_GENERATED = 12
_RANDOM = 20
_IMAGE_VOLUMES, _POD_RESOURCES = 31, 32  # the first releases with the fields
_AMOUNTS: tuple[Object, ...] = (
    {},
    {"cpu": "1", "hugepages-2Mi": "2Mi"},
    {"cpu": "1500m", "memory": "1Gi", "example.com/gpu": "1"},
    {"cpu": "100u", "memory": "0.0001", "hugepages-1Gi": "1Gi"},
)
_VOLUMES: tuple[Object, ...] = (
    {"image": {"reference": "registry.example.com/model:1"}},
    {"image": {"reference": "model"}},
    {"azureDisk": {"diskName": "d", "diskURI": "u"}},
    {"iscsi": {"targetPortal": "p", "iqn": "i", "lun": 0}},
    {},
)
_STRATEGIES: tuple[Object, ...] = (
    {},
    {"type": "OnDelete"},
    {"type": "RollingUpdate", "rollingUpdate": {}},
    {"type": "OnDelete", "rollingUpdate": {}},
)
_JOBS: tuple[Object, ...] = (
    {},
    {"backoffLimitPerIndex": 1},
    {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "a"}]}]}},
)


def make_objects(minor: int) -> Iterator[Object]:
    """Objects of a release: generated ones, and those whose defaults depend on the release."""
    generator = PolicyGenerator(minor, minor)
    generated = (generator.row()["object"] for _ in range(_GENERATED))
    yield from (each for each in generated if "managedFields" not in str(each))  # times at random
    for own, first, second in product(_AMOUNTS, repeat=3):
        if own and first != second and minor >= _POD_RESOURCES:
            yield _pod(_resources(own, first, second))
    volumes = _VOLUMES if minor >= _IMAGE_VOLUMES else _VOLUMES[2:]
    yield _pod({"containers": [], "volumes": [{"name": "v", **each} for each in volumes]})
    yield _pod({"containers": [], "terminationGracePeriodSeconds": -5, "serviceAccount": "a"})
    template: Object = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [], "serviceAccountName": "a", "terminationGracePeriodSeconds": -5},
    }
    for strategy in _STRATEGIES:
        spec: Object = {"template": template, "serviceName": "web", "updateStrategy": strategy}
        yield _object("apps/v1", "StatefulSet", spec)
        yield _object("apps/v1", "DaemonSet", {"template": template, "updateStrategy": strategy})
        yield _object("apps/v1", "Deployment", {"template": template, "strategy": strategy})
    for job in _JOBS:
        yield _object("batch/v1", "Job", {"template": template, **job})
    yield _object("v1", "ReplicationController", {"template": template})
    yield _object("apps/v1", "ReplicaSet", {"template": template})
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    yield from make_random_objects(minor, _RANDOM)


def make_random_objects(minor: int, count: int, seed: int = 1) -> Iterator[Object]:
    """Objects whose fields are there, empty, or missing at random, of the types of a release."""
    random = Random(seed)  # noqa: S311 - the same each time
    for _ in range(count):
        kind, group = random.choice([*API_GROUPS.items()])
        value = _make_value(random, types(minor)[kind], 0)
        metadata = value.get("metadata", {})
        labels = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
        version = f"{group}/v1" if group else "v1"
        yield {**value, "apiVersion": version, "kind": kind, "metadata": {"name": "web", **labels}}


_TEXTS: Mapping[str, Sequence[JSON]] = {
    "resource.Quantity": ("1", "100m", "1Gi"),
    "v1.Time": ("2024-01-01T00:00:00Z",),
    "intstr.IntOrString": (0, 80, "http", "10%"),
    "v1.FieldsV1": ({},),
    # What validation requires, so that no unused rollingUpdate is there.
    **{f"v1.{name}UpdateStrategyType": ("RollingUpdate",) for name in ("DaemonSet", "StatefulSet")},
    "v1.DeploymentStrategyType": ("RollingUpdate",),
}


def _make_value(random: Random, type_: GoType, depth: int) -> Any:
    if type_.name in _TEXTS:
        return random.choice(_TEXTS[type_.name])
    inner = type_.elem
    match type_.kind:
        case Kind.POINTER if inner:
            return _make_value(random, inner, depth)
        case Kind.SLICE if inner:
            return [_make_value(random, inner, depth + 1) for _ in range(random.randrange(3))]
        case Kind.MAP if inner:
            return {key: _make_value(random, inner, depth + 1) for key in random.choice(("", "a"))}
        case Kind.STRUCT:
            chance = random.choice((0.15, 0.4, 0.8)) if depth < _DEPTH else 0
            return {
                key: _make_value(random, field.type, depth + 1)
                for key, field in fields_by_key(type_).items()
                if key not in _NEWER and random.random() < chance
            }
        case Kind.BOOL:
            return random.choice((True, False))
        case Kind.STRING:
            return random.choice(("", "a"))
        case _:
            return random.choice((0, 1, 5, -3))


_DEPTH = 9
# Fields that some release of the table does not have, or that are of no use here.
_NEWER = frozenset(
    (
        *("apiVersion", "kind", "scheduling", "healthStatus", "terminatingReplicas", "managedBy"),
        *("successPolicy", "currentVolumeAttributesClassName", "modifyVolumeStatus"),
        "managedFields",
    )
)


def _resources(own: Object, first: Object, second: Object) -> Object:
    """A pod with resources of its own and those of its containers, one of them a sidecar."""
    both: Object = {"requests": first, "limits": second}
    limits: Object = {"limits": first}
    return {
        "resources": {"limits": own} if first else {"requests": own},
        "containers": [{"name": "a", "resources": both}, {"name": "b", "resources": limits}],
        "initContainers": [
            {"name": "c", "restartPolicy": "Always", "resources": {"requests": second}},
            {"name": "d", "resources": both},
        ],
    }


def _pod(spec: Object) -> Object:
    return _object("v1", "Pod", spec)


def _object(version: str, kind: str, spec: Object) -> Object:
    metadata: Object = {"name": "web", "namespace": "shop"}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def main() -> None:
    """Record the fixture."""
    rows: list[program.Row] = []
    for release in RELEASES:
        minor = int(release.split(".")[1])
        objects = list(make_objects(minor))
        sent = program.ask_program("defaults", objects, release)
        rows += (
            {"minor": minor, "object": value, "sent": answer}
            for value, answer in zip(objects, sent, strict=True)
        )
    program.write(FIXTURE, rows)


if __name__ == "__main__":
    main()
