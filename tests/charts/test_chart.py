"""The chart: valid manifests, the restricted Pod Security Standard, and clear errors."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest

from charts.rendering import CHART, render, render_notes
from podgraft.golang.texttemplate import ExecError
from podgraft.kube import yaml
from podgraft.kube.privileges.pod_security import Level, find_violations
from podgraft.service.store.caller_document import Callers, hash_token, parse_callers
from support.kube_schemas import RELEASES, validate

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
CASES: Mapping[str, Any] = {
    path.stem: yaml.load(path.read_text()) for path in sorted((FOLDER / "cases").glob("*.yaml"))
}
_MINIMUM = "1.30"  # of the chart
_SCHEMA: Any = json.loads((CHART / "values.schema.json").read_text())


def is_valid(values: Any) -> bool:
    """Whether the values satisfy the schema of the chart."""
    validator: Any = jsonschema.Draft7Validator(_SCHEMA)
    return validator.is_valid(values)


def load(text: str) -> dict[tuple[str, str], Any]:
    """The manifests by kind and name."""
    manifests: list[Any] = [each for each in yaml.load_all(text) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in manifests}


def pod_spec(name: str) -> Any:
    """The pod of a case."""
    return load(render(CASES[name]))["Deployment", "podgraft"]["spec"]["template"]


@pytest.mark.parametrize("name", [*CASES])
def test_helm_renders_the_same_manifests(name: str) -> None:
    """Recorded with helm: run tests/charts/record.py after you change the chart."""
    recorded = load((FOLDER / "recorded" / f"{name}.yaml").read_text())
    assert load(render(CASES[name])) == recorded


@pytest.mark.parametrize("name", [*CASES])
def test_kubernetes_accepts_the_manifests(name: str) -> None:
    for manifest in load(render(CASES[name])).values():
        if not manifest["apiVersion"].startswith(("cert-manager.io/", "monitoring.coreos.com/")):
            for release in (each for each in RELEASES if float(each) >= float(_MINIMUM)):
                validate(manifest, release)
    chart: Any = yaml.load((CHART / "Chart.yaml").read_text())
    assert chart["kubeVersion"] == f">={_MINIMUM}.0-0"


@pytest.mark.parametrize("name", [*CASES])
def test_the_pod_has_the_restricted_pod_security_standard(name: str) -> None:
    pod = pod_spec(name)
    assert find_violations(pod["metadata"], pod["spec"], Level.RESTRICTED) == ()
    [container] = pod["spec"]["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod["spec"]["automountServiceAccountToken"] is False
    kinds = {kind for kind, _ in load(render(CASES[name]))}
    assert kinds.isdisjoint({"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})


@pytest.mark.parametrize("name", [*CASES])
def test_the_values_satisfy_the_schema(name: str) -> None:
    jsonschema.validate(CASES[name], _SCHEMA)
    assert is_valid(yaml.load((CHART / "values.yaml").read_text()))


def test_the_schema_has_the_keys_of_the_values() -> None:
    def keys(schema: Any) -> Any:
        properties = schema.get("properties")
        return {key: keys(each) for key, each in properties.items()} if properties else None

    def names(values: Any, schema: Any) -> Any:
        if schema is None or not isinstance(values, dict):
            return None
        items = cast("dict[str, Any]", values).items()
        return {key: names(each, schema.get(key)) for key, each in items}

    values: Any = yaml.load((CHART / "values.yaml").read_text())
    expected = keys(_SCHEMA)
    del expected["global"]  # of Helm
    assert names(values, expected) == expected


@pytest.mark.parametrize(
    "values",
    [
        {"injectors": {"auth": {"bundle": {"a.yaml": ""}}}},
        {"injectors": {"Istio": {"bundle": {"a.yaml": ""}}}},
        {"injectors": {"istio": {"bundle": {"policy.yaml": ""}}}},
        {"injectors": {"istio": {"bundle": {"a.txt": ""}}}},
        {"injectors": {"istio": {"policy": ""}}},
        {"auth": "basic"},
        {"image": {"digest": "sha256:0"}},
        {"replica": 2},
        {"preStopSeconds": 0},
        {"census": {"folder": "/census"}},
        {"census": {"volume": "podgraft-census"}},
    ],
    ids=str,
)
def test_the_schema_rejects(values: Any) -> None:
    assert not is_valid(values)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image": {"repository": ""}}, "image.repository: is missing; build an image"),
        ({"injectors": {}}, "injectors: is missing; set an injector, or storeVolume"),
        ({"callers": {}}, "callers: is missing; issue a token"),
        ({"tls": {"certManager": {"enabled": False}}}, "tls.secret: is missing; name a Secret"),
        ({"auth": "mtls"}, "clientCASecret: is missing; auth mtls needs the CAs"),
        ({"census": {"volume": {"emptyDir": {}}}}, "census.keySecret: is missing; name a Secret"),
        ({"census": {"keySecret": "a"}}, "census.keySecret: requires census.volume and injectors"),
        (
            {
                "census": {"keySecret": "a", "volume": {"emptyDir": {}}},
                "storeVolume": {"emptyDir": {}},
            },
            "with storeVolume, write INJECTOR/census.key to that volume",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_missing_value_is_an_error(changes: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ExecError, match=re.escape(message)):
        render({**CASES["cert-manager"], **changes})


def test_the_store_of_the_pod_has_the_layout_of_serve() -> None:
    volumes = {each["name"]: each for each in pod_spec("cert-manager")["spec"]["volumes"]}
    sources = volumes["store"]["projected"]["sources"]
    paths = {
        (kind, item["path"]) for each in sources for kind in each for item in each[kind]["items"]
    }
    assert paths == {
        ("configMap", "istio/policy.yaml"),
        ("configMap", "istio/bundle/injector.yaml"),
        ("configMap", "istio/bundle/mesh.yaml"),
        ("secret", "auth/prod-eu.yaml"),
    }
    manifests = load(render(CASES["cert-manager"]))
    for source in sources:
        [(kind, reference)] = source.items()
        manifest = manifests["ConfigMap" if kind == "configMap" else "Secret", reference["name"]]
        content = manifest.get("data") or manifest.get("stringData")
        assert {item["key"] for item in reference["items"]} == set(content)


def test_the_keys_of_a_census_are_in_the_store() -> None:
    sources = {
        item["path"]: (each["secret"]["name"], item["key"])
        for volume in pod_spec("census")["spec"]["volumes"]
        for each in volume.get("projected", {}).get("sources", [])
        for item in each.get("secret", {}).get("items", [])
    }
    for injector in CASES["census"]["injectors"]:
        assert sources[f"{injector}/census.key"] == ("podgraft-census", injector)


@pytest.mark.parametrize("name", [*CASES])
def test_serve_records_with_a_volume_only(name: str) -> None:
    spec = pod_spec(name)["spec"]
    [container] = spec["containers"]
    mounts = {each["name"]: each for each in container["volumeMounts"]}
    is_recorded = "census" in CASES[name]
    assert ("--census=/census" in container["args"]) is is_recorded
    assert ("census" in mounts) is is_recorded
    if is_recorded:
        assert mounts["census"] == {"name": "census", "mountPath": "/census"}
    notes = render_notes(CASES[name])
    assert (" --census > " in notes) is (is_recorded and bool(CASES[name].get("injectors")))


def test_every_volume_of_the_pod_is_mounted_and_exists() -> None:
    for name in CASES:
        spec = pod_spec(name)["spec"]
        mounts = {each["name"] for each in spec["containers"][0]["volumeMounts"]}
        assert mounts == {each["name"] for each in spec["volumes"]}


def test_the_certificate_is_for_the_name_that_kube_apiserver_verifies() -> None:
    manifests = load(render(CASES["cert-manager"], name="mesh", namespace="system"))
    certificate = manifests["Certificate", "mesh-podgraft"]["spec"]
    service = manifests["Service", "mesh-podgraft"]
    host = f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc"
    assert host in certificate["dnsNames"]
    pod = manifests["Deployment", "mesh-podgraft"]["spec"]["template"]["spec"]
    secrets = [each["secret"]["secretName"] for each in pod["volumes"] if "secret" in each]
    assert secrets == [certificate["secretName"]]


def test_selectors_select_the_pod() -> None:
    manifests = load(render(CASES["cert-manager"]))
    labels = pod_spec("cert-manager")["metadata"]["labels"].items()
    for kind, path in (
        ("Service", ("selector",)),
        ("PodDisruptionBudget", ("selector", "matchLabels")),
        ("NetworkPolicy", ("podSelector", "matchLabels")),
        ("Deployment", ("selector", "matchLabels")),
    ):
        selector = manifests[kind, "podgraft"]["spec"]
        for key in path:
            selector = selector[key]
        assert selector.items() <= labels


def test_the_notes_register_each_injector() -> None:
    notes = render_notes(CASES["cert-manager"])
    assert (
        "podgraft register --service podgraft/podgraft:443/istio --cert-manager podgraft/podgraft "
        "--namespace-selector istio-injection=enabled --token-file token > istio.yaml"
    ) in notes
    assert "Warning" not in notes
    assert "Warning: every pod of the cluster can call" in render_notes(CASES["own-issuer"])


def test_the_versions_are_those_of_the_package() -> None:
    chart: Any = yaml.load((CHART / "Chart.yaml").read_text())
    project = (ROOT / "pyproject.toml").read_text()
    [version] = re.findall(r'^version = "(.*)"$', project, re.MULTILINE)
    assert (chart["version"], chart["appVersion"]) == (version, version)


def test_the_token_of_the_webhook_is_that_of_a_caller() -> None:
    """The path of each registration has the token whose hash serve reads."""
    manifests = load(render(CASES["webhook"]))
    token = CASES["webhook"]["webhook"]["token"]
    stored = manifests["Secret", "podgraft-callers"]["stringData"]["in-cluster.yaml"]
    assert accepts(parse_callers(yaml.load_document(stored)), token)
    for injector in ("hello", "istio"):
        [hook] = manifests["MutatingWebhookConfiguration", f"podgraft-{injector}"]["webhooks"]
        assert hook["clientConfig"]["service"]["path"] == f"/k/{token}/{injector}/inject"
        assert hook["objectSelector"] == {"matchLabels": {"podgraft": injector}}
    sources = manifests["Deployment", "podgraft"]["spec"]["template"]["spec"]["volumes"][0]
    paths = [
        item["path"]
        for each in sources["projected"]["sources"]
        for content in each.values()
        for item in content["items"]
    ]
    assert {f"auth/{name}.yaml" for name in ("in-cluster", "prod-eu", "prod-us")} < {*paths}


def accepts(callers: Callers, token: str) -> bool:
    return hash_token(token) in {each.sha256 for each in callers.tokens}


def test_the_service_does_not_select_the_pod_of_the_test() -> None:
    manifests = load(render(CASES["webhook"]))
    selector = manifests["Service", "podgraft"]["spec"]["selector"]
    pod = manifests["Pod", "podgraft-test"]
    assert not selector.items() <= pod["metadata"]["labels"].items()
    assert find_violations(pod["metadata"], pod["spec"], Level.RESTRICTED) == ()
    assert pod["metadata"]["annotations"]["helm.sh/hook"] == "test"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"webhook": {"enabled": True}, "auth": "mtls"}, "use auth token"),
        ({"webhook": {"enabled": True}}, "webhook.token: is missing"),
        (
            {
                "webhook": {"enabled": True},
                "auth": "none",
                "tls": {"secret": "a", "certManager": {"enabled": False}},
            },
            "webhook.caCertificates: is missing",
        ),
        ({"metrics": {"serviceMonitor": {"enabled": True}}}, "metrics.port: is missing"),
        ({"callersSecret": {"name": "a"}}, "callersSecret.clusters: is missing"),
        ({"webhook": {"token": "0" * 64, "cluster": "prod-eu"}}, "callers has the cluster, too"),
    ],
)
def test_options_that_need_others_are_errors(values: Any, message: str) -> None:
    base: Any = {**CASES["cert-manager"], "tls": {"secret": "a", "certManager": {"enabled": True}}}
    if values.get("auth") == "mtls":
        base["clientCASecret"] = "a"
    with pytest.raises(ExecError, match=re.escape(message)):
        render({**base, **values})
