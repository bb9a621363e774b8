"""Guarantee: a value of a pod never becomes structure, on any route, in any place of the pod.

Incidents: Istio, January 2026 (note 58889: line breaks in resource annotations inject containers)
and August 2026 (sidecar annotations as YAML); ingress-nginx CVE-2021-25746 and CVE-2026-24512.
``tests/core/injectors/test_structure_laws.py`` generates the templates. Here the templates are
those of
the samples, and the values are in every annotation, label, and name of a pod. podgraft denies the
pod, or the result has no key and no privilege that the value could have written.
"""

import base64
import copy
import json
import os
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest
from werkzeug.test import Client

from core.injectors.generated import PAYLOADS
from podgraft.kube import patch, yaml
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from samples.test_samples import INPUTS, SAMPLES, make_review
from support.effort import scaled

# PEER_VALUES sets the number of values; 100,000 take about an hour.
VALUES = int(os.environ.get("PEER_VALUES", scaled(5_000, by=20)))
ESCALATIONS = (
    "x\n    securityContext: {privileged: true}",
    "x\n  hostNetwork: true\n  evil: x",
    'x"\n    securityContext: {privileged: true}\n    evil: "',
    "x\n  volumes:\n  - {name: evil, hostPath: {path: /}}",
    "1\n      evil: 2\n    securityContext:\n      privileged: true",
    "100m\n        evil: 1\n  - name: evil\n    image: evil",
    "'\n  - {name: evil, image: evil}\n  - '",
    '{"evil": {"privileged": true}}',
    '[{"name": "evil", "hostPath": {"path": "/"}}]',
)
# Istio's templates read these; a volume in userVolume is the documented purpose of the annotation.
ANNOTATIONS = (
    "sidecar.istio.io/proxyCPU",
    "sidecar.istio.io/proxyMemoryLimit",
    "sidecar.istio.io/logLevel",
    "sidecar.istio.io/proxyImage",
    "sidecar.istio.io/interceptionMode",
    "sidecar.istio.io/statsInclusionPrefixes",
    "traffic.sidecar.istio.io/includeInboundPorts",
    "traffic.sidecar.istio.io/excludeOutboundIPRanges",
    "status.sidecar.istio.io/port",
    "proxy.istio.io/config",
    "logging.example.com/path",
    "secrets.example.com/role",
    "tags.datadoghq.com/env",
)
# A template can branch on a value; with one of these it takes each branch of the samples.
HARMLESS = ("harmless", "1", "true", "a/b:1", "")
POWERS = {"privileged", "hostPath", "hostNetwork", "hostPID", "hostIPC"}


@pytest.fixture(scope="module")
def client() -> Client:
    """The samples as a store."""
    store, callers = FolderStore(SAMPLES), FolderCallers(SAMPLES)
    return Client(create_app(store, callers, auth=Auth.NONE, request_log=lambda _: None))


def pods() -> dict[str, list[Any]]:
    """The pods of each sample."""
    found: dict[str, list[Any]] = {}
    for path in INPUTS:
        value = yaml.load(path.read_text())
        if isinstance(value, dict) and value["kind"] == "Pod":
            found.setdefault(path.parent.name, []).append(value)
    return found


def hide(random: Random, text: str) -> str:
    """The text, or a coded form that templates can decode."""
    match random.randrange(8):
        case 0:
            return base64.b64encode(text.encode()).decode()
        case 1:
            return json.dumps({"a": text})
        case 2:
            return f"info,{text}"
        case 3:
            return f"docker.io/istio/proxy:{text}"
        case _:
            return text


def set_value(pod: dict[str, Any], place: tuple[str, str], text: str) -> None:
    """Put a text in a place of the pod."""
    metadata, container = pod["metadata"], pod["spec"]["containers"][0]
    kind, name = place
    match kind:
        case "annotations" | "labels":
            metadata.setdefault(kind, {})[name or text] = text if name else "x"
        case "metadata":
            metadata[name] = text
        case "container":
            container[name] = text
        case _:
            container.setdefault("env", []).append({"name": "TEXT", "value": text})


