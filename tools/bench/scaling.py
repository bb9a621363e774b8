"""The growth of the cost of a review, and of loading a bundle, with the size of the input.

All sizes of a series and their baselines are measured in turns. Each series has a power by which
the cost grows (growth.py): 1 is linear. No pod was reviewed before.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from podgraft.kube import yaml
from podgraft.service.store.folder import FolderStore

from . import growth, pods, warm
from .bench_input import BenchmarkInput
from .table import Row, make_row
from .timing import Action, time_interleaved

CONTAINERS = (1, 10, 50, 100, 250, 500)
ANNOTATIONS = (1_000, 10_000, 100_000, 300_000, 1_000_000)
SELECTORS = (1, 10, 100, 300, 1_000)
BUNDLES = (10_000, 50_000, 200_000, 700_000, 2_000_000)
# «No step is quadratic»: a fit to five noisy medians is a fifth off at times, and never by one.
LINEAR = 1.25
# Documents for other pods cost a review at most this ratio.
CONSTANT = 1.5
# As many mutating policies, of which one matches, cost a review at most this ratio of one.
POLICIES, POLICIES_RATIO = 100, 1.2
FEWEST, MOST, FEWEST_OF_SLOW = 20, 500, 7
YAML = "reading the YAML of its files"

Make = Callable[[int], Action]
Event = Callable[[int], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A measurement in several sizes, with baselines; ``description`` and ``per`` name the rows.

    ``max_ratio`` is the goal of the last row. Without it, the goal is linear growth.
    """

    name: str
    description: str
    per: str = ""
    baseline: str
    makers: Mapping[int, Make]
    base: Mapping[int, Make]
    max_ratio: float | None = None


def measure_scaling(inputs: BenchmarkInput, folder: Path, seconds: float) -> Iterator[Row]:
    """All series; *seconds* is what one may take, if that is enough for a median."""
    for series in (_pod_series, _selector_series, _bundle_series, _policy_series):
        with ExitStack() as stack:
            for one_series in series(inputs, folder, stack):
                yield from measure_series(one_series, seconds)


def measure_series(series: Series, seconds: float) -> list[Row]:
    """Return a row per size; the last one contains the goal, and the power of the growth."""
    makers = {f"podgraft {size}": make for size, make in series.makers.items()}
    makers |= {f"base {size}": make for size, make in series.base.items()}
    once = sum(each.median for each in time_interleaved(makers, 3, warmup=2).values())
    fewest = FEWEST if FEWEST * once < 4 * seconds else FEWEST_OF_SLOW
    timings = time_interleaved(makers, max(fewest, min(MOST, round(seconds / once))))
    rows = [
        make_row(
            "scaling",
            series.description.format(f"{size:,}"),
            timings[f"podgraft {size}"],
            (series.baseline, timings[f"base {size}"]),
            series=series.name,
            size=size,
            per=series.per,
        )
        for size in series.makers
    ]
    if series.max_ratio is not None:
        return [*rows[:-1], replace(rows[-1], target=series.max_ratio)]
    power = growth.fit_growth([(each.size or 0, each.median) for each in rows]).power
    return [*rows[:-1], replace(rows[-1], power=power, target=LINEAR)]


def _pod_series(inputs: BenchmarkInput, folder: Path, stack: ExitStack) -> Iterator[Series]:
    handle = stack.enter_context(warm.make_handler(inputs.write_store(folder / "pods")))
    for name, per, kind, sizes in (
        ("containers", "container", pods.many_container_pod, CONTAINERS),
        ("bytes of annotations", "byte", pods.annotated_pod, ANNOTATIONS),
    ):
        events = {size: _make_event(kind, inputs, size) for size in sizes}
        yield Series(
            name=name,
            description=f"a pod, {name}: {{}}",
            per=f"a {per}",
            baseline=warm.JSON,
            makers={size: _review_action(handle, event) for size, event in events.items()},
            base={size: _json_action(event) for size, event in events.items()},
        )


