"""Families of reviews: each one differs from the one before it in one input."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final
from uuid import UUID

from support.pair_worlds import HOST_PATHS, IMAGES, NAMES, RARE, RARE_VALUE, TEXTS, VOLUMES, World
from support.store_fixture import OTHER_TOKEN, TOKEN

Json = dict[str, Any]
LISTS: Final = ("containers", "initContainers", "ephemeralContainers")
_FAMILY = 5  # reviews
_CONFIG = "proxy.istio.io/config"
_SETTINGS: Final = (
    None,
    *({"privileged": True},) * 3,
    {"capabilities": {"add": ["SYS_ADMIN"]}},
    {"runAsUser": 0},
)


def make_reviews(random: Random, worlds: Sequence[World]) -> Iterator[Json]:
    """Reviews as ``path``, ``token``, and ``body``, without an end."""
    number = 0
    while True:
        review = _make_review(random, random.choice(worlds))
        for _ in range(_FAMILY):
            number += 1
            review["request"]["uid"] = str(UUID(int=number))
            yield _serialize(review)
            if random.random() < 0.7:
                review = deepcopy(review)
                random.choice(_CHANGES)(random, review)


def _serialize(review: Json) -> Json:
    path = f"/{review['world'].injector}/inject{review['variables']}"
    document = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": review["request"],
    }
    return {
        "path": path,
        "token": review["token"],
        "body": json.dumps(document, separators=(",", ":")),
    }


def _make_review(random: Random, world: World) -> Json:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": "p-",
            "labels": {"app": "web"},
            "annotations": {RARE: RARE_VALUE},
            "managedFields": [{"manager": "kubelet", "time": "2026-11-21T00:00:00Z"}],
        },
        "spec": {"containers": [{"name": "app", "image": "nginx"}]},
    }
    request = {
        "uid": "",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": "CREATE",
        "namespace": "shop",
        "object": pod,
    }
    review: Json = {"world": world, "token": TOKEN, "variables": "", "request": request}
    for _ in range(random.randrange(4)):
        random.choice(_CHANGES)(random, review)
    return review


def _pod(review: Json) -> Json:
    return review["request"]["object"]


def _annotations(review: Json) -> Json:
    return _pod(review)["metadata"]["annotations"]


def _change_name(random: Random, review: Json) -> None:
    metadata = _pod(review)["metadata"]
    metadata[random.choice(("name", "generateName"))] = random.choice(("p-", "q-", "agent"))


def _change_label(random: Random, review: Json) -> None:
    labels = _pod(review)["metadata"]["labels"]
    labels[random.choice(("app", "version"))] = random.choice(("web", "db", "true", "1"))


def _change_owner(random: Random, review: Json) -> None:
    owner = {"kind": "ReplicaSet", "apiVersion": "apps/v1", "controller": True, "uid": "1"}
    name = random.choice(("web-5d4f8", "db-5d4f8"))
    _pod(review)["metadata"]["ownerReferences"] = [{**owner, "name": name}]


def _change_namespace(random: Random, review: Json) -> None:
    review["request"]["namespace"] = random.choice(("shop", "prod", "default", "default"))


def _change_time(random: Random, review: Json) -> None:
    time = f"2026-11-21T00:00:{random.randrange(60):02d}Z"
    _pod(review)["metadata"]["managedFields"][0]["time"] = time


def _change_config(random: Random, review: Json) -> None:
    """The annotation has the same texts as the operator's ProxyConfig."""
    annotations = _annotations(review)
    annotations.pop(_CONFIG, None)
    if random.random() < 0.8:
        text = review["world"].text if random.random() < 0.7 else random.choice(TEXTS)
        config: Json = {"proxyMetadata": {"IMG": text}}
        if random.random() < 0.2:
            config["concurrency"] = random.randrange(3)
        annotations[_CONFIG] = json.dumps(config)


def _change_image(random: Random, review: Json) -> None:
    _annotations(review)["example.com/image"] = random.choice(TEXTS)


def _change_rarity(random: Random, review: Json) -> None:
    _annotations(review)[RARE] = random.choice((RARE_VALUE, RARE_VALUE, "no"))


