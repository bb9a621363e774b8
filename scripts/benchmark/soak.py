#!/usr/bin/env python3
"""Reviews without end in a process of its own, which tells how much memory it has.

    soak.py STORE REVIEWS    prints a line of JSON, ``[reviews, bytes]``, SAMPLES times

No two reviews are alike: pods that the template has seen and pods with names, namespaces, labels,
annotations, images and networks of their own; annotations that are refused; bodies that are no
review; injectors that do not exist; and bad tokens from thousands of addresses.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmark import pods, warm
from benchmark.world import CLUSTER, World, body, event, world

SAMPLES = 200
STATM = Path("/proc/self/statm")

Event = dict[str, Any]


def resident() -> int:
    """Bytes of this process that are in memory: Linux's resident set."""
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def mixed(world: World, number: int) -> Event:
    """The review of this number: each kind comes as often as it stands in the table."""
    return _KINDS[number % len(_KINDS)](world, number)


def _own(world: World, number: int) -> Event:
    """Everything that a template reads is this pod's own."""
    pod = _copy(world)
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
    return event(body(pod, number, namespace=f"team-{number}"), path)


def _refused(world: World, number: int) -> Event:
    pod = _copy(world)
    pod["metadata"]["annotations"] = {
        "traffic.sidecar.istio.io/includeOutboundIPRanges": f"network-{number}"
    }
    return event(body(pod, number))


def _unknown(world: World, number: int) -> Event:
    return event(body(world.pod, number), f"/injector-{number}/inject/cluster/{CLUSTER}")


def _broken(world: World, number: int) -> Event:
    del world
    return event(f'{{"number": {number}'.encode())


def _bad_token(world: World, number: int) -> Event:
    made = event(body(world.pod, number))
    made["headers"]["authorization"] = f"Bearer guess-{number}"
    high, low = divmod(number // len(_KINDS) % 65_536, 256)
    made["requestContext"]["http"]["sourceIp"] = f"203.0.{high}.{low}"
    return made


def _copy(world: World) -> dict[str, Any]:
    return json.loads(json.dumps(world.pod))


_KINDS: tuple[Callable[[World, int], Event], ...] = (
    pods.same,
    pods.new,
    _own,
    _bad_token,
    pods.same,
    pods.new,
    _own,
    _refused,
    _unknown,
    _broken,
)


def main() -> None:
    """Review, and tell."""
    store, reviews = Path(sys.argv[1]), int(sys.argv[2])
    told = sys.stdout
    measured = world()
    every = max(1, reviews // SAMPLES)
    with warm.handler(store) as handle:
        for number in range(1, reviews + 1):
            handle(mixed(measured, number), None)
            if number % every == 0:
                print(json.dumps([number, resident()]), file=told, flush=True)


if __name__ == "__main__":
    main()
