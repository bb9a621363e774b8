"""App Mesh injection: a test for every rule of the format, and every error."""

from dataclasses import dataclass, field

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors import appmesh
from podgraft.core.injectors.errors import InvalidDocumentsError, OperatorError, UserError
from podgraft.core.review_context import ReviewContext
from podgraft.kube import patch, yaml

TEMPLATE = """
containers:
  - name: envoy
    image: example.com/appmesh-envoy:v1
    securityContext: {runAsUser: 1337}
    env:
      - name: APPMESH_VIRTUAL_NODE_NAME
        value: "mesh/{{- .MeshName -}}/virtualNode/{{- .VirtualNodeName -}}"
      - {name: AWS_REGION, value: "{{- .AwsRegion -}}"}
initContainers:
  - name: proxyinit
    image: example.com/appmesh-route-manager:latest
    env:
      - {name: APPMESH_APP_PORTS, value: "{{- .AppPort -}}"}
"""
BY_LABELS: Object = {"labelSelector": {"labelsToMatch": {"app": "testrunner"}}}
BY_NAMESPACE: Object = {"namespaceSelector": {"namespaces": ["shop"]}}


def check_object(value: JSON) -> Object:
    assert isinstance(value, dict)
    return value


def mesh(name: str = "test-mesh", **changes: JSON) -> Object:
    """A mesh that injects; ``None`` takes a key out."""
    spec: Object = {
        "region": "us-east-1",
        "virtualNodeLabel": "virtual-node",
        "enableAutoInject": True,
        "sidecarPatchConfigMap": {"name": "patch", "namespace": "meshes"},
        "injectionSelector": BY_LABELS,
        **changes,
    }
    return {
        "apiVersion": "supergloo.solo.io/v1",
        "kind": "Mesh",
        "metadata": {"name": name, "namespace": "meshes"},
        "spec": {"awsAppMesh": {key: each for key, each in spec.items() if each is not None}},
    }


def config_map(name: str = "patch", namespace: str = "meshes", **data: str) -> Object:
    entries = dict[str, JSON](data or {"template": TEMPLATE})
    return {"metadata": {"name": name, "namespace": namespace}, "data": entries}


def pod(*ports: int, **changes: JSON) -> Object:
    """A pod of the mesh with one container for each port."""
    labels: Object = {"app": "testrunner", "virtual-node": "testrunner-vn"}
    containers: list[JSON] = [
        {"name": f"c{port}", "ports": [{"containerPort": port}]} for port in ports or (1234,)
    ]
    return {"metadata": {"labels": labels}, "spec": {"containers": containers}, **changes}


def compile_meshes(*meshes: Object, maps: tuple[Object, ...] = ()) -> appmesh.AppMesh:
    return appmesh.compile_(meshes or [mesh()], maps or [config_map()])


def env(injected: Object, container: str) -> dict[str, str]:
    spec = check_object(injected["spec"])
    found: dict[str, str] = {}
    for key in ("containers", "initContainers"):
        listed = spec.get(key, [])
        assert isinstance(listed, list)
        for each in map(check_object, listed):
            if each["name"] == container:
                variables = each.get("env", [])
                assert isinstance(variables, list)
                for variable in map(check_object, variables):
                    found[str(variable["name"])] = str(variable["value"])
    return found


# Rule 1


def test_only_injecting_meshes_are_compiled() -> None:
    others = (mesh("off", enableAutoInject=False), mesh("unset", enableAutoInject=None))
    istio: Object = {"metadata": {"name": "istio"}, "spec": {"istio": {}}}

    assert not compile_meshes(*others, istio).meshes


# Rule 2


@dataclass(frozen=True, slots=True)
class SelectionCase:
    name: str
    selector: Object
    metadata: Object
    selected: bool
    request_namespace: str = "default"


SELECTED = (
    SelectionCase("a label", BY_LABELS, {"labels": {"app": "testrunner"}}, True),
    SelectionCase("another label", BY_LABELS, {"labels": {"app": "web"}}, False),
    SelectionCase("no labels", BY_LABELS, {}, False),
    SelectionCase(
        "all labels are wanted",
        {"labelSelector": {"labelsToMatch": {"app": "testrunner", "tier": "a"}}},
        {"labels": {"app": "testrunner"}},
        False,
    ),
    SelectionCase("the pod's namespace", BY_NAMESPACE, {"namespace": "shop"}, True),
    SelectionCase("the request's namespace", BY_NAMESPACE, {}, True, "shop"),
    SelectionCase("the pod's own counts first", BY_NAMESPACE, {"namespace": "far"}, False, "shop"),
)


@pytest.mark.parametrize("case", SELECTED, ids=lambda case: case.name)
def test_a_mesh_selects_by_labels_or_namespaces(case: SelectionCase) -> None:
    labels = {**check_object(case.metadata.get("labels", {})), "virtual-node": "vn"}
    given = pod(metadata={**case.metadata, "labels": labels})
    meshes = compile_meshes(mesh(injectionSelector=case.selector))

    assert (
        meshes(given, ReviewContext(namespace=case.request_namespace)).is_changed == case.selected
    )