def _change_containers(random: Random, review: Json) -> None:
    """The pod's own container can have the name, and the settings, of an injected one."""
    container: Json = {"name": random.choice(("agent", *NAMES)), "image": "a"}
    settings = random.choice(_SETTINGS)
    if settings:
        container["securityContext"] = settings
    if random.random() < 0.2:
        container["ports"] = [{"containerPort": 1, "hostPort": 1}]
    spec, key = _pod(review)["spec"], random.choice(LISTS)
    others = [each for each in spec.get(key, ()) if each["name"] == "app"]
    _remove_containers(random, review)
    spec[key] = [*others, container]


def _rename_container(random: Random, review: Json) -> None:
    """Only the name differs."""
    spec = _pod(review)["spec"]
    own = [each for key in LISTS for each in spec.get(key, ()) if each["name"] != "app"]
    if own:
        random.choice(own)["name"] = random.choice(NAMES)


def _remove_containers(random: Random, review: Json) -> None:
    del random
    spec = _pod(review)["spec"]
    for key in LISTS[1:]:
        spec.pop(key, None)
    spec["containers"] = spec["containers"][:1]


def _change_volumes(random: Random, review: Json) -> None:
    """The pod's own volume can have the name, the image, or the path of an injected one."""
    volume: Json = {"name": random.choice(("v", "w", *VOLUMES))}
    match random.randrange(5):
        case 0 | 1:
            volume["image"] = {"reference": random.choice(IMAGES)}
        case 2:
            volume["hostPath"] = {"path": random.choice(HOST_PATHS)}
        case _:
            volume["emptyDir"] = {}
    spec = _pod(review)["spec"]
    others = [each for each in spec.get("volumes", ()) if each["name"] != volume["name"]]
    spec["volumes"] = [*others, volume][-3:]


def _change_volume(random: Random, review: Json) -> None:
    """Only the image or the path of a volume differs."""
    volumes = _pod(review)["spec"].get("volumes", ())
    sources = [each for each in volumes if "emptyDir" not in each and "projected" not in each]
    if sources:
        volume = random.choice(sources)
        if "image" in volume:
            volume["image"]["reference"] = random.choice(IMAGES)
        else:
            volume["hostPath"]["path"] = random.choice(HOST_PATHS)


def _change_images(random: Random, review: Json) -> None:
    """The volume with the injected name, and another one, have images."""
    images = {"v": IMAGES[0], "w": random.choice(IMAGES)}
    volumes = [{"name": name, "image": {"reference": image}} for name, image in images.items()]
    _pod(review)["spec"]["volumes"] = volumes


def _change_token_volume(random: Random, review: Json) -> None:
    """The volume with the ServiceAccount's token, whose name the cluster generates."""
    spec = _pod(review)["spec"]
    volumes = spec.get("volumes", ())
    others = [each for each in volumes if not each["name"].startswith("kube-api-access")]
    name = f"kube-api-access-{random.choice('abcde') * 5}"
    spec["volumes"] = [*others, {"name": name, "projected": {}}]


def _change_pod_settings(random: Random, review: Json) -> None:
    spec = _pod(review)["spec"]
    spec["securityContext"] = random.choice(({}, {"runAsUser": 0}, {"runAsNonRoot": True}))


def _change_cluster(random: Random, review: Json) -> None:
    review["token"] = random.choice((TOKEN, OTHER_TOKEN))


def _change_variables(random: Random, review: Json) -> None:
    review["variables"] = random.choice(("", "/cluster/west", "/cluster/east/net/n1"))


_CHANGES: Final[Sequence[Callable[[Random, Json], None]]] = (
    *(_change_name, _change_label, _change_owner, _change_namespace, _change_time),
    *(_change_config, _change_config, _change_config, _change_image, _change_rarity),
    *(_change_containers, _change_containers, _remove_containers),
    *(_rename_container, _rename_container, _rename_container),
    *(_change_volumes, _change_images, _change_images),
    *(_change_volume, _change_volume, _change_token_volume),
    *(_change_pod_settings, _change_cluster, _change_variables),
)
