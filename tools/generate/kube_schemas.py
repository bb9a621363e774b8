"""Write ``kube/structured/fields.json``: how kube-apiserver merges each field of each kind.

    tools/generate/kube_schemas.py          # write it
    tools/generate/kube_schemas.py --check  # fail if it differs from the releases

The source is the OpenAPI v3 documents of each release (``api/openapi-spec/v3`` of the Go module
k8s.io/kubernetes, which ``go mod download`` gets). The rules are those of kube-openapi
(``pkg/schemaconv``), which kube-apiserver uses for server-side apply and for
MutatingAdmissionPolicy.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from generated_module import write_or_compare

TARGET = Path(__file__).resolve().parents[2] / "layers/engine/podgraft/kube/structured/fields.json"
_RELEASES = ("28.0", "29.0", "30.0", "31.0", "32.0", "33.0", "34.0", "35.0", "36.0", "37.2")
_FIRST, _LAST = (int(_RELEASES[index].partition(".")[0]) for index in (0, -1))
_PACKAGES = re.compile(
    r"io\.k8s\.(?:api|apimachinery\.pkg\.apis|apiextensions-apiserver\.pkg\.apis"
    r"|kube-aggregator\.pkg\.apis|apimachinery\.pkg)\."
)
_MERGES = ("merge", "merge,retainKeys")
# Kinds that are no resource, or lists of resources: no request mutates them.
_NO_RESOURCES = re.compile(r"meta\.v1\.|.*List$")

# In front of a struct, where a field decides and not the type.
_MAP_MARKS = {None: "", "atomic": "!", "granular": "+"}

_Model: TypeAlias = dict[str, Any]
# The fields of a type by name, as the table spells them.
_Fields: TypeAlias = dict[str, str]


class _Release(NamedTuple):
    """The types of one release by their short name, and the type of each kind."""

    types: dict[str, _Fields]
    kinds: dict[str, str]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the module, or compare it; print the next step."""
    releases = {int(each.partition(".")[0]): _read_release(each) for each in _RELEASES}
    return write_or_compare(argv, TARGET, _module(releases), "tests/kube/structured")


def _read_release(version: str) -> _Release:
    command = ["go", "mod", "download", "-json", f"k8s.io/kubernetes@v1.{version}"]
    downloaded = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    folder = Path(json.loads(downloaded.stdout)["Dir"]) / "api/openapi-spec/v3"
    models: dict[str, _Model] = {}
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        models |= document.get("components", {}).get("schemas", {})
    return _Release(dict(_types(models)), dict(_kinds(models)))


def _types(models: Mapping[str, _Model]) -> Iterator[tuple[str, _Fields]]:
    """Each struct; the empty field ``!`` marks an atomic one."""
    for name, model in models.items():
        if not _is_struct(model):
            continue
        fields = {
            field: _spell(schema, models) + _spell_default(schema)
            for field, schema in model["properties"].items()
        }
        if model.get("x-kubernetes-map-type") == "atomic":
            fields["!"] = ""
        yield _shorten(name), fields


def _is_struct(model: _Model) -> bool:
    return model.get("type") == "object" and bool(model.get("properties"))


def _kinds(models: Mapping[str, _Model]) -> Iterator[tuple[str, str]]:
    for name, model in models.items():
        if not _is_struct(model) or _NO_RESOURCES.match(_shorten(name)):
            continue
        for each in model.get("x-kubernetes-group-version-kind", ()):
            version = "/".join(part for part in (each["group"], each["version"]) if part)
            yield f"{version} {each['kind']}", _shorten(name)


def _shorten(name: str) -> str:
    return _PACKAGES.sub("", name)


def _spell_default(schema: _Model) -> str:
    default = schema.get("default")
    return "" if default is None or default == {} else "~" + json.dumps(default)