def test_a_pod_of_two_meshes_is_rejected() -> None:
    """The message names them."""
    meshes = compile_meshes(mesh("one"), mesh("two"), mesh("three", injectionSelector=BY_NAMESPACE))

    with pytest.raises(UserError, match=r"matches several meshes: one, two;"):
        meshes(pod(), ReviewContext(namespace="default"))


# Rule 3


def test_the_default_config_map_is_sidecar_injector_in_the_namespace_of_the_mesh() -> None:
    beside = config_map("sidecar-injector")

    assert compile_meshes(mesh(sidecarPatchConfigMap=None), maps=(beside,)).used_config_maps == (
        beside,
    )


# Rules 4 and 6


def test_the_template_sees_mesh_node_region_and_ports() -> None:
    injected = compile_meshes()(pod(), ReviewContext(namespace="default")).object

    assert env(injected, "envoy") == {
        "APPMESH_VIRTUAL_NODE_NAME": "mesh/test-mesh/virtualNode/testrunner-vn",
        "AWS_REGION": "us-east-1",
    }
    assert env(injected, "proxyinit") == {"APPMESH_APP_PORTS": "1234"}


def test_ports_of_all_containers_are_joined() -> None:
    assert env(
        compile_meshes()(pod(80, 443, 8080), ReviewContext(namespace="d")).object,
        "proxyinit",
    ) == {"APPMESH_APP_PORTS": "80,443,8080"}


def test_nothing_is_escaped_for_html() -> None:
    template = 'containers: [{name: "{{.MeshName}}", image: "a&b<c>"}]'
    injected = compile_meshes(maps=(config_map(t=template),))(
        pod(), ReviewContext(namespace="d")
    ).object

    assert check_object(injected["spec"])["containers"] == [
        {"name": "c1234", "ports": [{"containerPort": 1234}]},
        {"name": "test-mesh", "image": "a&b<c>"},
    ]


# Rule 5


@pytest.mark.parametrize(
    ("region", "warned"), [("us-west-2", False), ("eu-west-1", False), ("mars-1", True)]
)
def test_an_unknown_region_is_a_warning(region: str, warned: bool) -> None:
    assert bool(compile_meshes(mesh(region=region)).warnings) == warned


# Rule 7


def test_containers_are_appended_and_missing_arrays_created() -> None:
    before = pod()
    operations = patch.diff(before, compile_meshes()(before, ReviewContext(namespace="d")).object)

    assert [(each["op"], each["path"]) for each in operations] == [
        ("add", "/spec/containers/1"),
        ("add", "/spec/initContainers"),
    ]
    assert (
        patch.apply(before, operations)
        == compile_meshes()(before, ReviewContext(namespace="d")).object
    )


def test_existing_arrays_are_extended() -> None:
    spec: Object = {**check_object(pod()["spec"]), "initContainers": [{"name": "mine"}]}
    before = pod(spec=spec)
    operations = patch.diff(before, compile_meshes()(before, ReviewContext(namespace="d")).object)

    assert [each["path"] for each in operations] == ["/spec/containers/1", "/spec/initContainers/1"]


def test_a_template_can_add_volumes_and_pull_secrets() -> None:
    template = "volumes: [{name: v, emptyDir: {}}]\nimagePullSecrets: [{name: s}]"
    injected = compile_meshes(maps=(config_map(t=template),))(
        pod(), ReviewContext(namespace="d")
    ).object

    assert check_object(injected["spec"])["volumes"] == [{"name": "v", "emptyDir": {}}]
    assert check_object(injected["spec"])["imagePullSecrets"] == [{"name": "s"}]


# Rule 8


def test_a_second_call_changes_nothing() -> None:
    once = compile_meshes()(pod(), ReviewContext(namespace="d")).object

    again = compile_meshes()(once, ReviewContext(namespace="d"))
    assert (again.is_changed, again.object) == (False, once)


# Errors of documents


@dataclass(frozen=True, slots=True)
class InvalidCase:
    name: str
    mesh: Object
    fault: str
    maps: tuple[Object, ...] = field(default_factory=lambda: (config_map(),))


