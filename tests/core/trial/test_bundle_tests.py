"""Objects of a bundle's folder ``tests/``: they are tried, and belong to no one else."""

import json
from typing import Any

import pytest

from podgraft.core import bundle, policy, trial
from support.broken_bundles import Files, container, overlay

READ = policy.parse("")
TEMPLATE = (
    "metadata: {annotations: {port: {{ index .Object.metadata.annotations "
    '"example.com/port" | atoi | quote }}}}'
)


def pod(**metadata: Any) -> bytes:
    spec = {"containers": [{"name": "a", "image": "a:1"}]}
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "own", **metadata}}
    return json.dumps({**document, "spec": spec}).encode()


def errors(files: Files, document: str = "") -> list[str]:
    read = policy.parse(document)
    report = trial.check_bundle(bundle.compile_(files, read), read)
    return [*map(str, report.errors)]


FAILING = overlay('{{ if eq .ObjectMeta.Name "own" }}{{ fail "secret" }}{{ end }}')


@pytest.mark.parametrize("file", ["tests/a.yaml", "tests/deep/b.json"])
def test_a_pod_in_the_tests_folder_must_be_injectable(file: str) -> None:
    (error,) = errors({**FAILING, file: pod()})
    assert error.startswith(f"{file}: the review of the object fails: ")
    assert not errors({**FAILING, file: pod(name="other")})


def test_a_flaw_in_its_result_is_an_error() -> None:
    template = (
        "metadata: {labels: {a: {{ if hasPrefix `own` .ObjectMeta.Name }}<no value>{{ end }}}}"
    )
    (error,) = errors({**overlay(template), "tests/a.yaml": pod()})
    assert "the result renders <no value> at /metadata/labels/a" in error


def test_a_pod_that_is_not_injected_is_not_tried() -> None:
    assert not errors({**FAILING, "tests/a.yaml": pod(namespace="kube-system")})


def test_other_kinds_go_through_overlays() -> None:
    files = overlay('{{ if eq .ObjectMeta.Name "own" }}{{ fail "x" }}{{ end }}', ("widgets",))
    document = b"{apiVersion: example.com/v1, kind: Widget, metadata: {name: own}}"
    (error,) = errors({**files, "tests/w.yaml": document})
    assert error.startswith("tests/w.yaml: ")


def test_a_pod_that_does_not_decode_is_an_error() -> None:
    broken = b"{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: foo}}"
    (error,) = errors({**overlay(container("a:1")), "tests/a.yaml": broken})
    assert "tests/a.yaml" in error


def test_pods_are_probes_and_manifests_are_manifests_in_the_tests_folder() -> None:
    files = overlay(container("a:1"))
    with pytest.raises(bundle.BundleError, match="unsupported Pod of v1"):
        bundle.compile_({**files, "pod.yaml": pod()}, READ)
    second = next(iter(files.values())).replace(b'"name": "agent"}', b'"name": "second"}', 1)
    compiled = bundle.compile_({**files, "tests/o.yaml": second, "tests/p.yaml": pod()}, READ)
    assert [found.name for found in compiled.manifests.of_kind("Overlay")] == ["agent", "second"]
    assert [found.kind for found in compiled.manifests.probes] == ["Pod"]
    assert compiled.digest != bundle.digest(files)
