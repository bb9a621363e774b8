"""What an injector remembers never changes an answer: pods by the hundred, met in one sequence by
an injector that remembers, and each by itself by one that does not and shows templates all.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import count, repeat
from random import Random
from typing import Any

import msgspec.structs
import pytest

from core.injectors.istio import bundles
from core.injectors.istio.bundles import sample, template_injector
from podgraft.base.jsonvalue import Object, dump, object_at
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import InjectionError
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.config import protojson
from podgraft.core.injectors.istio.data import mesh_types
from podgraft.core.injectors.istio.render import functions, pod_overlay, rendering
from podgraft.core.review_context import ReviewContext
from podgraft.golang.texttemplate import BUILTINS, Projection
from podgraft.kube import patch
from support.effort import part, scaled

from . import corpus

WEBHOOK_CASES = [case for case in corpus.cases() if case.mode == "webhook"]
RELEASES = sorted({case.release for case in WEBHOOK_CASES})
WEB: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "generateName": "web-5c9-",
        "labels": {"app": "web", "pod-template-hash": "5c9"},
        "annotations": {"prometheus.io/scrape": "true"},
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5c9", "controller": True}
        ],
    },
    "spec": {
        "serviceAccountName": "web",
        "volumes": [{"name": "kube-api-access-x7k2p", "emptyDir": {}}],
        "containers": [
            {
                "name": "web",
                "image": "web:1",
                "ports": [{"name": "http", "containerPort": 80}],
                "env": [{"name": "A", "value": "b"}],
                "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
                "volumeMounts": [{"name": "kube-api-access-x7k2p", "mountPath": "/t"}],
            }
        ],
    },
}
ANNOTATIONS: dict[str, tuple[str, ...]] = {
    "inject.istio.io/templates": ("sidecar", "gateway", "sidecar,gateway"),
    "proxy.istio.io/config": ("concurrency: 3", "proxyMetadata: {A: b}", "statusPort: 15099"),
    "sidecar.istio.io/interceptionMode": ("TPROXY", "NONE", "REDIRECT"),
    "sidecar.istio.io/nativeSidecar": ("true", "false"),
    "sidecar.istio.io/proxyCPU": ("100m", "1", "x"),
    "sidecar.istio.io/proxyImageType": ("distroless", "debug"),
    "sidecar.istio.io/userVolume": ('[{"name": "v", "emptyDir": {}}]', "[]"),
    "status.sidecar.istio.io/port": ("0", "15021"),
    "traffic.sidecar.istio.io/includeInboundPorts": ("*", "80,81", ""),
    "example.com/note": ("a: b", "plain"),
}
TEXTS = ("x", "", "a: b", "web-2", "- a\nb: c", "5c9", "80")

SHOP = ReviewContext(namespace="shop")


@contextmanager
def disable_caches() -> Generator[None]:
    """Disable all caches of injectors, and let templates read the complete pod."""

    def whole_projection(*_: object) -> tuple[Projection, None]:
        return lambda raw: raw, None

    def cache_nothing(*_: object) -> None:
        return None

    def parse_uncached(cache: rendering.TemplateCache[Any], text: str) -> object:
        return cache.convert(pod_overlay.parse(text))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rendering.TemplateCache, "projections", whole_projection)
        patched.setattr(rendering.TemplateCache, "lookup", cache_nothing)
        patched.setattr(rendering.TemplateCache, "parse", parse_uncached)
        yield


def mutate_pod(pod: Any, random: Random) -> Any:
    """The pod with a text of it replaced, a part of it gone, or an annotation more."""
    made = copy.deepcopy(pod)
    if random.randrange(2):
        key = random.choice(sorted(ANNOTATIONS))
        said: dict[str, str] = made["metadata"].get("annotations") or {}
        made["metadata"]["annotations"] = {**said, key: random.choice(ANNOTATIONS[key])}
        return made
    holder, key = random.choice([*_texts(made["metadata"]), *_texts(made["spec"])])
    if random.randrange(3):
        holder[key] = random.choice(TEXTS)
    else:
        del holder[key]
    return made


def _texts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where the texts of a pod stand: what holds each, and under which key or index."""
    keys: list[Any] = [*value] if isinstance(value, dict) else [*range(len(value))]
    for key in keys:
        if isinstance(value[key], str):
            yield value, key
        elif isinstance(value[key], dict | list):
            yield from _texts(value[key])


def sequence(pods: list[Any], random: Random, length: int) -> Iterator[Any]:
    """Pods that differ from earlier ones a little, or are equal."""
    met = [*pods]
    for _ in range(length):
        pod = random.choice(met)
        if random.randrange(4):
            pod = mutate_pod(pod, random)
            met.append(pod)
        yield pod


