"""The cache of compiled overlay templates: bounded, shared, and invisible in results."""

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core import bundle, policy
from podgraft.core.injectors.errors import OperatorError
from podgraft.core.injectors.overlay import templates
from podgraft.core.injectors.overlay.templates import CompiledTemplateCache, OverlayTemplate
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml

POD: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {}}


def make_template(number: int) -> OverlayTemplate:
    return OverlayTemplate("sidecar", f"metadata: {{labels: {{number: '{number}'}}}}")


def test_the_cache_is_limited_by_characters_and_evicts_the_least_recent() -> None:
    template = make_template(0)
    cache = CompiledTemplateCache(3 * len(template.text))
    first = cache.lookup(template)
    others = [cache.lookup(make_template(number)) for number in (1, 2)]

    assert cache.lookup(template) is first
    cache.lookup(make_template(3))

    assert len(cache) == 3
    assert cache.lookup(template) is first
    assert cache.lookup(make_template(1)) is not others[0]


def test_a_template_over_the_limit_is_compiled_once_while_it_is_in_use() -> None:
    cache = CompiledTemplateCache(1)
    compiled = cache.lookup(make_template(0))

    assert cache.lookup(make_template(0)) is compiled
    cache.lookup(make_template(1))
    assert len(cache) == 1


OVERLAYS = "---".join(
    f"""
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {{name: overlay-{name}}}
spec:
  matchConstraints: {{objectSelector: {{matchLabels: {{app: "{name}"}}}}}}
  template: "{template}"
"""
    for name, template in (
        ("a", "metadata: {labels: {set: a}}"),
        ("b", "metadata: {labels: {set: b}}"),
        ("broken", "{{ if }}"),
    )
)


def apply_overlays(compiled: bundle.Bundle, app: str) -> Object:
    (mutator,) = compiled.pod_mutators
    pod: Object = {**POD, "metadata": {"name": "web", "labels": {"app": app}}}
    return mutator(pod, ReviewContext(namespace="shop")).object


def test_a_deferred_bundle_compiles_the_templates_that_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = CompiledTemplateCache(1000)
    monkeypatch.setattr(templates, "COMPILED", cache)
    compiled = bundle.compile_({"a.yaml": OVERLAYS.encode()}, policy.Policy(), parse_lazily=True)
    assert len(cache) == 0

    changed = apply_overlays(compiled, "a")

    assert changed["metadata"] == {"name": "web", "labels": {"app": "a", "set": "a"}}
    assert len(cache) == 1
    with pytest.raises(OperatorError, match="overlay overlay-broken: does not parse: "):
        apply_overlays(compiled, "broken")


def test_a_complete_bundle_reports_all_templates_that_do_not_parse() -> None:
    with pytest.raises(bundle.BundleError, match="overlay-broken"):
        bundle.compile_({"a.yaml": OVERLAYS.encode()}, policy.Policy())


def test_evictions_do_not_change_results(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [each for each in yaml.load_all(OVERLAYS) if "broken" not in str(each)]
    text = "---\n".join(map(yaml.dump, documents)).encode()
    compiled = bundle.compile_({"a.yaml": text}, policy.Policy())
    expected = [apply_overlays(compiled, app) for app in "abab"]

    monkeypatch.setattr(templates, "COMPILED", CompiledTemplateCache(1))

    assert [apply_overlays(compiled, app) for app in "abab"] == expected
