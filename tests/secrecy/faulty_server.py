"""``podgraft serve`` that stumbles as mistakes.py says; it takes the command's own options."""

import sys

import pytest

from podgraft.cli import main
from secrecy import failures

if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patched:
        failures.install_failures(patched)
        sys.exit(main(["serve", *sys.argv[1:]]))
