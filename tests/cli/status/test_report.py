"""The lines of the status report count pods in correct English."""

import pytest

from podgraft.cli import terminal
from podgraft.cli.status.report import _pod_lines  # pyright: ignore[reportPrivateUsage]
from podgraft.cli.status.survey import NamespaceStatus

COUNTS = (
    (["a"], "1 pod without sidecar; restart the workloads:"),
    (["a", "b"], "2 pods without sidecar; restart the workloads:"),
)


@pytest.mark.parametrize(("missing", "line"), COUNTS)
def test_one_pod_is_a_pod(missing: list[str], line: str) -> None:
    namespace = NamespaceStatus("shop", missing=missing)

    assert terminal.unstyle([*_pod_lines([namespace], "missing")][1]) == line
