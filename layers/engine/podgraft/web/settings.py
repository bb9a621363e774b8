"""The function's environment, read once: impossible values stop it, all faults at once.

==================  =========  ===============================================
variable            default    value
==================  =========  ===============================================
``PODGRAFT_STORE``  none       ``file:<folder>``
``PODGRAFT_AUTH``   ``token``  ``token``, ``mtls``; ``none`` for local use only
==================  =========  ===============================================
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_PREFIX = "PODGRAFT_"
_STORE, _AUTH = "PODGRAFT_STORE", "PODGRAFT_AUTH"


class Auth(StrEnum):
    """How callers prove which cluster they are."""

    TOKEN = "token"  # noqa: S105  a word of the settings
    MTLS = "mtls"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the environment says."""

    folder: Path
    auth: Auth = Auth.TOKEN


class SettingsError(ValueError):
    """The environment is impossible; ``faults`` names every variable that is."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("environment: " + "; ".join(faults))
        self.faults = faults


def read(environment: Mapping[str, str]) -> Settings:
    """Read every variable that begins with ``PODGRAFT_``; raises ``SettingsError``."""
    faults = [
        f"{name}: is unknown; known: {_STORE}, {_AUTH}"
        for name in sorted(environment)
        if name.startswith(_PREFIX) and name not in {_STORE, _AUTH}
    ]
    folder = _folder(environment.get(_STORE, ""), faults)
    auth = _auth(environment.get(_AUTH, Auth.TOKEN), faults)
    if faults or folder is None or auth is None:
        raise SettingsError(tuple(faults))
    return Settings(folder=folder, auth=auth)


def _folder(value: str, faults: list[str]) -> Path | None:
    scheme, _, path = value.partition(":")
    if scheme != "file" or not path:
        faults.append(f"{_STORE}: got {value!r}; use file:<folder>")
        return None
    if not Path(path).is_dir():
        faults.append(f"{_STORE}: {path} is no folder")
    return Path(path)


def _auth(value: str, faults: list[str]) -> Auth | None:
    if value in set(Auth):
        return Auth(value)
    faults.append(f"{_AUTH}: got {value!r}; use {', '.join(Auth)}")
    return None
