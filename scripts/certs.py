#!/usr/bin/env python3
"""Run ``podgraft certs``; the options are the same."""

import sys

from podgraft.cli import main

if __name__ == "__main__":
    sys.exit(main(["certs", *sys.argv[1:]]))
