"""The index of match constraints: it never omits a document that matches."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.base.trace import Trace
from podgraft.core.injectors.overlay import overlay, overlay_set
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml
from podgraft.kube.admission import (
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from podgraft.kube.matching import constraints, index
from podgraft.kube.validation import PolicySet, group_by_policy, parse_binding, parse_policy

NAMESPACES: dict[str, Object] = {
    "shop": {"metadata": {"name": "shop", "labels": {"team": "a", "app": "shop"}}},
    "bank": {"metadata": {"name": "bank", "labels": {"team": "b"}}},
    "bare": {"metadata": {"name": "bare"}},
}
KEYS, VALUES = ("app", "team", constraints.NAME_LABEL), ("a", "shop", "")
GROUPS = ("", "apps")
RESOURCES = ("pods", "namespaces", "pods/status")
VERSIONS = ("v1", "v1beta1")


def lists(values: Sequence[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True)


def objects(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Object]:
    """Mappings of which every member can be absent."""
    return st.fixed_dictionaries({}, optional=members)


EXPRESSIONS = st.one_of(
    st.fixed_dictionaries(
        {
            "key": st.sampled_from(KEYS),
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": lists(VALUES),
        }
    ),
    st.fixed_dictionaries(
        {
            "key": st.sampled_from(KEYS),
            "operator": st.sampled_from(["Exists", "DoesNotExist"]),
        }
    ),
)
LABELS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=2)
SELECTORS = st.none() | objects(
    matchLabels=LABELS, matchExpressions=st.lists(EXPRESSIONS, max_size=2)
)
RULES = st.fixed_dictionaries(
    {
        "operations": lists(("*", "CREATE", "UPDATE", "DELETE")),
        "apiGroups": lists(("*", *GROUPS)),
        "apiVersions": lists(("*", *VERSIONS)),
        "resources": lists(("*", "*/*", *RESOURCES)),
    },
    optional={"scope": st.sampled_from(list(constraints.ResourceScope))},
)
MATCH_POLICIES = st.sampled_from(["Exact", "Equivalent"])
CONSTRAINTS = st.one_of(
    objects(objectSelector=SELECTORS),
    objects(namespaceSelector=SELECTORS),
    objects(resourceRules=st.lists(RULES, max_size=2), matchPolicy=MATCH_POLICIES),
    objects(
        resourceRules=st.lists(RULES, max_size=2),
        excludeResourceRules=st.lists(RULES, max_size=1),
        namespaceSelector=SELECTORS,
        objectSelector=SELECTORS,
        matchPolicy=MATCH_POLICIES,
    ),
)
GVR = st.builds(
    GroupVersionResource,
    st.sampled_from(GROUPS),
    st.sampled_from(VERSIONS),
    st.sampled_from(["pods", "namespaces"]),
)


def make_widget(labels: dict[str, str]) -> Object:
    metadata: Object = {"labels": dict[str, JSON](labels)}
    return {"apiVersion": "v1", "kind": "Widget", "metadata": metadata}


OBJECTS = st.builds(make_widget, LABELS)


def _make_request(resource: GroupVersionResource, **fields: Any) -> AdmissionRequest:
    requested: GroupVersionResource | None = fields.pop("requested")
    raw: Object = {}
    if requested is not None:
        raw["requestResource"] = {
            "group": requested.group,
            "version": requested.version,
            "resource": requested.resource,
        }
    return AdmissionRequest(
        api_version="admission.k8s.io/v1",
        kind=GroupVersionKind("", "v1", "Widget"),
        resource=resource,
        raw=raw,
        **fields,
    )


REQUESTS = st.builds(
    _make_request,
    GVR,
    requested=st.none() | GVR,
    operation=st.sampled_from(list(Operation)),
    namespace=st.sampled_from(["", "shop", "bank", "bare", "unlisted"]),
    name=st.sampled_from(["", "shop", "web"]),
    sub_resource=st.sampled_from(["", "status"]),
    object=st.none() | OBJECTS,
    old_object=st.none() | OBJECTS,
)


def parse_constraints(document: Object) -> constraints.MatchConstraints:
    diagnostics = Diagnostics()
    parsed = constraints.parse_constraints(Cursor(document, "", diagnostics))
    assert parsed is not None
    assert not diagnostics.errors, diagnostics.errors
    return parsed


@pytest.mark.slow
@settings(max_examples=300)
@given(documents=st.lists(CONSTRAINTS, max_size=6), request=REQUESTS)
def test_the_index_omits_no_document_that_matches(
    documents: list[Object], request: AdmissionRequest
) -> None:
    parsed = [*map(parse_constraints, documents)]

    candidates = [*index.ConstraintIndex(parsed).find(request, NAMESPACES)]

    matching = {
        number for number, each in enumerate(parsed) if each.mismatch(request, NAMESPACES) is None
    }
    assert candidates == sorted(set(candidates))
    assert matching <= set(candidates)


def test_a_rule_matches_the_resource_of_an_equivalent_request() -> None:
    rule = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["pods"]}
    document = parse_constraints({"resourceRules": [rule]})  # type: ignore[dict-item]
    served, requested = (GroupVersionResource("", "v1", name) for name in ("pods", "widgets"))
    request = _make_request(served, requested=requested, object={})

    assert document.matches(request, NAMESPACES)
    assert [*index.ConstraintIndex([document]).find(request, NAMESPACES)] == [0]


@given(documents=st.lists(CONSTRAINTS, max_size=6), request=REQUESTS)
def test_a_match_is_the_absence_of_a_mismatch(
    documents: list[Object], request: AdmissionRequest
) -> None:
    for document in documents:
        parsed = parse_constraints(document)
        is_match = parsed.mismatch(request, NAMESPACES) is None
        assert parsed.matches(request, NAMESPACES) is is_match


# An overlay adds a label that later overlays can select, and records its turn.
TEMPLATE = """
metadata: {labels: {%s: %s}}
turns: "{{ index .Object "turns" | default "" }} %d"
"""
OVERLAYS = st.lists(
    st.tuples(CONSTRAINTS, st.sampled_from(KEYS), st.sampled_from(VALUES[:-1])), max_size=5
)


@given(documents=OVERLAYS, request=REQUESTS, before=OBJECTS)
def test_overlays_apply_as_a_loop_over_all_of_them(
    documents: list[tuple[Object, str, str]], request: AdmissionRequest, before: Object
) -> None:
    overlays = overlay_set.sort_overlays(
        [
            _make_overlay(number, document, TEMPLATE % (key, value, number))
            for number, (document, key, value) in enumerate(documents)
        ],
        NAMESPACES,
    )
    context = ReviewContext(namespace=request.namespace, request=request)

    indexed = overlays(before, context)
    looped = overlays(
        before, ReviewContext(namespace=request.namespace, request=request, trace=Trace())
    )

    assert jsonvalue.dump(indexed.object) == jsonvalue.dump(looped.object)
    assert indexed.patch == looped.patch


def select(key: str, value: str) -> Object:
    return {"objectSelector": {"matchLabels": {key: value}}}


def test_an_overlay_selects_by_a_label_that_an_earlier_one_adds() -> None:
    documents = (
        (select("team", "b"), TEMPLATE % ("app", "a", 0)),
        (select("app", "web"), TEMPLATE % ("team", "b", 1)),
        (select("team", "b"), TEMPLATE % ("team", "c", 2)),
        (select("team", "b"), TEMPLATE % ("app", "a", 3)),
        (select("team", "c"), TEMPLATE % ("app", "a", 4)),
    )
    overlays = overlay_set.sort_overlays(
        [_make_overlay(number, *each) for number, each in enumerate(documents)], NAMESPACES
    )

    after = overlays(make_widget({"app": "web"}), ReviewContext(namespace="shop")).object

    assert after["turns"] == " 1 2 4"


def _make_overlay(number: int, document: Object, template: str) -> overlay.Overlay:
    diagnostics = Diagnostics()
    spec: Object = {"matchConstraints": document, "template": template}
    parsed = overlay.parse_overlay(Cursor(spec, "/spec", diagnostics), f"overlay-{number}")
    assert parsed is not None, diagnostics.errors
    return parsed


BINDINGS = st.lists(st.tuples(st.sampled_from(["0", "1"]), st.none() | CONSTRAINTS), max_size=4)


@given(policies=st.lists(CONSTRAINTS, max_size=2), bindings=BINDINGS, request=REQUESTS)
def test_policies_validate_as_a_loop_over_all_of_them(
    policies: list[Object], bindings: list[tuple[str, Object | None]], request: AdmissionRequest
) -> None:
    policy_set = PolicySet(
        policies=tuple(
            parse_policy(_cursor({"matchConstraints": each, **DENY_ALL}), str(number))
            for number, each in enumerate(policies)
        ),
        bindings=group_by_policy(
            parse_binding(_cursor(_binding_spec(name, scope)), f"binding-{number}")
            for number, (name, scope) in enumerate(bindings)
        ),
        namespaces=NAMESPACES,
    )

    assert policy_set.validate(request) == policy_set.validate(request, Trace())


DENY_ALL: Object = {"validations": [{"expression": "false"}]}


def _binding_spec(policy: str, scope: Object | None) -> Object:
    spec: Object = {"policyName": policy, "validationActions": ["Deny", "Audit"]}
    return spec if scope is None else {**spec, "matchResources": scope}


def _cursor(spec: Object) -> Cursor:
    return Cursor(spec, "/spec", Diagnostics())


RULE = "operations: [CREATE], apiGroups: ['*'], apiVersions: [v1]"
ROWS = f"""
label: {{objectSelector: {{matchLabels: {{app: a-NUMBER}}}}}}
values: {{objectSelector: {{matchExpressions: [{{key: app, operator: In, values: [a-NUMBER]}}]}}}}
presence: {{objectSelector: {{matchExpressions: [{{key: a-NUMBER, operator: Exists}}]}}}}
namespace: {{namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: a-NUMBER}}}}}}
resource: {{resourceRules: [{{{RULE}, resources: [a-NUMBER]}}]}}
operation: {{resourceRules: [{{{RULE.replace("CREATE", "DELETE")}, resources: [pods]}}]}}
"""


@pytest.mark.parametrize("row", ROWS.strip().splitlines(), ids=lambda row: row.partition(":")[0])
def test_a_request_has_only_the_candidates_of_its_tokens(row: str) -> None:
    document = row.partition(":")[2]
    documents: list[constraints.MatchConstraints] = []
    for number in range(50):
        parsed = yaml.load(document.replace("NUMBER", str(number)))
        assert isinstance(parsed, dict)
        documents.append(parse_constraints(parsed))
    request = _make_request(
        GroupVersionResource("", "v1", "pods"), requested=None, namespace="shop", object={}
    )
    everywhere = constraints.MatchConstraints()

    found = index.ConstraintIndex([*documents, everywhere]).find(request, NAMESPACES)

    assert [*found] == [50]
