"""A patch that another library applies to the object gives the object that podgraft means.

kube-apiserver applies patches with evanphx/json-patch. Without Go, python-json-patch applies them,
and recorded patches show that both libraries agree.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import jsonpatch
import jsonpointer

from core.injectors.generated import PAYLOADS
from core.injectors.hostile_templates import make_pod
from core.injectors.istio import bundles
from fuzz import go_programs, json_patch
from fuzz.byte_source import ByteRandom
from fuzz.harness import BrokenClaimError, check_claim
from fuzz.mutation import mutate_document
from podgraft.base.jsonvalue import JSON, equal
from podgraft.core.injectors import istio, object_check
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.injectors.mutation import Mutation
from podgraft.core.review_context import ReviewContext
from podgraft.kube import patch
from service.http.test_malformed_reviews import DEPLOYMENT, POD

_KEYS = ("name", "mountPath", "env", "a", "a/b", "~1", "~", "", "-", "0", "é", "\u2028", "a~b/c")
_SCALARS = (
    None,
    True,
    False,
    0,
    1,
    1.0,
    -1,
    2**53,
    2**63 - 1,
    "",
    "a",
    "b",
    "~/",
    "1",
    "\U0001f600",
)

APPLIERS = (("python-json-patch", jsonpatch.apply_patch), ("RFC 6902", json_patch.apply))
PATCH_ERRORS = (
    jsonpatch.JsonPatchException,
    jsonpointer.JsonPointerException,
    json_patch.DoesNotApplyError,
)


def fuzz(data: bytes) -> str:
    """Compare the patch of one mutation, or of the difference of two values, with its result."""
    random = ByteRandom(data)
    kind = random.random()
    if kind < 0.1 and go_programs.load_recorded("patches_apply"):
        return check_recorded(random.choice(go_programs.load_recorded("patches_apply")))
    before, after, operations = make_change(random)
    if before is None:
        return "refused"
    _check_patch(before, after, operations, is_pod="spec" in before)
    return "changed" if operations else "unchanged"


def make_change(random: ByteRandom) -> tuple[Any, Any, list[dict[str, Any]]]:
    """An object, the changed object, and the patch between them."""
    if random.random() < 0.5:
        before, after = _make_object(random, 3), _make_object(random, 3)
        if random.random() < 0.5:
            after = mutate_document(random, before)
        return before, after, [dict(each) for each in patch.diff(before, after)]
    before = _make_subject(random)
    try:
        mutation = _mutate(random, before)
    except (UserError, OperatorError):
        return None, None, []
    after: Any = copy.deepcopy(mutation.object)
    namespace = before["metadata"].get("namespace")
    if not namespace:
        # The namespace of the request is in the object that Istio's patch starts from.
        after["metadata"]["namespace"] = namespace
    return before, after, [dict(each) for each in mutation.patch]


@cache
def _injectors() -> tuple[istio.Injector, ...]:
    return bundles.sample(), bundles.sample("1.24.6"), bundles.sample("1.30.3", native=True)


def _make_subject(random: ByteRandom) -> Any:
    kind = random.random()
    if kind < 0.3:
        return make_pod({"cfg": random.choice(PAYLOADS), "a/b~c": random.choice(PAYLOADS)})
    pod = copy.deepcopy(POD)
    if kind < 0.5:
        pod["spec"]["containers"].append({"name": "istio-proxy", "image": "auto"})
    if kind < 0.9:
        return mutate_document(random, pod)
    return mutate_document(random, copy.deepcopy(DEPLOYMENT))


def _mutate(random: ByteRandom, before: Any) -> Mutation:
    injector = random.choice(_injectors())
    mutation = Mutation.from_unchanged(object_check.check_pod(before))
    for _ in range(random.choice((1, 1, 2))):
        result = injector.inject(mutation.object, ReviewContext(namespace="shop"))
        mutation = mutation.then(result.mutation)
    return mutation


def _make_object(random: ByteRandom, depth: int) -> dict[str, Any]:
    keys = random.sample(_KEYS, random.randrange(5))
    return {key: _make_value(random, depth - 1) for key in keys}


def _make_value(random: ByteRandom, depth: int) -> JSON:
    kind = random.random() if depth > 0 else 0.0
    if kind < 0.3:
        return random.choice(_SCALARS)
    if kind < 0.6:
        return _make_object(random, depth)
    if kind < 0.8:
        names = random.sample("abcdef", random.randrange(5))
        return [{"name": name, "v": random.choice(_SCALARS)} for name in names]
    return [_make_value(random, depth - 1) for _ in range(random.randrange(5))]


def _check_patch(
    before: Any, after: Any, operations: list[dict[str, Any]], *, is_pod: bool
) -> None:
    """Compare the results; of a pod, without the null members that Istio's patches leave."""
    adjust = _drop_nulls if is_pod else _keep
    after = adjust(after)
    seen = ("before", before, "patch", operations, "after", after)
    for name, apply in APPLIERS:
        try:
            result = apply(copy.deepcopy(before), copy.deepcopy(operations))
        except PATCH_ERRORS as error:
            raise BrokenClaimError(f"{name}: {error}; {seen}") from error
        check_claim(equal(adjust(result), after), f"{name} gives another object", result, *seen)
    if go_programs.is_live():
        answer = go_programs.find_program("jsonpatch").ask({"before": before, "patch": operations})
        expected = json.loads(json.dumps(after))
        same = "after" in answer and equal(adjust(answer["after"]), expected)
        check_claim(same, "evanphx/json-patch", answer, *seen)


def _keep(value: Any) -> Any:
    return value


def _drop_nulls(value: JSON) -> JSON:
    match value:
        case dict():
            return {key: _drop_nulls(each) for key, each in value.items() if each is not None}
        case list():
            return [_drop_nulls(each) for each in value]
        case _:
            return value


def check_recorded(row: dict[str, Any]) -> str:
    """A recorded patch has the same result in Go, in Python, and here."""
    for name, apply in APPLIERS:
        try:
            result = apply(copy.deepcopy(row["before"]), copy.deepcopy(row["patch"]))
        except PATCH_ERRORS as error:
            check_claim("error" in row, f"{name}: {error}", row)
            continue
        check_claim("after" in row and equal(result, row["after"]), f"{name}: {result}", row)
    return "recorded"
