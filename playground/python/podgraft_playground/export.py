"""The input as a zip archive of a folder, and as a shell command."""

import io
import shlex
import zipfile
from base64 import b64encode

from podgraft.jsonvalue import Object

from .workspace import Input

_TIME = (1980, 1, 1, 0, 0, 0)


def make_archive(given: Input) -> Object:
    """The zip archive in base64; ``explain.sh`` in it prints what the page shows."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**given.texts, "explain.sh": _script(given)}.items():
            member = zipfile.ZipInfo(f"playground/{name}", _TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, text.encode(errors="replace"))
    return {"zip": b64encode(content.getvalue()).decode()}


def _script(given: Input) -> str:
    return (
        f'#!/bin/sh\ncd "$(dirname "$0")" || exit\npodgraft explain {shlex.join(given.arguments)}\n'
    )
