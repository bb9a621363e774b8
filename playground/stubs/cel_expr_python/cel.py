"""The part of ``cel_expr_python.cel`` that podgraft calls, answered from a table.

The table maps the SHA-256 of an environment to expressions, and each expression to its checked form
(base64 of the serialized proto) and the name of its type.
"""

import json
from base64 import b64decode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from podgraft_playground.unsupported import UnsupportedError

TABLE = Path(__file__).with_name("checked.json")


@dataclass(frozen=True, slots=True)
class _Type:
    """The type of an expression."""

    text: str

    def name(self) -> str:
        """Its name."""
        return self.text


@dataclass(frozen=True, slots=True)
class _Expression:
    """A checked expression."""

    serialized: str
    type: str

    def serialize(self) -> bytes:
        """Its proto."""
        return b64decode(self.serialized)

    def return_type(self) -> _Type:
        """The type of its value."""
        return _Type(self.type)


@dataclass(frozen=True, slots=True)
class _Environment:
    """The expressions that the build checked in one environment."""

    expressions: dict[str, list[str]]

    def compile(self, text: str) -> _Expression:
        """The checked form of *text*; raises ``UnsupportedError`` for a text without one."""
        checked = self.expressions.get(text)
        if checked is None:
            raise UnsupportedError("CEL expression", text)
        return _Expression(*checked)


@cache
def _read_table() -> dict[str, dict[str, list[str]]]:
    return json.loads(TABLE.read_text())


def NewEnvConfigFromYaml(text: str) -> str:  # noqa: N802 - the original's name
    """The key of an environment in the table."""
    return sha256(text.encode()).hexdigest()


def NewEnv(*, config: str) -> _Environment:  # noqa: N802 - the original's name
    """An environment by its key; one that is not in the table has no expressions."""
    return _Environment(_read_table().get(config, {}))
