"""The default settings of every release: a plain pod is injected, and stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.injectors.istio.pods import find_nulls
from podgraft.base.jsonvalue import Object, dump
from podgraft.core.injectors import istio
from podgraft.core.injectors.istio import releases
from podgraft.core.review_context import ReviewContext
from podgraft.kube import patch

from . import corpus

_ROOT = corpus.find_root()
FOLDERS = sorted(path for path in _ROOT.glob("*/settings/default")) if _ROOT else []
POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop", "annotations": {"prometheus.io/port": "80"}},
    "spec": {
        "volumes": [{"name": "v", "emptyDir": {}}],
        "containers": [
            {
                "name": "web",
                "image": "web:1",
                "ports": [{"containerPort": 80}],
                "readinessProbe": {"httpGet": {"path": "/", "port": 80}},
            }
        ],
    },
}
SHOP = ReviewContext(namespace="shop")
pytestmark = pytest.mark.skipif(
    not FOLDERS, reason=f"no corpus: set {corpus.VARIABLE} to its folder"
)


def _injector(folder: Path, release: str | None, *, native: bool = False) -> istio.Injector:
    config, values, mesh = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("config.yaml", "values.json", "mesh.yaml")
    )
    return istio.compile_(
        istio.Documents(config=config, values=values, mesh=mesh),
        istio.IstiodEnvironment(release=release, native_sidecars=native),
    )


def _apply_injection(injector: istio.Injector, given: Object) -> Object:
    patched = patch.apply(given, injector.inject(given, SHOP).mutation.patch)
    assert isinstance(patched, dict)
    return patched


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.parents[1].name)
def test_a_plain_pod_is_injected_once(folder: Path, *, native: bool) -> None:
    release = corpus.exact_release(folder.parents[1])
    injector = _injector(folder, release, native=native)
    first = _apply_injection(injector, POD)

    assert "istio-proxy" in dump(first)
    assert [*find_nulls(first)] == []
    if injector.profile.pod_templates:  # up to 1.8, the patch replaces what it finds
        assert _apply_injection(injector, first) == first
        assert injector.inject(first, SHOP).mutation.patch == ()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.parents[1].name)
def test_the_release_is_read_from_the_shipped_template(folder: Path) -> None:
    """The tag of these settings is ``latest``; a template is that of several patches in a row."""
    stated = releases.parse_release(corpus.exact_release(folder.parents[1]))
    found = _injector(folder, None).profile

    assert found.minor == stated.minor
    assert found.patch >= stated.patch
