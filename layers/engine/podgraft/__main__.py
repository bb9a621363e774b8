"""``python -m podgraft`` is the ``podgraft`` command."""

import sys

from podgraft.cli import main

if __name__ == "__main__":
    sys.exit(main())
