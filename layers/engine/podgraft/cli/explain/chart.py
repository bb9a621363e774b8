"""A decision trace as a flow chart in SVG: the executed path is bold, the rest is faint.

The steps are in a column. An exit to the right shows the result of a step, and an arrow leads to
the next step. The chart has about forty shapes, so it needs no drawing library.
"""

from collections.abc import Iterator
from html import escape

from podgraft.base.trace import TraceStep

from .decision_trace import DecisionTrace, Verdict, describe_conclusion

# Pixels.
_MARGIN, _WIDTH, _HEIGHT, _GAP, _EXIT = 24, 420, 52, 26, 300
_STAGE_HEIGHT = 34
_CHARACTERS = 58  # of the small face, that fit into _WIDTH

_STYLE = """
text{font:14px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}
.small{font-size:12px;fill:#59636e}.strong{font-weight:600}
.step{fill:#fff;stroke:#d1d9e0}.taken{stroke:#1f2328;stroke-width:1.6}
.faint{opacity:.38}.line{stroke:#d1d9e0;fill:none}.line.taken{stroke:#1f2328;stroke-width:2}
.injects{fill:#dafbe1;stroke:#1a7f37}.stops{fill:#ffebe9;stroke:#cf222e}
@media(prefers-color-scheme:dark){
text{fill:#f0f6fc}.small{fill:#9198a1}.step{fill:#151b23;stroke:#3d444d}
.taken,.line.taken{stroke:#f0f6fc}.line{stroke:#3d444d}
.injects{fill:#12261e;stroke:#3fb950}.stops{fill:#25171c;stroke:#f85149}}
"""


def render_chart(trace: DecisionTrace) -> str:
    """Render the trace as a standalone SVG document."""
    body: list[str] = []
    top = _MARGIN + 28
    for stage in trace.stages:
        body.append(_draw_text(_MARGIN, top + 20, stage.name, "small strong"))
        top += _STAGE_HEIGHT
        for step in stage.steps:
            body.extend(_draw_step(step, top))
            top += _HEIGHT + _GAP
    rows = trace.sidecar_rows
    body.extend(_draw_end(trace, rows, top))
    height = top + _HEIGHT + _MARGIN + 22 * len(rows)
    return _svg_document(trace, body, height)


_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
    'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>'
)


def _svg_document(trace: DecisionTrace, body: list[str], height: int) -> str:
    width = 2 * _MARGIN + _WIDTH + _EXIT
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(f'{trace.subject}: {describe_conclusion(trace)}')}</title>",
        f"<style>{_STYLE}</style>",
        _ARROW,
        _draw_text(_MARGIN, _MARGIN + 12, trace.subject, "strong"),
        *body,
        "</svg>\n",
    )
    return "\n".join(parts)


def _draw_step(step: TraceStep, top: int) -> Iterator[str]:
    """One box with its exits; it is faint if the object did not reach it."""
    css_class = " taken" if step.reached else ""
    yield f'<g class="{"" if step.reached else "faint"}">'
    yield _draw_box(_MARGIN, top, _WIDTH, f"step{css_class}")
    yield _draw_text(_MARGIN + 14, top + 21, step.name, "strong")
    yield _draw_text(_MARGIN + 14, top + 40, step.observed, "small")
    if step.outcome == "passes" or not step.is_deciding:
        yield _draw_arrow(top, css_class)
    if step.outcome != "passes":
        yield from _draw_exit(step, top, " taken" if step.is_deciding else "")
    yield "</g>"


# By outcome: the word of the exit, and its style.
_EXITS = {
    "passes": ("passes", "step"),
    "injects": ("injects", "injects"),
    "changes": ("changes", "injects"),
    "stops": ("does not inject", "stops"),
    "denies": ("denies", "stops"),
    "fails": ("fails", "stops"),
}


def _draw_exit(step: TraceStep, top: int, css_class: str) -> Iterator[str]:
    left, middle = _MARGIN + _WIDTH, top + _HEIGHT // 2
    yield f'<path class="line{css_class}" d="M{left} {middle}h36" marker-end="url(#arrow)"/>'
    word, style = _EXITS[step.outcome]
    yield _draw_box(left + 36, top, _EXIT - 36, style)
    yield _draw_text(left + 50, top + 21, word, "strong")
    yield _draw_text(left + 50, top + 40, step.reason, "small", _EXIT - 60)


def _draw_end(trace: DecisionTrace, rows: list[tuple[str, str]], top: int) -> Iterator[str]:
    """Draw the last box: the containers of the pod after all steps."""
    changes = trace.verdict in {Verdict.INJECTED, Verdict.CHANGED}
    colour = "injects" if changes else "stops"
    yield _draw_box(_MARGIN, top, _WIDTH + _EXIT, f"{colour} taken", _HEIGHT + 22 * len(rows))
    yield _draw_text(_MARGIN + 14, top + 31, describe_conclusion(trace), "strong", _WIDTH + _EXIT)
    for index, (name, value) in enumerate(rows):
        yield _draw_text(_MARGIN + 14, top + 56 + 22 * index, f"{name}: {value}", "small", 720)


def _draw_arrow(top: int, css_class: str) -> str:
    x, bottom = _MARGIN + 40, top + _HEIGHT
    path = f"M{x} {bottom}v{_GAP - 2}"
    return f'<path class="line{css_class}" d="{path}" marker-end="url(#arrow)"/>'


def _draw_box(x: int, y: int, width: int, style: str, height: int = _HEIGHT) -> str:
    return f'<rect class="{style}" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>'


def _draw_text(x: int, y: int, words: str, style: str, width: int = _WIDTH) -> str:
    limit = _CHARACTERS * width // _WIDTH
    visible = words if len(words) <= limit else words[: limit - 1] + "…"
    return f'<text class="{style}" x="{x}" y="{y}">{escape(visible)}</text>'
