"""Types and names of objects on the command line."""

import pytest

from podgraft.cli.failure import CommandError
from podgraft.cli.live.resources import parse_targets

TARGETS = (
    ("pod/web-1", "/api/v1/namespaces/shop/pods", "web-1"),
    ("po web-1", "/api/v1/namespaces/shop/pods", "web-1"),
    ("deployment.apps/web", "/apis/apps/v1/namespaces/shop/deployments", "web"),
    ("deploy web", "/apis/apps/v1/namespaces/shop/deployments", "web"),
    ("CronJob/web", "/apis/batch/v1/namespaces/shop/cronjobs", "web"),
    ("pods", "/api/v1/namespaces/shop/pods", ""),
)


@pytest.mark.parametrize(("words", "path", "name"), TARGETS)
def test_targets(words: str, path: str, name: str) -> None:
    (target,) = parse_targets(words.split())
    assert (target.resource.list_path("shop"), target.name) == (path, name)


def test_several_targets() -> None:
    assert [each.name for each in parse_targets(["pod", "a", "b"])] == ["a", "b"]
    assert [each.resource.kind for each in parse_targets(["pod/a", "sts/b"])] == [
        "Pod",
        "StatefulSet",
    ]
    assert parse_targets([]) == []


ERRORS = (
    ("secret/a", "secret: unknown type; write TYPE/NAME, such as pod/a, with one of"),
    ("pods,jobs", "pods,jobs: unknown type; use one of the types pod, "),
    ("pod/a/b", "pod/a/b: expected TYPE/NAME; use pod/web-1 or deployment/web"),
    ("pod/", "pod/: expected TYPE/NAME"),
    ("pod/a web", "web: expected TYPE/NAME"),
)


@pytest.mark.parametrize(("words", "message"), ERRORS)
def test_errors(words: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        parse_targets(words.split())