def outcome(used: istio.Injector, pod: Any, request: ReviewContext = SHOP) -> str:
    """The patch, or why there is none."""
    try:
        done = used.inject(pod, request)
    except InjectionError as error:
        return f"{type(error).__name__}: {error}"
    return json.dumps([[*done.mutation.patch], done.warnings])


def assert_alike(
    used: istio.Injector,
    pods: Iterable[Any],
    requests: Iterable[ReviewContext] = repeat(SHOP),
) -> list[str]:
    """Check that both injectors return the same; return the outcomes of the injected pods."""
    injected: list[str] = []
    for pod, request in zip(pods, requests, strict=False):
        remembered = outcome(used, pod, request)
        with disable_caches():
            assert outcome(used, pod, request) == remembered, json.dumps([pod, request.namespace])
        if remembered.startswith("["):
            injected.append(remembered)
    return injected


@pytest.mark.parametrize("release", ["1.30", "1.24"])
@pytest.mark.parametrize("seed", range(3))
def test_generated_pods(release: str, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same pods each time
    pods = sequence([WEB], random, 60)
    assert len(assert_alike(sample(release), pods)) > 20


NAMESPACES = ("shop", "bank", "istio-system", "")


def _namespace_injector(release: str) -> istio.Injector:
    """An injector to which it matters where a pod goes: its namespace's ids and proxies."""
    documents = msgspec.structs.replace(
        bundles.documents(),
        namespaces={
            name: {"metadata": {"name": name, "annotations": {_UIDS: f"{number}000/100"}}}
            for number, name in enumerate(NAMESPACES[:2], 1)
        },
        proxy_configs=(
            _proxy_config("istio-system", {"concurrency": 2}),
            _proxy_config("bank", {"concurrency": 4, "environmentVariables": {"BANK": "yes"}}),
            _proxy_config(
                "shop", {"selector": {"matchLabels": {"app": "x"}}, "image": {"imageType": "debug"}}
            ),
        ),
    )
    return istio.compile_(documents, istio.IstiodEnvironment(release=release, platform="openshift"))


_UIDS = "openshift.io/sa.scc.uid-range"


def _proxy_config(namespace: str, spec: Object) -> Object:
    return {"kind": "ProxyConfig", "metadata": {"namespace": namespace}, "spec": spec}


@pytest.mark.parametrize("release", ["1.30", "1.24"])
@pytest.mark.parametrize("seed", range(3))
def test_generated_pods_of_several_namespaces(release: str, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same pods each time
    requests = (
        ReviewContext(
            namespace=random.choice(NAMESPACES),
            environment=random.choice(({}, {"ISTIO_META_NETWORK": "n1"})),
        )
        for _ in count()
    )
    pods = sequence([WEB], random, 60)
    injected = assert_alike(_namespace_injector(release), pods, requests)
    assert len(injected) > 20
    for mark in ('"runAsUser": 1099', '"runAsUser": 2099', '"BANK"'):
        assert any(mark in each for each in injected), mark
        assert any(mark not in each for each in injected), mark


# Each shows a value as it stands on one way, and by some other means on the other.
FORKS = (
    "{{ if isset .ObjectMeta.Labels `x` }}{{ fromJSON (%s) | toJson }}{{ else }}{{ %s }}{{ end }}",
    "{{ if eq .DeploymentMeta.Name `web` }}{{ %s | quote }}{{ else }}{{ %s }}{{ end }}",
    "{{ with %s }}{{ . | toJson }}{{ else }}{{ %s }}{{ end }}",
    "{{ range .Spec.Containers }}{{ if eq .Name `x` }}{{ .Image }}{{ end }}{{ end }}{{ %s }}%.0s",
)


@pytest.mark.parametrize("fork", FORKS)
def test_generated_pods_of_templates_with_branches(fork: str) -> None:
    random = Random(fork)  # noqa: S311 - the same pods each time
    note = "annotation .ObjectMeta `example.com/note` ``"
    used = template_injector(
        f"metadata:\n  annotations:\n    made: {fork % (note, note)}\nspec: {{}}\n"
    )
    noted = [patch.merge_patch(WEB, {"metadata": {"annotations": note}}) for note in _NOTES]
    labelled = [patch.merge_patch(pod, {"metadata": {"labels": {"x": "y"}}}) for pod in noted]
    # Of the last template most notes are refused: YAML would change their text.
    assert len(assert_alike(used, sequence([*noted, *labelled], random, 150))) > 10


_NOTES: tuple[Object, ...] = tuple(
    {"example.com/note": text} for text in ('"a"', "a", '{"a":"b"}', "a: b", "[a]", "5", "null")
)


@pytest.mark.skipif(not WEBHOOK_CASES, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
@pytest.mark.parametrize("release", RELEASES)
def test_pods_of_the_corpus(release: str) -> None:
    random = Random(release)  # noqa: S311 - the same pods each time
    injected = 0
    for case in part([case for case in WEBHOOK_CASES if case.release == release], by=3):
        documents = json.loads((case.folder / case.facts["webhook_docs"]).read_text())
        pods = [document["pod"] for document in documents]
        injected += len(
            assert_alike(corpus.injector(case), sequence(pods, random, scaled(8, by=4)))
        )
    assert injected > 3, injected


def test_templates_with_equal_projections_do_not_share_results() -> None:
    templates: Object = {
        name: f"metadata:\n  annotations:\n    {name}: made\nspec: {{}}\n"
        for name in ("one", "two")
    }
    used = istio.compile_(
        istio.Documents(config=dump({"policy": "enabled", "templates": templates})),
        istio.IstiodEnvironment(release="1.30"),
    )
    for name in ("one", "two", "one"):
        asked: Object = {**WEB["metadata"], "annotations": {"inject.istio.io/templates": name}}
        done = used.inject({**WEB, "metadata": asked}, ReviewContext(namespace="shop"))
        made = object_at(object_at(done.pod, "metadata"), "annotations")
        assert [each for each in templates if each in made] == [name]


def test_a_text_is_not_author_text_because_another_pod_has_it() -> None:
    """The template decodes the structure of one pod, but not that of the other."""
    note = "annotation .ObjectMeta `note` ``"
    used = template_injector(
        "spec:\n  containers:\n  - name: side\n    securityContext: "
        "{{ if isset .ObjectMeta.Labels `decoded` }}"
        f"{{{{ fromJSON ({note}) | toJson }}}}{{{{ else }}}}{{{{ {note} }}}}{{{{ end }}}}\n"
    )
    noted = patch.merge_patch(WEB, {"metadata": {"annotations": {"note": '{"privileged":true}'}}})
    decoded = patch.merge_patch(noted, {"metadata": {"labels": {"decoded": "y"}}})
    assert len(assert_alike(used, [decoded, noted])) == 1


MESH = (
    "extensionProviders: [{name: otel, opentelemetry: {service: s, port: 1, "
    "serviceAttributeEnrichment: OTEL_SEMANTIC_CONVENTIONS}}]"
)
_META = ".ObjectMeta"
CALLS = (
    "annotation .ObjectMeta `example.com/note` `none`",
    "applicationPorts .Spec.Containers",
    "includeInboundPorts .Spec.Containers",
    "index .ObjectMeta.Labels `app`",
    "isset .ObjectMeta.Annotations `example.com/note`",
    f"otelResourceAttributes .MeshConfig {_META}.Annotations {_META}.Labels `n` .Spec.Containers",
)
CHANGES: tuple[Object, ...] = (
    {"metadata": {"annotations": {"example.com/note": "x"}}},
    {"metadata": {"annotations": {"resource.opentelemetry.io/service.namespace": "x"}}},
    {"metadata": {"annotations": {"resource.opentelemetry.io/service.version": "x"}}},
    {"metadata": {"annotations": {"resource.opentelemetry.io/service.instance.id": "x"}}},
    {"metadata": {"labels": {"app": "x", "app.kubernetes.io/version": "7"}}},
    {"metadata": {"namespace": "x"}},
    {"spec": {"containers": [{"name": "istio-proxy", "ports": [{"containerPort": 9}]}]}},
    {"spec": {"containers": [{"name": "x", "image": "web:2", "ports": [{"containerPort": 9}]}]}},
    {"spec": {"containers": [{"name": "x", "image": "web:3"}, {"name": "y"}]}},
)


@pytest.mark.parametrize("call", CALLS)
def test_functions_read_only_the_fields_that_they_declare(call: str) -> None:
    """Every template prints the result of one function, for pods that differ in one respect."""
    template = f"metadata:\n  labels:\n    made: {{{{ {call} | quote }}}}\nspec: {{}}\n"
    used = template_injector(template, mesh=MESH)
    pods = [patch.merge_patch(WEB, change) for change in ({}, *CHANGES)]
    assert len(assert_alike(used, pods)) == len(pods)
    assert len({outcome(used, pod) for pod in pods}) > 1


def test_every_function_with_declared_fields_is_tested() -> None:
    profile = releases.parse_release("1.30")
    known = functions.template_functions(
        profile, {}, {}, mesh_types.types(protojson.schema(profile))
    )
    telling = {name for name, each in {**BUILTINS, **known}.items() if each.dependencies}
    assert telling == {call.partition(" ")[0] for call in CALLS}
