"""Retired registries: each field that can name one, and each form of its name."""

import json
from collections.abc import Mapping

import pytest

from podgraft.base.diagnostics import Severity
from podgraft.base.jsonvalue import Object
from podgraft.core import bundle, policy
from podgraft.core.bundle import lint, manifests, retired_registries
from podgraft.core.bundle.retired_registries import (
    CLOSURE,
    SOURCE,
    find_registries,
    find_warnings,
    image_warning,
)

GCR, REGISTRY = "gcr.io/istio-release", "registry.istio.io"
BUCKET = "istio-release.storage.googleapis.com"
FOLDER = "storage.googleapis.com/istio-release"

NAMED = {
    "gcr.io/istio-release": GCR,
    "gcr.io/istio-release/proxyv2:1.28.1": GCR,
    "GCR.IO/Istio-Release/proxyv2": GCR,
    "gcr.io:443/istio-release/proxyv2:1.28.1": GCR,
    "gcr.io/istio-release/proxyv2@sha256:0123": GCR,
    "oci://gcr.io/istio-release/charts/istiod": GCR,
    "image: gcr.io/istio-release/proxyv2": GCR,
    'image: "gcr.io/istio-release/proxyv2"': GCR,
    "IMAGE=gcr.io/istio-release/proxyv2": GCR,
    "registry.istio.io": REGISTRY,
    "registry.istio.io/release": REGISTRY,
    "registry.istio.io/testing/proxyv2:1.30.0": REGISTRY,
    "REGISTRY.istio.io:443/release/proxyv2@sha256:0123": REGISTRY,
    "https://istio-release.storage.googleapis.com/charts": BUCKET,
    "https://storage.googleapis.com/istio-release/a.wasm": FOLDER,
}
OPEN = (
    "docker.io/istio/proxyv2:1.31.1",
    "registry.istio.io.example.com/release",
    "my-registry.istio.io/release",
    "my-gcr.io/istio-release",
    "eu.gcr.io/istio-release",
    "gcr.io/istio-release-mirror/proxyv2",
    "gcr.io/istio-testing/proxyv2",
    "gcr.io/my/istio-release",
    "mirror.example.com/gcr.io/istio-release/proxyv2",  # a pull-through cache
    "mirror.example.com/registry.istio.io/release/proxyv2",
    "blob.istio.io/istio-release/charts",
    "istio-release",
    "",
)


@pytest.mark.parametrize("text", NAMED)
def test_a_registry_is_found_in_every_form(text: str) -> None:
    assert [location.name for location in find_registries(text)] == [NAMED[text]]


@pytest.mark.parametrize("text", OPEN)
def test_other_registries_are_not_found(text: str) -> None:
    assert find_registries(text) == ()
    assert image_warning(text) == ""


def test_the_warning_for_an_image_is_one_sentence() -> None:
    image = "registry.istio.io/release/proxyv2:1.30.4"
    assert image_warning(image) == (
        f"image {image}: registry.istio.io has no artifacts of Istio 1.31 and later, and closes in "
        "December 2026 after a final outage from 8 to 9 December (15:00 UTC); use docker.io/istio "
        f"or a mirror ({SOURCE})"
    )


def config_map(name: str = "c", **data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "n"},
        "data": dict(data),
    }


