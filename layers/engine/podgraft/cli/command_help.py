"""The help of a command: its examples first, then its options in sections.

``--help`` prints at most 14 options, and ``--help-all`` prints all. The section of an option
follows from its name, so an option has one section in every command.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import click

HELP_ALL: Final = "--help-all"
# In the order of the help. An option without a section is in the first one.
_SECTIONS: Final[Mapping[str, str]] = {
    "Options": "",
    "Objects": "--filename --recursive --namespace --all-namespaces --selector --pods --bare",
    "Configuration": "--config --injector --revision --istio-release --native "
    "--injectConfigFile --valuesFile --meshConfigFile --from-stack --store",
    "Endpoint": "--url --service --allow-loopback --ca-bundle --cert-manager --server-cert "
    "--test --host --port",
    "Credentials": "--token-file --client-cert --client-key --control-plane --static",
    "Selection": "--namespace-selector --object-selector --exclude-namespace --match-condition "
    "--tag-of",
    "Review": "--cluster --group --operation --old --as --as-group --webhook-config "
    "--namespace-labels --istio-cluster-id --istio-network --network --env --webhook",
    "Signature": "--sign --sign-key --unsigned --signer",
    "Cluster access": "--context --kubeconfig --request-timeout --istio-namespace",
    "AWS": "--parameter-prefix --profile --region --regions",
    "Output": "--output --strict --fail-on --verbose",
    "Help": "--help --help-all --version",
}
_MAX_SENTENCE: Final = 300  # characters of a command in the help of its group
_SECTION_OF = {name: title for title, names in _SECTIONS.items() for name in names.split()}
# Options that --help leaves to --help-all: for some installations, or with a safe default.
_RARE: Final = frozenset(
    name
    for names in (
        "--recursive --istio-release --old --as --as-group --istio-cluster-id --istio-network",
        "--network --env --kubeconfig --request-timeout --istio-namespace --profile --region",
        "--unsigned --end-rollout --expect-version --cluster-share --by --log --key-type --signer",
        "--allow-loopback --server-cert --client-cert --client-key --control-plane --static",
        "--exclude-namespace --match-condition --tag-of --webhook-name --reinvocation-policy",
        "--census --force --timeout --connections-per-address --threads --metrics-host",
        "--passphrase-file --ca-passphrase-file --cert-manager --context --regions",
    )
    for name in names.split()
).union(
    f"register {name}"
    for name in (*("--native", "--inject", "--sidecar-check", "--all-namespaces"),)
)


def find_section(option: click.Option) -> str:
    """Return the title of the section of an option."""
    return next((_SECTION_OF[name] for name in option.opts if name in _SECTION_OF), "Options")


def is_rare(option: click.Option, command: click.Command) -> bool:
    """Whether only ``--help-all`` prints the option of the command."""
    names = {*option.opts, *(f"{command.name} {name}" for name in option.opts)}
    return not _RARE.isdisjoint(names)


def list_sections(options: Iterable[click.Option]) -> dict[str, list[click.Option]]:
    """Return the options by the title of their section, in the order of the help."""
    sections: dict[str, list[click.Option]] = {title: [] for title in _SECTIONS}
    for option in options:
        sections[find_section(option)].append(option)
    return {title: found for title, found in sections.items() if found}


def find_examples(path: str) -> tuple[tuple[str, str], ...]:
    """Return the examples of a command as pairs of a command line and its purpose."""
    words = path.split()[1:]
    name = " ".join(words[1:] if words[:1] == ["policy"] and words[1:] else words)
    return read_examples().get(name, ())


@cache
def read_examples() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Read ``examples.txt``: the examples by the words of their command, without "policy".

    Help, man pages, and reference pages begin with them. ``tests/cli/test_examples.py`` runs them.
    """
    examples: dict[str, tuple[tuple[str, str], ...]] = {}
    name = purpose = ""
    text = (Path(__file__).parent / "examples.txt").read_text("utf-8")
    for line in text.replace(" \\\n    ", " ").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line.startswith("# "):
            purpose = line.removeprefix("# ")
        else:
            examples[name] = (*examples.get(name, ()), (line, purpose))
    return examples


class Command(click.Command):
    """A command whose help has examples and sections."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with ``--help-all`` if ``--help`` leaves out an option."""
        params = super().get_params(ctx)
        if any(isinstance(each, click.Option) and is_rare(each, self) for each in self.params):
            params.append(_HELP_ALL_OPTION)
        return params

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first paragraph, the examples, then the other paragraphs."""
        first, _, rest = inspect.cleandoc(self.help or "").partition("\n\n")
        _write_text(formatter, first)
        if examples := find_examples(ctx.command_path):
            with formatter.section("Examples"):
                for line, purpose in examples:
                    formatter.write(f"  # {purpose}\n  {line}\n")
        _write_text(formatter, rest)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each section under its title."""
        shows_all = bool(ctx.meta.get(HELP_ALL))
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        shown = [each for each in options if shows_all or not is_rare(each, self)]
        for title, found in list_sections(shown).items():
            rows = [row for each in found if (row := each.get_help_record(ctx))]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(Command, click.Group):
    """A group of commands."""

    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with the complete first sentence of its help."""
        commands = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                (str(each.name), each.get_short_help_str(_MAX_SENTENCE))
                for each in commands
                if each and not each.hidden
            )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first: they are what a group is for."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)


def command(name: str, **settings: Any) -> Any:
    """Return the decorator that makes a command with this help; like ``click.command``."""
    return click.command(name, **{"cls": Command, **settings})


def group(name: str, **settings: Any) -> Any:
    """Return the decorator that makes a group with this help; like ``click.group``."""
    return click.group(name, **{"cls": Group, **settings})


def _write_text(formatter: click.HelpFormatter, text: str) -> None:
    if text.strip():
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)


def _print_all(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL_OPTION = click.Option(
    [HELP_ALL],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_all,
    help="Show all options, and exit.",
)


def iter_options(command: click.Command) -> Iterator[click.Option]:
    """Yield the options that a command documents, without those of the help."""
    yield from (
        each for each in command.params if isinstance(each, click.Option) and not each.hidden
    )