def _make_event(
    kind: Callable[[BenchmarkInput, int, int], dict[str, Any]], inputs: BenchmarkInput, size: int
) -> Event:
    return lambda number: kind(inputs, size, number)


def _selector_series(inputs: BenchmarkInput, folder: Path, stack: ExitStack) -> Iterator[Series]:
    """As many neverInject- as alwaysInjectSelectors, of which none matches: all are looked at."""
    makers: dict[int, Make] = {}
    for size in (0, *SELECTORS):
        store = inputs.write_store(folder / f"selectors-{size}")
        policy = {
            f"{word}InjectSelector": _unmatched_selectors(word, size)
            for word in ("never", "always")
        }
        (store / "default" / "policy.yaml").write_text(json.dumps(policy))
        handle = stack.enter_context(warm.make_handler(store))
        makers[size] = _review_action(handle, lambda number: pods.unseen_pod(inputs, number))
    none = makers.pop(0)
    yield Series(
        name="selectors",
        description="selectors of never and of always: {}",
        per="a pair",
        baseline="the same without selectors",
        makers=makers,
        base=dict.fromkeys(makers, none),
    )


def _unmatched_selectors(word: str, size: int) -> list[dict[str, Any]]:
    return [{"matchLabels": {"app": f"{word}-{index}"}} for index in range(size)]


