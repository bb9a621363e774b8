"""The lock files: each pins every package of one installation, with hashes of all its wheels.

This module imports only the standard library, because ``make lock`` must work if no lock does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

OLDEST_PYTHON = "3.11"
NEWEST_PYTHON = "3.14"
PLATFORMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28")
DEVELOPMENT = "packaging/requirements/dev.txt"


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file, and the file with the requirements from which uv resolves it.

    Paths are relative to the root of the repository. *extras* are extras of pyproject.toml, and
    *constraint* is a lock of which this one must use the versions.
    """

    path: str
    source: str
    extras: tuple[str, ...] = ()
    constraint: str = ""


# The order matters: a constraint is compiled before the locks that use it.
LOCKS = (
    Lock(DEVELOPMENT, "pyproject.toml", extras=("dev",)),
    Lock(
        "layers/dependencies/requirements.txt",
        "layers/dependencies/requirements.in",
        constraint=DEVELOPMENT,
    ),
    Lock(
        "packaging/requirements/playground.txt",
        "packaging/requirements/playground.in",
        constraint=DEVELOPMENT,
    ),
    Lock(
        "packaging/requirements/serve.txt",
        "pyproject.toml",
        extras=("serve",),
        constraint=DEVELOPMENT,
    ),
    Lock(
        "packaging/requirements/demo.txt", "packaging/requirements/demo.in", constraint=DEVELOPMENT
    ),
    Lock("packaging/requirements/docs.txt", "packaging/requirements/docs.in"),
    Lock("packaging/requirements/lock.txt", "packaging/requirements/lock.in"),
    Lock("packaging/requirements/ministack.txt", "packaging/requirements/ministack.in"),
    Lock("packaging/requirements/sam.txt", "packaging/requirements/sam.in"),
    Lock("packaging/requirements/checkov.txt", "packaging/requirements/checkov.in"),
)


def compile_command(lock: Lock, uv: str, upgrades: Sequence[str] = ()) -> list[str]:
    """The command that writes *lock*; *upgrades* are names of packages, or ``all``.

    uv retains the versions of an existing lock, except those that are upgraded.
    """
    options = [
        "--quiet",
        "--universal",  # one lock for all platforms, with markers
        "--fork-strategy=fewest",  # one version for all releases of Python, if possible
        f"--python-version={OLDEST_PYTHON}",
        "--generate-hashes",
        "--strip-extras",  # the packages of an extra are pins; pip 23 fails on extras with hashes
        "--custom-compile-command=make lock",
        f"--output-file={lock.path}",
    ]
    options += [f"--extra={extra}" for extra in lock.extras]
    if lock.constraint:
        options.append(f"--constraint={lock.constraint}")
    if "all" in upgrades:
        options.append("--upgrade")
    else:
        options += [f"--upgrade-package={name}" for name in upgrades]
    return [uv, "pip", "compile", lock.source, *options]


def check_command(lock: Lock, uv: str, python: str, platform: str) -> list[str]:
    """The command that fails if a package of *lock* has no wheel for a Python and a platform."""
    return [
        *(uv, "pip", "install", "--quiet", "--dry-run", "--require-hashes"),
        "--only-binary=:all:",
        "--target=build/lock",  # instead of an environment; a dry run writes nothing
        f"--python-version={python}",
        f"--python-platform={platform}",
        f"--requirement={lock.path}",
    ]
