"""The input as a zip archive of a folder, and as a shell command."""

import io
import shlex
import zipfile
from base64 import b64encode

from podgraft.base.jsonvalue import Object

from .test_case import FILE as TEST_CASE_FILE
from .workspace import Input

_TIME = (1980, 1, 1, 0, 0, 0)


def make_archive(given: Input, test_case: str = "") -> Object:
    """The zip archive in base64; ``explain.sh`` in it prints what the page shows."""
    files = {**given.texts, "explain.sh": _script(given)}
    if test_case:
        files[TEST_CASE_FILE] = test_case
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            member = zipfile.ZipInfo(f"playground/{name}", _TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, text.encode(errors="replace"))
    return {"zip": b64encode(content.getvalue()).decode()}


def _script(given: Input) -> str:
    return (
        f'#!/bin/sh\ncd "$(dirname "$0")" || exit\npodgraft explain {shlex.join(given.arguments)}\n'
    )
