"""``podgraft serve`` that stumbles as mistakes.py says: its own arguments are those of the command."""

import sys

from podgraft import admission
from podgraft.cli import main
from podgraft.store import DirectoryStore
from secrecy import mistakes

if __name__ == "__main__":
    admission.decode = mistakes.decode
    DirectoryStore.injectors = mistakes.injectors
    sys.exit(main(["serve", *sys.argv[1:]]))
