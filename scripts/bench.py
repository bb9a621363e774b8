#!/usr/bin/env python3
"""Run ``podgraft bench``; the options are the same."""

import sys

from podgraft.cli import main

if __name__ == "__main__":
    sys.exit(main(["bench", *sys.argv[1:]]))
