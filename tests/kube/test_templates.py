"""What Go's text/template shows of Kubernetes' types, ours must show."""

from operator import itemgetter
from typing import Any

from kube.go_fixtures import load_fixture
from podgraft import kube
from podgraft.golang import texttemplate
from podgraft.golang.reflect import pointer_to
from support.corpus import assert_corpus


def test_templates_see_objects_as_go_shows_them() -> None:
    assert_corpus(
        load_fixture("templates"),
        name=itemgetter("template"),
        expected=lambda row: ("error", row["error"]) if "error" in row else ("text", row["want"]),
        actual=render,
    )


def render(row: dict[str, Any]) -> tuple[str, str]:
    program = texttemplate.compile_(row["template"], name="t", functions={})
    data = pointer_to(kube.TYPES[row["type"]]).convert(row["object"])
    try:
        return "text", program.render(data)
    except texttemplate.ExecError as error:
        return "error", str(error)
