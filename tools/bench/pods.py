"""Reviews by the thousand, no two alike: of pods the template has seen, and of others."""

import copy
import json
from typing import Any

from .bench_input import BenchmarkInput, api_gateway_event, review_body


def similar_pod(inputs: BenchmarkInput, number: int) -> dict[str, Any]:
    """One more pod of a ReplicaSet: another token volume, other managed fields, nothing else."""
    pod = _replace_volume(inputs.pod, f"kube-api-access-{number % 100_000:05d}")
    pod["metadata"]["managedFields"][0]["time"] = f"2026-11-21T00:{number % 60:02d}:00Z"
    return api_gateway_event(review_body(pod, number))


def unseen_pod(inputs: BenchmarkInput, number: int) -> dict[str, Any]:
    """Return a pod with unique labels and annotations."""
    pod = _replace_volume(inputs.pod, f"kube-api-access-{number % 100_000:05d}")
    metadata = pod["metadata"]
    metadata["labels"] = {**metadata.get("labels", {}), "app": f"app-{number}"}
    metadata["annotations"] = {
        **metadata.get("annotations", {}),
        "prometheus.io/port": str(1024 + number % 60_000),
        "example.com/revision": f"r{number}",
    }
    return api_gateway_event(review_body(pod, number))


def many_container_pod(inputs: BenchmarkInput, containers: int, number: int = 0) -> dict[str, Any]:
    """A pod of many containers, never seen before."""
    pod = copy.deepcopy(inputs.pod)
    first = pod["spec"]["containers"][0]
    names = (f"c{number}-{index}" for index in range(containers))
    pod["spec"]["containers"] = [{**first, "name": name} for name in names]
    return api_gateway_event(review_body(pod, number))


def annotated_pod(inputs: BenchmarkInput, size: int, number: int = 0) -> dict[str, Any]:
    """A pod with *size* bytes of annotations, a kilobyte each, never seen before.

    Their text is what a guard against injected syntax has to look at: quotes, colons, braces.
    """
    pod = copy.deepcopy(inputs.pod)
    text = ('{"key": "value", "list": [1, 2]} ' * 31)[: _KILOBYTE - 30]
    keys = (f"example.com/{number:012d}-{index:05d}" for index in range(size // _KILOBYTE))
    filler = dict.fromkeys(keys, text)
    pod["metadata"]["annotations"] = {**pod["metadata"].get("annotations", {}), **filler}
    return api_gateway_event(review_body(pod, number))


_KILOBYTE = 1000


def _replace_volume(pod: dict[str, Any], volume: str) -> dict[str, Any]:
    text = json.dumps(pod).replace("kube-api-access-00000", volume)
    return json.loads(text)
