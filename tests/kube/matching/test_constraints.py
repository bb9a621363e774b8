"""Which requests ``matchConstraints`` is for: every rule of kube-apiserver's matcher a row."""

from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.kube.admission import AdmissionRequest, GroupVersionResource, Operation
from podgraft.kube.matching import constraints

PODS = GroupVersionResource("", "v1", "pods")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
EXTENSIONS: Object = {"group": "extensions", "version": "v1beta1", "resource": "deployments"}
OLD_RULE: dict[str, object] = {
    "apiGroups": ["extensions"],
    "apiVersions": ["v1beta1"],
    "resources": ["deployments"],
}
SHOP: Object = {"metadata": {"name": "shop", "labels": {"team": "a"}}}


def request(resource: GroupVersionResource = PODS, **changes: object) -> AdmissionRequest:
    plain = AdmissionRequest(
        api_version="admission.k8s.io/v1",
        resource=resource,
        name="web",
        namespace="shop",
        object={"metadata": {}},
        raw={},
    )
    return replace(plain, **changes)  # type: ignore[arg-type] - rows name fields


def labelled_object(**labels: str) -> Object:
    return {"metadata": {"labels": dict[str, JSON](labels)}}


def rule(**changes: object) -> Object:
    whole: dict[str, object] = {
        "operations": ["CREATE"],
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
        **changes,
    }
    return whole  # type: ignore[return-value] - rows hold JSON only


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    given: Object
    request: AdmissionRequest = field(default_factory=request)
    mismatch: str = ""


CASES = (
    Case("no constraints match all", {}),
    # resourceRules
    Case("a rule", {"resourceRules": [rule()]}),
    Case("one of two", {"resourceRules": [rule(resources=["nodes"]), rule()]}),
    Case(
        "another resource", {"resourceRules": [rule(resources=["nodes"])]}, mismatch="resourceRules"
    ),
    Case("any resource", {"resourceRules": [rule(resources=["*"])]}),
    Case("another group", {"resourceRules": [rule(apiGroups=["apps"])]}, mismatch="resourceRules"),
    Case("any group", {"resourceRules": [rule(apiGroups=["*"])]}),
    Case("any version", {"resourceRules": [rule(apiVersions=["*"])]}),
    Case(
        "another operation",
        {"resourceRules": [rule(operations=["UPDATE"])]},
        mismatch="resourceRules",
    ),
    Case("any operation", {"resourceRules": [rule(operations=["*"])]}),
    # subresources
    Case(
        "a subresource unasked",
        {"resourceRules": [rule()]},
        request(sub_resource="exec"),
        "resourceRules",
    ),
    Case(
        "a subresource",
        {"resourceRules": [rule(resources=["pods/exec"])]},
        request(sub_resource="exec"),
    ),
    Case(
        "any subresource",
        {"resourceRules": [rule(resources=["pods/*"])]},
        request(sub_resource="exec"),
    ),
    Case("any subresource takes none too", {"resourceRules": [rule(resources=["pods/*"])]}),
    Case(
        "all resources, no subresource",
        {"resourceRules": [rule(resources=["*"])]},
        request(sub_resource="exec"),
        "resourceRules",
    ),
    Case("everything", {"resourceRules": [rule(resources=["*/*"])]}, request(sub_resource="exec")),
    # resourceNames
    Case("the name", {"resourceRules": [rule(resourceNames=["web"])]}),
    Case("another name", {"resourceRules": [rule(resourceNames=["db"])]}, mismatch="resourceRules"),
    # scope
    Case("namespaced", {"resourceRules": [rule(scope="Namespaced")]}),
    Case(
        "cluster, but namespaced",
        {"resourceRules": [rule(scope="Cluster")]},
        mismatch="resourceRules",
    ),
    Case("cluster", {"resourceRules": [rule(scope="Cluster")]}, request(namespace="")),
    Case(
        "a namespace is in none",
        {"resourceRules": [rule(resources=["namespaces"], scope="Cluster")]},
        request(NAMESPACES),
    ),
    # excludeResourceRules
    Case(
        "excluded",
        {"resourceRules": [rule()], "excludeResourceRules": [rule()]},
        mismatch="excludeResourceRules",
    ),
    Case(
        "excluded by name",
        {"excludeResourceRules": [rule(resourceNames=["web"])]},
        mismatch="excludeResourceRules",
    ),
    Case("others excluded", {"excludeResourceRules": [rule(resourceNames=["db"])]}),
    # matchPolicy
    Case(
        "an older version is equivalent",
        {
            "resourceRules": [
                rule(apiGroups=["apps"], apiVersions=["v1beta1"], resources=["deployments"])
            ]
        },
        request(DEPLOYMENTS),
    ),
    Case(
        "an older group is equivalent", {"resourceRules": [rule(**OLD_RULE)]}, request(DEPLOYMENTS)
    ),
    Case(
        "not when exact",
        {"matchPolicy": "Exact", "resourceRules": [rule(**OLD_RULE)]},
        request(DEPLOYMENTS),
        "resourceRules",
    ),
    Case(
        "what the user asked for",
        {"matchPolicy": "Exact", "resourceRules": [rule(**OLD_RULE)]},
        request(DEPLOYMENTS, raw={"requestResource": EXTENSIONS}),
    ),
    # namespaceSelector
    Case("a namespace's label", {"namespaceSelector": {"matchLabels": {"team": "a"}}}),
    Case(
        "another label",
        {"namespaceSelector": {"matchLabels": {"team": "b"}}},
        mismatch="namespaceSelector",
    ),
    Case(
        "the label of every namespace",
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "far"}}},
        request(namespace="far"),
    ),
    Case(
        "a namespace not in the bundle",
        {"namespaceSelector": {"matchLabels": {"team": "a"}}},
        request(namespace="far"),
        "namespaceSelector",
    ),
    Case("an empty selector", {"namespaceSelector": {}}, request(namespace="far")),
    Case(
        "what is in no namespace is never exempt",
        {"namespaceSelector": {"matchLabels": {"team": "b"}}},
        request(namespace=""),
    ),
    Case(
        "a namespace by its new labels",
        {"namespaceSelector": {"matchLabels": {"team": "new"}}},
        request(NAMESPACES, object=labelled_object(team="new")),
    ),
    # objectSelector
    Case(
        "an object's label",
        {"objectSelector": {"matchLabels": {"app": "web"}}},
        request(object=labelled_object(app="web")),
    ),
    Case(
        "no such label",
        {"objectSelector": {"matchLabels": {"app": "web"}}},
        mismatch="objectSelector",
    ),
    Case(
        "the old object's label",
        {"objectSelector": {"matchLabels": {"app": "web"}}},
        request(old_object=labelled_object(app="web"), operation=Operation.UPDATE),
    ),
    Case(
        "an expression",
        {"objectSelector": {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}},
    ),
)


