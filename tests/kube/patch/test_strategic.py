"""Strategic merge by example: one row a rule, on pods and on the type Odd."""

from dataclasses import dataclass, field

import pytest

import support.opcount
from kube.patch.edge_types import EDGE_TYPE
from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, equal
from podgraft.golang.reflect import Field, GoType, Kind, struct_type
from podgraft.kube.patch import strategic
from podgraft.kube.patch.strategic import MergeError


def named_elements(*names: str) -> list[JSON]:
    return [{"name": name} for name in names]


def delete_element(name: str) -> Object:
    return {"name": name, "$patch": "delete"}


@dataclass(frozen=True, slots=True)
class Case:
    """What becomes of the members of ``spec``, or of ``metadata``, or of an Odd."""

    name: str
    target: Object
    patch: Object
    result: Object
    under: str = "spec"
    type: GoType = field(default=kube.POD)


def metadata(name: str, target: Object, patch: Object, result: Object) -> Case:
    return Case(name, target, patch, result, under="metadata")


def edge_case(name: str, target: Object, patch: Object, result: Object) -> Case:
    return Case(name, target, patch, result, under="", type=EDGE_TYPE)


CASES = (
    # members of objects
    Case("a scalar replaces", {"hostname": "a"}, {"hostname": "b"}, {"hostname": "b"}),
    Case(
        "null removes", {"hostname": "a", "subdomain": "b"}, {"hostname": None}, {"subdomain": "b"}
    ),
    Case("null of what is not there does nothing", {}, {"hostname": None}, {}),
    Case(
        "objects merge",
        {"securityContext": {"runAsUser": 1}},
        {"securityContext": {"fsGroup": 2}},
        {"securityContext": {"runAsUser": 1, "fsGroup": 2}},
    ),
    Case(
        "a new object comes without its nulls",
        {},
        {"securityContext": {"runAsUser": None, "fsGroup": 2}},
        {"securityContext": {"fsGroup": 2}},
    ),
    Case(
        "a new object comes without directives in it",
        {},
        {"affinity": {"podAffinity": {"$patch": "replace", "a": 1}, "nodeAffinity": {}}},
        {"affinity": {"nodeAffinity": {}}},
    ),
    Case("another type replaces", {"hostname": {"a": 1}}, {"hostname": "b"}, {"hostname": "b"}),
    Case(
        "unknown scalar fields are kept and set",
        {"future": 1},
        {"other": 2},
        {"future": 1, "other": 2},
    ),
    metadata(
        "annotations merge",
        {"annotations": {"a": "1", "b": "1"}},
        {"annotations": {"b": None, "c": "2"}},
        {"annotations": {"a": "1", "c": "2"}},
    ),
    # directives in objects
    Case(
        "$patch: replace",
        {"securityContext": {"runAsUser": 1}},
        {"securityContext": {"$patch": "replace", "fsGroup": None}},
        {"securityContext": {"fsGroup": None}},
    ),
    Case(
        "$patch: delete",
        {"securityContext": {"runAsUser": 1}},
        {"securityContext": {"$patch": "delete", "fsGroup": 1}},
        {"securityContext": {}},
    ),
    Case(
        "$retainKeys",
        {"securityContext": {"runAsUser": 1, "fsGroup": 2}},
        {"securityContext": {"$retainKeys": ["fsGroup", "x"], "fsGroup": 3}},
        {"securityContext": {"fsGroup": 3}},
    ),
    edge_case(
        "a field that is replaced whole",
        {"replaced": {"id": "a", "size": 1}},
        {"replaced": {"id": "b", "inner": None}},
        {"replaced": {"id": "b", "inner": None}},
    ),
    # lists that are replaced
    Case(
        "tolerations are replaced",
        {"tolerations": [{"key": "a"}]},
        {"tolerations": [{"key": "b", "value": None}]},
        {"tolerations": [{"key": "b", "value": None}]},
    ),
    Case(
        "also by nothing", {"tolerations": [{"key": "a"}]}, {"tolerations": []}, {"tolerations": []}
    ),
    edge_case(
        "a list with a merge key that is replaced",
        {"swapped": [{"id": "a"}]},
        {"swapped": [{"id": "b"}]},
        {"swapped": [{"id": "b"}]},
    ),
    # lists merged by key
    Case(
        "new elements go first",
        {"containers": named_elements("app")},
        {"containers": named_elements("proxy")},
        {"containers": named_elements("proxy", "app")},
    ),
    Case(
        "an empty list changes nothing",
        {"containers": named_elements("app")},
        {"containers": []},
        {"containers": named_elements("app")},
    ),
    Case(
        "elements of one name merge",
        {"containers": [{"name": "a", "image": "i", "args": ["x"]}]},
        {"containers": [{"name": "a", "image": "j", "args": []}]},
        {"containers": [{"name": "a", "image": "j", "args": []}]},
    ),
    Case(
        "value and valueFrom both remain",
        {"containers": [{"name": "a", "env": [{"name": "E", "value": "1"}]}]},
        {"containers": [{"name": "a", "env": [{"name": "E", "valueFrom": {}}]}]},
        {"containers": [{"name": "a", "env": [{"name": "E", "value": "1", "valueFrom": {}}]}]},
    ),
    Case(
        "an element stays before one it stood before",
        {"containers": named_elements("a", "b", "c")},
        {"containers": named_elements("new", "b")},
        {"containers": named_elements("new", "a", "b", "c")},
    ),
    Case(
        "the patch's order wins over the target's",
        {"containers": named_elements("a", "b", "c", "d")},
        {"containers": named_elements("d", "b")},
        {"containers": named_elements("a", "c", "d", "b")},
    ),
    Case(
        "a new element comes as it is, nulls too",
        {"volumes": named_elements("v")},
        {"volumes": [{"name": "w", "emptyDir": None}]},
        {"volumes": [{"name": "w", "emptyDir": None}, {"name": "v"}]},
    ),
    Case(
        "a name twice in the patch",
        {"containers": named_elements("a")},
        {"containers": [{"name": "n", "image": "i"}, {"name": "n", "image": "j"}]},
        {"containers": [{"name": "n", "image": "j"}, {"name": "a"}]},
    ),
    Case(
        "ports of one number are one port",
        {"containers": [{"name": "a", "ports": [{"containerPort": 53, "protocol": "UDP"}]}]},
        {"containers": [{"name": "a", "ports": [{"containerPort": 53, "protocol": "TCP"}]}]},
        {"containers": [{"name": "a", "ports": [{"containerPort": 53, "protocol": "TCP"}]}]},
    ),
    edge_case(
        "1 and 1.0 are not one key",
        {"parts": [{"id": 1, "size": 1}]},
        {"parts": [{"id": 1.0}, {"id": True}]},
        {"parts": [{"id": 1.0}, {"id": True}, {"id": 1, "size": 1}]},
    ),
    # directives in lists merged by key
    Case(
        "an element is deleted",
        {"containers": named_elements("a", "b")},
        {"containers": [delete_element("a"), *named_elements("c")]},
        {"containers": named_elements("c", "b")},
    ),
    Case(
        "deleting what is not there",
        {"containers": named_elements("a")},
        {"containers": [delete_element("z")]},
        {"containers": named_elements("a")},
    ),
    Case(
        "deleted and put anew",
        {"containers": [{"name": "a", "image": "i"}]},
        {"containers": [delete_element("a"), *named_elements("a")]},
        {"containers": named_elements("a")},
    ),
    Case(
        "the whole list replaced",
        {"containers": named_elements("a", "b")},
        {"containers": [*named_elements("c"), {"$patch": "replace"}, *named_elements("b")]},
        {"containers": named_elements("c", "b")},
    ),
    Case(
        "order set",
        {"containers": named_elements("a", "b", "c")},
        {"$setElementOrder/containers": named_elements("c", "a")},
        {"containers": named_elements("b", "c", "a")},
    ),
    Case(
        "order set with a patch",
        {"containers": named_elements("a", "b")},
        {
            "$setElementOrder/containers": named_elements("b", "n", "a"),
            "containers": named_elements("n"),
        },
        {"containers": named_elements("b", "n", "a")},
    ),
    Case(
        "order of a list that is new",
        {},
        {
            "$setElementOrder/containers": named_elements("b", "a"),
            "containers": named_elements("b", "a"),
        },
        {"containers": named_elements("b", "a")},
    ),
    Case(
        "an empty order beside elements is no order",
        {"containers": named_elements("a")},
        {"$setElementOrder/containers": [], "containers": named_elements("n")},
        {"containers": named_elements("n", "a")},
    ),
    Case(
        "order of a list that is nowhere",
        {},
        {"$setElementOrder/containers": named_elements("b")},
        {},
    ),
    # lists of scalars
    metadata(
        "finalizers are united, the patch's first",
        {"finalizers": ["a", "b"]},
        {"finalizers": ["c", "b", "c"]},
        {"finalizers": ["c", "a", "b"]},
    ),
    metadata(
        "finalizers are deleted",
        {"finalizers": ["a", "b"]},
        {"$deleteFromPrimitiveList/finalizers": ["a", "z"]},
        {"finalizers": ["b"]},
    ),
    metadata(
        "finalizers are ordered",
        {"finalizers": ["a", "b", "c"]},
        {"$setElementOrder/finalizers": ["c", "a"]},
        {"finalizers": ["b", "c", "a"]},
    ),
    Case(
        "deleting from a list that is replaced works too",
        {"containers": [{"name": "a", "args": ["x", "y", "x"]}]},
        {"containers": [{"name": "a", "$deleteFromPrimitiveList/args": ["x"]}]},
        {"containers": [{"name": "a", "args": ["y"]}]},
    ),
    metadata(
        "null deletes the whole list",
        {"finalizers": ["a"]},
        {"$deleteFromPrimitiveList/finalizers": None},
        {},
    ),
    metadata("deleting from no list", {}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {}),
    # types
    edge_case(
        "an embedded struct's fields are the outer one's",
        {"parts": [{"id": "a"}]},
        {"parts": [{"id": "b"}]},
        {"parts": [{"id": "b"}, {"id": "a"}]},
    ),
    edge_case(
        "a pointer to a list is a list",
        {"pointed": [{"id": "a"}]},
        {"pointed": [{"id": "b"}]},
        {"pointed": [{"id": "b"}, {"id": "a"}]},
    ),
    edge_case(
        "fields are found in any case",
        {"PARTS": [{"id": "a"}]},
        {"PARTS": [{"id": "b"}]},
        {"PARTS": [{"id": "b"}, {"id": "a"}]},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rules(case: Case) -> None:
    if case.under:
        merged = strategic.merge({case.under: case.target}, {case.under: case.patch}, case.type)
        assert equal(merged, {case.under: case.result})
    else:
        assert equal(strategic.merge(case.target, case.patch, case.type), case.result)


@dataclass(frozen=True, slots=True)
class MergeErrorCase:
    patch: Object
    message: str
    go: str


TARGET: Object = {
    "metadata": {"labels": {"a": {}}, "finalizers": ["f"]},
    "spec": {"containers": [{"name": "a", "env": [{"name": "E"}]}], "securityContext": {"a": 1}},
}

FAULTS = (
    MergeErrorCase(
        {"spec": {"containers": [{"name": "b"}, {"image": "i"}]}},
        "/spec/containers/1: an element has no merge key 'name'; add 'name' to each element of "
        "the list",
        "map: map[image:i] does not contain declared merge key: name",
    ),
    MergeErrorCase(
        {"spec": {"containers": [{"name": "a", "env": [{"$patch": "delete"}]}]}},
        "/spec/containers/0/env/0: an element has no merge key 'name'; add 'name' to each "
        "element of the list",
        "map: map[$patch:delete] does not contain declared merge key: name",
    ),
    MergeErrorCase(
        {"spec": {"securityContext": {"$patch": "merge", "n": None, "l": [1, 1.5e7]}}},
        '/spec/securityContext: unknown value of $patch; use "replace" or "delete"',
        "unknown patch type: merge in map: map[$patch:merge l:[1 1.5e+07] n:<nil>]",
    ),
    MergeErrorCase(
        {"spec": {"securityContext": {"$patch": {"a": [None, True, 1, 1.5, "x"]}}}},
        '/spec/securityContext: unknown value of $patch; use "replace" or "delete"',
        "unknown patch type: map[a:[<nil> %!s(bool=true) %!s(int64=1) %!s(float64=1.5) x]] "
        "in map: map[$patch:map[a:[<nil> true 1 1.5 x]]]",
    ),
    MergeErrorCase(
        {"spec": {"securityContext": {"$patch": None}}},
        '/spec/securityContext: unknown value of $patch; use "replace" or "delete"',
        "unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]",
    ),
    MergeErrorCase(
        {"spec": {"containers": [{"$patch": "merge"}]}},
        "/spec/containers/0: $patch: merge is the default; remove it",
        "merging lists cannot yet be specified in the patch",
    ),
    MergeErrorCase(
        {"spec": {"containers": ["x"]}},
        "/spec/containers: the elements of the two lists have different types",
        "list element types are not identical: [[map[env:[map[name:E]] name:a]] [x]]",
    ),
    MergeErrorCase(
        {"metadata": {"finalizers": [{"a": 1}]}},
        "/metadata/finalizers: the elements of the two lists have different types",
        "list element types are not identical: [[f] [map[a:1]]]",
    ),
    MergeErrorCase(
        {"metadata": {"labels": {"a": {"b": 1}}}},
        "/metadata/labels/a: the field 'a' is an object or a list, but map[string]string has "
        "no such fields",
        "merging an object in json but data type is not struct, instead is: map",
    ),
    MergeErrorCase(
        {"spec": {"$retainKeys": ["containers"], "securityContext": {}}},
        "/spec/securityContext: $retainKeys is malformed, or does not match the rest of the patch",
        "invalid patch format of retainKeys",
    ),
    MergeErrorCase(
        {"spec": {"$retainKeys": "containers"}},
        "/spec: $retainKeys is malformed, or does not match the rest of the patch",
        "invalid patch format of retainKeys",
    ),
    MergeErrorCase(
        {"spec": {"$setElementOrder/containers": {"name": "a"}}},
        "/spec/$setElementOrder~1containers: expected a list, got a mapping",
        "expected a []interface {}, but received a map[string]interface {}",
    ),
    MergeErrorCase(
        {"spec": {"$setElementOrder/containers": [{"name": "a"}], "containers": [{"name": "b"}]}},
        "/spec/$setElementOrder~1containers: the order of the list in the patch differs from "
        "the order in the directive",
        "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n"
        "[map[name:a]]\n",
    ),
    MergeErrorCase(
        {"spec": {"$setElementOrder/zone": []}},
        "/spec/$setElementOrder~1zone: v1.PodSpec has no field 'zone'",
        'unable to find api field in struct PodSpec for the json field "zone"',
    ),
    MergeErrorCase(
        {"spec": {"$deleteFromPrimitiveList": []}},
        "/spec/$deleteFromPrimitiveList: $deleteFromPrimitiveList is malformed, or does not "
        "match the rest of the patch",
        "invalid patch format of primitive list",
    ),
    MergeErrorCase(
        {"spec": {"containers": [{"name": ["a"]}]}},
        "/spec/containers/0: expected a string or a number, got a list",
        "panic: comparing uncomparable type []interface {}",
    ),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.go)
def test_a_fault_states_the_location_in_the_patch_and_the_problem(fault: MergeErrorCase) -> None:
    """``str`` shows no value of the patch: it may be logged, and a value may be a secret."""
    with pytest.raises(MergeError) as caught:
        strategic.merge(TARGET, fault.patch, kube.POD)
    assert str(caught.value) == fault.message
    assert caught.value.go == fault.go


@pytest.mark.parametrize(("target", "patch"), [([], {}), ({}, []), ("x", {}), ({}, 1)])
def test_only_objects_merge(target: JSON, patch: JSON) -> None:
    with pytest.raises(MergeError, match="target and patch must be objects"):
        strategic.merge(target, patch, kube.POD)


def test_null_is_an_empty_object() -> None:
    assert strategic.merge(None, None, kube.POD) == {}


def test_what_stays_the_same_is_shared_and_not_copied() -> None:
    target: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"volumes": named_elements("v")}}
    patch: Object = {"spec": {"containers": named_elements("c")}}
    merged = strategic.merge(target, patch, kube.POD)
    assert isinstance(merged, dict)
    assert isinstance(merged["spec"], dict)
    assert isinstance(target["spec"], dict)
    assert isinstance(patch["spec"], dict)
    assert merged["metadata"] is target["metadata"]
    assert merged["spec"]["volumes"] is target["spec"]["volumes"]
    assert merged["spec"]["containers"] is patch["spec"]["containers"]


def test_the_cost_grows_with_the_lists_and_not_with_their_square() -> None:
    """Eight times the containers are some eight times the work; by a square it would be 64."""

    def cost(count: int) -> int:
        target: Object = {"spec": {"containers": named_elements(*(f"c{n}" for n in range(count)))}}
        patch: Object = {
            "spec": {
                "$setElementOrder/containers": named_elements(*(f"c{n}" for n in range(count * 2))),
                "containers": named_elements(*(f"c{n}" for n in range(count // 2, count * 2))),
            }
        }
        return support.opcount.count_lines(lambda: strategic.merge(target, patch, kube.POD))

    assert cost(4000) < 12 * cost(500)


def test_a_table_of_types_that_is_broken_is_an_internal_error_and_states_it() -> None:
    broken = struct_type("v1.Broken")
    broken.fields = (Field("List", GoType("[]?", Kind.SLICE), "list"),)
    with pytest.raises(TypeError, match=r"\[\]\? has no elements"):
        strategic.merge({"list": [1]}, {"list": [2]}, broken)
