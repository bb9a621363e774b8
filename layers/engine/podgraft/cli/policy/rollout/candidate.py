"""The candidate of a new rollout: the keys that differ, and the checks before it is stored."""

from collections.abc import Mapping

from podgraft.base.jsonvalue import Object, equal
from podgraft.cli.failure import CommandError, raise_findings
from podgraft.cli.policy.document_text import find_changed, find_missing, load_mapping
from podgraft.cli.policy.large_policy import find_value_errors
from podgraft.cli.policy.storage import PolicyStorage
from podgraft.cli.policy.version_loading import load_new_version
from podgraft.core import bundle as bundles
from podgraft.core import policy as policies
from podgraft.core.policy import Policy, PolicyError

from .text import KEY, read_rollout

# A candidate is the same for all clusters, and its bundle has a separate option.
_OTHER_KEYS = ("bundle", "clusters", "groups", KEY)


def make_candidate(current: str, specified: str | None, digest: str, name: str) -> Object:
    """Return the keys of *specified* that differ from *current*, with the bundle.

    Raises ``CommandError`` for a key that only *current* has: a candidate cannot remove a key.
    """
    document = load_mapping(current)
    candidate: Object = {}
    if specified is not None:
        other = load_mapping(specified)
        _check_keys(document, other, name)
        candidate = find_changed(document, other, _OTHER_KEYS)
    if document.get("bundle") != digest:
        candidate = {"bundle": digest, **candidate}
    if not candidate:
        raise CommandError("the candidate is equal to the policy in force; change one of them")
    return candidate


def _check_keys(document: Object, other: Object, name: str) -> None:
    findings = [
        f"{name} {pointer}: is missing, but the policy in force sets it; write the default value"
        for pointer in find_missing(document, other, _OTHER_KEYS)
    ]
    findings += [
        f"{name} /{key}: differs from the policy in force; a candidate is the same for all "
        "clusters, so push this change first"
        for key in ("clusters", "groups")
        if not equal(other.get(key) or {}, document.get(key) or {})
    ]
    raise_findings(findings)


def check_no_rollout(live: str, document: str, options: str) -> None:
    """Raise ``CommandError`` if *document* would end the active rollout of *live*.

    A document with the same rollout continues it. A person can store text that is no YAML.
    """
    own = read_rollout(document)
    try:
        active = read_rollout(live)
    except CommandError as error:
        raise CommandError(
            f"the stored version has no rollout that podgraft can read: {error}; to replace it, "
            "run podgraft rollback, or use --end-rollout"
        ) from error
    if active is None or (own is not None and own.get("id") == active.get("id")):
        return
    raise CommandError(
        f"rollout {active.get('id')} is active; end it with podgraft rollout promote "
        f"{options}, or podgraft rollout abort {options} --reason …, or use --end-rollout"
    )


def parse_valid(document: str) -> Policy:
    """Parse a document; raises ``CommandError`` with all errors, also those of its rollout."""
    try:
        read = policies.parse(document)
    except PolicyError as error:
        raise CommandError(*(f"policy {each}" for each in error.errors)) from error
    raise_findings(f"policy {each}" for each in read.rollout_errors)
    return read


def check_document(
    storage: PolicyStorage, document: str, local: Mapping[str, bytes] | None = None
) -> None:
    """Load a document with all its bundles, as the function does, and render probe objects.

    The bundle of the *local* files is not read from the storage. Raises ``CommandError``.
    """
    raise_findings(find_value_errors("policy", document))
    read = parse_valid(document)
    storage.check_denied(read.digests)
    load_new_version(storage, document, "new", {bundles.digest(local): local} if local else None)
