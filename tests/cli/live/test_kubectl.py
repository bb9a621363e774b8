"""One GET request by kubectl: arguments, pages, and errors."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.cli.failure import CommandError
from podgraft.cli.live import kubectl
from podgraft.cli.live.api_errors import (
    ApiError,
    ExpiredError,
    ForbiddenError,
    NotFoundError,
    parse_error,
)
from podgraft.cli.live.kubectl import KubectlReader, read_items
from support.programs import write_shell_program

ROLE = "bind the ClusterRole podgraft-reader to this user (docs/explain.md)"

ERRORS = (
    (
        'Error from server (Forbidden): secrets is forbidden: User "a" cannot list resource\n',
        ForbiddenError,
        f'context c: secrets is forbidden: User "a" cannot list resource; {ROLE}',
    ),
    (
        'Error from server (Forbidden): pods is forbidden: User "a" cannot at the cluster scope',
        ForbiddenError,
        f"use -n NAMESPACE, or {ROLE}",
    ),
    (
        'Warning: x\nError from server (NotFound): pods "a" not found',
        NotFoundError,
        'context c: pods "a" not found; check the name, -n, and --context',
    ),
    (
        "Error from server (Expired): The provided continue parameter is too old",
        ExpiredError,
        "context c: The provided continue parameter is too old; run the command again",
    ),
    (
        "error: You must be logged in to the server (Unauthorized)",
        ApiError,
        "context c: the API server rejects the credentials; log in again",
    ),
    (
        "Please enter Username: error: EOF\n",
        ApiError,
        "context c: GET /p: Please enter Username: error: EOF; correct this",
    ),
    ("error: EOF\n", ApiError, "the kubeconfig has no credentials; add a user"),
    ('error: context "x" does not exist', ApiError, "--context x: not found"),
    ("error: stat /a/b: no such file or directory", ApiError, "--kubeconfig /a/b: not"),
    (
        'error: error loading config file "/k": yaml: line 1: did not find',
        ApiError,
        "/k: yaml: line 1: did not find; correct the kubeconfig",
    ),
    (
        "The connection to the server localhost:8080 was refused - did you specify the right host",
        ApiError,
        "kubeconfig: no cluster is configured; set KUBECONFIG, or use --kubeconfig",
    ),
    (
        "The connection to the server a:1 was refused - did you specify the right host or port?",
        ApiError,
        "context c: cannot reach the API server: a:1 was refused; check the server",
    ),
    (
        "Unable to connect to the server: dial tcp: lookup a: no such host",
        ApiError,
        "context c: cannot reach the API server: dial tcp: lookup a: no such host; check",
    ),
    (
        "Unable to connect to the server: getting credentials: exec: executable aws not found",
        ApiError,
        "context c: no credentials: exec: executable aws not found; correct the user",
    ),
    (
        'Apply failed with 1 conflict: conflict with "argocd": .a\nPlease review\nSee https://x',
        ApiError,
        "context c: fields of this object belong to argocd; remove them there, or use --force",
    ),
    (
        'Apply failed with 3 conflicts: conflicts with "argocd":\n- .a\nconflicts with "edit":\n',
        ApiError,
        "context c: fields of this object belong to argocd, edit; remove",
    ),
    (
        "error: Operation cannot be fulfilled on a: the object has been modified\nPlease review",
        ApiError,
        "context c: another command changes the same object; run the command again",
    ),
    ("", ApiError, "context c: GET /p: kubectl failed without a message; correct this"),
)


@pytest.mark.parametrize(("text", "kind", "message"), ERRORS, ids=lambda value: str(value)[:40])
def test_errors_have_place_problem_and_remedy(
    text: str, kind: type[ApiError], message: str
) -> None:
    error = parse_error(text, "context c", "GET /p")
    assert type(error) is kind
    assert message in str(error)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kubectl that prints its arguments as JSON."""
    file = tmp_path / "kubectl"
    write_shell_program(file, 'printf \'{"items": [{"metadata": {"name": "%s"}}]}\' "$*"')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return file


@pytest.mark.usefixtures("program")
def test_the_only_request_is_get_raw() -> None:
    reader = KubectlReader(context="prod", kubeconfig=Path("/k"), timeout_seconds=7)
    value: Any = reader.get("/api/v1/pods", labelSelector="app=web")
    assert value["items"][0]["metadata"]["name"] == (
        "get --raw /api/v1/pods?labelSelector=app%3Dweb --request-timeout=7s "
        "--kubeconfig=/k --context=prod"
    )


