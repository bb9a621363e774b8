"""``podgraft serve`` with the failures of failures.py; it accepts the options of the command."""

import sys

import pytest

from podgraft.cli import main
from secrecy import failures

if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patched:
        failures.install_failures(patched)
        sys.exit(main(["serve", *sys.argv[1:]]))