def _spell(schema: _Model, models: Mapping[str, _Model]) -> str:
    """The type of a field as the table spells it."""
    refs = [schema, *schema.get("allOf", ())] if len(schema.get("allOf", ())) == 1 else [schema]
    ref = next((each["$ref"] for each in refs if "$ref" in each), "").rpartition("/")[2]
    if not ref:
        return _spell_inline(schema, models)
    if ref.endswith("api.resource.Quantity"):
        return "u"
    if ref.endswith("runtime.RawExtension"):
        return "?"
    target = models[ref]
    spelled = f"@{_shorten(ref)}" if _is_struct(target) else _spell(target, models)
    return _MAP_MARKS[schema.get("x-kubernetes-map-type")] + spelled


def _spell_inline(schema: _Model, models: Mapping[str, _Model]) -> str:
    match schema.get("type", ""):
        case "":
            return "*"
        case "integer" | "number":
            return "n"
        case "boolean":
            return "b"
        case "string":
            return "s" if schema.get("format", "") in {"", "byte"} else "u"
        case "array":
            return _list_mark(schema) + (_spell(schema["items"], models))
        case "object":
            values: Any = schema.get("additionalProperties")
            atomic = "!" if schema.get("x-kubernetes-map-type") == "atomic" else ""
            is_typed = isinstance(values, dict)
            inner = _spell(schema["additionalProperties"], models) if is_typed else "*"
            return f"{atomic}<{inner}"
        case other:
            raise ValueError(f"unknown type {other}")


def _list_mark(schema: _Model) -> str:
    list_type, strategy = (
        schema.get(f"x-kubernetes-{key}") for key in ("list-type", "patch-strategy")
    )
    if list_type == "map":
        return f"{{{','.join(schema['x-kubernetes-list-map-keys'])}}}"
    if list_type == "set":
        return "{}"
    if list_type is None and strategy in _MERGES:
        return f"{{{schema.get('x-kubernetes-patch-merge-key', '')}}}"
    return "["


def _module(releases: Mapping[int, _Release]) -> str:
    """The text of the file."""
    keys = {
        (element.removeprefix("@"), key)
        for release in releases.values()
        for fields in release.types.values()
        for spelled in fields.values()
        for key_list, element in re.findall(r"\{([^}]+)\}(@[\w.-]+)", spelled)
        for key in key_list.split(",")
    }
    structs = _unite({minor: release.types for minor, release in releases.items()}, keys)
    kinds = _unite_rows({minor: release.kinds for minor, release in releases.items()})
    encode = partial(json.dumps, ensure_ascii=False)
    rows = ",\n".join(f" {encode(name)}: {encode(structs[name])}" for name in sorted(structs))
    kind_rows = ",\n".join(f" {encode(each)}" for each in kinds)
    return f'{{"structs": {{\n{rows}\n}}, "kinds": [\n{kind_rows}\n]}}\n'


def _unite(
    types: Mapping[int, dict[str, _Fields]], keys: set[tuple[str, str]]
) -> dict[str, list[str]]:
    names = {name for each in types.values() for name in each}
    return {
        name: _unite_rows(
            {
                minor: {
                    field: spelled if (name, field) in keys else spelled.partition("~")[0]
                    for field, spelled in each.get(name, {}).items()
                }
                for minor, each in types.items()
            },
            {minor for minor, each in types.items() if name in each},
        )
        for name in names
    }


def _unite_rows(
    rows: Mapping[int, Mapping[str, str]], present: set[int] | None = None
) -> list[str]:
    """Lines of a key and its value, with the first and the last release where it matters."""
    lines: list[str] = []
    minors = sorted(present if present is not None else rows)
    for key in sorted({key for minor in minors for key in rows[minor]}):
        start = 0
        for index, minor in enumerate(minors):
            value = rows[minor].get(key)
            if index == 0 or rows[minors[index - 1]].get(key) != value:
                start = minor
            last = index == len(minors) - 1
            if value is None or not (last or rows[minors[index + 1]].get(key) != value):
                continue
            since = f" since={start}" if start > _FIRST else ""
            until = f" until={minor}" if minor < _LAST else ""
            lines.append(" ".join(part for part in (key, value) if part) + since + until)
    return lines


if __name__ == "__main__":
    sys.exit(main())