def _bundle_series(inputs: BenchmarkInput, folder: Path, stack: ExitStack) -> Iterator[Series]:
    """Bundles of overlays, a kilobyte each, of which one is for the pod."""
    grown = {
        size: replace(inputs, files=make_overlays(size // len(make_overlay(1)))) for size in BUNDLES
    }
    stores = {size: each.write_store(folder / f"bundle-{size}") for size, each in grown.items()}
    yield Series(
        name="bytes of the bundle, loading",
        description="loading, bytes of the bundle: {}",
        per="a byte",
        baseline=YAML,
        makers={size: _load_action(store) for size, store in stores.items()},
        base={size: _parse_action(each.files) for size, each in grown.items()},
    )

    def event(number: int) -> dict[str, Any]:
        return pods.unseen_pod(inputs, number)

    handlers = {size: stack.enter_context(warm.make_handler(each)) for size, each in stores.items()}
    makers = {size: _review_action(handle, event) for size, handle in handlers.items()}
    yield Series(
        name="bytes of the bundle, reviewing",
        description="a review, bytes of the bundle: {}",
        baseline=f"the same with {BUNDLES[0]:,} bytes",
        makers=makers,
        base=dict.fromkeys(stores, makers[BUNDLES[0]]),
        max_ratio=CONSTANT,
    )


def _policy_series(inputs: BenchmarkInput, folder: Path, stack: ExitStack) -> Iterator[Series]:
    """Mutating policies, of which one matches."""
    grown = {size: replace(inputs, files=make_policies(size)) for size in (1, POLICIES)}
    stores = {size: each.write_store(folder / f"policies-{size}") for size, each in grown.items()}
    yield Series(
        name="mutating policies, loading",
        description="loading, mutating policies: {}",
        per="a policy",
        baseline=YAML,
        makers={size: _load_action(store) for size, store in stores.items()},
        base={size: _parse_action(each.files) for size, each in grown.items()},
    )
    makers: dict[int, Make] = {}
    for size, store in stores.items():
        handle = stack.enter_context(warm.make_handler(store))
        makers[size] = _review_action(handle, lambda number: pods.unseen_pod(inputs, number))
    yield Series(
        name="mutating policies",
        description="mutating policies, of which one matches: {}",
        baseline="the same with 1",
        makers=makers,
        base=dict.fromkeys(makers, makers[1]),
        max_ratio=POLICIES_RATIO,
    )


def _review_action(handle: warm.Handler, event: Event) -> Make:
    warm.check_injected(handle(event(0), None))
    numbers = count(1)  # the warm-up's are not seen again either

    def run_review(number: int) -> Action:
        del number
        sent = event(next(numbers))
        return lambda: handle(sent, None)

    return run_review


def _json_action(event: Event) -> Make:
    def run_json(number: int) -> Action:
        text = event(number)["body"]
        return lambda: json.dumps(json.loads(text))

    return run_json


def _load_action(store: Path) -> Make:
    """A fresh store each time: it compiles the bundle, and renders probe objects with it."""
    return lambda _: lambda: FolderStore(store).snapshot("default", None)


def _parse_action(files: Mapping[str, bytes]) -> Make:
    texts = [content.decode() for content in files.values()]
    return lambda _: lambda: [yaml.load_all(text) for text in texts]


def make_overlays(number: int) -> dict[str, bytes]:
    """A hundred overlays a file; the first of all is for every pod, the others are for no pod."""
    starts = [*range(0, number, 100), number]
    return {
        f"overlays-{start}.yaml": b"---\n".join(map(make_overlay, range(start, end)))
        for start, end in pairwise(starts)
    }


def make_overlay(number: int) -> bytes:
    """One overlay of about a kilobyte."""
    manifest: dict[str, Any] = copy.deepcopy(_OVERLAY)
    manifest["metadata"]["name"] = f"overlay-{number}"
    if number:
        selector = {"matchLabels": {"app": f"another-{number}"}}
        manifest["spec"]["matchConstraints"]["objectSelector"] = selector
    return yaml.dump(manifest).encode()


def make_policies(number: int) -> dict[str, bytes]:
    """Mutating policies with bindings; the first is for every pod, the others for no pod."""
    return {f"policy-{each}.yaml": _make_policy(each) for each in range(number)}


def _make_policy(number: int) -> bytes:
    constraints = copy.deepcopy(_OVERLAY["spec"]["matchConstraints"])
    if number:
        constraints["objectSelector"] = {"matchLabels": {"app": f"another-{number}"}}
    spec: dict[str, Any] = {
        "matchConstraints": constraints,
        "reinvocationPolicy": "Never",
        "mutations": [
            {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": _MUTATION}}
        ],
    }
    kind, name = "MutatingAdmissionPolicy", f"policy-{number}"
    parts: dict[str, dict[str, Any]] = {kind: spec, f"{kind}Binding": {"policyName": name}}
    documents: list[dict[str, Any]] = [
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": each,
            "metadata": {"name": name},
            "spec": part,
        }
        for each, part in parts.items()
    ]
    return b"---\n".join(yaml.dump(document).encode() for document in documents)


_MUTATION = "Object{metadata: Object.metadata{labels: {'team': request.namespace}}}"
_TEMPLATE = """\
spec:
  initContainers:
  - name: log-shipper
    image: {{ .Values.image }}
    restartPolicy: Always
    args:
    - --input=tail
    - --prop=tag={{ .Namespace }}.{{ .ObjectMeta.Name }}
    - --prop=host={{ .Values.host }}
    resources:
      requests: {cpu: 10m, memory: {{ .Values.memory }}}
      limits: {memory: {{ .Values.memory }}}
    volumeMounts:
    - {name: logs, mountPath: /var/log/app, readOnly: true}
  containers:
  {{- range .Spec.Containers }}
  - name: {{ .Name }}
    volumeMounts:
    - {name: logs, mountPath: /var/log/app}
  {{- end }}
  volumes:
  - name: logs
    emptyDir: {sizeLimit: 256Mi}
"""
_OVERLAY: dict[str, Any] = {
    "apiVersion": "podgraft.dev/v1",
    "kind": "Overlay",
    "metadata": {"name": ""},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["pods"],
                }
            ]
        },
        "values": {"image": "fluent-bit:3.2", "host": "logs.svc", "memory": "64Mi"},
        "template": _TEMPLATE,
    },
}
