"""The report as one HTML file: no scripts, no external files, and every text escaped."""

from collections.abc import Iterator
from html import escape

from .replay import PreviewOutcome
from .report import Group, PreviewReport

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid #8888; padding: .25rem .75rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
code, li { overflow-wrap: anywhere; }
details { border: 1px solid #8888; border-radius: .25rem; margin: .5rem 0; padding: .5rem 1rem; }
"""
_HEADINGS = {
    PreviewOutcome.CHANGED: "Changed",
    PreviewOutcome.FAILED: "Failed",
    PreviewOutcome.UNKNOWN: "Unknown",
}
_EXPLANATIONS = {
    PreviewOutcome.CHANGED: "The candidate has another result. Lines with the same kind are the "
    "same change; values are not shown.",
    PreviewOutcome.FAILED: "The candidate fails, or denies an object that stable allows. During a "
    "rollout, stable responds instead.",
    PreviewOutcome.UNKNOWN: "The result depends on a value that the census did not record.",
}
# Nothing in the file can load or run anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_html(report: PreviewReport) -> str:
    """Return the complete document."""
    return "\n".join(_document(report)) + "\n"


def _document(report: PreviewReport) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>podgraft preview</title><style>{_STYLE}</style></head><body>"
    yield "<h1>Preview of recorded workloads</h1>"
    yield f"<p>{len(report.results)} workloads, {escape(report.period)}.</p>"
    yield f"<p>Stable: <code>{escape(report.stable)}</code><br>"
    yield f"Candidate: <code>{escape(report.candidate)}</code></p>"
    yield from _table(report)
    for outcome, heading in _HEADINGS.items():
        groups = report.groups(outcome)
        if groups:
            yield f"<h2>{heading}</h2><p>{_EXPLANATIONS[outcome]}</p>"
            for group in groups:
                yield from _details(group)
    yield "</body></html>"


def _table(report: PreviewReport) -> Iterator[str]:
    heads = "".join(f"<th>{each}</th>" for each in (report.by, *PreviewOutcome))
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    for name, counts in (*report.rows, ("total", report.counts)):
        cells = "".join(f"<td>{counts[each]}</td>" for each in PreviewOutcome)
        yield f"<tr><td>{escape(name)}</td>{cells}</tr>"
    yield "</tbody></table>"


def _details(group: Group) -> Iterator[str]:
    summary = f"{group.title}: {len(group.results)} workloads ({group.clusters})"
    yield f"<details><summary>{escape(summary)}</summary><ul>"
    yield from (f"<li><code>{escape(line)}</code></li>" for line in group.lines)
    yield "</ul><p>Workloads:</p><ul>"
    yield from (f"<li>{escape(each.record.identity)}</li>" for each in group.results)
    yield "</ul></details>"
