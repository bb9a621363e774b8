"""A law: no text of a pod is an internal error, in any release, with one template or several.

Whatever fails is an error of the pod's author or of the operator, and says so.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from random import Random

import pytest

from core.injectors.generated import PAYLOADS
from oracle.istio import pods, text_reviews
from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.injectors.istio import template_injection
from podgraft.core.injectors.istio.annotations import RULES
from podgraft.core.injectors.istio.render.pod_overlay import OverlayError
from podgraft.core.review_context import ReviewContext
from podgraft.kube import DecodeError
from podgraft.kube.decode_errors import FieldError
from podgraft.kube.patch.strategic import MergeError
from podgraft.kube.yaml import NotYAMLError
from support.effort import scaled

from . import bundles, hostile

PODS = scaled(2000)
RELEASES = ("1.9", "1.13", "1.20", "1.24", "1.30", "1.31")
CASES = (
    *(("sample", release) for release in ("1.20", "1.24", "1.30", "1.31")),
    *(("merges", release) for release in RELEASES),
    ("legacy", "1.8"),
)
LEGACY = """
containers:
- name: istio-proxy
  image: "{{ annotation .ObjectMeta `double` `proxy:1` }}"
  args:
  - {{ annotation .ObjectMeta `plain` `x` }}
  - '{{ annotation .ObjectMeta `single` `x` }}'
  volumeMounts:
  {{- range fromJSON (annotation .ObjectMeta `mount` `[]`) }}
  - {{ toYaml . | indent 4 | trim }}
  {{- end }}
"""
TEXTS = (
    *hostile.VALUES, *PAYLOADS, *text_reviews.PLAIN, *text_reviews.NETWORKS, *text_reviews.MOUNTS,
    *text_reviews.DIRECTIVES, *text_reviews.TARGETS, "true", "0", "-1", "1e400", "9" * 400, "[",
    "{}", "[{}]", "[[]]", "null", '{"a":{"emptyDir":{}}}', '[{"name":null}]', "a" * 3000,
    "proxyMetadata: {'': x}", "proxyMetadata: {A: 'C:\\x'}", "concurrency: 4",
    "image: {imageType: a}", "tracing: {sampling: .nan}", "statusPort: 15020",
    "holdApplicationUntilProxyStarts: true",
    '{"containers":[{"name":"istio-proxy","env":[{"value":"x"}]}]}', '{"initContainers":[{}]}',
    '{"initContainers":["istio-init"],"containers":["istio-proxy"],"volumes":[],"revision":"x"}',
)  # fmt: skip
TEMPLATES = ("sidecar", "gateway", "order", "native", "mount", "nope", "", " sidecar ")
NAMES = (
    *hostile.ANNOTATIONS, *(rule.annotation for rule in RULES),
    *("networks", "plain", "level", "flow", "single", "double", "mount"),
    "k8s.v1.cni.cncf.io/networks",
    *("sidecar.istio.io/userVolume", "sidecar.istio.io/userVolumeMount", "sidecar.istio.io/status"),
    *("proxy.istio.io/overrides", "proxy.istio.io/config", "sidecar.istio.io/proxyImageType"),
    *("sidecar.istio.io/nativeSidecar", "sidecar.istio.io/rewriteAppHTTPProbers"),
    *("prometheus.io/port", "prometheus.io/scrape", "prometheus.istio.io/scrape-targets"),
    *("sidecar.istio.io/extraStatTags", "sidecar.istio.io/statsInclusionPrefixes"),
)  # fmt: skip


@cache
def make_injector(kind: str, release: str) -> istio.Injector:
    if kind == "sample":
        return bundles.sample(release)
    if kind == "legacy":
        return bundles.legacy_injector(LEGACY, release=release)
    values = json.dumps({"global": {"imagePullSecrets": ["a", ""]}})
    config = json.dumps({"policy": "enabled", "templates": text_reviews.TEMPLATES})
    return istio.compile_(
        istio.Documents(config=config, values=values), istio.IstiodEnvironment(release=release)
    )


def make_pod(random: Random) -> tuple[Object, str]:
    pod, namespace = pods.make_pod(random)
    metadata = object_at(pod, "metadata")
    annotations: dict[str, JSON] = {
        random.choice(NAMES): random.choice(TEXTS) for _ in range(random.choice((1, 1, 2, 3)))
    }
    if random.random() < 0.6:
        chosen = random.choices(
            TEMPLATES, weights=(6, 2, 2, 2, 2, 1, 1, 1), k=random.choice((1, 2, 2, 3))
        )
        annotations["inject.istio.io/templates"] = ",".join(chosen)
    if random.random() < 0.5:
        annotations["sidecar.istio.io/nativeSidecar"] = random.choice(("true", "false"))
    if random.random() < 0.3:
        spec = object_at(pod, "spec")
        own: Object = {"name": "istio-proxy", "image": "auto", "env": [{"name": "A", "value": "b"}]}
        containers: list[JSON] = [*objects_at(spec, "containers"), own]
        changed: Object = {**spec, "containers": containers}
        pod = {**pod, "spec": changed}
    if random.random() < 0.3:
        labels: Object = {random.choice(TEXTS): random.choice(TEXTS)}
        metadata = {**metadata, "labels": labels}
    annotated: Object = {**metadata, "annotations": annotations}
    return {**pod, "metadata": annotated}, namespace


@pytest.mark.parametrize(("kind", "release"), CASES)
def test_no_text_of_a_pod_is_an_internal_error(kind: str, release: str) -> None:
    random = Random(f"hostile {kind} {release}")  # noqa: S311
    injector = make_injector(kind, release)
    counts: Counter[str] = Counter()
    for _ in range(PODS):
        pod, namespace = make_pod(random)
        try:
            environment = injector.parse_environment(
                random.choice(("", "a/b", "net/x", ":ENV:a=b"))
            )
            request = ReviewContext(namespace=namespace, environment=environment)
            injector.inject(pod, request).mutation.patch  # noqa: B018 - computes it
        except UserError:
            counts["refused"] += 1
        except OperatorError:  # any other error is an internal one
            counts["failed"] += 1
        else:
            counts["passed"] += 1
    assert counts["refused"]
    assert counts["passed"]


@pytest.mark.parametrize(
    "error",
    [
        OverlayError("spec: no map"),
        MergeError("no merge key", "go"),
        NotYAMLError("no key", 1, 1),
        DecodeError([FieldError(got="string", expected="int32")]),
    ],
)
def test_an_error_of_a_conversion_is_no_internal_error(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    injector = bundles.sample()
    monkeypatch.setattr(template_injection.TemplateInjector, "inject", fail)
    with pytest.raises(OperatorError) as caught:
        injector.inject(hostile.app({}), ReviewContext(namespace="ns"))

    assert str(caught.value).endswith(str(error))
