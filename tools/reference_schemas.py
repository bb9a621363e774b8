"""The reference pages about documents, one for each JSON Schema; reference_pages.py writes them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"

# The introduction of each JSON Schema.
_SCHEMAS = {
    "policy": """\
The policy document decides which pods are injected, and selects a bundle. It is the parameter
`PREFIX/INJECTOR/policy` of Parameter Store, or `INJECTOR/policy.yaml` in a folder. All keys are
optional, and each key overrides the configuration of the bundle. An unknown key is an error.

```yaml
policy: enabled
neverInjectSelector:
- matchLabels: {team: legacy}
istioRelease: "1.30.3"
clusters:
  prod-eu: {policy: disabled}
```
""",
    "overlay": """\
An overlay document changes objects of any kind. [Overlays](../overlays.md) describes its
template and its conditions. An unknown key is an error.
""",
    "test": """\
A test document contains tests of a bundle and its policy, for `podgraft test`.
[Testing](../testing.md) describes it with examples. Its file is
`podgraft-test.yaml`, or `NAME.podgraft-test.yaml`. An unknown key is an error.
""",
    "fleet": """\
A fleet document lists the clusters of a stack, and how each is registered, for `podgraft fleet`.
[Fleet](../fleet.md#the-fleet-file) describes it with an example. An unknown key is an error.
""",
}


def render_pages() -> dict[str, str]:
    """The text of each page by its file name."""
    return {f"schemas/{name}.md": render_schema(name, text) for name, text in _SCHEMAS.items()}


def render_schema(name: str, introduction: str) -> str:
    """The page of one JSON Schema of docs/schemas."""
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    parts = [
        f"# {name.capitalize()} document\n",
        introduction,
        f"This page is generated from [{name}.schema.json]({name}.schema.json).\n",
    ]
    for title, properties, required in find_tables(schema):
        rows = "\n".join(_render_key(schema, key, value, required) for key, value in properties)
        parts.append(f"## {title}\n" if title else "## Keys\n")
        parts.append(f"| key | value | description |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def find_tables(
    schema: Mapping[str, Any],
) -> Iterator[tuple[str, list[tuple[str, Mapping[str, Any]]], set[str]]]:
    """Each mapping of a schema: its name, its keys, and those that are required."""
    yield "", list(schema["properties"].items()), set(schema.get("required", ()))
    for name, definition in schema["$defs"].items():
        if "properties" in definition and name != "keys":
            yield name, list(definition["properties"].items()), set(definition.get("required", ()))


def _render_key(
    schema: Mapping[str, Any], key: str, value: Mapping[str, Any], required: set[str]
) -> str:
    definition = _resolve(schema, value)
    notes = [value.get("description", definition.get("description", "")).rstrip(".") + "."]
    if key in required:
        notes.append("Required.")
    if "default" in definition:
        notes.append(f"Default: {format_values(definition['default'])}.")
    text = " ".join(note for note in notes if note != ".")
    kind = _escape_cell(describe_type(schema, value))
    return f"| `{key}` | {kind} | {_escape_cell(escape(text))} |"


def _resolve(schema: Mapping[str, Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    return _follow(schema, value)[1]


def _follow(schema: Mapping[str, Any], value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The definition of a value, and its name in ``$defs`` if it has one."""
    name = ""
    while "$ref" in value:
        parts = value["$ref"].removeprefix("#/").split("/")
        name = parts[1] if len(parts) == len(("$defs", "name")) else ""
        target: Any = schema
        for part in parts:
            target = target[part]
        value = target
    return name, value


def describe_type(schema: Mapping[str, Any], value: Mapping[str, Any]) -> str:
    """The type in words, with a link to the table of a mapping."""
    name, definition = _follow(schema, value)
    if name and "properties" in definition:
        return f"[{name}](#{name.lower()})"
    if "const" in definition:
        return f"`{definition['const']}`"
    if "enum" in definition:
        return format_values([each for each in definition["enum"] if each is not None])
    for option in definition.get("anyOf", ()):
        if option.get("type") != "null":
            return describe_type(schema, option)
    return _describe_container(schema, definition)


def _describe_container(schema: Mapping[str, Any], definition: Mapping[str, Any]) -> str:
    types: Any = definition.get("type", "any")
    kinds = [types] if isinstance(types, str) else types
    kind = next((str(each) for each in kinds if each != "null"), "null")
    inner: Any = definition.get("additionalProperties")
    match kind:
        case "array":
            return f"list of {describe_type(schema, definition.get('items', {}))}"
        case "object" if "properties" in definition:
            return f"map with {format_values([*definition['properties']])}"
        case "object" if inner:
            return f"map of {describe_type(schema, inner)}"
        case "object":
            return "map"
        case _:
            return kind


def format_values(value: object) -> str:
    """A value, or the values of a list, as code."""
    values: Sequence[object] = cast("list[object]", value) if isinstance(value, list) else [value]
    return ", ".join(f"`{each}`" for each in values)


def escape(text: str) -> str:
    """Text without Markdown or HTML syntax, outside code."""
    return re.sub(r"([<>*_\[\]])", r"\\\1", text) if "`" not in text else text


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