def parse_constraints(given: Object) -> tuple[constraints.MatchConstraints | None, list[str]]:
    notes = Diagnostics()
    return constraints.parse_constraints(Cursor(given, "", notes)), [
        str(fault) for fault in notes.errors
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_constraints_match_as_kube_apiserver_matches(case: Case) -> None:
    found, faults = parse_constraints(case.given)

    assert found is not None
    assert not faults
    mismatch = found.mismatch(case.request, {"shop": SHOP})
    assert (mismatch.key if mismatch else "") == case.mismatch


FAULTS: tuple[tuple[Object, str], ...] = (
    (
        {"resourceRules": [{}]},
        '/resourceRules/0/operations: is missing or empty; write ["*"] for all',
    ),
    (
        {"resourceRules": [rule(operations=["WRITE"])]},
        "/resourceRules/0/operations: got WRITE; use * or CREATE, UPDATE, DELETE, CONNECT",
    ),
    (
        {"resourceRules": [rule(scope="all")]},
        '/resourceRules/0/scope: got "all"; use *, Cluster, Namespaced',
    ),
    (
        {"resourceRules": [rule(resource=["pods"])]},
        "/resourceRules/0/resource: unknown key; did you mean resources?",
    ),
    ({"matchPolicy": "exact"}, '/matchPolicy: got "exact"; use Exact or Equivalent'),
    ({"matchPolicy": ["Exact"]}, '/matchPolicy: got ["Exact"]; use Exact or Equivalent'),
    (
        {"objectSelector": []},
        (
            "/objectSelector: expected a mapping, got a list; "
            "write key: value, one a line, or {} for none"
        ),
    ),
    (
        {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}},
        (
            '/objectSelector/matchExpressions/0/operator: got "Is"; '
            "use In, NotIn, Exists, DoesNotExist"
        ),
    ),
    (
        {"rules": []},
        (
            "/rules: unknown key; supported keys: resourceRules, excludeResourceRules, "
            "namespaceSelector, objectSelector, matchPolicy"
        ),
    ),
)


@pytest.mark.parametrize(("given", "fault"), FAULTS)
def test_faults_are_named_with_their_place(given: Object, fault: str) -> None:
    assert fault in parse_constraints(given)[1]


def test_a_mismatch_states_what_was_seen() -> None:
    found, _ = parse_constraints({"resourceRules": [rule()]})

    assert found is not None
    seen = found.mismatch(
        request(DEPLOYMENTS, operation=Operation.UPDATE, sub_resource="scale"), {}
    )
    assert seen == constraints.Mismatch("resourceRules", "UPDATE of deployments/scale.apps/v1")
