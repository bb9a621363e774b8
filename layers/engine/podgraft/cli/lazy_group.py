"""A group of commands that imports only the command that is called."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import NamedTuple

import click

from podgraft.cli.command_help import Group


class Entry(NamedTuple):
    """A command: its module below ``podgraft.cli``, and its line in the help of the group.

    ``target`` is MODULE or MODULE:NAME; the default name is ``command``. Without a section, the
    help only names the command. An alias is another name for a command, which is not listed.
    """

    target: str
    text: str
    section: str = ""
    is_alias: bool = False


class LazyGroup(Group):
    """A group of ``entries`` by name, whose help shows their sections without importing them."""

    entries: Mapping[str, Entry] = {}
    # Groups whose subcommands a hint can name.
    hinted_groups: tuple[str, ...] = ()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands, sorted, without other names for the same command."""
        del ctx
        return sorted(name for name, entry in self.entries.items() if not entry.is_alias)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand and return its click command."""
        del ctx
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        return getattr(import_module(f"podgraft.cli.{module}"), attribute or "command")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the arguments; click suggests only commands that are imported."""
        name = args[0]
        is_unknown = name not in self.entries and not name.startswith("-")
        if is_unknown and not ctx.resilient_parsing:  # completion accepts everything
            from podgraft.cli.usage_hints import find_command  # an error only

            similar = find_command(name, self.list_commands(ctx), self._load_groups(ctx))
            hint = f" Did you mean {similar!r}?" if similar else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def _load_groups(self, ctx: click.Context) -> dict[str, Iterable[str]]:
        """Return the commands of the groups of which this installation has the packages."""
        groups: dict[str, Iterable[str]] = {}
        for name in self.hinted_groups:
            with suppress(ModuleNotFoundError):
                found = self.get_command(ctx, name)
                if isinstance(found, click.Group):
                    groups[name] = found.list_commands(ctx)
        return groups

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under the titles of their sections, without importing a command."""
        del ctx
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.entries.items():
            if not entry.is_alias:
                sections.setdefault(entry.section, []).append((name, entry.text))
        others = sections.pop("", [])
        width = max(len(name) for rows in sections.values() for name, _ in rows)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])
        if others:
            with formatter.section("More"):
                formatter.write_text(", ".join(sorted(name for name, _ in others)))
