"""Tables that stand as JSON beside the module that reads them."""

import os
from typing import Any

import msgspec


def read_table(module: str, name: str) -> Any:
    """The JSON value in the file *name* beside a module, whose ``__file__`` is *module*."""
    # pathlib imports urllib, which a cold start does not need.
    path = os.path.join(os.path.dirname(module), name)  # noqa: PTH118, PTH120
    with open(path, "rb") as file:  # noqa: PTH123
        return msgspec.json.decode(file.read())
