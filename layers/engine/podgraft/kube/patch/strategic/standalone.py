"""Values of a patch without a counterpart in the target."""

from podgraft.base.jsonvalue import JSON, Object

PATCH = "$patch"


def is_directive(value: JSON, *, nulls: bool = False) -> bool:
    """Whether the map is a directive and not a value.

    A directive that is null counts only if ``nulls`` is set.
    """
    return isinstance(value, dict) and PATCH in value and (nulls or value[PATCH] is not None)


def strip_directives(value: JSON, *, keep_nulls: bool = False) -> JSON:
    """Return ``value`` without directives and, unless ``keep_nulls``, without null members.

    Returns the same object if nothing changes. Null elements of lists stay.
    """
    if isinstance(value, dict | list) and not _has_no_directives(value):
        return _rebuild(value, nulls=keep_nulls)
    return value


def _has_no_directives(value: Object | list[JSON]) -> bool:
    """Whether the value contains no null and no directive, the most frequent case."""
    for child in value.values() if isinstance(value, dict) else value:
        if type(child) is dict:
            if PATCH in child or not _has_no_directives(child):
                return False
        elif child is None or (type(child) is list and not _has_no_directives(child)):
            return False
    return True


def _rebuild(value: JSON, *, nulls: bool) -> JSON:
    match value:
        case dict():
            return {
                key: _rebuild(member, nulls=nulls)
                for key, member in value.items()
                if (nulls or member is not None) and not is_directive(member, nulls=nulls)
            }
        case list():
            elements = (element for element in value if not is_directive(element, nulls=nulls))
            return [_rebuild(element, nulls=nulls) for element in elements]
        case _:
            return value
