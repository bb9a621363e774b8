"""Run the measurements: ``PYTHONPATH=tools python -m bench``; ``make bench`` does."""

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
