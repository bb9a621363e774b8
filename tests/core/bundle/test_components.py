"""App Mesh, overlays and policies in a bundle: the order they work in, and their faults' places."""

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core import bundle
from podgraft.core.bundle import BundleError
from podgraft.core.bundle.reads import iterate_reads
from podgraft.core.policy import Policy
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml
from support.store_fixture import BUNDLE

PODS = "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}"
MESH = """
apiVersion: supergloo.solo.io/v1
kind: Mesh
metadata: {name: shop, namespace: mesh}
spec:
  awsAppMesh:
    region: eu-west-1
    virtualNodeLabel: node
    enableAutoInject: true
    injectionSelector: {labelSelector: {labelsToMatch: {app: web}}}
"""
TEMPLATE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: sidecar-injector, namespace: mesh}
data: {patch: "containers: [{name: envoy, image: envoy}]"}
"""
POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "labels": {"app": "web", "node": "vn"}},
    "spec": {"containers": [{"name": "web", "ports": [{"containerPort": 80}]}]},
}


def overlay(template: str, name: str = "o") -> str:
    spec = {"matchConstraints": yaml.load(f"resourceRules: [{PODS}]"), "template": template}
    return yaml.dump(
        {
            "apiVersion": "podgraft.dev/v1",
            "kind": "Overlay",
            "metadata": {"name": name},
            "spec": spec,
        }
    )


def policy(spec: str, name: str = "p") -> str:
    return f"""
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: {name}}}
spec: {{matchConstraints: {{resourceRules: [{PODS}]}}, {spec}}}
"""


def binding(spec: str, wanted: str = "p") -> str:
    return f"""
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: b}}
spec: {{policyName: {wanted}, validationActions: [Deny], {spec}}}
"""


def compile_bundle(*documents: str) -> bundle.Bundle:
    return bundle.compile_({"all.yaml": "---\n".join(documents).encode()}, Policy())


def names(value: JSON) -> list[JSON]:
    assert isinstance(value, dict)
    spec = value["spec"]
    assert isinstance(spec, dict)
    containers = spec["containers"]
    assert isinstance(containers, list)
    return [each["name"] for each in containers if isinstance(each, dict)]


def test_overlays_come_after_the_mesh() -> None:
    """So they see its containers; the order of the documents does not matter."""
    counting = overlay("metadata: {labels: {containers: '{{ len .Spec.Containers }}'}}")
    found = compile_bundle(counting, MESH, TEMPLATE)
    pod = POD
    for graft in found.pod_mutators:
        pod = graft(pod, ReviewContext(namespace="shop")).object

    assert names(pod) == ["web", "envoy"]
    metadata = pod["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["labels"] == {"app": "web", "node": "vn", "containers": "2"}


def test_the_mesh_is_for_inject_and_overlays_for_mutate_too() -> None:
    found = compile_bundle(
        overlay("metadata: {}"), MESH, TEMPLATE, policy("validations: [{expression: 'true'}]")
    )

    assert (len(found.pod_mutators), len(found.object_mutators), len(found.validators)) == (2, 1, 1)


PROXY_CONFIG = """
apiVersion: networking.istio.io/v1
kind: ProxyConfig
metadata: {name: p, namespace: shop}
spec: {concurrency: 2, selector: {matchLabels: {tier: front}}}
"""


def test_a_bundle_that_is_parsed_lazily_has_the_same_reads() -> None:
    """The census of the first version of a process records what it reads by name."""
    documents = (
        overlay("metadata: {labels: {a: '{{ .ObjectMeta.Labels.b }}'}}"),
        *(MESH, TEMPLATE, policy("validations: [{expression: 'object.metadata.name != \"\"'}]")),
        PROXY_CONFIG,
    )
    files = {**BUNDLE, "all.yaml": "---\n".join(documents).encode()}

    complete, lazy = (
        [*iterate_reads(bundle.compile_(files, Policy(), parse_lazily=each))]
        for each in (False, True)
    )
    labels = {read.path[2] for reads in complete for read in reads if read.path[1:2] == ("labels",)}
    assert {"app", "b", "node", "tier"} <= labels
    assert lazy == complete


def test_conflicting_overlays_are_warnings() -> None:
    image = "spec: {containers: [{name: app, image: %s}]}"
    found = compile_bundle(overlay(image % "one", "a"), overlay(image % "two", "b"))

    assert [str(fault) for fault in found.warnings] == [
        (
            "all.yaml, document 2 /spec/template: sets spec.containers[app].image of Pod to "
            '"two", where a sets "one"; let one overlay set it, or let them match different objects'
        )
    ]


def test_a_bundle_with_an_unknown_region_loads_with_a_warning() -> None:
    found = compile_bundle(MESH.replace("eu-west-1", "mars-1"), TEMPLATE)

    [fault] = found.warnings
    assert str(fault).startswith(
        "all.yaml, document 1 /spec/awsAppMesh/region: mars-1 is no region where App Mesh was "
        "known to be served; use one of af-south-1, ap-east-1, "
    )


FAULTS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "a mesh without its ConfigMap",
        (MESH,),
        (
            "/spec/awsAppMesh/sidecarPatchConfigMap: the ConfigMap mesh/sidecar-injector is not in "
            "the bundle; add it, or name another"
        ),
    ),
    (
        "an overlay's template",
        (overlay("{{ nope }}"),),
        (
            '/spec/template: does not parse: template: o:1: function "nope" not defined; '
            "did you mean nospace?"
        ),
    ),
    (
        "a policy's expression",
        (policy("validations: [{expression: 'nope'}]"),),
        (
            "/spec/validations/0/expression: line 1, column 1: undeclared reference to 'nope'; "
            "correct the expression at this position"
        ),
    ),
    (
        "a binding of no policy",
        (policy("validations: [{expression: 'true'}]"), binding("", "q")),
        (
            "/spec/policyName: names q, and the bundle has no such ValidatingAdmissionPolicy; "
            "add the policy, or remove the binding"
        ),
    ),
    (
        "a binding alone",
        (binding(""),),
        (
            "/spec/policyName: names p, and the bundle has no such ValidatingAdmissionPolicy; "
            "add the policy, or remove the binding"
        ),
    ),
    (
        "parameters that nobody gives",
        (
            policy(
                "paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{expression: 'true'}]"
            ),
        ),
        (
            "/spec/paramKind: requires parameters, and no ValidatingAdmissionPolicyBinding gives "
            "it a paramRef; add a binding with a paramRef"
        ),
    ),
    (
        "a ConfigMap that serves nobody",
        (TEMPLATE, overlay("metadata: {}")),
        (
            "/data: holds patch, which serves nothing in this bundle; use config and values, or "
            "mesh, or let a Mesh or paramRef name it, or annotate it with podgraft.dev/ignore: "
            '"true"'
        ),
    ),
)


@pytest.mark.parametrize(
    ("documents", "fault"), [r[1:] for r in FAULTS], ids=[r[0] for r in FAULTS]
)
def test_errors_have_the_path_inside_their_file(documents: tuple[str, ...], fault: str) -> None:
    with pytest.raises(BundleError) as raised:
        compile_bundle(*documents)

    assert len(raised.value.errors) == 1
    assert str(raised.value.errors[0]).endswith(f" {fault}")


def test_parameters_of_a_binding_are_not_unused() -> None:
    params = "paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{expression: 'true'}]"
    config_map = TEMPLATE.replace("sidecar-injector", "limits")
    ref = "paramRef: {name: limits, namespace: mesh, parameterNotFoundAction: Deny}"

    assert compile_bundle(policy(params), binding(ref), config_map).validators
