"""One injection: what is asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from podgraft.jsonvalue import Object
from podgraft.kube.identity import Identity


class Mode(StrEnum):
    """Istio's two ways in: they differ in who sees the pod's own proxy configuration."""

    WEBHOOK = "webhook"
    KUBE_INJECT = "kube-inject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What comes beside the pod.

    ``namespace`` is the admission request's: it stands in for a pod without one. ``environment``
    comes from the URL. ``workload`` is said by whoever injects a workload's template by hand;
    not said, it is read from the pod's owner references.
    """

    namespace: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    mode: Mode = Mode.WEBHOOK
    workload: Identity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """An injected pod.

    The patch is the difference from ``base`` to ``pod``: ``base`` is the pod that was given, with
    what Istio fills in before it looks (the namespace). Neither shares lists or objects that
    anybody may change.
    """

    base: Object
    pod: Object
    templates: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    image: str = ""
    init_containers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    image_pull_secrets: tuple[str, ...] = ()
