#!/usr/bin/env python3
# ruff: noqa: E501 - the lines of the pages have up to 140 characters
"""Write the reference pages of docs/: commands, schemas, and parameters.

    reference_pages.py

The command line and the JSON Schemas are the source. tests/docs/test_reference_pages.py fails if a
page is out of date.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

import reference_schemas
import reference_tables
from podgraft import cli
from podgraft.cli.command_help import find_examples, iter_options
from reference_schemas import escape

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
_HIDDEN = {"version", "help"}


def main() -> int:
    """Write all pages; return the exit status."""
    for name, text in render_pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text)
        print(f"docs/{name}")
    return 0


def render_pages() -> dict[str, str]:
    """The text of each page by its file name."""
    return {
        **render_commands(),
        **reference_schemas.render_pages(),
        "parameters.md": "\n".join(
            (
                reference_tables.render_parameters(),
                reference_tables.render_environment(find_commands()),
                reference_tables.render_urls(),
            )
        ),
    }


# Commands

_INDEX = """\
# Commands

`podgraft COMMAND --help` prints these texts with examples, and `--help-all` also rare options.
The pages are generated from the command line.

"""
_INSTALL = """
## Install

Nothing is published yet, so everything works from a clone. The command needs Python 3.11 or later; [pipx](https://pipx.pypa.io)
installs it from the clone into an environment of its own:

```sh
pipx install '.[all]'
podgraft --version
kubectl podgraft --version
```

| extra | commands |
|---|---|
| none | all commands that work with files |
| `aws` | those for a deployed policy, tokens in Parameter Store, `certs import-acm` |
| `rules` | CEL with patterns (`matches`, `find`, `findAll`) in conditions and rules |
| `serve` | `serve`, `demo`, and `playground`; includes `rules` |
| `live` | those that read a cluster; they run kubectl |
| `all` | all commands |

The package also installs `kubectl-podgraft`, so kubectl completes and runs podgraft as a plugin. Completion is a line in the
configuration of your shell: `eval "$(podgraft completion bash)"`, `eval "$(podgraft completion zsh)"`, or
`podgraft completion fish | source`. After the first release, `pipx install podgraft` will work, and the release will have the chart,
the archives of the function, and man pages.
"""
_COMMON = """
## Common options

Several commands have these options. Their pages name them without the text.

"""
# The page of a command: the title of its section in the help; the other commands by name.
_PAGES = {
    "Understand": "understand",
    "Change": "change",
    "Connect": "connect",
    "Run": "run",
    "policy": "policy",
    "rollout": "rollout",
    "compare": "understand",
    "uninject": "understand",
    "playground": "run",
    "completion": "run",
}
_TITLES = {
    "understand": "Commands that explain and test",
    "change": "Commands that change a policy",
    "connect": "Commands that connect a cluster",
    "run": "Commands that serve",
    "policy": "Policy commands",
    "rollout": "Rollout commands",
}
_COMMON_COMMANDS = 3  # an option of more commands, with one text, is common


def find_commands() -> Iterator[tuple[str, click.Command]]:
    """Each command with its complete name, groups before their commands.

    A command with a short name and a name in ``podgraft policy`` has the short one.
    """
    seen: set[int] = set()
    for name, command in _walk("podgraft", cli.podgraft):
        if isinstance(command, click.Group) or id(command) not in seen:
            seen.add(id(command))
            yield name, command


def _walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = make_context(name, command)
        # The short names first.
        for each in sorted(command.list_commands(context), key=lambda word: word == "policy"):
            child = command.get_command(context, each)
            assert child is not None  # noqa: S101 - the group lists it
            if name != "podgraft policy" or each != "rollout":
                yield from _walk(f"{name} {each}", child)


def make_context(name: str, command: click.Command) -> click.Context:
    """The context in which a command describes itself as the program does."""
    # Click stores the help option in the command: with other names, it would change the program.
    names = cli.podgraft.context_settings["help_option_names"]
    return click.Context(command, info_name=name, help_option_names=names, show_default=True)


def render_commands() -> dict[str, str]:
    """The pages of the commands, one for each group, by their file names."""
    commands = [*find_commands()]
    common = _find_common(commands)
    parts: dict[str, list[str]] = {page: [f"# {title}\n"] for page, title in _TITLES.items()}
    rows: dict[str, list[str]] = {page: [] for page in _TITLES}
    for name, command in commands[1:]:
        page = _find_page(name)
        parts[page].extend(_render_command(name, command, common))
        if not isinstance(command, click.Group):
            anchor = name.replace(" ", "-")
            rows[page].append(f"[{name.removeprefix('podgraft ')}]({page}.md#{anchor})")
    index = [
        *(f"- {title}: {', '.join(rows[page])}" for page, title in _TITLES.items()),
        _INSTALL,
        _COMMON,
        *(_render_option(option, context) for option, context in common.values()),
    ]
    _, program = commands[0]
    options = "\n".join(_render_options(program, make_context("podgraft", program), {}))
    pages = {page: "\n".join(lines) for page, lines in parts.items()}
    pages["index"] = _INDEX + options + "\n" + "\n".join(index) + "\n"
    return {f"commands/{page}.md": text for page, text in pages.items()}


def _find_page(name: str) -> str:
    word = name.split()[1]
    entry = cli.podgraft.entries[word]
    return _PAGES[entry.section or word]


def _find_common(
    commands: Iterable[tuple[str, click.Command]],
) -> dict[tuple[str, str], tuple[click.Option, click.Context]]:
    """The options that more than a few commands have, by name and text."""
    found: dict[tuple[str, str], list[tuple[click.Option, click.Context]]] = {}
    for name, command in commands:
        for option in iter_options(command):
            if option.name not in _HIDDEN:
                key = max(option.opts, key=len), option.help or ""
                found.setdefault(key, []).append((option, make_context(name, command)))
    return {key: uses[0] for key, uses in sorted(found.items()) if len(uses) > _COMMON_COMMANDS}


def _render_command(
    name: str, command: click.Command, common: Mapping[tuple[str, str], object]
) -> Iterator[str]:
    context = make_context(name, command)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## {name}\n"
    first, *rest = _render_help(command.help or "")
    yield first
    example = next((f"{line}\n" for line, _ in find_examples(name)), "")
    yield f"```text\n{example or f'{name} {usage}' + chr(10)}```\n"
    if not isinstance(command, click.Group):
        yield from rest
    if lines := [*_render_options(command, context, common)]:
        yield "\n".join(lines) + "\n"


def _render_options(
    command: click.Command, context: click.Context, common: Mapping[tuple[str, str], object]
) -> Iterator[str]:
    shared: list[str] = []
    for option in iter_options(command):
        key = max(option.opts, key=len), option.help or ""
        if option.name in _HIDDEN:
            continue
        if key in common:
            shared.append(f"`{key[0]}`")
        else:
            yield _render_option(option, context)
    if shared:
        yield f"- [Common](index.md#common-options): {', '.join(shared)}"


def _render_help(text: str) -> Iterator[str]:
    for paragraph, is_block in split_help(text):
        yield f"```text\n{paragraph}\n```\n" if is_block else f"{escape(paragraph)}\n"


def split_help(text: str) -> Iterator[tuple[str, bool]]:
    """The paragraphs of a help text, and whether each keeps its lines, which click marks."""
    for paragraph in re.split(r"\n\s*\n", text.split("\f", 1)[0].strip()):
        lines = [line.strip() for line in paragraph.split("\n")]
        if lines[0] == "\b":
            yield "\n".join(lines[1:]), True
        elif paragraph.strip():
            yield " ".join(lines), False


def _render_option(option: click.Option, context: click.Context) -> str:
    names, value, description = describe_option(option, context)
    label = ", ".join(f"`{name}`" for name in names[:-1])
    last = f"`{names[-1]} {value}`" if value else f"`{names[-1]}`"
    return f"- {', '.join(filter(None, (label, last)))}: {escape(description)}"


def describe_option(
    option: click.Option, context: click.Context
) -> tuple[tuple[str, ...], str, str]:
    """The names of an option, the metavariable of its value, and its description."""
    names = (*option.opts, *option.secondary_opts)
    value = "" if option.is_flag else option.make_metavar(context)
    notes = [option.help or ""]
    if option.required:
        notes.append("Required.")
    if option.multiple:
        notes.append("Can be repeated.")
    default = option.get_default(context)
    if default not in (None, "", (), False) and not option.required and not _is_unset(default):
        notes.append(f"Default: `{default}`.")
    if option.envvar:
        notes.append(f"Environment: `{option.envvar}`.")
    return names, value, " ".join(filter(None, notes))


def _is_unset(value: object) -> bool:
    return repr(value).startswith("Sentinel")


if __name__ == "__main__":
    sys.exit(main())
