"""Objects with the defaults that kube-apiserver sets, by release, and their fixture.

python -m oracle.defaults.record     (in tests/, with the repository's environment)
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from oracle import program
from oracle.mutation.policies import PolicyGenerator
from podgraft.base.jsonvalue import Object

FIXTURE = Path(__file__).parents[2] / "kube/fixtures/defaults.jsonl"
# Each default that not all releases set differs between two of them.
RELEASES = ("1.28.0", "1.30.0", "1.34.0", "1.36.5", "1.37.2")
_GENERATED = 12
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
)
_JOBS: tuple[Object, ...] = (
    {},
    {"backoffLimitPerIndex": 1},
    {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "a"}]}]}},
)


def make_objects(minor: int) -> Iterator[Object]:
    """Objects of a release: generated ones, and those whose defaults depend on the release."""
    generator = PolicyGenerator(minor, minor)
    yield from (generator.row()["object"] for _ in range(_GENERATED))
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
    for job in _JOBS:
        yield _object("batch/v1", "Job", {"template": template, **job})
    yield _object("v1", "ReplicationController", {"template": template})
    yield _object("apps/v1", "ReplicaSet", {"template": template})
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


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
