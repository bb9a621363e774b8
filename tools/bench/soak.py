"""Many reviews in a separate process that reports its memory.

    soak.py STORE REVIEWS    prints a line of JSON, ``[reviews, bytes]``, SAMPLES times

No two reviews are equal: known pods; pods with unique names, namespaces, labels, annotations,
images, and networks; rejected annotations; invalid bodies; unknown injectors; and invalid tokens
from thousands of addresses.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import pods, warm
from .bench_input import (
    CLUSTER,
    BenchmarkInput,
    api_gateway_event,
    load_benchmark_input,
    review_body,
)

SAMPLES = 200
STATM = Path("/proc/self/statm")

Event = dict[str, Any]


def resident_bytes() -> int:
    """Bytes of this process that are in memory: Linux's resident set."""
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def mixed_event(inputs: BenchmarkInput, number: int) -> Event:
    """Return the review of this number; the table sets the frequency of each kind."""
    return _KINDS[number % len(_KINDS)](inputs, number)


def _unique_event(inputs: BenchmarkInput, number: int) -> Event:
    """Everything that a template reads is this pod's own."""
    pod = _copy_pod(inputs)
    metadata: dict[str, Any] = pod["metadata"]
    metadata["name"] = f"web-{number}"
    metadata["annotations"] = {
        "sidecar.istio.io/proxyCPU": f"{number % 1000 + 1}m",
        "sidecar.istio.io/proxyImage": f"hub.example.com/proxy:{number}",
        "proxy.istio.io/config": f'{{"terminationDrainDuration": "{number}s"}}',
        "example.com/note": f"revision: {number}",
    }
    container: dict[str, Any] = pod["spec"]["containers"][0]
    container["name"] = f"app-{number}"
    container["image"] = f"registry.example.com/app:{number}"
    path = f"/inject/cluster/{CLUSTER}/net/network-{number}"
    return api_gateway_event(review_body(pod, number, namespace=f"team-{number}"), path)


def _denied_event(inputs: BenchmarkInput, number: int) -> Event:
    pod = _copy_pod(inputs)
    pod["metadata"]["annotations"] = {
        "traffic.sidecar.istio.io/includeOutboundIPRanges": f"network-{number}"
    }
    return api_gateway_event(review_body(pod, number))


def _unknown_injector_event(inputs: BenchmarkInput, number: int) -> Event:
    return api_gateway_event(
        review_body(inputs.pod, number), f"/injector-{number}/inject/cluster/{CLUSTER}"
    )


def _invalid_body_event(inputs: BenchmarkInput, number: int) -> Event:
    del inputs
    return api_gateway_event(f'{{"number": {number}'.encode())


def _invalid_token_event(inputs: BenchmarkInput, number: int) -> Event:
    event = api_gateway_event(review_body(inputs.pod, number))
    event["headers"]["authorization"] = f"Bearer guess-{number}"
    high, low = divmod(number // len(_KINDS) % 65_536, 256)
    event["requestContext"]["http"]["sourceIp"] = f"203.0.{high}.{low}"
    return event


def _copy_pod(inputs: BenchmarkInput) -> dict[str, Any]:
    return json.loads(json.dumps(inputs.pod))


_KINDS: tuple[Callable[[BenchmarkInput, int], Event], ...] = (
    pods.similar_pod,
    pods.unseen_pod,
    _unique_event,
    _invalid_token_event,
    pods.similar_pod,
    pods.unseen_pod,
    _unique_event,
    _denied_event,
    _unknown_injector_event,
    _invalid_body_event,
)


def main() -> None:
    """Run the reviews, and print the memory."""
    store, reviews = Path(sys.argv[1]), int(sys.argv[2])
    real_stdout = sys.stdout
    measured = load_benchmark_input()
    interval = max(1, reviews // SAMPLES)
    with warm.make_handler(store) as handle:
        for number in range(1, reviews + 1):
            handle(mixed_event(measured, number), None)
            if number % interval == 0:
                print(json.dumps([number, resident_bytes()]), file=real_stdout, flush=True)


if __name__ == "__main__":
    main()
