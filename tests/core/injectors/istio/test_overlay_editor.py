"""An overlay with other strings is the overlay of the text with these strings."""

import re
from functools import partial
from random import Random

import pytest

from podgraft import kube
from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.istio.render import pod_overlay
from podgraft.core.injectors.istio.render.overlay_editor import OverlayEditor
from podgraft.core.injectors.istio.render.pod_overlay import OverlayError, PodOverlay
from podgraft.core.injectors.istio.render.rendering import TemplateCache
from support.effort import scaled

POD_TYPE = kube.types(37)["Pod"]
TEXT = """\
metadata:
  labels: {app: web, tier: front}
  Annotations: {note: "any text", other: x}
  finalizers: [one.example, two.example]
  creationTimestamp: null
spec:
  unknownField: dropped
  serviceAccountName: reader
  initContainers:
  - name: init
    image: hub/init:one
    command: [run, "the init"]
  containers:
  - name: proxy
    image: hub/proxy:one
    args: [proxy, sidecar, --domain, example.org]
    ports:
    - {name: http, containerPort: 80, protocol: TCP}
    livenessProbe: {httpGet: {path: /live, port: status}}
    resources: {limits: {cpu: one, memory: 128Mi}}
    env:
    - {name: FIRST, value: a-value}
    - {name: SECOND, value: "quoted value"}
    - {name: THIRD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
  - name: web
    env:
    - {name: FIRST, value: a-value}
    - name: FIRST
      value: again
  volumes:
  - {name: empty, emptyDir: null}
  - {name: config, configMap: {name: settings}}
  securityContext: {sysctls: [{name: net, value: word}]}
  nodeSelector:
    $patch: replace
    zone: here
""".replace("cpu: one", "cpu: 100m")
WORDS = (
    "x",
    "web",
    "FIRST",
    "proxy",
    "other-value",
    "200m",
    "true",
    "null",
    "12",
    "a.b/c",
    "replace",
)
WORD = re.compile(r"(?<=[ \[\"])[A-Za-z][\w./:-]*(?=[\n,\]}\"])")


def _count_conversions(cache: TemplateCache[PodOverlay]) -> list[JSON]:
    """The values that are converted from now on."""
    converted: list[JSON] = []
    convert = cache.convert

    def count(raw: JSON) -> PodOverlay:
        converted.append(raw)
        return convert(raw)

    cache.convert = count
    return converted


def _make_cache() -> TemplateCache[PodOverlay]:
    return TemplateCache(
        partial(pod_overlay.decode_overlay, POD_TYPE), partial(OverlayEditor, POD_TYPE)
    )


def _convert_alone(text: str) -> PodOverlay | str:
    try:
        return pod_overlay.decode_overlay(POD_TYPE, pod_overlay.parse(text))
    except OverlayError as error:
        return str(error)


def _parse(cache: TemplateCache[PodOverlay], text: str) -> PodOverlay | str:
    try:
        return cache.parse(text)
    except OverlayError as error:
        return str(error)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("app: web", "app: shop"),
        ('note: "any text"', 'note: "other, text"'),
        ("reader", "writer"),
        ("hub/proxy:one", "hub/proxy:two"),
        ("example.org", "example.com"),
        ("value: a-value}\n    - {name: S", "value: b-value}\n    - {name: S"),
        ('"quoted value"', '"other value"'),
        ("metadata.name", "metadata.namespace"),
        ("protocol: TCP", "protocol: UDP"),
    ],
)
def test_a_string_changes_in_place(old: str, new: str) -> None:
    cache = _make_cache()
    cache.parse(TEXT)
    converted = _count_conversions(cache)
    changed = TEXT.replace(old, new)
    assert cache.parse(changed) == _convert_alone(changed)
    assert changed != TEXT
    assert not converted


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cpu: 100m", "cpu: k1"),  # a quantity has one canonical form
        ("port: status", "port: other"),  # a number or a string
        ("name: SECOND", "name: FIRST"),  # merge keys
        ("name: init", "name: other"),
        ("one.example", "two.example"),  # a merged list has no duplicates
        ("name: empty", "name: other"),  # beside a null
        ("$patch: replace", "$patch: delete"),
        ("zone: here", "zone: there"),  # beside a directive
        ("app: web", "app: yes"),  # another type
    ],
)
def test_a_string_that_determines_more_is_converted(old: str, new: str) -> None:
    cache = _make_cache()
    cache.parse(TEXT)
    converted = _count_conversions(cache)
    changed = TEXT.replace(old, new)
    assert _parse(cache, changed) == _convert_alone(changed)
    assert changed != TEXT
    assert converted


@pytest.mark.parametrize("seed", range(4))
def test_a_cache_returns_what_each_text_means_alone(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same texts each time
    cache = _make_cache()
    for _ in range(scaled(150)):
        text = TEXT
        for _ in range(random.randrange(4)):
            word = random.choice([*WORD.finditer(text)])
            text = f"{text[: word.start()]}{random.choice(WORDS)}{text[word.end() :]}"
        assert _parse(cache, text) == _convert_alone(text), text


def test_a_changed_overlay_leaves_the_previous_one_as_it_was() -> None:
    cache = _make_cache()
    first = cache.parse(TEXT)
    cache.parse(TEXT.replace("app: web", "app: shop"))
    assert first == cache.parse(TEXT) == _convert_alone(TEXT)


def test_strings_of_one_character_are_shared_objects_and_are_converted() -> None:
    text = "metadata: {labels: {a: x, b: x}}\n"
    cache = _make_cache()
    cache.parse(text)
    changed = text.replace("a: x", "a: q")
    assert cache.parse(changed) == _convert_alone(changed)