def test_the_path_of_the_server_is_part_of_the_request(program: Path) -> None:
    """Rancher's API server has one, and --raw replaces it."""
    server = '{"clusters": [{"cluster": {"server": "https://a.example/k8s/clusters/c-1/"}}]}'
    other = """printf '{"path": "%s"}' $3"""
    write_shell_program(program, f"case $1 in config) echo '{server}';; *) {other};; esac")
    reader = KubectlReader()
    for _ in range(2):
        assert reader.get("/api", a="b") == {"path": "/k8s/clusters/c-1/api?a=b"}
    created = reader.create_dry_run("/api", {})
    assert created == {"path": "/k8s/clusters/c-1/api?dryRun=All"}


def test_a_missing_kubectl_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CommandError, match="kubectl: not found in PATH; install kubectl"):
        KubectlReader().get("/api")


FAILED_REQUESTS: tuple[tuple[Callable[[KubectlReader], object], str], ...] = (
    (lambda reader: reader.get("/api", a="b"), "GET /api?a=b"),
    (lambda reader: reader.create_dry_run("/api", {}), "POST /api"),
    (lambda reader: reader.list_contexts(), "kubectl config view"),
    (lambda reader: reader.run("apply", "--filename=-", manifest={}), "kubectl apply"),
    (lambda reader: reader.run("delete", "--wait=false", "a", "b"), "kubectl delete"),
)


@pytest.mark.parametrize(
    ("send", "request_name"), FAILED_REQUESTS, ids=[name for _, name in FAILED_REQUESTS]
)
@pytest.mark.parametrize(
    ("context", "name"), [(None, "the current context"), ("prod", "context prod")]
)
def test_an_error_names_the_context_and_the_request(
    program: Path,
    send: Callable[[KubectlReader], object],
    request_name: str,
    context: str | None,
    name: str,
) -> None:
    write_shell_program(program, "echo 'error: broken' >&2; exit 1")
    with pytest.raises(ApiError) as caught:
        send(KubectlReader(context=context))
    expected = f"{name}: {request_name}: broken; correct this, and run the command again"
    assert str(caught.value) == expected


@pytest.mark.parametrize("output", ["[]", "no JSON"])
def test_another_response_is_an_error(program: Path, output: str) -> None:
    write_shell_program(program, f"echo '{output}'")
    with pytest.raises(ApiError, match=r"GET /api: expected .*check the server of"):
        KubectlReader().get("/api")


NAMESPACES = (
    ("a", "shop"),
    ("b", "default"),  # sets none
    ("absent", "default"),
    (None, "shop"),
)


@pytest.mark.parametrize(("context", "expected"), NAMESPACES)
def test_the_namespace_is_that_of_the_context(
    context: str | None, expected: str, program: Path
) -> None:
    contexts: Any = [{"name": "a", "context": {"namespace": "shop"}}, {"name": "b", "context": {}}]
    config = json.dumps({"current-context": "a", "contexts": contexts})
    write_shell_program(program, f"echo '{config}'")
    assert KubectlReader(context=context).find_namespace() == expected


@dataclass(slots=True)
class Pages:
    """A list of five items in pages of two; it can expire after the first page."""

    expires: bool = False

    def get(self, path: str, **query: str) -> Any:
        """Return a page."""
        del path
        start = int(query.get("continue", "0"))
        if start and self.expires:
            raise ExpiredError("too old")
        end = start + 2 if "limit" in query else 5
        items = [{"metadata": {"uid": str(number)}} for number in range(5)][start:end]
        metadata = {"continue": str(end)} if end < 5 else {}
        return {"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items}

    def create_dry_run(self, path: str, manifest: Object) -> Object:
        """Return nothing: no list needs it."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """What messages call the cluster."""
        return "the cluster of the test"

    def find_namespace(self) -> str:
        """Return the namespace of the context."""
        return ""

    def read_config(self) -> Object:
        """Return nothing: no list needs it."""
        return {}


@pytest.mark.parametrize("expires", [False, True])
def test_lists_are_read_in_pages(expires: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that expires between two pages is complete too, without duplicates."""
    monkeypatch.setattr(kubectl, "PAGE_SIZE", 2)
    items: Any = [*read_items(Pages(expires), "/api/v1/pods")]
    assert [item["metadata"]["uid"] for item in items] == list("01234")
    assert {(item["kind"], item["apiVersion"]) for item in items} == {("Pod", "v1")}


@dataclass(slots=True)
class EndlessPages(Pages):
    """A list of which each page names another one."""

    requests: int = 0

    def get(self, path: str, **query: str) -> Any:
        """Return a page without an item."""
        del path, query
        self.requests += 1
        return {"kind": "PodList", "metadata": {"continue": str(self.requests)}, "items": []}


def test_a_list_that_does_not_end_is_an_error() -> None:
    pages = EndlessPages()
    with pytest.raises(ApiError, match="GET /api/v1/pods: the list has more than 2000 pages"):
        list(read_items(pages, "/api/v1/pods"))
    assert pages.requests == kubectl.MAX_PAGES
