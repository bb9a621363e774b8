"""Hints for words that are common elsewhere: commands and options of istioctl, kubectl, and Helm.

Click suggests names with similar letters, which can be the opposite: uninject for kube-inject.
"""

from collections.abc import Iterable, Iterator, Mapping

import click

# By word: the command of podgraft with this task.
_COMMANDS: Mapping[str, str] = {
    # istioctl
    "analyze": "check",
    "check-inject": "explain",
    "proxy-config": "status",
    "proxy-status": "status",
    "ps": "status",
    "version": "--version",
    # kubectl
    "apply": "explain",
    "create": "explain",
    "describe": "explain",
    "get": "status",
    "patch": "explain",
    "validate": "explain",
    # Helm, Terraform, and others
    "install": "init",
    "lint": "check",
    "plan": "diff",
    "render": "inject",
    "start": "serve",
    "template": "inject",
    "upgrade": "push",
    "help": "--help",
    # podgraft 0.1
    "shadow": "rollout start --shadow",
}

# Options with the same meaning elsewhere; a command has at most some of each group.
_OPTIONS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "--percentage --percent --share --weight",
        "--file --files --filename --manifest --manifests",
        "--ns --namespace",
        "--name --cn --common-name --subject",
        "--folder --directory --dir",
        "--out --output --format",
        "--release --istio-release --istio-version",
        "--hosts --host --hostname --san --dns",
        "--ca --cacert --ca-file --ca-bundle",
        "--certificate --tls-cert --cert --server-cert",
        "--private-key --tls-key --key",
        "--token --token-file",
        "--all --all-namespaces",
        "--validity --expires --days",
        "--assume-yes --yes",
        "--labels --label-selector --selector",
        "--config --configuration",
        "--values --valuesFile",
        "--mesh-config --meshConfigFile",
        "--inject-config --injectConfigFile",
    )
)

# The name of the argument, or --config FOLDER of a command without it.
_FOLDER = "FOLDER"

# By option: the option or the argument with the same meaning, and the form of its value.
_FORMS: Mapping[str, str] = {
    "--stack": "--config stack:NAME",
    "--stack-name": "--config stack:NAME",
    "--bucket": "--config stack:NAME",
    "--bundle-prefix": "--config stack:NAME",
    "--bundle": _FOLDER,
    "--policy": _FOLDER,
    "--store": "--config FOLDER",
    "--from-cluster": "--config cluster",
    "--injectConfigMapName": "--config cluster",
    "--meshConfigMapName": "--config cluster",
    "--guard": "--sidecar-check",
}

# Arguments that another command prints.
_PRINTED: Mapping[str, str] = {"VERSION": "history", "IDENTITY": "tokens list"}

_EXTRA_ARGUMENT = "Got unexpected extra argument"


def add_hint(error: click.ClickException) -> None:
    """Add the hint for the word that click rejected to the message of *error*."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return
    if isinstance(error, click.NoSuchOption):
        similar = [*_find_similar_options(error.option_name, context.command)]
        if similar:
            _add_text(error, f" Did you mean {' or '.join(similar)}?")
            vars(error)["possibilities"] = None  # of click, by letters
    elif error.message.startswith(_EXTRA_ARGUMENT) and _has_option(context.command, "-f"):
        _add_text(error, "; use -f once for each file.")
    elif isinstance(error, click.MissingParameter):
        name = error.param.human_readable_name if error.param else ""
        _add_text(error, f"podgraft {_PRINTED[name]} prints it." if name in _PRINTED else "")


def _add_text(error: click.ClickException, text: str) -> None:
    vars(error)["message"] = error.message + text  # final in the types of click


def _find_similar_options(name: str, command: click.Command) -> Iterator[str]:
    form = _FORMS.get(name, "")
    if form == _FOLDER and not any(each.name == "folder" for each in command.params):
        form = f"--config {_FOLDER}"
    if form == _FOLDER or _has_option(command, form.partition(" ")[0]):
        yield form
    for words in _OPTIONS:
        if name in words:
            yield from (each for each in sorted(words - {name}) if _has_option(command, each))


def _has_option(command: click.Command, name: str) -> bool:
    return any(name in option.opts for option in command.params)


def find_command(
    word: str, names: Iterable[str], groups: Mapping[str, Iterable[str]]
) -> str | None:
    """Return the command for an unknown *word*, without the name of the program.

    The order: a word of another program, a subcommand of *groups*, a name with similar letters.
    """
    from podgraft.base.diagnostics import find_similar  # an error only

    if word in _COMMANDS:
        return _COMMANDS[word]
    for name, group in groups.items():
        if word in group:
            return f"{name} {word}"
    return find_similar(word, names)
