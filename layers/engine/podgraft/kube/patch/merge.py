"""JSON Merge Patch (RFC 7386), for kinds without Go types."""

from podgraft.base.jsonvalue import JSON, Object


def merge_patch(target: JSON, patch: JSON) -> JSON:
    """Merge ``patch`` into ``target``: objects merge, null removes, and other values replace."""
    if not isinstance(patch, dict):
        return patch
    merged: Object = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
