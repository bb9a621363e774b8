"""A canary: the policy in force, with the overrides that give one cluster a local configuration.

The other clusters keep their configuration. The rest of the document remains as text.
"""

from collections.abc import Mapping

from podgraft.base.jsonvalue import JSON, Object, object_at
from podgraft.cli.failure import CommandError, raise_findings
from podgraft.core import policy
from podgraft.core.policy import Policy, PolicyError

from .document_text import find_changed, find_missing, load_mapping, set_cluster
from .large_policy import find_value_errors
from .local import CheckedBundle
from .versions import strip_overrides

_CLUSTERS = "clusters"
# The keys that apply to no single cluster.
_COMMON = frozenset({_CLUSTERS, "groups", "rollout"})


def make_canary(current: str, checked: CheckedBundle, cluster: str, *, has_policy: bool) -> str:
    """Return the document with overrides for one cluster.

    With *has_policy*, the cluster gets exactly the local policy. Without it, the cluster only gets
    the local bundle. Raises ``CommandError`` if overrides cannot express that.
    """
    document = load_mapping(current)
    override = object_at(document, _CLUSTERS, cluster)
    if has_policy:
        local = load_mapping(checked.document)
        own = _apply(local, object_at(local, _CLUSTERS, cluster))
        raise_findings(
            f"{pointer}: the policy in force sets this key, and overrides of cluster {cluster} "
            "cannot remove it; set the key in the local policy"
            for pointer in find_missing(document, own, _COMMON)
        )
        override = find_changed(document, own, _COMMON)
    override = {**override, "bundle": checked.digest}
    written = set_cluster(current, cluster, override, "policy in force")
    name = f"policy in force with the overrides of cluster {cluster}"
    raise_findings(find_value_errors(name, written))
    expected = checked.policy.for_cluster(cluster) if has_policy else None
    _check_result(current, written, cluster, expected)
    return written


def _apply(document: Mapping[str, JSON], override: Object) -> Object:
    features = {**object_at(document, "features"), **object_at(override, "features")}
    merged = {**document, **override}
    return {**merged, "features": features} if features else merged


def _check_result(current: str, written: str, cluster: str, expected: Policy | None) -> None:
    """Check that only the configuration of the cluster differs, and that it is the expected one."""
    try:
        before, after = policy.parse(current), policy.parse(written)
    except PolicyError as error:
        raise CommandError(*(f"policy in force: {each}" for each in error.errors)) from error
    names = (before.clusters.keys() | after.clusters.keys()) - {cluster}
    others = [(before, after), *((before.clusters[n], after.clusters[n]) for n in sorted(names))]
    is_expected = expected is None or _is_equal(after.for_cluster(cluster), expected)
    if not is_expected or not all(_is_equal(*pair) for pair in others):
        raise CommandError(
            f"policy in force: podgraft cannot write overrides of cluster {cluster} to it; write "
            f"them under {_CLUSTERS}, and push the policy without --cluster"
        )


def _is_equal(left: Policy, right: Policy) -> bool:
    return strip_overrides(left) == strip_overrides(right)
