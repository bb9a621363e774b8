"""The key ``rollout`` of the policy document.

Its errors are separate from those of the document: an invalid candidate must not block a valid
stable configuration. At run time they disable the candidate. The commands that write a policy
reject them.
"""

import math
import re
from collections.abc import Mapping

from msgspec.structs import replace

from podgraft.base.jsonvalue import Object, object_at, without_keys
from podgraft.kube.document_reader import (
    Cursor,
    Diagnostics,
    MappingReader,
    describe_choices,
    make_integer_parser,
    make_map_parser,
    make_text_parser,
    parse_string,
    suggest_key,
)

from .document import Policy, overlay
from .keys import apply_overrides, check_cluster_name, parse_override
from .rollout import BucketUnit, Needs, Rollout, RolloutMode, parse_percentage

_ID = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_ID_REMEDY = 'use at most 63 lower-case letters, digits, "-", and "."'
_MAX_REASON = 200
_MAX_MINUTES = 10_080
# These keys apply to the document as a whole, so a candidate cannot set them.
_UNSUPPORTED_KEYS = ("clusters", "groups", "rollout", "census")


def add_rollout(policy: Policy, document: Object) -> Policy:
    """Return the policy with the key ``rollout`` of its document, or with the errors of the key."""
    diagnostics = Diagnostics()
    rollout = _parse(Cursor(document["rollout"], "/rollout", diagnostics), policy)
    return replace(
        policy,
        rollout=None if diagnostics.errors else rollout,
        rollout_errors=tuple(diagnostics.errors),
        warnings=(*policy.warnings, *diagnostics.warnings),
    )


def make_promoted(document: Object) -> Object:
    """Return the document that promotion puts in force: the candidate without the rollout."""
    promoted = apply_overrides(document, object_at(document, "rollout").get("candidate"))
    fields = promoted if isinstance(promoted, dict) else {}
    return without_keys(fields, "rollout")


def _parse(cursor: Cursor, policy: Policy) -> Rollout | None:
    keys = MappingReader(cursor)
    id_ = keys.read_key("id", _parse_id)
    mode = keys.read_choice("mode", RolloutMode)
    share = keys.read_key("share", parse_percentage)
    clusters = keys.read_key("clusters", _parse_clusters)
    groups = keys.read_key("groups", lambda each: _parse_groups(each, policy))
    unit = keys.read_choice("by", BucketUnit)
    candidate = keys.read_key("candidate", lambda each: _parse_candidate(each, policy))
    needs = keys.read_key("needs", _parse_needs)
    reason = keys.read_key("reason", _parse_reason)
    keys.check_unknown_keys()
    _check_required(cursor)
    if id_ is None or mode is None or candidate is None:
        return None
    return Rollout(
        id=id_,
        mode=mode,
        share=share or 0,
        clusters=clusters or {},
        groups=groups or {},
        by=unit or BucketUnit.WORKLOAD,
        candidate=candidate,
        needs=needs or Needs(),
        reason=reason or "",
    )


_REQUIRED = {
    "id": "name the attempt, for example 2026-11-22-probes",
    "mode": describe_choices(RolloutMode),
    "candidate": "add the keys that differ",
}


def _check_required(cursor: Cursor) -> None:
    fields = cursor.value
    for key, remedy in _REQUIRED.items():
        if isinstance(fields, dict) and fields.get(key) is None:
            cursor.add_key_error(key, "is missing", remedy)


_parse_id = make_text_parser(_ID.fullmatch, _ID_REMEDY)


def _parse_groups(cursor: Cursor, policy: Policy) -> Mapping[str, float] | None:
    """Parse the shares of groups; a group that the policy does not have is an error."""
    known = [*policy.groups]

    def check_group(name: str, entry: Cursor) -> None:
        if name not in known:
            remedy = suggest_key(name, known) if known else "add it to the key groups"
            entry.add_error("unknown group", remedy)

    return make_map_parser(parse_percentage, check_group)(cursor)


def _parse_candidate(cursor: Cursor, policy: Policy) -> Policy | None:
    """Parse the keys of the candidate, and return the policy with them."""
    if cursor.value == {}:
        return cursor.add_error("must not be empty", "add the keys that differ")
    cursor = _reject_unsupported_keys(cursor)
    override = parse_override(cursor)
    _reject_nulls(cursor)
    return overlay(replace(policy, warnings=()), override)


def _reject_unsupported_keys(cursor: Cursor) -> Cursor:
    """Add an error for each unsupported key; return the mapping without these keys."""
    fields = cursor.value
    if not isinstance(fields, dict):
        return cursor
    for key in _UNSUPPORTED_KEYS:
        if key in fields:
            remedy = "remove it, the candidate is the same for all clusters"
            cursor.add_key_error(key, "unsupported key", remedy)
    supported: Object = {key: each for key, each in fields.items() if key not in _UNSUPPORTED_KEYS}
    return replace(cursor, value=supported)


def _reject_nulls(cursor: Cursor) -> None:
    """Add an error for each null: it counts as absent, so it cannot remove a key."""
    fields = cursor.value if isinstance(cursor.value, dict) else {}
    for key, value in fields.items():
        if value is None:
            cursor.add_key_error(key, "must not be null", "write the default value")
        elif key == "features":
            _reject_nulls(cursor.child(key, value))


def _parse_needs(cursor: Cursor) -> Needs:
    keys = MappingReader(cursor)
    needs = Needs(
        reviews=keys.read_key("reviews", _parse_count) or 0,
        workloads=keys.read_key("workloads", _parse_count) or 0,
        minutes=keys.read_key("minutes", _parse_minutes) or 0,
    )
    keys.check_unknown_keys()
    return needs


_parse_clusters = make_map_parser(parse_percentage, check_cluster_name)
_parse_count = make_integer_parser(0, math.inf, "use an integer of 0 or more")
_parse_minutes = make_integer_parser(0, _MAX_MINUTES, f"use an integer from 0 to {_MAX_MINUTES}")


def _parse_reason(cursor: Cursor) -> str | None:
    reason = parse_string(cursor)
    if reason is None or (len(reason) <= _MAX_REASON and reason.isprintable()):
        return reason
    # The message omits the value, which can be long.
    return cursor.add_error("must be one line of at most 200 characters", "write a shorter reason")
