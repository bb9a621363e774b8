"""The law of promotion in responses: pods with the candidate get the same after promotion."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec.structs import replace

from core.review.test_candidate import ID, NAME, Clock, FaultyStore, World, make_context, make_pods
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.policy.rollout import text
from podgraft.core import review
from podgraft.core.policy.rollout import ANNOTATION
from podgraft.core.review.results import ReviewFailure, ReviewResult
from podgraft.kube import patch, yaml
from support.effort import scaled
from support.memory_store import cached_store
from support.store_fixture import CONFIG

CLUSTERS = ("dev", "prod", "unknown")
DOCUMENTS = scaled(200)
PODS = 8


def make_values(world: World) -> dict[str, tuple[JSON, ...]]:
    labelled = world.upload((NAME, "other"))
    image = next(line for line in CONFIG.splitlines() if "image:" in line and "init" in line)
    other = world.upload((image, image.replace(":1", ":2")))
    return {
        "bundle": (world.stable, labelled, other),
        "policy": ("enabled", "disabled"),
        "revision": ("a", "b"),
        "ignoredNamespaces": ([], ["shop"]),
        "neverInjectSelector": ([], [{"matchLabels": {"app": "x"}}]),
        "features": ({}, {"platform": "openshift"}, {"nativeSidecars": True}),
    }


def make_documents(world: World) -> Iterator[Object]:
    random = Random(17)  # noqa: S311 — reproducible
    values = make_values(world)

    def make_keys(chance: float) -> Object:
        return {
            key: random.choice(each) for key, each in values.items() if random.random() < chance
        }

    for _ in range(DOCUMENTS):
        candidate = make_keys(0.5) or {"policy": "enabled"}
        clusters: Object = {name: make_keys(0.4) for name in CLUSTERS[:2]}
        rollout: Object = {"id": ID, "mode": "share", "share": 100, "candidate": candidate}
        yield {"bundle": world.stable, **make_keys(0.5), "clusters": clusters, "rollout": rollout}


def describe(result: ReviewResult, pod: Object) -> object:
    """The object and the verdict of a response, without the annotation of the rollout."""
    if isinstance(result, ReviewFailure):
        return str(result.error)
    response = result.response
    after: Any = patch.apply(json.loads(json.dumps(pod)), json.loads(response.patch or b"[]"))
    annotations: dict[str, JSON] = after["metadata"].get("annotations", {})
    annotations.pop(ANNOTATION, None)
    after["metadata"]["annotations"] = annotations
    return response.allowed, response.status, after, result.record.decision, result.record.reason


def test_promotion_changes_no_response_of_the_candidate() -> None:
    world, clock = World(), Clock()
    memory: FaultyStore = world.memory
    compared = 0
    for number, document in enumerate(make_documents(world)):
        written = yaml.dump(document)
        running, promoted = f"r{number}", f"p{number}"
        memory.put(running, written)
        memory.put(promoted, text.promote(written))
        store = cached_store(memory, 30, clock)
        for pod in make_pods(PODS):
            for cluster in CLUSTERS:
                context = make_context(pod, clock, cluster=cluster)
                before = review.inject(replace(context, injector=running), store)
                after = review.inject(replace(context, injector=promoted), store)
                record = before.record.candidate
                if record is None or record.track != "candidate":
                    continue
                compared += 1
                assert describe(before, pod) == describe(after, pod), (document, cluster)
    assert compared > DOCUMENTS * PODS
