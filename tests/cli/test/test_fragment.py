"""A fragment is contained in an object, or each difference has its path."""

import pytest

from podgraft.cli.test.fragment import find_differences
from podgraft.kube import yaml

POD = yaml.load(
    """
    metadata: {name: web, labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1", args: [--a, --b], ports: [{containerPort: 80}]}
      - {name: proxy, image: "proxy:1", env: [{name: A, value: "1"}, {name: B}]}
      volumes: []
    """
)
CONTAINED = (
    "{}",
    "{metadata: {name: web}}",
    "{metadata: {annotations: null, labels: {app: web, other: null}}}",
    "{spec: {containers: [{name: proxy}]}}",
    "{spec: {containers: [{name: proxy, env: [{name: B}]}, {name: web, args: [--b]}]}}",
    "{spec: {containers: [{image: 'web:1', ports: [{containerPort: 80}]}]}}",
    "{spec: {containers: [], volumes: []}}",
    "{spec: {containers: [{name: istio-proxy, $patch: delete}]}}",
    "{spec: {containers: [{name: web, image: 'web:2', $patch: delete}]}}",
)
DIFFERENT = (
    ("{metadata: {name: api}}", '/metadata/name: expected "api", got "web"'),
    ("{metadata: {name: null}}", '/metadata/name: must be absent, got "web"'),
    ("{metadata: {uid: a}}", '/metadata/uid: is missing, expected "a"'),
    ("{metadata: {uid: {a: 1}}}", "/metadata/uid: is missing, expected a mapping with a"),
    ("{metadata: {labels: [a]}}", '/metadata/labels: expected ["a"], got a mapping with app'),
    (
        "{spec: {containers: [{name: proxy, image: 'proxy:2'}]}}",
        '/spec/containers/[name=proxy]/image: expected "proxy:2", got "proxy:1"',
    ),
    (
        "{spec: {containers: [{name: proxy, env: [{name: A, value: '2'}]}]}}",
        '/spec/containers/[name=proxy]/env/[name=A]/value: expected "2", got "1"',
    ),
    (
        "{spec: {containers: [{name: other}]}}",
        '/spec/containers: has no element that contains {"name":"other"}',
    ),
    (
        "{spec: {containers: [{name: web, args: [--c]}]}}",
        '/spec/containers/[name=web]/args: has no element that contains "--c"',
    ),
    (
        "{spec: {containers: [{name: web, $patch: delete}]}}",
        '/spec/containers: must not have an element with {"name":"web"}',
    ),
)


@pytest.mark.parametrize("fragment", CONTAINED)
def test_a_fragment_is_contained(fragment: str) -> None:
    assert [*find_differences(yaml.load(fragment), POD)] == []


@pytest.mark.parametrize(("fragment", "difference"), DIFFERENT)
def test_a_difference_has_its_path(fragment: str, difference: str) -> None:
    assert [*find_differences(yaml.load(fragment), POD)] == [difference]


def test_all_differences_are_reported() -> None:
    fragment = yaml.load("{metadata: {name: a, uid: b}, spec: {volumes: [{name: c}]}}")

    assert len([*find_differences(fragment, POD)]) == 3
