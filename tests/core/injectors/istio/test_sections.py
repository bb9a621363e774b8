"""A pod that differs from earlier ones in names and labels executes only what reads these."""

from typing import Any

import pytest

from core.injectors.istio import bundles
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate.run import runtime

SHOP = ReviewContext(namespace="shop")


def make_pod(app: str, **annotations: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{app}-0", "labels": {"app": app}, "annotations": annotations},
        "spec": {"containers": [{"name": app, "image": f"{app}:1"}]},
    }


@pytest.fixture
def reused(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of sections that were not executed."""
    texts: list[str] = []
    reuse_section = runtime.RenderState.reuse_section

    def record(state: runtime.RenderState) -> tuple[Any, ...]:
        variables = reuse_section(state)
        texts.append(state.output[-1])
        return variables

    monkeypatch.setattr(runtime.RenderState, "reuse_section", record)
    return texts


def test_another_workload_reuses_the_sections_that_do_not_read_its_names(
    reused: list[str],
) -> None:
    injector = bundles.sample()
    injector.inject(make_pod("web"), SHOP)
    reused.clear()
    injected = injector.inject(make_pod("api"), SHOP)
    assert any("istio-proxy" in text for text in reused)
    assert not any("web" in text for text in reused)
    assert [*injected.mutation.patch] == [
        *bundles.sample().inject(make_pod("api"), SHOP).mutation.patch
    ]


def test_an_annotation_that_a_section_reads_selects_other_sections(reused: list[str]) -> None:
    injector = bundles.sample()
    injector.inject(make_pod("web"), SHOP)
    other = make_pod("api", **{"sidecar.istio.io/proxyImage": "never-seen"})
    reused.clear()
    assert [*injector.inject(other, SHOP).mutation.patch] == [
        *bundles.sample().inject(other, SHOP).mutation.patch
    ]
    assert not reused
