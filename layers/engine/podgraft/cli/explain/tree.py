"""A decision trace as a tree for the terminal, in color if the terminal supports it."""

from collections.abc import Iterator

from podgraft.base.trace import TraceStep
from podgraft.cli import terminal

from .decision_trace import DecisionTrace, Stage, Verdict, describe_conclusion

# The sign and the color of a step.
_STYLES = {
    "passes": ("·", "white"),
    "injects": ("✓", "green"),
    "changes": ("✓", "green"),
    "stops": ("✗", "red"),
    "denies": ("✗", "red"),
    "fails": ("!", "red"),
}


def render_tree(trace: DecisionTrace) -> str:
    """Render the trace, one line per step; ``◀`` marks the deciding step."""
    return "\n".join(_tree_lines(trace)) + "\n"


def _tree_lines(trace: DecisionTrace) -> Iterator[str]:
    yield terminal.style(trace.subject, bold=True)
    for stage in trace.stages:
        yield f"├─ {terminal.style(stage.name, bold=True)}"
        yield from _stage_lines(stage)
    colour = "green" if trace.verdict in {Verdict.INJECTED, Verdict.CHANGED} else "red"
    yield f"╰─ {terminal.style(describe_conclusion(trace), fg=colour, bold=True)}"
    yield from (f"   {name:<16}{names}" for name, names in trace.sidecar_rows)
    for warning in trace.warnings:
        yield terminal.style(f"   warning: {warning}", fg="yellow")


def _stage_lines(stage: Stage) -> Iterator[str]:
    """The stage's steps; those that the object did not reach are dim."""
    width = max((len(step.name) for step in stage.steps), default=0)
    for index, step in enumerate(stage.steps):
        branch = "╰" if index == len(stage.steps) - 1 else "├"
        yield f"│  {branch}─ {_step_line(step, width)}"


def _step_line(step: TraceStep, width: int) -> str:
    sign, color = _STYLES[step.outcome]
    text = f"{sign} {step.name:<{width}}  {step.observed}"
    if not step.reached:
        return terminal.style(f"{text}  (not reached)", dim=True)
    line = terminal.style(text, fg=color, bold=step.is_deciding)
    if not step.is_deciding:
        return line
    reason = f": {step.reason}" if step.reason not in {"", step.observed} else ""
    return line + terminal.style(f"  ◀ decides{reason}", bold=True)
