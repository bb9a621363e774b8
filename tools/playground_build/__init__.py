"""The parts of ``build_playground.py``."""

import sys
from pathlib import Path

# For the programs that build the layers: build_layer.py and make_archives.py.
sys.path.insert(0, str(Path(__file__).parents[2] / "layers"))
