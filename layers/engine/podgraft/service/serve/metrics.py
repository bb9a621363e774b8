"""Prometheus metrics of ``podgraft serve``: the counters of all workers.

The names are those of the metrics on Lambda (``service/http/metrics.py``), except that a histogram
counts seconds. Each worker counts in its own files, and any worker can sum the files of all. The
files belong to a slot of the server, not to a process: a new worker continues the counters of the
one that it replaces, so the number of files does not grow. Their space is allocated at the start,
because a process that writes to a mapped file on a full disk is killed.

Only ``cli/serve.py`` imports this module, and only if metrics are enabled: prometheus_client takes
a quarter of a second.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.multiprocess import MultiProcessCollector

from podgraft.base import system
from podgraft.base.jsonvalue import JSON
from podgraft.service.http import RequestLog
from podgraft.service.http.metrics import Measure, Metric, find_source, record_measures

BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
TIME_SECONDS = "sidecar_injection_time_seconds"

# Pairs of a cluster and an injector that a worker counts separately, and the space for them.
MAX_SOURCES = 200
_OTHER_SOURCE = {"cluster": "(other)", "injector": "(other)"}
FILE_BYTES = 1 << 20

_NO_SOURCE = {"cluster": "", "injector": ""}
_SOURCE_LABELS = ("cluster", "injector")
_REASON_LABELS = (*_SOURCE_LABELS, "reason")
_COUNTERS: Mapping[Metric, tuple[str, tuple[str, ...]]] = {
    Metric.REQUESTS: ("Authenticated requests.", _SOURCE_LABELS),
    Metric.SUCCESS: ("Objects injected, changed, or allowed.", _SOURCE_LABELS),
    Metric.SKIP: ("Objects left unchanged.", _REASON_LABELS),
    Metric.DENIED: ("Objects denied.", _REASON_LABELS),
    Metric.FAILURE: ("Requests that failed.", _REASON_LABELS),
    Metric.REFUSED: ("Responses from an earlier version.", _SOURCE_LABELS),
    Metric.CENSUS_STORED: ("Workloads recorded in the census.", _SOURCE_LABELS),
    Metric.CENSUS_DROPPED: ("Workloads that could not be recorded.", _SOURCE_LABELS),
    Metric.UNAUTHENTICATED: ("Requests without valid credentials.", ("reason",)),
}


class WorkerMetrics:
    """The counters of this process, in the files of its slot below *folder*."""

    def __init__(self, folder: Path, slots: int) -> None:
        self.folder = folder
        self._slot = 0
        self._sources: set[tuple[str, ...]] = set()
        self._lock = system.make_lock()
        for slot in range(slots):
            for kind in ("counter", "histogram"):
                _allocate(folder / f"{kind}_{slot}.db")
        # prometheus_client reads the folder from the environment, and the class from its module.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        prometheus_values: Any = values
        prometheus_values.ValueClass = prometheus_values.MultiProcessValue(lambda: self._slot)
        registry = CollectorRegistry()
        self._counters = {
            metric: Counter(metric.value, text, labels, registry=registry)
            for metric, (text, labels) in _COUNTERS.items()
        }
        self._seconds = Histogram(
            TIME_SECONDS,
            "Duration of a request.",
            _SOURCE_LABELS,
            buckets=BUCKETS_SECONDS,
            registry=registry,
        )

    def enter_slot(self, slot: int) -> None:
        """Count in the files of a slot, after the fork of a worker."""
        self._slot = slot

    def register_total(self, registry: CollectorRegistry) -> None:
        """Add the sums over all workers to a registry."""
        MultiProcessCollector(registry, str(self.folder))

    def observe(self, record: Mapping[str, JSON]) -> None:
        """Count a record of the request log."""
        source = self._limit(find_source(record) or _NO_SOURCE)
        for measure in record_measures(record):
            self._count(measure, source, record)

    def wrap_log(self, write: RequestLog) -> RequestLog:
        """Return a request log that also counts."""

        def write_and_count(record: Mapping[str, JSON]) -> None:
            write(record)
            self.observe(record)

        return write_and_count

    def _count(
        self, measure: Measure, source: Mapping[str, str], record: Mapping[str, JSON]
    ) -> None:
        metric = Metric(measure.metric)
        if metric is Metric.TIME:
            self._seconds.labels(**source).observe(measure.value / 1000)
        elif metric in _COUNTERS:  # the age is read at the time of the scrape
            _, names = _COUNTERS[metric]
            all_labels = {**source, "reason": _first_reason(record)}
            selected = {name: all_labels[name] for name in names}
            self._counters[metric].labels(**selected).inc(measure.value)

    def _limit(self, source: Mapping[str, str]) -> Mapping[str, str]:
        key = tuple(source.values())
        with self._lock:
            if key not in self._sources and len(self._sources) >= MAX_SOURCES:
                return _OTHER_SOURCE
            self._sources.add(key)
        return source


def _first_reason(record: Mapping[str, JSON]) -> str:
    """The deciding reason, or the fault. All combinations of reasons would be too many labels."""
    return str(record.get("reason") or record.get("fault") or record.get("event") or "").partition(
        ","
    )[0]


def _allocate(file: Path) -> None:
    """Reserve the space of a file; raises ``OSError`` if the disk has too little."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, FILE_BYTES)
    finally:
        os.close(descriptor)
