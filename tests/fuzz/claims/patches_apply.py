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

import fuzz.mutation
from fuzz import go_programs, json_patch
from fuzz.byte_source import ByteRandom
from fuzz.harness import BrokenClaimError, check_claim
from injectors.generated import PAYLOADS
from injectors.hostile_templates import make_pod
from injectors.istio import bundles
from podgraft import patch
from podgraft.injectors import Mutation, OperatorError, UserError, istio
from podgraft.jsonvalue import JSON, equal
from web.test_malformed_reviews import DEPLOYMENT, POD

_KEYS = ("name", "mountPath", "env", "a", "a/b", "~1", "~", "", "-", "0", "é", "\u2028", "a~b/c")
_SCALARS = (None, True, False, 0, 1, 1.0, -1, 2**53, 2**63 - 1, "", "a", "b", "~/", "1", "\U0001f600")

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
    if kind < 0.1:  # noqa: PLR2004
        return check_recorded(random.choice(go_programs.load_recorded("patches_apply")))
    before, after, operations = make_change(random)
    if before is None:
        return "refused"
    _check_patch(before, after, operations)
    return "changed" if operations else "unchanged"


def make_change(random: ByteRandom) -> tuple[Any, Any, list[dict[str, Any]]]:
    """An object, the changed object, and the patch between them."""
    if random.random() < 0.5:  # noqa: PLR2004
        before, after = _make_object(random, 3), _make_object(random, 3)
        if random.random() < 0.5:  # noqa: PLR2004
            after = fuzz.mutation.mutate_document(random, before)
        return before, after, [dict(each) for each in patch.diff(before, after)]
    before = _make_subject(random)
    try:
        mutation = _mutate(random, before)
    except (UserError, OperatorError):
        return None, None, []
    return before, mutation.object, [dict(each) for each in mutation.patch]


@cache
def _injectors() -> tuple[istio.Injector, ...]:
    return bundles.sample(), bundles.sample("1.24.6"), bundles.sample("1.30.3", native=True)


def _make_subject(random: ByteRandom) -> Any:
    kind = random.random()
    if kind < 0.3:  # noqa: PLR2004
        return make_pod({"cfg": random.choice(PAYLOADS), "a/b~c": random.choice(PAYLOADS)})
    pod = copy.deepcopy(POD)
    if kind < 0.5:  # noqa: PLR2004
        pod["spec"]["containers"].append({"name": "istio-proxy", "image": "auto"})
    if kind < 0.9:  # noqa: PLR2004
        return fuzz.mutation.mutate_document(random, pod)
    return fuzz.mutation.mutate_document(random, copy.deepcopy(DEPLOYMENT))


def _mutate(random: ByteRandom, before: Any) -> Mutation:
    injector = random.choice(_injectors())
    mutation = Mutation.from_unchanged(before)
    for _ in range(random.choice((1, 1, 2))):
        result = injector.inject(mutation.object, istio.InjectionRequest(namespace="shop"))
        mutation = mutation.then(result.mutation)
    return mutation


def _make_object(random: ByteRandom, depth: int) -> dict[str, Any]:
    keys = random.sample(_KEYS, random.randrange(5))
    return {key: _make_value(random, depth - 1) for key in keys}


def _make_value(random: ByteRandom, depth: int) -> JSON:
    kind = random.random() if depth > 0 else 0.0
    if kind < 0.3:  # noqa: PLR2004
        return random.choice(_SCALARS)
    if kind < 0.6:  # noqa: PLR2004
        return _make_object(random, depth)
    if kind < 0.8:  # noqa: PLR2004
        names = random.sample("abcdef", random.randrange(5))
        return [{"name": name, "v": random.choice(_SCALARS)} for name in names]
    return [_make_value(random, depth - 1) for _ in range(random.randrange(5))]


def _check_patch(before: Any, after: Any, operations: list[dict[str, Any]]) -> None:
    seen = ("before", before, "patch", operations, "after", after)
    for name, apply in APPLIERS:
        try:
            result = apply(copy.deepcopy(before), copy.deepcopy(operations))
        except PATCH_ERRORS as error:
            raise BrokenClaimError(f"{name}: {error}; {seen}") from error
        check_claim(equal(result, after), f"{name} gives another object", result, *seen)
    if go_programs.is_live():
        answer = go_programs.find_program("jsonpatch").ask({"before": before, "patch": operations})
        check_claim(_is_go_result(answer, after), "evanphx/json-patch", answer, *seen)


def _is_go_result(answer: dict[str, Any], after: Any) -> bool:
    return "after" in answer and equal(answer["after"], json.loads(json.dumps(after)))


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
