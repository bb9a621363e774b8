"""The report of all clusters as one HTML file, without scripts and other files."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape

from .clusters import COLUMNS, ClusterStatus, State

# Light and dark, by the setting of the reader. A state is a word too, not only a color.
_STYLE = """
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1b1f; --line: #8a8a94;
  --ok: #1a6b2f; --warning: #8a4b00; --fails: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181d; --text: #e6e6ea; --line: #7d7f89;
    --ok: #7bd88f; --warning: #ffb454; --fails: #ff8a80; }
}
body { background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
  margin: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
caption { text-align: left; padding: 0.5rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem; text-align: left;
  vertical-align: top; white-space: nowrap; }
.ok { color: var(--ok); }
.warning { color: var(--warning); font-weight: 600; }
.fails { color: var(--fails); font-weight: 600; }
"""


def render_page(statuses: Sequence[ClusterStatus], now: datetime) -> str:
    """Return the page: the counts, a table with a row for each cluster, and all problems."""
    counts = Counter(each.state for each in statuses)
    words = ", ".join(f"{counts[state]} {state}" for state in State)
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in COLUMNS)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Clusters of podgraft</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>Clusters of podgraft</h1>\n<p>{words}. {now:%Y-%m-%d %H:%M} UTC.</p>\n"
        '<div class="scroll" role="region" aria-label="Clusters" tabindex="0">\n'
        "<table>\n<caption>State of each cluster</caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(map(_render_row, statuses))}</tbody>\n"
        f"</table>\n</div>\n{''.join(_render_problems(statuses))}</main>\n</body>\n</html>\n"
    )


def _render_row(status: ClusterStatus) -> str:
    first, *others = map(escape, status.cells())
    cells = "".join(
        f'<td class="{cell}">{cell}</td>' if cell == status.state else f"<td>{cell}</td>"
        for cell in others
    )
    return f'<tr><th scope="row">{first}</th>{cells}</tr>\n'


def _render_problems(statuses: Sequence[ClusterStatus]) -> Iterator[str]:
    for status in statuses:
        items = "".join(f"<li>{escape(each)}</li>\n" for each in status.find_problems())
        if items:
            yield f"<h2>{escape(status.context)}</h2>\n<ul>\n{items}</ul>\n"
