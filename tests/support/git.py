"""Tests that need git, or the repository itself, are skipped without them."""

import shutil
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


def require_git() -> None:
    """Skip the test without git."""
    if shutil.which("git") is None:
        pytest.skip("the program git is not installed")


def require_clone() -> None:
    """Skip the test without git, and in a source archive."""
    require_git()
    if not (_ROOT / ".git").exists():
        pytest.skip("this folder is no clone")
