"""What Kubernetes' own Go code answered; tests/oracle/kube tells how it was recorded."""

import json
from pathlib import Path
from typing import Any


def load_fixture(name: str) -> list[dict[str, Any]]:
    """The rows of a fixture; its first line names the releases."""
    path = Path(__file__).parent / "fixtures" / f"{name}.jsonl"
    with path.open(encoding="utf-8") as lines:
        next(lines)
        return [json.loads(line) for line in lines]
