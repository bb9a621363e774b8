"""Native sidecars: the switch of istiod, its value auto, and the annotation of a pod."""

from __future__ import annotations

import json

import pytest

from podgraft.core.injectors import istio
from podgraft.core.injectors.istio.pod_builder import pod_annotations
from podgraft.core.review_context import ReviewContext

from .pods import container, pod

# release, the switch of the policy, the environment, the value that templates read
SWITCHES: tuple[tuple[str, bool | None, dict[str, str], str], ...] = (
    ("1.30.3", None, {}, "false"),
    ("1.30.3", None, {"ENABLE_NATIVE_SIDECARS": "auto"}, "false"),  # no nodes are read
    ("1.30.3", None, {"ENABLE_NATIVE_SIDECARS": "true"}, "true"),
    ("1.30.3", None, {"ENABLE_NATIVE_SIDECARS": "false"}, "false"),
    ("1.30.3", True, {"ENABLE_NATIVE_SIDECARS": "auto"}, "true"),
    ("1.30.3", False, {"ENABLE_NATIVE_SIDECARS": "true"}, "false"),
    ("1.27.0", True, {}, "true"),
)


@pytest.mark.parametrize(("release", "switch", "env", "expected"), SWITCHES)
def test_the_policy_decides_and_auto_means_false(
    release: str, switch: bool | None, env: dict[str, str], expected: str
) -> None:
    template = "metadata: {annotations: {native: '{{ .NativeSidecars }}'}}"
    injector = istio.compile_(
        istio.Documents(config=json.dumps({"templates": {"sidecar": template}})),
        istio.IstiodEnvironment(release=release, native_sidecars=switch, env=env),
    )
    done = injector.inject(pod(container("app")), ReviewContext(namespace="ns"))

    assert pod_annotations(done.pod)["native"] == expected
    assert injector.config.native_sidecars is (expected == "true")
