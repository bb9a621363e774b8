"""Values of a patch that stand alone, because the target has nothing to merge them with."""

from podgraft.jsonvalue import JSON, Object

PATCH = "$patch"


def is_directive(value: JSON, *, nulls: bool = False) -> bool:
    """Whether the map says what to do with another instead of being a value.

    A directive that is null counts only where nulls are kept.
    """
    return isinstance(value, dict) and PATCH in value and (nulls or value[PATCH] is not None)


def strip_directives(value: JSON, *, keep_nulls: bool = False) -> JSON:
    """``value`` without directives inside and, unless ``nulls``, without members that are null.

    The same object where nothing of that kind is in it. Null elements of lists stay.
    """
    if isinstance(value, dict | list) and not _has_no_directives(value):
        return _rebuild(value, nulls=keep_nulls)
    return value


def _has_no_directives(value: Object | list[JSON]) -> bool:
    """Whether the value holds neither null nor directive; by far the commonest case."""
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
            kept = (element for element in value if not is_directive(element, nulls=nulls))
            return [_rebuild(element, nulls=nulls) for element in kept]
        case _:
            return value