def choose_place(random: Random, pod: dict[str, Any]) -> tuple[str, str]:
    """A place for a value; without a name, the value is the name."""
    metadata = pod["metadata"]
    annotations, labels = (metadata.get(key, {}) for key in ("annotations", "labels"))
    return random.choice(
        (
            *(4 * [("annotations", random.choice([*ANNOTATIONS, *annotations]))]),
            ("annotations", ""),
            ("labels", random.choice([*labels, "app", "version"])),
            ("labels", ""),
            ("metadata", random.choice(("name", "generateName", "namespace"))),
            ("container", random.choice(("name", "image"))),
            ("env", ""),
        )
    )


def find_keys(value: Any) -> Iterator[str]:
    """Every key in a document, with multiplicity."""
    if isinstance(value, dict):
        for key, child in cast("dict[str, Any]", value).items():
            yield key
            yield from find_keys(child)
    elif isinstance(value, list):
        for child in cast("list[Any]", value):
            yield from find_keys(child)


def structure_problems(pod: Any, harmless: list[Any], result: Any) -> list[str]:
    """The keys and powers that the result has, and neither the pod nor a harmless result."""
    own, got = Counter(find_keys(pod)), Counter(find_keys(result))
    for each in harmless:
        own |= Counter(find_keys(each))
    return [key for key in got if ("evil" in key or key in POWERS) and got[key] > own[key]]


def review(client: Client, injector: str, route: str, pod: Any) -> Any:
    """The patched pod; ``None`` if podgraft denies it."""
    answer = client.post(
        f"/{injector}/{route}", data=make_review(pod), content_type="application/json"
    )
    if answer.status_code == 400:  # kube-apiserver never sends such a namespace
        assert "/request/namespace: must be a DNS label" in answer.text
        return None
    assert answer.status_code == 200, answer.text
    response = json.loads(answer.data)["response"]
    if not response["allowed"]:
        assert response["status"]["message"]
        return None
    text = response.get("patch")
    return patch.apply(pod, json.loads(base64.b64decode(text)) if text else [])


def test_no_value_of_a_pod_becomes_structure(client: Client) -> None:
    random = Random("peers")  # noqa: S311  the same values each time
    samples = pods()
    outcomes: Counter[str] = Counter()
    baselines: dict[tuple[object, ...], list[Any]] = {}
    for number in range(VALUES):
        injector = random.choice([*samples])
        plain = random.choice(samples[injector])
        text = hide(random, random.choice((*PAYLOADS, *ESCALATIONS)))
        place = choose_place(random, plain)
        pods_by_text = {each: copy.deepcopy(plain) for each in (text, *HARMLESS)}
        for each, pod in pods_by_text.items():
            set_value(pod, place, each)
        route = random.choice(("inject", "mutate"))
        result = review(client, injector, route, pods_by_text[text])
        outcomes["denied" if result is None else "passed"] += 1
        if result is None or not ({*find_keys(result)} - {*find_keys(pods_by_text[text])}):
            continue
        key = (injector, route, place, json.dumps(plain))
        if key not in baselines:
            harmless = (review(client, injector, route, pods_by_text[each]) for each in HARMLESS)
            baselines[key] = [*harmless]
        problems = structure_problems(pods_by_text[text], baselines[key], result)
        assert not problems, (number, injector, route, place, text, problems)
    assert outcomes["denied"]
    assert outcomes["passed"]


def test_the_law_finds_what_it_is_for() -> None:
    pod = {"spec": {"containers": [{"name": "evil"}]}}
    added = {"name": "x", "evil": 1, "securityContext": {"privileged": True}}
    result = {"spec": {"containers": [{"name": "evil"}, added]}}
    assert structure_problems(pod, [pod, None], result) == ["evil", "privileged"]