def make_object(kind: str, api_version: str, spec: Object) -> Object:
    metadata: Object = {"name": "o", "namespace": "n"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def template(line: str) -> Object:
    return config_map(config=json.dumps({"templates": {"sidecar": f"spec:\n{line}\n"}}))


IMAGE = "gcr.io/istio-release/proxyv2:1.28.1"
APP_MESH = make_object(
    "Mesh",
    "supergloo.solo.io/v1",
    {"awsAppMesh": {"sidecarPatchConfigMap": {"name": "c", "namespace": "n"}}},
)
# Where a manifest names one: its path, and the lines where the text has several.
PLACES: Mapping[str, tuple[list[Object], str]] = {
    "hub": (
        [config_map(values='{"global": {"hub": "gcr.io/istio-release"}}')],
        "/data/values/global/hub: ",
    ),
    "hub in YAML": ([config_map(values=f"global:\n  hub: {GCR}\n")], "/data/values/global/hub: "),
    "proxy image": (
        [config_map(values=json.dumps({"global": {"proxy": {"image": IMAGE}}}))],
        "/data/values/global/proxy/image: ",
    ),
    "proxy_init image": (
        [config_map(values=json.dumps({"global": {"proxy_init": {"image": IMAGE}}}))],
        "/data/values/global/proxy_init/image: ",
    ),
    "mesh": (
        [config_map(mesh=f"defaultConfig:\n  proxyMetadata: {{A: {IMAGE}}}\n")],
        "/data/mesh/defaultConfig/proxyMetadata/A: ",
    ),
    "values that are no YAML": ([config_map(values=f"{{\nhub: {GCR}\n")], "/data/values: line 2: "),
    "Istio's template": (
        [template(f"  image: {IMAGE}")],
        "/data/config/templates/sidecar: line 2: ",
    ),
    "two lines": (
        [template(f"  image: {IMAGE}\n  other: x\n  init: {IMAGE}")],
        "/data/config/templates/sidecar: lines 2, 4: ",
    ),
    "default of a function": (
        [template('  image: {{ annotation .ObjectMeta "a/b" "gcr.io/istio-release/proxyv2" }}')],
        "/data/config/templates/sidecar: line 2: ",
    ),
    "after another action": (
        [template('  image: {{ if eq .A "b" }}gcr.io/istio-release/proxyv2{{ end }}')],
        "/data/config/templates/sidecar: line 2: ",
    ),
    "ProxyConfig": (
        [
            make_object(
                "ProxyConfig", "networking.istio.io/v1", {"environmentVariables": {"A": IMAGE}}
            )
        ],
        "/spec/environmentVariables/A: ",
    ),
    "Overlay": (
        [
            make_object(
                "Overlay",
                "podgraft.dev/v1",
                {"template": f"spec:\n  containers: [{{image: {IMAGE}}}]"},
            )
        ],
        "/spec/template: line 2: ",
    ),
    "App Mesh": (
        [APP_MESH, config_map(patch=f"containers:\n- image: {IMAGE}\n")],
        "/data/patch: line 2: ",
    ),
}


def find_problems(objects: list[Object]) -> list[str]:
    files = {f"{number}.json": json.dumps(each).encode() for number, each in enumerate(objects)}
    read = manifests.parse_manifests(files)
    assert read.errors == ()
    diagnostics = list(find_warnings(read))
    assert all(each.severity is Severity.WARNING for each in diagnostics)
    return list(map(str, diagnostics))


@pytest.mark.parametrize("name", PLACES)
def test_every_image_and_hub_is_reported(name: str) -> None:
    objects, place = PLACES[name]
    file = f"{len(objects) - 1}.json"
    end = f"{GCR} {CLOSURE}; use docker.io/istio or a mirror ({SOURCE})"
    assert find_problems(objects) == [f"{file} {place}{end}"]


SILENT: Mapping[str, list[Object]] = {
    "a comment": [template(f"  # {IMAGE}")],
    "a comparison": [template('  {{ if hasPrefix "gcr.io/istio-release" .Image }}a: b{{ end }}')],
    "a replacement": [
        template('  image: {{ .Image | replace "gcr.io/istio-release" "mirror.example.com" }}')
    ],
    "a replacement in old delimiters": [
        template('  image: [[ .Image | replace "gcr.io/istio-release" "mirror.example.com" ]]')
    ],
    "a comment in values": [config_map(values=f"# {GCR}\nglobal: {{hub: docker.io/istio}}\n")],
    "a rule that refuses it": [
        make_object(
            "ValidatingAdmissionPolicy",
            "admissionregistration.k8s.io/v1",
            {"validations": [{"expression": "!object.a.startsWith('gcr.io/istio-release')"}]},
        )
    ],
    "a ConfigMap of parameters": [config_map(denied="gcr.io/istio-release")],
    "another hub": [config_map(values='{"global": {"hub": "docker.io/istio"}}')],
}


@pytest.mark.parametrize("name", SILENT)
def test_other_text_is_not_reported(name: str) -> None:
    assert find_problems(SILENT[name]) == []


def test_the_policy_is_also_searched() -> None:
    document = f"features: {{env: {{A: {IMAGE}}}}}\nclusters: {{a: {{policy: disabled}}}}\n"
    files = {"i.json": json.dumps(config_map(config='templates: {sidecar: "spec: {}"}')).encode()}
    read = policy.parse(document)
    compiled = bundle.compile_(files, read)
    [warning] = lint.find_warnings(compiled, files, read, document, "policy.yaml")
    assert str(warning).startswith(f"policy.yaml /features/env/A: {GCR} {CLOSURE}; use docker.io")


def test_no_replacement_is_a_retired_registry() -> None:
    for location in retired_registries.RETIRED_REGISTRIES:
        assert find_registries(location.name) == (location,)
        assert find_registries(location.replacement) == ()
