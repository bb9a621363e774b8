"""The generated pages are current, and they contain each command, each option, and each key."""

import re
from typing import Any

import click
import pytest

import reference_schemas
from podgraft.cli.command_help import iter_options
from podgraft.core import policy
from reference_pages import DOCS, find_commands, render_pages

COMMANDS = {path.stem: path.read_text() for path in (DOCS / "commands").glob("*.md")}
POLICY = (DOCS / "schemas" / "policy.md").read_text()


PAGES = tuple(render_pages())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_current(name: str, request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you change a command or a schema."""
    pages = render_pages()
    expected = pages[name]
    if request.config.getoption("--update-goldens"):
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(expected)

    assert (DOCS / name).read_text() == expected


def find_options(command: click.Command) -> set[str]:
    names = {name for each in iter_options(command) for name in (*each.opts, *each.secondary_opts)}
    return names - {"--version", "--help", "-h"}


def test_each_command_has_a_section_with_all_options() -> None:
    names: set[str] = set()
    _, _, common = COMMANDS["index"].partition("## Common options")
    pages = "\n".join(text for name, text in COMMANDS.items() if name != "index")
    for name, command in [*find_commands()][1:]:
        names.add(name)
        _, _, rest = pages.partition(f"\n## {name}\n")
        section, _, _ = rest.partition("\n## ")
        missing = find_options(command) - set(re.findall(r"`(--?[\w-]+)", section))
        short = {each for each in missing if each in common and not each.startswith("--")}
        assert " ".join(name.split()[:3]) in section
        assert missing - short == set(), name
    sections = re.findall(r"^## (.*)$", pages, re.MULTILINE)

    assert len(sections) == len(names)
    assert names == set(sections)
    assert {"podgraft explain", "podgraft push", "podgraft certs rotate-ca begin"} <= names


def test_the_pages_of_the_commands_are_short() -> None:
    words = {name: len(text.split()) for name, text in COMMANDS.items()}
    assert max(words.values()) <= 2500, words
    assert sum(words.values()) <= 7500, words


def test_each_option_has_a_description() -> None:
    missing = [
        (name, option.opts)
        for name, command in find_commands()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert missing == []


def read_keys(title: str) -> list[str]:
    """The keys of a table of the policy page."""
    _, _, rest = POLICY.partition(f"\n## {title}\n")
    section, _, _ = rest.partition("\n## ")
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize(
    ("title", "document"), [("Keys", "unknown: 1"), ("features", "features: {unknown: 1}")]
)
def test_the_policy_page_has_the_keys_that_the_reader_supports(title: str, document: str) -> None:
    with pytest.raises(policy.PolicyError) as caught:
        policy.parse(document)
    (message,) = map(str, caught.value.errors)
    supported = message.partition("supported keys: ")[2].split(", ")

    assert read_keys(title) == supported


def test_the_example_of_the_policy_page_is_valid() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", POLICY, re.DOTALL)

    assert policy.parse(example)


SCHEMA = {
    "$defs": {
        "point": {"type": "object", "properties": {"x": {"type": "integer"}}},
        "other": {"$ref": "#/$defs/point"},
    }
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": ["string", "null"]}, "string"),
        ({"enum": ["a", "b", None]}, "`a`, `b`"),
        ({"const": "v1"}, "`v1`"),
        ({"type": "array", "items": {"$ref": "#/$defs/other"}}, "list of [point](#point)"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "map of string"),
        ({"type": "object", "properties": {"name": {}}}, "map with `name`"),
        ({"type": "object"}, "map"),
        ({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/point"}]}, "[point](#point)"),
    ],
)
def test_a_type_is_described(value: dict[str, Any], expected: str) -> None:
    assert reference_schemas.describe_type(SCHEMA, value) == expected
