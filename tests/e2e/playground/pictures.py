"""Stored pictures of pages, and their comparison with what the browser shows.

``PODGRAFT_PICTURES=1`` stores the pictures again. Look at each one that changes.
"""

import os
import shutil
import subprocess
from base64 import b64decode, b64encode

import pytest

from .browser import Browser
from .conftest import ROOT

FOLDER = ROOT / "docs" / "images"
DIFFERENT = ROOT / "build" / "pictures"
MAX_SHARE = 0.001  # of the pixels
WIDTHS = {390: 844, 768: 1024, 1280: 900, 1920: 1080}
SCHEMES = ("light", "dark")
_FONTS = {"Inter": "fonts-inter", "JetBrains Mono": "fonts-jetbrains-mono"}


def require_fonts() -> None:
    """Skip the test without the fonts of the stored pictures."""
    if shutil.which("fc-list") is None:
        pytest.skip("fc-list is missing: install fontconfig to compare pictures")
    listed = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True)
    for family, package in _FONTS.items():
        if family not in listed.stdout:
            pytest.skip(f"the font {family} is missing: install {package} to compare pictures")


def compare(page: Browser, name: str) -> None:
    """Fail if the page differs from the stored picture in more than ``MAX_SHARE``."""
    path = FOLDER / f"{name}.webp"
    other = b64encode(path.read_bytes()).decode() if path.exists() else None
    answer = page.do("picture", other=other)
    content = b64decode(answer["webp"])
    if os.environ.get("PODGRAFT_PICTURES"):
        if answer["share"] > MAX_SHARE:
            FOLDER.mkdir(exist_ok=True)
            path.write_bytes(content)
        return
    if answer["share"] > MAX_SHARE:
        DIFFERENT.mkdir(parents=True, exist_ok=True)
        (DIFFERENT / path.name).write_bytes(content)
    assert answer["share"] <= MAX_SHARE, (
        f"{path.name}: {100 * answer['share']:.2f} % of the pixels differ; compare it with "
        f"{DIFFERENT / path.name}, and store it with PODGRAFT_PICTURES=1 if it is correct"
    )
