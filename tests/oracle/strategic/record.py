"""Pairs of target and patch for the strategic merge oracle, and the fixture of its answers.

python -m oracle.strategic.record        (in tests/, with the repository's environment)
"""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random

from oracle import program
from podgraft.base.jsonvalue import JSON, Object

Build = Callable[[Random, str], Object]

FIXTURE = Path(__file__).parents[2] / "patch" / "fixtures" / "strategic.jsonl"

MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
    "hostAliases": "ip",
    "ownerReferences": "uid",
    "parts": "id",
    "swapped": "id",
    "pointed": "id",
    "torn": "id",
    "keyless": "id",
}
SCALAR_LISTS = ("finalizers", "words", "args")
JUNK: tuple[JSON, ...] = (
    *(None, 1, 1.5, True, "x", [], {}, ["a"], [1], [None], [[1]], [{}], {"a": 1}, {"a": None}),
    *({"$patch": word} for word in ("delete", "replace", "merge", "nope", 5, None)),
)

# Faults of an Odd that chance finds too seldom: target and patch.
RARE: tuple[tuple[Object, Object], ...] = (
    ({"parts": []}, {"parts": ["x"]}),
    ({"parts": [{"size": 1}]}, {"parts": [{"id": "a"}]}),
    ({"parts": [{"id": "b"}]}, {"parts": [{"id": "a", "$patch": "x"}]}),
    ({"parts": [{"id": "a"}, {"id": "b"}]}, {"$setElementOrder/parts": [{"id": "a"}, "x"]}),
    ({"parts": [{"id": "a"}]}, {"$setElementOrder/parts": [{"id": "a"}], "parts": ["x"]}),
    ({"parts": [{"id": "a"}]}, {"$setElementOrder/parts": ["a"], "parts": [{"id": "a"}]}),
    ({"parts": [{"id": "a"}]}, {"$deleteFromPrimitiveList/parts": [{"id": "a", "size": 2}]}),
    ({"swapped": ["x"]}, {"$setElementOrder/swapped": [{"id": "a"}]}),
    ({"swapped": [{"size": 1}]}, {"$setElementOrder/swapped": [{"id": "a"}]}),
    ({"words": []}, {"$setElementOrder/words": []}),
    ({"words": []}, {"$deleteFromPrimitiveList/words": []}),
    ({"words": []}, {"words": [None]}),
    ({"words": []}, {"words": [["a"]]}),
    ({"keyless": []}, {"keyless": [{"id": "a"}]}),
    ({"plain": {}}, {"plain": {}}),
    ({"plain": []}, {"plain": []}),
    ({}, {"$setElementOrder/plain": []}),
)


def main() -> None:
    """Record the fixture anew: pairs that are as they should be, and pairs that are not."""
    random = Random(0)  # noqa: S311 - the same rows every time
    rows = [random_pair(random, faults=number % 3) for number in range(900)]
    rows += [{"type": "Odd", "target": target, "patch": patch} for target, patch in RARE]
    program.write(
        FIXTURE, [row for row in program.stable_answers("strategic", rows) if is_comparable(row)]
    )


def random_pair(random: Random, *, faults: int) -> program.Row:
    """A target and a patch with directives, the patch with up to so many faults."""
    build = pod if random.random() < 0.6 else random_edge_object
    target, patch = build(random, whole=True), build(random, whole=False)
    for _ in range(random.randrange(4)):
        direct(random, random.choice(objects(patch)), target)
    for _ in range(random.randrange(faults + 1)):
        add_invalid_value(random, random.choice(objects(patch)))
    return {"type": "Pod" if build is pod else "Odd", "target": target, "patch": patch}


def is_comparable(row: program.Row) -> bool:
    """Whether Go's answer is one that we promise: see the package's deliberate differences."""
    return all(is_deterministic(one) for one in objects(row["patch"]))


def is_deterministic(patch: Object) -> bool:
    """Not where Go's answer hangs on the order of its maps, or on two objects being compared.

    Nor where an empty ``$setElementOrder`` stands beside elements.
    """
    for name, value in patch.items():
        directive, _, listed = name.partition("/")
        if directive == "$setElementOrder" and (
            listed[:1] == "$" or (not value and patch.get(listed))
        ):
            return False
        if directive == "$deleteFromPrimitiveList" and listed in patch:
            return False
        if name in MERGE_KEYS.values() and isinstance(value, dict | list):
            return False
    return True


