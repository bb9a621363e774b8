"""The report: text for a terminal, JSON, and JUnit XML."""

from collections.abc import Iterator, Sequence

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import junit, terminal
from podgraft.cli.documents import render_json
from podgraft.cli.endpoint_check.faults import ORDER, Fault
from podgraft.cli.wording import format_count

from .diagnosis import Caused, Diagnosis, State

_FAILURES = (State.FAULT, State.CONSEQUENCE)


def format_text(diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    """Yield for each cluster the faults, what follows from each, and what was not checked."""
    for each in diagnoses:
        cluster = f" (cluster {each.cluster})" if each.cluster else ""
        counts = ", ".join(
            format_count(number, state) if state in _FAILURES else f"{number} {state}"
            for state, number in ((state, each.count(state)) for state in State)
            if number or state is State.OK
        )
        if reason := _find_only_reason(each):
            text = f"{each.context}{cluster}: not checked: {reason}"
            yield terminal.style(text, fg="yellow", bold=True)
            continue
        color = "red" if each.count(State.FAULT) else "green"
        yield terminal.style(f"{each.context}{cluster}: {counts}", fg=color, bold=True)
        for caused in _sort(each.findings):
            indent, suffix = "  ", ""
            if caused.cause is not None:
                indent, suffix = "    ", f", follows from {caused.cause}"
            fault = caused.finding.fault
            yield f"{indent}{fault} {fault.subject}{suffix}: {caused.finding}"
        for state in (State.UNKNOWN, State.SKIPPED):
            yield from _format_notes(each, state)


def _find_only_reason(diagnosis: Diagnosis) -> str:
    """Return why nothing is known of the cluster; empty if a check has another state."""
    states = {diagnosis.state(fault) for fault in ORDER}
    state, reason = states.pop()
    return reason if state is State.UNKNOWN and not states else ""


def _sort(findings: Sequence[Caused]) -> list[Caused]:
    """Return the causes in their order, each before what follows from it."""

    def key(caused: Caused) -> tuple[int, bool, int]:
        fault = caused.finding.fault
        first = caused.cause or fault
        return ORDER.index(first), caused.cause is not None, ORDER.index(fault)

    return sorted(findings, key=key)


def _format_notes(diagnosis: Diagnosis, state: State) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for fault in ORDER:
        own, reason = diagnosis.state(fault)
        if own is state:
            reasons.setdefault(reason, []).append(fault)
    for reason, faults in reasons.items():
        text = f"follows {reason}" if reason in [*Fault] else reason
        yield f"  {state}: {', '.join(faults)} ({text})"


def format_json(diagnoses: Sequence[Diagnosis]) -> str:
    """Return the report with stable keys."""
    return render_json({"clusters": [_encode(each) for each in diagnoses]})


def _encode(diagnosis: Diagnosis) -> JSON:
    return {
        "context": diagnosis.context,
        "cluster": diagnosis.cluster,
        "faults": diagnosis.count(State.FAULT),
        "checks": [_encode_check(diagnosis, fault) for fault in ORDER],
    }


def _encode_check(diagnosis: Diagnosis, fault: Fault) -> JSON:
    state, reason = diagnosis.state(fault)
    findings: list[JSON] = [_encode_finding(each) for each in diagnosis.find(fault)]
    check: Object = {"id": fault, "title": fault.subject, "state": state, "findings": findings}
    return check | ({"reason": reason} if reason else {})


def _encode_finding(caused: Caused) -> JSON:
    finding = caused.finding
    return {
        "place": finding.place,
        "problem": finding.problem,
        "remedy": finding.remedy,
        "cause": caused.cause,
    }


def format_junit(diagnoses: Sequence[Diagnosis]) -> str:
    """Return a suite for each cluster; only a fault is a failure, and not what follows from it."""
    return junit.format_suites([_make_case(each, fault) for fault in ORDER] for each in diagnoses)


def _make_case(diagnosis: Diagnosis, fault: Fault) -> junit.TestCase:
    state, reason = diagnosis.state(fault)
    lines = tuple(str(each.finding) for each in diagnosis.find(fault))
    outcome = {State.OK: "", State.FAULT: "failure"}.get(state, "skipped")
    return junit.TestCase(
        name=f"{fault} {fault.subject}",
        suite=diagnosis.context,
        outcome=outcome,
        message=lines[0] if state is State.FAULT else f"{state}: {reason}",
        lines=lines,
    )
