"""What of an error may leave the process: no value of the pod but what its author must correct."""

import pytest

from podgraft.core.injectors.errors import InjectionError, OperatorError, UserError, redact
from podgraft.golang import sprig
from podgraft.golang.reflect import Value
from podgraft.golang.texttemplate import ExecError, compile_

WITHHELD = "; to see the cause, run podgraft explain"
DATE, FAIL = '{{ mustToDate "2006" "s3cret" }}', '{{ fail "name a port" }}'
RANGE, FIELD = '{{ range "s3cret" }}{{ end }}', "{{ (1).a }}"

CASES: tuple[tuple[str, type[InjectionError], str, bool], ...] = (
    # Functions quote their arguments
    (DATE, OperatorError, "overlay x", False),
    (DATE, UserError, "/spec/containers/0/env/0/value", False),
    (RANGE, OperatorError, "overlay x", False),
    # podgraft reads annotations, and their author can correct them
    (DATE, UserError, "annotation example.com/date", True),
    (DATE, UserError, "label date", True),
    # The template's author wrote it
    (FAIL, OperatorError, "overlay x", True),
    # No value in it
    (FIELD, OperatorError, "overlay x", True),
)


@pytest.mark.parametrize(("template", "kind", "place", "told"), CASES)
def test_a_reason_is_reported_unless_it_quotes_values(
    template: str, kind: type[InjectionError], place: str, *, told: bool
) -> None:
    cause = failure(template)
    error = kind(f"{place}: it fails: {cause}")
    error.__cause__ = cause
    if told:
        assert redact(error) == str(error)
    else:
        assert cause.reason in str(error)
        assert redact(error) == str(error).replace(f": {cause.reason}", WITHHELD)
        assert "s3cret" not in redact(error).replace(str(cause.expression), "")


def failure(template: str) -> ExecError:
    """What the template fails with."""
    nothing: Value = None
    with pytest.raises(ExecError) as failed:
        compile_(template, name="t", functions=sprig.functions()).render(nothing)
    return failed.value


def test_other_errors_are_reported_completely() -> None:
    assert redact(UserError("the pod has no containerPort")) == "the pod has no containerPort"
    assert redact(ValueError("line 1 column 2: no YAML")) == "line 1 column 2: no YAML"