# Objects that decode into a Pod, or into the Odd of main.go


def pod(random: Random, *, whole: bool) -> Object:
    """Part of a pod; a ``whole`` one has no nulls and repeats no key."""
    spec: Object = {
        "containers": keyed_list(random, "abcde", container, whole=whole),
        "initContainers": keyed_list(random, "abc", container, whole=whole),
        "volumes": keyed_list(random, "uvw", volume, whole=whole),
        "tolerations": [{"key": key} for key in choose_names(random, "kl")],
        "nodeSelector": {key: "1" if whole else random.choice(("1", None)) for key in "pq"},
        "imagePullSecrets": [{"name": name} for name in unique(random, "st")],
        "hostAliases": [{"ip": ip, "hostnames": ["h"]} for ip in unique(random, "56")],
        "serviceAccountName": random.choice(("x", "y")),
        "securityContext": {"fsGroup": 5, "supplementalGroups": [1]},
    }
    metadata: Object = {
        "labels": {key: random.choice("12") for key in choose_names(random, "ab")},
        "annotations": {key: "1" if whole else random.choice(("1", None)) for key in "ab"},
        "finalizers": [*(unique if whole else choose_names)(random, "fgh")],
        "ownerReferences": [{"uid": uid} for uid in unique(random, "12")],
    }
    return choose_fields(
        random,
        {
            "metadata": choose_fields(random, metadata, 0.4),
            "spec": choose_fields(random, spec, 0.4),
        },
    )


def container(random: Random, name: str) -> Object:
    """A container with lists of every kind in it."""
    values: tuple[Object, ...] = (
        {"value": "1"},
        {"value": "2"},
        {"valueFrom": {"fieldRef": {"fieldPath": "x"}}},
    )
    fields: Object = {
        "image": random.choice(("i1", "i2")),
        "env": [{"name": key, **deepcopy(random.choice(values))} for key in unique(random, "ABCD")],
        "args": [*choose_names(random, "xyz")],
        "ports": [{"containerPort": int(port)} for port in unique(random, "1234")],
        "volumeMounts": [{"mountPath": path, "name": "v"} for path in unique(random, "abc")],
        "securityContext": {"runAsUser": 1, "capabilities": {"add": ["X"], "drop": []}},
        "resources": random.choice(({}, {"limits": {"cpu": "1"}})),
        "envFrom": [{"configMapRef": {"name": "q"}}],
    }
    return {"name": name, **choose_fields(random, fields, 0.25)}


def volume(random: Random, name: str) -> Object:
    """A volume of one of several sources."""
    sources: tuple[Object, ...] = (
        {"emptyDir": {}},
        {"emptyDir": None},
        {"configMap": {"name": "m", "items": [{"key": "k"}]}},
        {},
    )
    return {"name": name, **deepcopy(random.choice(sources))}


def random_edge_object(random: Random, *, whole: bool) -> Object:
    """Part of an Odd."""
    fields: Object = {
        **{
            name: keyed_list(random, "pqrs", random_part, whole=whole)
            for name in ("parts", "swapped", "pointed")
        },
        "keyless": keyed_list(random, "pq", random_part, whole=whole)
        if random.random() < 0.05
        else [],
        "torn": keyed_list(random, "pq", random_part, whole=whole)
        if random.random() < 0.05
        else [],
        "replaced": random_part(random, "r"),
        "retained": random_part(random, "r"),
        "nested": [["a"]] if random.random() < 0.05 else [],
        "words": [*(unique if whole else choose_names)(random, "wxyz")],
        "labels": dict.fromkeys(choose_names(random, "ab"), "1"),
        "plain": random.choice("ab"),
    }
    return choose_fields(random, fields, 0.4)


def random_part(random: Random, name: str) -> Object:
    """An element of Odd's lists."""
    fields: Object = {
        "size": random.randrange(4),
        "words": [*unique(random, "wxyz")],
        "inner": {"id": random.choice("pq"), "words": [*unique(random, "wx")]},
    }
    return {"id": name, **choose_fields(random, fields, 0.4)}


