"""The extras of the Python package, and the commands that install them."""

import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from podgraft.cli.assets import PACKAGED
from podgraft.cli.failure import CommandError

# The extra of each module that only some commands import; pyproject.toml names the packages.
EXTRAS: Final[Mapping[str, str]] = {
    "boto3": "aws",
    "botocore": "aws",
    "cel_expr_python": "rules",
    "flask": "serve",
    "gunicorn": "serve",
    "prometheus_client": "serve",
    "re2": "rules",
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
    package = f"podgraft[{names}]" if names else "podgraft"
    if _is_pipx():
        return f"run: pipx install --force '{package}'"
    return f"run: {sys.executable} -m pip install '{package}'"


def _find_installed_extras() -> set[str]:
    """The extras of which all modules exist."""
    missing = {extra for module, extra in EXTRAS.items() if find_spec(module) is None}
    return set(EXTRAS.values()) - missing


def _is_pipx() -> bool:
    """Whether pipx installed podgraft: its environments contain a file of metadata."""
    return (Path(sys.prefix) / "pipx_metadata.json").is_file()
