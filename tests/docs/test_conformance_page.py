"""docs/conformance.md: the table of README's claim, as tools/istio_conformance.py writes it."""

from __future__ import annotations

import re
from pathlib import Path

import istio_conformance
from istio_conformance import Row
from podgraft.core.injectors.istio import releases

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/conformance.md").read_text(encoding="utf-8")
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
RUNS = re.compile(r"^\| (\S+) \|.* ([0-9,]+) of ([0-9,]+) \|$", re.MULTILINE)


def _table() -> dict[str, tuple[int, int]]:
    return {
        release: (int(matching.replace(",", "")), int(total.replace(",", "")))
        for release, matching, total in RUNS.findall(PAGE)
    }


def test_every_run_of_the_table_matches() -> None:
    table = _table()
    runs = [row for release, row in table.items() if release != "all"]

    assert all(matching == total > 0 for matching, total in runs)
    assert table["all"] == (sum(row[0] for row in runs), sum(row[1] for row in runs))


def test_the_table_has_the_first_and_the_last_patch_of_every_minor() -> None:
    named = [release for release in _table() if release not in ("all", releases.HEAD)]
    expected = [
        f"1.{minor}.{patch}"
        for minor, latest in releases.LATEST.items()
        for patch in sorted({0, latest})
        if minor < releases.NEWEST
    ]

    assert [release.partition("-")[0] for release in named] == expected
    assert releases.HEAD in _table()


def test_the_claim_of_the_readme_is_the_table() -> None:
    named = [release for release in _table() if release not in ("all", releases.HEAD)]

    assert f"golden tests of {len(named)} Istio releases, 1.0 to {named[-1]}" in README


def test_the_script_replaces_only_the_table() -> None:
    rows = [
        Row("1.9.0", "kube-inject", frozenset({"a", "b"}), 2, ()),
        Row("1.9.0", "webhook", frozenset({"a"}), 1, ("1.9.0-webhook-a: differs",)),
        Row("1.9.0", "patch", frozenset(), 0, ()),
    ]
    page = istio_conformance.replace_table(PAGE, rows)

    assert "| 1.9.0 | 2 of 3 |\n| all | 2 of 3 |" in page
    assert page.partition("<!-- table -->")[0] == PAGE.partition("<!-- table -->")[0]
    assert page.partition("<!-- end of table -->")[2] == PAGE.partition("<!-- end of table -->")[2]
    assert istio_conformance.replace_table(page, rows) == page
