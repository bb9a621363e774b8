#!/usr/bin/env python3
"""Parameters that samconfig.toml sets for a stage, for ``make deploy``."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

CONFIG = Path(__file__).parents[1] / "samconfig.toml"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the parameters of the configuration environment that is named."""
    [stage] = sys.argv[1:] if argv is None else argv
    parameters = tomllib.loads(CONFIG.read_text())[stage]["deploy"]["parameters"]
    sys.stdout.write(f"{parameters['parameter_overrides']}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
