"""The extras of the Python package, and the commands that install them."""

import json
import shlex
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from podgraft.cli.assets import PACKAGED, find_assets
from podgraft.cli.failure import CommandError

# The extra of each module that only some commands import; pyproject.toml names the packages.
EXTRAS: Final[Mapping[str, str]] = {
    "boto3": "aws",
    "botocore": "aws",
    "flask": "serve",
    "gunicorn": "serve",
    "prometheus_client": "serve",
    "re2": "rules",
    "tzdata": "rules",
}


def check_modules(command: str, modules: Iterable[str]) -> None:
    """Raise ``CommandError`` if a module that *command* needs later is missing."""
    for module in modules:
        if find_spec(module) is None:
            raise make_missing_package_error(command, ModuleNotFoundError(name=module))


def make_missing_package_error(command: str, error: ModuleNotFoundError) -> CommandError:
    """Return the error for a package that only some commands import; a bug is raised again."""
    module = (error.name or "").partition(".")[0]
    if module in {"", "podgraft"}:
        raise error
    return CommandError(f"{command}: the Python package {module} is missing; {_remedy(module)}")


def _remedy(module: str) -> str:
    if not PACKAGED.is_dir():
        return "run make setup, or install it with pip"
    extra = EXTRAS.get(module)
    # --force replaces the environment, so the command names all extras.
    names = ",".join(sorted({*_find_installed_extras(), *([extra] if extra else [])}))
    package = find_requirement(f"[{names}]" if names else "")
    if _is_pipx():
        return f"run: {shlex.join(['pipx', 'install', '--force', package])}"
    return f"run: {shlex.join([sys.executable, '-m', 'pip', 'install', package])}"


def find_requirement(extra: str = "") -> str:
    """What pip installs to get this version: the path or commit of its source, or its name.

    The metadata of an installation that is not from an index contains its source (PEP 610).
    """
    if not PACKAGED.is_dir():
        return f"{find_assets()}{extra}"
    text = None
    with suppress(PackageNotFoundError):
        text = distribution("podgraft").read_text("direct_url.json")
    match json.loads(text or "{}"):
        case {"url": str(url), "vcs_info": {"vcs": str(system), "commit_id": str(commit)}}:
            return f"podgraft{extra} @ {system}+{url}@{commit}"
        case {"url": str(url)} if url.startswith("file:"):
            return f"{unquote(urlsplit(url).path)}{extra}"
        case _:
            return f"podgraft{extra}"


def _find_installed_extras() -> set[str]:
    """The extras of which all modules exist."""
    missing = {extra for module, extra in EXTRAS.items() if find_spec(module) is None}
    return set(EXTRAS.values()) - missing


def _is_pipx() -> bool:
    """Whether pipx installed podgraft: its environments contain a file of metadata."""
    return (Path(sys.prefix) / "pipx_metadata.json").is_file()
