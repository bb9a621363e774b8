"""JSON Merge Patch (RFC 7386), for kinds whose Go types are not known here."""

from podgraft.jsonvalue import JSON, Object


def merge_patch(target: JSON, patch: JSON) -> JSON:
    """``target`` with ``patch`` laid over it: objects merge, null removes, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged: Object = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
