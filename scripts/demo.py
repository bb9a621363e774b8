#!/usr/bin/env python3
"""Run ``podgraft demo``; the options are the same."""

import sys

from podgraft.cli import main

if __name__ == "__main__":
    sys.exit(main(["demo", *sys.argv[1:]]))
