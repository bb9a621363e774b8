"""The changed lines of an object in groups: its containers, volumes, labels, and other fields."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at, string_at

from .sentences import Sentence, say

_SAME = "same"
_CONTEXT = 2  # unchanged lines around a change
_LISTS = {"initContainers": "init container", "containers": "container"}
_CONTAINER = re.compile(r"/spec/(initContainers|containers)/(\d+)(?:/([^/]+))?")
_NAMED = re.compile(r"/(metadata/labels|metadata/annotations|spec/volumes)(?:/([^/]+))?")
_NOUNS = {
    "metadata/labels": "label",
    "metadata/annotations": "annotation",
    "spec/volumes": "volume",
}
_ORDER = ("", "initContainers", "containers", "spec/volumes", "metadata/labels")
_MAX_FACTS = 4
_MAX_NAMES = 5


@dataclass(slots=True)
class Group:
    """Rows of one part of the object; ``kind`` is the list or the map that contains it."""

    kind: str
    name: str
    sign: str = "~"
    rows: list[int] = field(default_factory=list[int])
    members: dict[str, str] = field(default_factory=dict[str, str])  # name, and "+", "−", or "~"


def make_changes(before: Object | None, after: Object | None, rows: Sequence[JSON]) -> Object:
    """The groups in the order of the page, and the facts of the verdict."""
    if before is None:
        return {"groups": [], "facts": [], "others": 0}
    groups = sorted(_collect(before, after or before, rows), key=_rank)
    by_sign = sorted(groups, key=lambda group: group.sign != "+")
    facts = [fact for group in by_sign for fact in _facts(group)]
    encoded: list[JSON] = [_group_to_json(group, after or before, rows) for group in groups]
    return {
        "groups": encoded,
        "facts": facts[:_MAX_FACTS],
        "others": 0 if len(facts) >= _MAX_FACTS else _count_metadata(groups),
    }


def _count_metadata(groups: Sequence[Group]) -> int:
    """The changed labels and annotations, which the verdict lists if there is room."""
    return sum(len(group.members) for group in groups if group.kind.startswith("metadata"))


def _collect(before: Object, after: Object, rows: Sequence[JSON]) -> list[Group]:
    groups: dict[tuple[str, str], Group] = {}
    waiting: list[int] = []  # headings of lists, which belong to the first member
    for index, row in enumerate(rows):
        _, right, kind, path = _read_row(row)
        if kind == _SAME:
            waiting = []
            continue
        value = before if right is None else after
        if _is_heading(path):
            waiting.append(index)
            continue
        group = _group_of(groups, path, value, before)
        group.rows += [*waiting, index]
        waiting = []
        _note_member(group, path, value, kind)
    return [*groups.values()]


def _read_row(row: JSON) -> tuple[str | None, str | None, str, str]:
    left, right, kind, path = row  # type: ignore[misc] - result.compare makes it
    return left, right, kind, path  # type: ignore[return-value]


def _is_heading(path: str) -> bool:
    return path in {f"/spec/{key}" for key in (*_LISTS, "volumes")} | {
        "/metadata/labels",
        "/metadata/annotations",
    }


def _group_of(
    groups: dict[tuple[str, str], Group], path: str, value: Object, before: Object
) -> Group:
    if match := _CONTAINER.match(path):
        name = _element_name(value, match[1], int(match[2]))
        if name in _names(before, match[1]):
            return groups.setdefault((match[1], name), Group(match[1], name))
        return groups.setdefault((match[1], name), Group(match[1], name, sign="+"))
    if match := _NAMED.match(path):
        return groups.setdefault((match[1], ""), Group(match[1], "", sign="+"))
    return groups.setdefault(("other", ""), Group("other", ""))


def _note_member(group: Group, path: str, value: Object, kind: str) -> None:
    sign = {"added": "+", "removed": "−"}.get(kind, "~")
    name = ""
    if (match := _CONTAINER.match(path)) and match[3]:
        name = _unescape(match[3])
    elif (match := _NAMED.match(path)) and match[2]:
        name = _unescape(match[2])
        if match[1] == "spec/volumes":
            name = _element_name(value, "volumes", int(name))
    elif group.kind == "other":
        name = path.removeprefix("/").replace("/", ".")
    if name:
        group.members.setdefault(name, sign)
    if sign != "+" and group.kind in _NOUNS:
        group.sign = "~"


def _unescape(part: str) -> str:
    """A part of a JSON Pointer as the name of a member."""
    return part.replace("~1", "/").replace("~0", "~")


def _element_name(value: Object, key: str, index: int) -> str:
    elements = objects_at(object_at(value, "spec"), key)
    return string_at(elements[index], "name") if index < len(elements) else str(index)


def _names(value: Object, key: str) -> set[str]:
    return {string_at(each, "name") for each in objects_at(object_at(value, "spec"), key)}


def _rank(group: Group) -> tuple[int, str]:
    if group.kind in _LISTS and group.sign == "~":
        return 0, group.kind
    return (_ORDER.index(group.kind) if group.kind in _ORDER else len(_ORDER)), group.kind


def _facts(group: Group) -> Iterator[JSON]:
    """What the verdict lists of a group: sign, bold text, and text."""
    if group.kind in _LISTS:
        noun = _LISTS[group.kind]
        if group.sign == "+":
            yield ["+", f"1 {noun}", group.name]
        else:
            yield ["~", f"{noun} {group.name}", _fields(group)]
    elif group.kind == "spec/volumes":
        yield [group.sign, _count(len(group.members), "volume"), ""]
    elif group.kind == "other":
        yield ["~", _count(len(group.members), "other field"), ""]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _fields(group: Group) -> str:
    """The changed fields of a container; probes are counted."""
    probes = [name for name in group.members if name.endswith("Probe")]
    others = [name for name in group.members if not name.endswith("Probe")]
    return _shorten([*([_count(len(probes), "probe")] if probes else []), *others])


def _shorten(names: Sequence[str]) -> str:
    more = ["…"] if len(names) > _MAX_NAMES else []
    return ", ".join([*names[:_MAX_NAMES], *more])


def _group_to_json(group: Group, after: Object, rows: Sequence[JSON]) -> Object:
    shown: list[JSON] = [*_with_context(group, rows)]
    return {
        "key": f"{group.kind}/{group.name}",
        "sign": group.sign,
        "title": _title(group),
        "summary": _summary(group, after),
        "rows": shown,
    }


def _title(group: Group) -> Sentence:
    if group.kind in _LISTS:
        noun = _LISTS[group.kind]
        return say(f"{noun[0].upper()}{noun[1:]} `{{}}`", group.name)
    if group.kind == "other":
        return say("Other fields")
    return say(_count(len(group.members), _NOUNS[group.kind]))


def _summary(group: Group, after: Object) -> str:
    if group.kind in _LISTS and group.sign == "+":
        elements = objects_at(object_at(after, "spec"), group.kind)
        images = (string_at(each, "image") for each in elements if each.get("name") == group.name)
        image = next(images, "").rpartition("/")[2]
        return ", ".join(filter(None, [image, _count(len(group.rows), "line")]))
    if group.kind in _LISTS:
        return _fields(group)
    short: Callable[[str], str] = str
    if group.kind.startswith("metadata"):
        short = _last_part
    return _shorten([*dict.fromkeys(map(short, group.members))])


def _last_part(name: str) -> str:
    return name.rpartition("/")[2]


def _with_context(group: Group, rows: Sequence[JSON]) -> Iterable[int]:
    """The rows of a group, and unchanged rows around them if it changes what exists."""
    shown = set(group.rows)
    if group.sign != "+":
        for index in group.rows:
            for other in range(max(0, index - _CONTEXT), min(len(rows), index + _CONTEXT + 1)):
                if _read_row(rows[other])[2] == _SAME:
                    shown.add(other)
    return sorted(shown)
