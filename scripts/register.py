#!/usr/bin/env python3
"""Run ``podgraft register``; the options are the same."""

import sys

from podgraft.cli import main

if __name__ == "__main__":
    sys.exit(main(["register", *sys.argv[1:]]))
