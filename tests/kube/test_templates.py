"""What Go's text/template shows of Kubernetes' types, ours must show."""

from typing import Any

import pytest

from kube.go_fixtures import load_fixture
from podgraft import kube, texttemplate
from podgraft.go.reflect import pointer_to


@pytest.mark.parametrize("row", load_fixture("templates"), ids=lambda row: row["template"])
def test_templates_see_objects_as_go_shows_them(row: dict[str, Any]) -> None:
    program = texttemplate.compile_(row["template"], name="t", functions={})
    data = pointer_to(kube.TYPES[row["type"]]).convert(row["object"])
    if "error" in row:
        with pytest.raises(texttemplate.ExecError) as caught:
            program.render(data)
        assert str(caught.value) == row["error"]
    else:
        assert program.render(data) == row["want"]