# Directives, and faults


def direct(random: Random, patch: Object, target: Object) -> None:
    """Put a directive into one object of the patch."""
    lists = [name for name in patch if name in MERGE_KEYS or name in SCALAR_LISTS]
    match random.randrange(6), lists:
        case 0, _:
            patch["$patch"] = random.choice(("replace", "delete"))
        case 1, _:
            patch["$retainKeys"] = [*patch, *choose_names(random, ("image", "env", "plain"))]
        case 2, _:
            name = random.choice(SCALAR_LISTS)
            patch[f"$deleteFromPrimitiveList/{name}"] = [*unique(random, "fgwxy")]
        case 3 | 4, [*_, _]:
            name = random.choice(lists)
            patch[f"$setElementOrder/{name}"] = order(random, name, patch, target)
        case _, [*_, _]:
            name = random.choice(lists)
            add_directive_element(random, name, patch[name])
        case _:
            pass


def order(random: Random, name: str, patch: Object, target: Object) -> list[JSON]:
    """An order that holds the patch's elements and some of the target's."""
    wanted = list_elements(name, patch)
    for one in objects(target):
        for element in list_elements(name, one):
            if element not in wanted and random.random() < 0.7:
                wanted.insert(random.randrange(len(wanted) + 1), element)
    return wanted


def list_elements(name: str, owner: Object) -> list[JSON]:
    """The elements of a list, or the merge keys alone where it has one."""
    found = owner.get(name)
    key = MERGE_KEYS.get(name)
    listed = found if isinstance(found, list) else []
    if key is None:
        return [*dict.fromkeys(one for one in listed if isinstance(one, str))]
    return [
        {key: one[key]}
        for one in listed
        if isinstance(one, dict) and key in one and one.get("$patch") != "delete"
    ]


def add_directive_element(random: Random, name: str, listed: JSON) -> None:
    """Put an element that is a directive into a list merged by key."""
    if name in MERGE_KEYS and isinstance(listed, list):
        deletion: Object = {MERGE_KEYS[name]: random.choice("abcpqAu"), "$patch": "delete"}
        choice = random.choice((deletion, deletion, Object({"$patch": "replace"})))
        listed.insert(random.randrange(len(listed) + 1), choice)


def add_invalid_value(random: Random, patch: Object) -> None:
    """Put something into the patch that does not belong there."""
    junk = deepcopy(random.choice(JUNK))
    match random.randrange(5):
        case 0 if patch:
            patch[random.choice([*patch])] = junk
        case 1:
            lists = [value for value in patch.values() if isinstance(value, list)]
            if lists:
                random.choice(lists).append(random.choice((junk, {"foo": 1})))
        case 2:
            patch[random.choice(("$patch", "$retainKeys", "$setElementOrder/env"))] = junk
        case 3:
            prefix = random.choice(("$setElementOrder", "$deleteFromPrimitiveList"))
            patch[prefix + random.choice(("", "/", "X/words", "/labels", "/zz", "/image"))] = junk
        case _:
            patch[random.choice(("unknown", "Containers", "NAME"))] = junk


def objects(value: JSON) -> list[Object]:
    """Every object inside a value, itself included."""
    match value:
        case dict():
            return [value, *(one for member in value.values() for one in objects(member))]
        case list():
            return [one for element in value for one in objects(element)]
        case _:
            return []


def choose_fields(random: Random, fields: Object, share: float = 0.7) -> Object:
    """About that share of the fields."""
    return {name: value for name, value in fields.items() if random.random() < share}


def choose_names(random: Random, names: str | tuple[str, ...]) -> list[str]:
    """Up to four of the names, perhaps again and again."""
    return random.choices(names, k=random.randrange(5))


def unique(random: Random, names: str) -> list[str]:
    """Up to four of the names, each once."""
    return [*dict.fromkeys(choose_names(random, names))]


def keyed_list(random: Random, names: str, build: Build, *, whole: bool) -> list[JSON]:
    """A list of objects; in a patch a name may come twice."""
    repeated = not whole and random.random() < 0.1
    return [build(random, name) for name in (choose_names if repeated else unique)(random, names)]


if __name__ == "__main__":
    main()
