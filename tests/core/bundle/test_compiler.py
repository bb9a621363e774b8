"""Bundles: recognized by kind and content, and rejected with all errors at once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core import bundle
from podgraft.core.bundle import Bundle, BundleError, manifests
from podgraft.core.policy import Policy
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml
from support.store_fixture import BUNDLE, CONFIG, MESH

POD: Object = {
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "web", "image": "nginx"}]},
}
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n"
CONFIG_OBJECT, MESH_OBJECT = yaml.load(CONFIG), yaml.load(MESH)
LIST = json.dumps({"apiVersion": "v1", "kind": "List", "items": [CONFIG_OBJECT, MESH_OBJECT]})
NESTED = json.dumps({"apiVersion": "v1", "kind": "List", "items": [json.loads(LIST)]})

FORMS: Mapping[str, Mapping[str, bytes]] = {
    "a file each": BUNDLE,
    "other names and folders": {"a/x.yml": CONFIG.encode(), "b/y.yaml": MESH.encode()},
    "documents of one file": {"all.yaml": f"---\n{CONFIG}---\n# nothing\n---\n{MESH}".encode()},
    "JSON": {
        "c.json": json.dumps(CONFIG_OBJECT).encode(),
        "m.json": json.dumps(MESH_OBJECT).encode(),
    },
    "a List": {"all.json": LIST.encode()},
    "a List in a List": {"all.json": NESTED.encode()},
    "a List in YAML": {"all.yaml": yaml.dump(json.loads(LIST)).encode()},
}


def compile_files(files: Mapping[str, bytes], policy: Policy | None = None) -> Bundle:
    return bundle.compile_(files, policy or Policy())


def injected_mesh_id(bundle: Bundle) -> str:
    """The mesh id of the injected proxy, which needs both ConfigMaps, in any file."""
    assert bundle.istio is not None
    pod = bundle.istio.inject(POD, ReviewContext()).pod
    return json.dumps(pod)


@pytest.mark.parametrize("form", FORMS)
def test_manifests_are_recognized_in_every_form(form: str) -> None:
    of = compile_files(FORMS[form])
    assert '"MESH_ID", "value": "example.org"' in injected_mesh_id(of)
    assert of.rules.policy == "enabled"


def test_the_mesh_is_optional() -> None:
    assert '"cluster.local"' in injected_mesh_id(compile_files({"config.yaml": CONFIG.encode()}))


def test_namespaces_are_indexed_by_name() -> None:
    of = compile_files({**BUNDLE, "ns.yaml": NAMESPACE.encode()})
    assert of.namespaces == {"shop": yaml.load(NAMESPACE)}


def test_the_policy_overrides_the_rules_of_the_bundle() -> None:
    of = compile_files(BUNDLE, Policy(policy="disabled"))
    assert (of.base_rules.policy, of.rules.policy) == ("enabled", "disabled")
    assert of.rules.never == of.base_rules.never
    assert of.with_policy(Policy(never=())).rules.never == ()


def test_a_manifest_with_the_ignore_annotation_is_ignored() -> None:
    ignored = (
        "apiVersion: apps/v1\nkind: Deployment\n"
        'metadata: {name: istiod, annotations: {podgraft.dev/ignore: "true"}}\n'
    )
    assert compile_files({**BUNDLE, "istiod.yaml": ignored.encode()}).istio is not None


def test_an_invalid_selector_is_a_warning() -> None:
    broken = CONFIG.replace('- matchLabels: {never: "true"}', "- matchLabels: 7")
    [fault] = compile_files({"c.yaml": broken.encode()}).warnings
    assert (fault.document, fault.pointer) == (
        "c.yaml",
        "/data/config/neverInjectSelector/0/matchLabels",
    )


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    files: Mapping[str, bytes]
    faults: tuple[str, ...]


REMEDY = 'remove it, or annotate it with podgraft.dev/ignore: "true"'
KNOWN_KINDS = f"expected {', '.join(manifests.KINDS)}, or a List of them; {REMEDY}"
OTHER_CONFIG = CONFIG.replace("name: istio-sidecar-injector", "name: istio-sidecar-injector-canary")


def manifest(kind: str, name: str, data: str) -> bytes:
    return f"{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}}}, data: {data}}}".encode()


def invalid_case(name: str, files: Mapping[str, bytes], *faults: str) -> InvalidCase:
    return InvalidCase(name, files, faults)


ERRORS = (
    invalid_case(
        "nothing",
        {},
        "the folder: contains no manifest; add .yaml, .yml, or .json files, "
        "as kubectl get -o yaml prints them",
    ),
    invalid_case(
        "an unknown kind",
        {**BUNDLE, "web.yaml": manifest("Pod", "web", "{}")},
        f"web.yaml: unsupported Pod of v1, {KNOWN_KINDS}",
    ),
    invalid_case(
        "an unknown version",
        {**BUNDLE, "p.yaml": b"{apiVersion: networking.istio.io/v2, kind: ProxyConfig}"},
        "p.yaml /apiVersion: unsupported ProxyConfig of networking.istio.io/v2; use "
        "networking.istio.io/v1beta1 or networking.istio.io/v1, or annotate it with "
        'podgraft.dev/ignore: "true"',
    ),
    invalid_case(
        "no object at all",
        {**BUNDLE, "a.yaml": b"just text", "b.yaml": b"{kind: ConfigMap}"},
        "a.yaml: is not a Kubernetes object; add apiVersion and kind",
        "b.yaml: has no apiVersion; add it",
    ),
    invalid_case(
        "no name",
        {**BUNDLE, "n.yaml": b"{apiVersion: v1, kind: Namespace}"},
        "n.yaml /metadata/name: is missing; set a name",
    ),
    invalid_case(
        "twins",
        {**BUNDLE, "y.yaml": NAMESPACE.encode(), "z.yaml": f"{NAMESPACE}---\n{MESH}".encode()},
        "z.yaml, document 1: duplicate of Namespace shop in y.yaml; remove one of the two",
        "z.yaml, document 2: duplicate of ConfigMap istio in mesh.yaml; remove one of the two",
        "z.yaml, document 2 /data/mesh: is a second mesh; the first is in mesh.yaml; "
        "keep one: each revision is a separate injector",
    ),
    invalid_case(
        "two configurations",
        {**BUNDLE, "other.yaml": OTHER_CONFIG.encode()},
        "other.yaml /data/config: is a second config; the first is in injector.yaml; "
        "keep one: each revision is a separate injector",
    ),
    invalid_case(
        "a mesh alone",
        {"mesh.yaml": MESH.encode()},
        "mesh.yaml: is used with an injector configuration only, and there is none; "
        "add the ConfigMap istio-sidecar-injector",
    ),
    invalid_case(
        "a misspelt key",
        {**BUNDLE, "v.yaml": manifest("ConfigMap", "v", "{vals: x}")},
        "v.yaml /data: holds vals, which serves nothing in this bundle; use config and "
        "values, or mesh, or let a Mesh or paramRef name it, "
        'or annotate it with podgraft.dev/ignore: "true"',
    ),
    invalid_case(
        "data that is no text",
        {"c.yaml": manifest("ConfigMap", "c", "{config: {a: 1}, values: 2}")},
        "c.yaml /data/config: is no string; put it in quotes, or under a |",
        "c.yaml /data/values: is no string; put it in quotes, or under a |",
    ),
)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_every_error_has_file_path_and_remedy(case: InvalidCase) -> None:
    with pytest.raises(BundleError) as error:
        compile_files(case.files)
    assert tuple(map(str, error.value.errors)) == case.faults


def test_files_with_invalid_yaml_are_reported() -> None:
    with pytest.raises(BundleError) as error:
        compile_files({"a.yaml": b"\xff", "b.yaml": b"{", "c.yaml": b"a: 1\na: 2\n"})
    assert [fault.document for fault in error.value.errors] == ["a.yaml", "b.yaml", "c.yaml"]


SEVERAL = (
    CONFIG.replace("{{ .DeploymentMeta.Name }}", "{{ .DeploymentMeta.Name")
    .replace("defaultTemplates: [sidecar]", "defaultTemplates: [7]")
    .replace('{"global": {"tag"', '{"global": ["tag"')
)


PROXY_CONFIG = """\
apiVersion: networking.istio.io/v1
kind: ProxyConfig
metadata: {name: p, namespace: shop}
spec: {concurrency: many}
"""


def test_all_errors_of_all_files_are_reported_at_once() -> None:
    files = {
        "injector.yaml": SEVERAL.encode(),
        "mesh.yaml": MESH.replace("example.org", "{}").encode(),
        "good.yaml": PROXY_CONFIG.replace("many", "2").replace("name: p", "name: g").encode(),
        "proxy.yaml": PROXY_CONFIG.encode(),
        "service.yaml": b"{apiVersion: v1, kind: Service, metadata: {name: s}}",
    }
    with pytest.raises(BundleError) as error:
        compile_files(files)
    places = {(fault.document, fault.pointer) for fault in error.value.errors}
    assert places >= {
        ("injector.yaml", "/data/config/defaultTemplates/0"),
        ("injector.yaml", "/data/config/templates/sidecar"),
        ("injector.yaml", "/data/values"),
        ("mesh.yaml", "/data/mesh/trustDomain"),
        ("proxy.yaml", "/spec/concurrency"),
        ("service.yaml", ""),
    }
    assert all(fault.problem and fault.remedy for fault in error.value.errors)


def test_an_unknown_release_is_an_error_of_the_policy() -> None:
    with pytest.raises(BundleError) as error:
        compile_files(BUNDLE, Policy(istio_release="0.8"))
    [fault] = error.value.errors
    assert (fault.document, fault.pointer) == ("policy", "/istioRelease")
