"""JSON Patch by example: which operations, how few, and how fast."""

import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import support.opcount
from podgraft.base.jsonvalue import JSON, Object, equal
from podgraft.kube import patch
from podgraft.kube.patch import Operation, PatchError, diff, pointer


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    before: JSON
    after: JSON
    operations: tuple[tuple[str, str] | tuple[str, str, JSON], ...]


A, B, C, D = (Object(name=name, image="i") for name in "abcd")

CASES = (
    # values
    Case("same", {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, ()),
    Case("the whole", {}, ["1"], (("replace", "", ["1"]),)),
    Case("true is not 1", {"a": True}, {"a": 1}, (("replace", "/a", 1),)),
    Case("1 is not 1.0", [1], [1.0], (("replace", "/0", 1.0),)),
    Case("null is a value", {"a": None}, {}, (("remove", "/a"),)),
    Case("null is set", {}, {"a": None}, (("add", "/a", None),)),
    Case("list for object", {"a": {}}, {"a": []}, (("replace", "/a", []),)),
    # objects
    Case(
        "members, sorted",
        {"d": 1, "b": {"x": 1}, "a": 1},
        {"c": 3, "b": {"x": 2}, "a": 1},
        (("replace", "/b/x", 2), ("add", "/c", 3), ("remove", "/d")),
    ),
    Case(
        "escaped",
        {},
        {"nginx/Allow": "t", "~": 1},
        (("add", "/nginx~1Allow", "t"), ("add", "/~0", 1)),
    ),
    Case("empty key", {"": 1}, {"": 2}, (("replace", "/", 2),)),
    Case(
        "parent first",
        {},
        {"metadata": {"labels": {"a": "b"}}},
        (("add", "/metadata", {"labels": {"a": "b"}}),),
    ),
    Case(
        "annotation beside others",
        {"annotations": {"a": "1"}},
        {"annotations": {"a": "1", "b": "2"}},
        (("add", "/annotations/b", "2"),),
    ),
    # lists of named objects
    Case("container appended", [A, B], [A, B, C], (("add", "/2", C),)),
    Case("container in front", [A, B], [C, A, B], (("add", "/0", C),)),
    Case("container between", [A, B], [A, C, B], (("add", "/1", C),)),
    Case(
        "two in front, one behind",
        [A],
        [C, D, A, B],
        (("add", "/0", C), ("add", "/1", D), ("add", "/3", B)),
    ),
    Case("first removed", [A, B, C], [B, C], (("remove", "/0"),)),
    Case("all removed", [A, B], [], (("remove", "/0"), ("remove", "/0"))),
    Case("changed inside", [A, B], [A, {**B, "image": "j"}], (("replace", "/1/image", "j"),)),
    Case(
        "changed inside behind a new one",
        [A, B],
        [C, A, {**B, "image": "j"}],
        (("add", "/0", C), ("replace", "/2/image", "j")),
    ),
    Case("moved to the end", [A, B, C], [B, C, A], (("remove", "/0"), ("add", "/2", A))),
    Case("renamed", [A, B], [A, C], (("remove", "/1"), ("add", "/1", C))),
    Case(
        "variable in a container",
        [{"name": "a", "env": [{"name": "X", "value": "1"}]}],
        [{"name": "a", "env": [{"name": "W", "value": "0"}, {"name": "X", "value": "1"}]}],
        (("add", "/0/env/0", {"name": "W", "value": "0"}),),
    ),
    Case(
        "mounts are identified by path, because names repeat",
        [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/b"}],
        [
            {"name": "v", "mountPath": "/a", "readOnly": True},
            {"name": "v", "mountPath": "/c"},
            {"name": "v", "mountPath": "/b"},
        ],
        (("add", "/0/readOnly", True), ("add", "/1", {"name": "v", "mountPath": "/c"})),
    ),
    Case(
        "a number and a text are two names",
        [{"name": 1, "x": 0}, {"name": "1", "x": 0}],
        [{"name": 1, "x": 1}, {"name": "1", "x": 2}],
        (("replace", "/0/x", 1), ("replace", "/1/x", 2)),
    ),
    Case(
        "true is no name",
        [{"name": True}, {"name": "True"}],
        [{"name": "True"}],
        (("remove", "/0"),),
    ),
    # lists of other things
    Case("argument changed", ["a", "b", "c"], ["a", "x", "c"], (("replace", "/1", "x"),)),
    Case(
        "arguments put in",
        ["a", "c"],
        ["a", "b", "b", "c"],
        (("add", "/1", "b"), ("add", "/2", "b")),
    ),
    Case(
        "equal arguments", ["-p", "1", "-p", "2"], ["-p", "2"], (("remove", "/1"), ("remove", "/1"))
    ),
    Case(
        "unnamed object changed",
        [{"x": 1}, {"y": 1}],
        [{"x": 1}, {"y": 2}],
        (("replace", "/1/y", 2),),
    ),
    Case(
        "unnamed object in front",
        [{"x": 1}, {"y": 1}],
        [{"z": 1}, {"x": 1}, {"y": 1}],
        (("add", "/0", {"z": 1}),),
    ),
    Case(
        "lists in lists", [[1], [2]], [[0], [1], [2, 3]], (("add", "/0", [0]), ("add", "/2/1", 3))
    ),
    Case("same names, twice", [A, A], [A, A, A], (("add", "/2", A),)),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_operations_are_these(case: Case) -> None:
    operations = diff(case.before, case.after)
    assert [tuple(operation.values()) for operation in operations] == list(case.operations)
    assert equal(patch.apply(case.before, operations), case.after)


# Values alike enough for alignment to matter: few names, few scalars, lists that repeat.
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, "", "1", "True", "a", "b", "~/", "\u2028"])
KEYS = st.sampled_from(["name", "mountPath", "env", "a", "a/b", "~1", "", "-", "0"])
VALUES: st.SearchStrategy[JSON] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


# kube-apiserver replaces a document only by an object or a list.
DOCUMENTS = VALUES.map(lambda value: value if isinstance(value, dict | list) else [value])


@given(DOCUMENTS, DOCUMENTS)
def test_a_patched_value_is_the_expected_one(before: JSON, after: JSON) -> None:
    kept = deepcopy((before, after))
    operations = diff(before, after)
    assert equal(patch.apply(before, operations), after)
    assert equal([before, after], list(kept))


@given(VALUES)
def test_a_value_does_not_differ_from_itself(value: JSON) -> None:
    assert diff(value, value) == []
    assert diff(value, deepcopy(value)) == []


@given(DOCUMENTS, DOCUMENTS)
def test_nothing_is_added_if_the_parent_is_missing(before: JSON, after: JSON) -> None:
    document = before
    for operation in diff(before, after):
        parent, _, _ = operation["path"].rpartition("/")
        pointer.resolve(document, parent if operation["path"] else "")
        document = patch.apply(document, [operation])


@given(st.lists(st.sampled_from([A, B, C, D]), unique_by=id), st.integers(0, 4), st.booleans())
def test_one_container_more_or_less_is_one_operation(
    containers: list[JSON], at: int, more: bool
) -> None:
    longer: list[JSON] = [*containers[:at], {"name": "new"}, *containers[at:]]
    before, after = (containers, longer) if more else (longer, containers)
    (operation,) = diff(before, after)
    assert operation["op"] == ("add" if more else "remove")


def test_operations_do_not_depend_on_the_hash_seed() -> None:
    script = (
        "from podgraft.kube.patch import diff; import json;"
        "before = {k: {'x': 1} for k in 'abcdefghij'} | {'l': list('abcde')};"
        "after = {k: {'y': [k]} for k in 'jihgfxyz'} | {'l': list('ecazb')};"
        "print(json.dumps(diff(before, after)))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    ("document", "operations"),
    [
        ({}, [{"op": "replace", "path": "/a/b", "value": 1}]),
        ({}, [{"op": "remove", "path": "/a"}]),
        ([], [{"op": "add", "path": "/1", "value": 1}]),
        ({}, [{"op": "add", "path": "a", "value": 1}]),
        ({}, [{"op": "delete", "path": "/a"}]),
    ],
)
def test_a_patch_that_does_not_fit_states_it(document: JSON, operations: list[Operation]) -> None:
    with pytest.raises(
        PatchError, match=r"does not apply|nonexistent|invalid index|Unexpected kind"
    ):
        patch.apply(document, operations)


def containers(count: int) -> Object:
    return {
        "containers": [
            {"name": f"c{n}", "env": [{"name": f"E{m}", "value": "x" * 50} for m in range(5)]}
            for n in range(count)
        ]
    }


def change_containers(before: Object) -> Object:
    """Every container gets a variable, each third another place, and one goes in front."""
    after = deepcopy(before)
    listed = after["containers"]
    assert isinstance(listed, list)
    for container in listed:
        assert isinstance(container, dict)
        assert isinstance(container["env"], list)
        container["env"].insert(0, {"name": "NEW"})
    return {"containers": [{"name": "front"}, *listed[::3], *listed[1::3], *listed[2::3]]}


def unnamed_elements(count: int) -> JSON:
    return {"args": [f"{n % 7}" for n in range(count)]}


def shuffle_elements(before: JSON) -> JSON:
    assert isinstance(before, dict)
    assert isinstance(before["args"], list)
    return {"args": before["args"][::-2] + before["args"][::3]}


@pytest.mark.parametrize(
    ("build", "change"),
    [(containers, change_containers), (unnamed_elements, shuffle_elements)],
    ids=["containers", "arguments"],
)
def test_the_cost_grows_with_the_size_and_not_with_its_square(
    build: Callable[[int], JSON], change: Callable[[JSON], JSON]
) -> None:
    """Eight times the elements are some eight times the work; by a square it would be 64."""

    def cost(count: int) -> int:
        before = build(count)
        after = change(before)
        return support.opcount.count_lines(lambda: diff(before, after))

    assert diff(build(8), change(build(8)))
    assert cost(4000) < 12 * cost(500)


def test_values_that_aliases_share_are_patched_once() -> None:
    """``&a`` and ``*a`` of YAML are one value in memory, and two in the document."""
    shared: Object = {"grpc": {"port": 1}}
    document: Object = {"a": shared, "b": shared}
    operations: list[Operation] = [
        {"op": "remove", "path": "/a/grpc"},
        {"op": "replace", "path": "/b/grpc/port", "value": 2},
    ]
    assert patch.apply(document, operations) == {"a": {}, "b": {"grpc": {"port": 2}}}
    assert shared == {"grpc": {"port": 1}}
