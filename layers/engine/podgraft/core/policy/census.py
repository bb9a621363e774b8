"""The key ``census`` of a policy: which workloads are recorded, and which values of theirs."""

from msgspec import Struct

from podgraft.kube.document_reader import Cursor, MappingReader, format_value, parse_strings

from .rollout import compute_bucket, count_buckets, parse_percentage

# The id of the buckets, in the place of the id of a rollout.
_ID = "census"


class Census(Struct, frozen=True, kw_only=True):
    """A census that is on.

    ``sample`` is the percentage of workloads. ``plain`` are more keys of labels and annotations
    with recorded values, and ``secret`` those without; patterns can contain ``*``.
    """

    sample: float = 100
    plain: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()

    def selects(self, cluster: str | None, namespace: str, workload: str) -> bool:
        """Whether the sample contains a workload."""
        bucket = compute_bucket(_ID, cluster or "", namespace, workload)
        return bucket < count_buckets(self.sample)


def parse_census(cursor: Cursor) -> Census:
    """Parse the mapping; adds errors to the diagnostics."""
    keys = MappingReader(cursor)
    sample = keys.read_key("sample", parse_percentage)
    census = Census(
        sample=100 if sample is None else sample,
        plain=keys.read_key("plain", _parse_patterns) or (),
        secret=keys.read_key("secret", _parse_patterns) or (),
    )
    keys.check_unknown_keys()
    return census


def _parse_patterns(cursor: Cursor) -> tuple[str, ...] | None:
    patterns = parse_strings(cursor)
    for pattern in patterns or ():
        if not pattern or any(character in pattern for character in "?[]"):
            cursor.add_error(
                f"got {format_value(pattern)}", "use a key of a label or an annotation, or * in it"
            )
    return patterns
