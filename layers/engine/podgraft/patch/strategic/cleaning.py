"""Values of a patch that stand alone, because the target has nothing to merge them with."""

from operator import is_

from podgraft.jsonvalue import JSON, Object

PATCH = "$patch"


def is_directive(value: JSON, *, nulls: bool = False) -> bool:
    """Whether the map says what to do with another instead of being a value.

    A directive that is null counts only where nulls are kept.
    """
    return isinstance(value, dict) and PATCH in value and (nulls or value[PATCH] is not None)


def cleaned(value: JSON, *, nulls: bool = False) -> JSON:
    """``value`` without directives inside and, unless ``nulls``, without members that are null.

    The same object where there is nothing to remove. Null elements of lists stay.
    """
    match value:
        case dict():
            return _cleaned_object(value, nulls=nulls)
        case list():
            kept = [
                cleaned(element, nulls=nulls)
                for element in value
                if not is_directive(element, nulls=nulls)
            ]
            return value if len(kept) == len(value) and all(map(is_, kept, value)) else kept
        case _:
            return value


def _cleaned_object(source: Object, *, nulls: bool) -> Object:
    result = source
    for key, value in source.items():
        if value.__class__ is str:  # nearly every member: spare them two calls
            continue
        kept = cleaned(value, nulls=nulls)
        dropped = (value is None and not nulls) or is_directive(value, nulls=nulls)
        if kept is value and not dropped:
            continue
        if result is source:
            result = dict(source)
        if dropped:
            del result[key]
        else:
            result[key] = kept
    return result
