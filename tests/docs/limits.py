"""The budgets of the pages, in words as ``wc -w`` counts them, without generated references."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"

README: Final = 900
START: Final = 400
PERFORMANCE: Final = 1_200
ALL_PAGES: Final = 38_000
COMMANDS: Final = 7_500
COMMANDS_OF_A_PAGE: Final = 2_500
# A page can exceed its budget by 15 %.
TOLERANCE: Final = 1.15
# The plan's reserve of 3,000 words is in overlays, fleet, security, and the pages of contributors.
# The navigation: its groups and the pages of each. Those of contributors are not in a group.
GROUPS: Final = {
    "Start": {
        "start": 400,
        "concepts": 1_200,
        "from-istio": 2_000,
        "selective-injection": 400,
        "kube-inject": 850,
        "webhook-from-scratch": 650,
        "app-mesh": 300,
    },
    "Change policies": {
        "policies": 1_700,
        "overlays": 1_850,
        "explain": 1_400,
        "testing": 1_100,
        "preview": 1_200,
        "rollouts": 2_000,
        "privileges": 1_300,
    },
    "Operate": {
        "aws": 2_100,
        "in-cluster": 1_700,
        "clusters": 1_500,
        "platforms": 800,
        "certificates": 800,
        "fleet": 1_300,
        "monitoring": 1_700,
        "runbook": 2_000,
    },
    "Reference": {"security": 2_650, "conformance": 1_000, "performance": 1_100},
}
CONTRIBUTORS: Final = {
    "architecture": 2_300,
    "reliability": 1_950,
    "supply-chain": 600,
    "aws-check": 420,
}
USER_PAGES: Final = 25


def count_words(text: str) -> int:
    """The words of a text, as ``wc -w``."""
    return len(text.split())


def is_generated(page: Path) -> bool:
    """Whether a page below docs/ is written from the code alone."""
    name = page.relative_to(DOCS).as_posix()
    return name.startswith(("commands/", "schemas/")) or name in {"parameters.md", "licenses.md"}


def list_pages() -> list[Path]:
    """The pages below docs/ that people write."""
    return [page for page in sorted(DOCS.rglob("*.md")) if not is_generated(page)]