AT = "meshes/test-mesh /spec/awsAppMesh"
FAULTY = (
    InvalidCase(
        "no selector",
        mesh(injectionSelector=None),
        f"{AT}/injectionSelector: is missing; give it labelSelector or namespaceSelector",
    ),
    InvalidCase(
        "an upstreamSelector",
        mesh(injectionSelector={"upstreamSelector": {}}),
        f"{AT}/injectionSelector/upstreamSelector: is not supported; "
        "use labelSelector or namespaceSelector",
    ),
    InvalidCase(
        "a serviceSelector",
        mesh(injectionSelector={"serviceSelector": {}}),
        f"{AT}/injectionSelector/serviceSelector: is not supported; "
        "use labelSelector or namespaceSelector",
    ),
    InvalidCase(
        "a ConfigMap that is not there",
        mesh(sidecarPatchConfigMap={"name": "gone", "namespace": "far"}),
        f"{AT}/sidecarPatchConfigMap: the ConfigMap far/gone is not in the bundle; "
        "add it, or name another",
    ),
    InvalidCase(
        "one with two entries",
        mesh(),
        f"{AT}/sidecarPatchConfigMap: the ConfigMap meshes/patch has 2 entries in data; "
        "give it exactly one, the template",
        (config_map(a=TEMPLATE, b=TEMPLATE),),
    ),
    InvalidCase(
        "no node label",
        mesh(virtualNodeLabel=None),
        f"{AT}/virtualNodeLabel: is missing; name the label of the virtual node",
    ),
    InvalidCase(
        "no region", mesh(region=None), f"{AT}/region: is missing; name the AWS region of the mesh"
    ),
    InvalidCase(
        "a template that gives other things",
        mesh(),
        f"{AT}/sidecarPatchConfigMap: mesh test-mesh: the patch template gives hostNetwork, where "
        "only containers, initContainers, volumes, imagePullSecrets are known; "
        "correct the template there",
        (config_map(t="hostNetwork: true"),),
    ),
    InvalidCase(
        "a template that gives no lists",
        mesh(),
        f"{AT}/sidecarPatchConfigMap: mesh test-mesh: the patch template gives no list of mappings "
        "at containers; correct the template there",
        (config_map(t="containers: {a: b}"),),
    ),
)


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.name)
def test_an_invalid_mesh_does_not_load(case: InvalidCase) -> None:
    with pytest.raises(InvalidDocumentsError) as raised:
        appmesh.compile_([case.mesh], case.maps)

    assert [str(fault) for fault in raised.value.errors] == [case.fault]


@pytest.mark.parametrize(
    "template", ["{{ .Nope }}", "{{ if }}", "containers: [", "{{ index .MeshName 99 }}"]
)
def test_a_failing_template_does_not_load(template: str) -> None:
    """Fields that there are not, syntax, YAML, and what fails when it runs."""
    with pytest.raises(InvalidDocumentsError, match="template"):
        compile_meshes(maps=(config_map(t=template),))


def test_all_errors_are_reported_at_once() -> None:
    with pytest.raises(InvalidDocumentsError) as raised:
        compile_meshes(
            mesh("a", region=None, virtualNodeLabel=None), mesh("b", injectionSelector=None)
        )

    assert [fault.document for fault in raised.value.errors] == ["meshes/a", "meshes/a", "meshes/b"]


# Errors of pods


POD_ERRORS: tuple[tuple[str, Object, str], ...] = (
    (
        "no node label",
        pod(metadata={"labels": {"app": "testrunner"}}),
        (
            "pod label virtual-node: is missing; "
            "set it to the name of the virtual node, for mesh test-mesh"
        ),
    ),
    (
        "no ports",
        pod(spec={"containers": [{"name": "a"}]}),
        "the pod has no containerPort; add the ports that App Mesh intercepts",
    ),
)


@pytest.mark.parametrize(
    ("given", "message"), [row[1:] for row in POD_ERRORS], ids=["label", "ports"]
)
def test_a_pod_that_cannot_be_injected_gets_the_reason(given: Object, message: str) -> None:
    with pytest.raises(UserError) as raised:
        compile_meshes()(given, ReviewContext(namespace="d"))

    assert str(raised.value) == message


HOSTILE = (
    'x"}\n  - name: evil',
    "{{ .MeshName }}: a",
    "a: b",
    "null",
    "- x",
    "x #",
    "[a]",
    "&a",
    "x\ty",
    "---",
)


@pytest.mark.parametrize("node", HOSTILE)
def test_a_label_cannot_add_structure(node: str) -> None:
    given = pod(metadata={"labels": {"app": "testrunner", "virtual-node": node}})

    with pytest.raises(UserError, match="pod label virtual-node"):
        compile_meshes()(given, ReviewContext(namespace="d"))


def test_a_template_that_fails_for_a_pod_is_an_operator_error() -> None:
    template = '{{ if ne .AppPort "80" }}{{ index .AppPort 9 }}{{ end }}containers: []'

    with pytest.raises(OperatorError, match="mesh test-mesh: the patch template fails"):
        compile_meshes(maps=(config_map(t=template),))(pod(), ReviewContext(namespace="d"))


def test_the_documented_example_is_parsed_from_yaml() -> None:
    """Bundles contain the output of ``kubectl get -o yaml``."""
    text = yaml.dump(mesh())

    assert compile_meshes(check_object(yaml.load(text))).meshes[0].name == "test-mesh"
