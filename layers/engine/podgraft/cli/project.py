"""The project file, podgraft.toml: defaults for the commands that have ``--config``.

The file is in the working folder or in one of its parents, or ``--project`` names it. An option on
the command line, or an environment variable, replaces a value of the file.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from podgraft.cli.failure import CommandError, raise_findings

FILE_NAME: Final = "podgraft.toml"
# The keys, which are names of options, and what their values mean.
KEYS: Final[Mapping[str, str]] = {
    "config": "stack, as stack:NAME, or folder",
    "injector": "injector",
    "profile": "profile of the AWS configuration",
    "region": "AWS region",
    "regions": "AWS regions of commands with --regions, as A,B",
    "parameter-prefix": "output ParameterPrefix of the stack",
}
# Groups, whose subcommands have these options, and commands that have some of them.
GROUPS: Final = ("fleet", "policy", "tokens", "rollout")
COMMANDS: Final = (
    *GROUPS,
    *("check", "compare", "diff", "explain", "history", "inject", "push", "register"),
    *("rollback", "status"),
)


class CommandDefaults(dict[str, Any]):
    """The ``default_map`` of a command (click): the same values for each of its subcommands."""

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a parameter, or these defaults for the name of a subcommand.

        click asks with both kinds of names. No subcommand has the name of a parameter.
        """
        return super().get(key, default) if key in _PARAMETERS else self


def _name_parameter(key: str) -> str:
    return "source" if key == "config" else key.replace("-", "_")


_PARAMETERS = frozenset(map(_name_parameter, KEYS))


def load_defaults(path: Path | None) -> dict[str, dict[str, Any]]:
    """Return the defaults of each command; *path* is the file, or None to look for it."""
    file = path or find_project_file(Path.cwd())
    values = {} if file is None else read_project_file(file)
    if regions := values.get("regions"):
        values.setdefault("region", regions.partition(",")[0])  # of commands with one region
    defaults = CommandDefaults({_name_parameter(key): value for key, value in values.items()})
    return dict.fromkeys(COMMANDS, defaults)


def find_project_file(folder: Path) -> Path | None:
    """Return the project file of the folder or of its nearest parent that has one."""
    candidates = (parent / FILE_NAME for parent in (folder, *folder.parents))
    return next((file for file in candidates if file.is_file()), None)


def read_project_file(file: Path) -> dict[str, str]:
    """Read the keys of a project file; raises ``CommandError`` for an unknown key or type."""
    import tomllib  # most commands read no project file

    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CommandError(f"{file}: {error}; correct the file") from error
    errors = (_describe_error(file, key, value) for key, value in values.items())
    raise_findings(filter(None, errors))
    return values


def _describe_error(file: Path, key: str, value: object) -> str:
    if key not in KEYS:
        from podgraft.base.diagnostics import find_similar  # an error only

        is_stack = key in {"stack", "stack-name"}  # the latter until 0.2
        similar = "config" if is_stack else find_similar(key, KEYS)
        remedy = f"did you mean {similar}?" if similar else f"use some of {', '.join(KEYS)}"
        return f"{file}: unknown key {key}; {remedy}"
    if not isinstance(value, str) or not value:
        return f'{file}: {key} must be a nonempty string; write {key} = "…"'
    return ""
