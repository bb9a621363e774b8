"""RFC 6902, written down a second time: add, remove, and replace, on a copy."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any


class DoesNotApplyError(ValueError):
    """The patch does not fit the document."""


def apply(document: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """The document after all operations."""
    holder: dict[str, Any] = {"": copy.deepcopy(document)}
    for operation in operations:
        _apply_one(holder, operation)
    return holder[""]


def _apply_one(holder: dict[str, Any], operation: dict[str, Any]) -> None:
    path = operation["path"]
    if path and not path.startswith("/"):
        raise DoesNotApplyError(f"{path} is no JSON Pointer")
    *above, last = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")]
    parent: Any = holder
    for step in above:
        parent = parent[_find_step(parent, step)]
    if operation["op"] == "add":
        _add(parent, last, copy.deepcopy(operation["value"]))
        return
    step = _find_step(parent, last)
    if operation["op"] == "remove":
        del parent[step]
    else:
        parent[step] = copy.deepcopy(operation["value"])


def _find_step(parent: Any, step: str) -> str | int:
    """The key or the index of an existing value."""
    if isinstance(parent, dict) and step in parent:
        return step
    if isinstance(parent, list):
        return _find_index(step, len(parent) - 1)  # pyright: ignore[reportUnknownArgumentType]
    raise DoesNotApplyError(f"there is no {step}")


def _find_index(step: str, last: int) -> int:
    if not step.isascii() or not step.isdigit() or str(int(step)) != step or int(step) > last:
        raise DoesNotApplyError(f"{step} is no index up to {last}")
    return int(step)


def _add(parent: Any, step: str, value: Any) -> None:
    if isinstance(parent, dict):
        parent[step] = value
    elif isinstance(parent, list):
        size = len(parent)  # pyright: ignore[reportUnknownArgumentType]
        parent.insert(size if step == "-" else _find_index(step, size), value)  # pyright: ignore[reportUnknownMemberType]
    else:
        raise DoesNotApplyError(f"nothing can have a member {step}")
