"""``podgraft serve`` with short time limits and small bounds; its options are the command's."""

import sys

from podgraft.cli import main
from podgraft.service.serve import connection_loop

connection_loop.HANDSHAKE_SECONDS = 1.0
connection_loop.FIRST_REQUEST_SECONDS = 1.0
connection_loop.HEAD_SECONDS = 1.0
connection_loop.BODY_SECONDS = 1.0
connection_loop.MAX_BODIES_BYTES = 3_000_000

if __name__ == "__main__":
    sys.exit(main(["serve", *sys.argv[1:]]))
