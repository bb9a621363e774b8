"""``kubectl get --raw``: one GET request to the API server of a context.

``podgraft fleet`` also writes; its messages contain no token, which kubectl and the API server
repeat with the URL of a webhook.
"""

import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, NotJSONError, Object, names_at, objects_at, string_at
from podgraft.cli.client_config import redact_tokens
from podgraft.cli.failure import CommandError

from . import api_errors
from .api_errors import ApiError, ExpiredError

PAGE_SIZE = 500  # the page size of kubectl
# A million objects. Kubernetes supports 150,000 pods.
MAX_PAGES = 2000


class ApiReader(Protocol):
    """Reads objects of the Kubernetes API."""

    @property
    def name(self) -> str:
        """What messages call the cluster."""
        ...

    def get(self, path: str, **query: str) -> Object:
        """Return the object at a path; raises ``ApiError``."""
        ...

    def create_dry_run(self, path: str, manifest: Object) -> Object:
        """Return the object that a creation would store; raises ``ApiError``."""
        ...

    def find_namespace(self) -> str:
        """Return the namespace of the context."""
        ...

    def read_config(self) -> Object:
        """Return the part of the kubeconfig that the context uses, without secrets."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KubectlReader:
    """Reads from the cluster of a context, as kubectl does with the same options."""

    context: str | None = None
    kubeconfig: Path | None = None
    timeout_seconds: int = 30
    program: str = "kubectl"
    _config: list[Object] = field(default_factory=list[Object], repr=False, compare=False)

    def get(self, path: str, **query: str) -> Object:
        """Return the object at a path; raises ``ApiError``."""
        uri = f"{path}?{urlencode(query)}" if query else path
        words = ("get", "--raw", self._find_base_path() + uri)
        return parse_object(f"GET {path}", self.run(*words, request=f"GET {uri}"), self.name)

    def create_dry_run(self, path: str, manifest: Object) -> Object:
        """Return the object that a creation would store; raises ``ApiError``."""
        words = ("create", "--raw", f"{self._find_base_path()}{path}?dryRun=All", "--filename=-")
        request = f"POST {path}"
        return parse_object(
            request, self.run(*words, request=request, manifest=manifest), self.name
        )

    def find_namespace(self) -> str:
        """Return the namespace of the context; ``default`` if it sets none."""
        config = self._read_config()
        name: JSON = self.context or config.get("current-context")
        for entry in objects_at(config, "contexts"):
            if entry.get("name") == name:
                return string_at(entry, "context", "namespace") or "default"
        return "default"

    def list_contexts(self) -> list[str]:
        """Return the names of all contexts."""
        return names_at(self._read_config(), "contexts")

    def read_config(self) -> Object:
        """Return the kubeconfig of the context; empty if kubectl cannot read it."""
        if not self._config:
            try:
                self._config.append(self._read_config("--minify"))
            except ApiError:  # the next request fails, too, and says why
                return {}
        return self._config[0]

    def _find_base_path(self) -> str:
        """Return the path in the URL of the server, such as Rancher's; --raw ignores it."""
        return urlsplit(find_server(self.read_config())).path.rstrip("/")

    def _read_config(self, *options: str) -> Object:
        words = ("config", "view", *options, "--output=json")
        return parse_object("kubectl config view", self.run(*words), self.name)

    @property
    def name(self) -> str:
        """The context, as messages name it."""
        return f"context {self.context}" if self.context else "the current context"

    def run(self, *arguments: str, request: str = "", manifest: Object | None = None) -> bytes:
        """Return the standard output of kubectl; raises ``ApiError`` if it fails.

        It gets *manifest* as standard input, because a command line is visible to others. An error
        names *request*, by default the command of kubectl.
        """
        program = shutil.which(self.program)
        if program is None:
            raise CommandError(
                "kubectl: not found in PATH; install kubectl (https://kubernetes.io/docs/tasks/tools/)"
                " or use -f with files"
            )
        options = [
            f"--request-timeout={self.timeout_seconds}s",
            *((f"--kubeconfig={self.kubeconfig}",) if self.kubeconfig else ()),
            *((f"--context={self.context}",) if self.context else ()),
        ]
        # kubectl and its plugins prompt on a terminal only: a pipe can be the input of inject -f -.
        content = None if manifest is None else jsonvalue.dump(manifest).encode()
        is_open = content is not None or (sys.stdin is not None and sys.stdin.isatty())
        result = subprocess.run(  # noqa: S603 — no shell, and the program is kubectl
            [program, *arguments, *options],
            stdin=None if is_open else subprocess.DEVNULL,
            input=content,
            capture_output=True,
            check=False,
        )
        if result.returncode:
            text = redact_tokens(result.stderr.decode("utf-8", "replace"))
            command = " ".join(["kubectl", *itertools.takewhile(str.isalpha, arguments)])
            raise api_errors.parse_error(text, self.name, request or command)
        return result.stdout


def parse_object(request: str, output: bytes, server: str) -> Object:
    """Return the object that a request returned; raises ``ApiError`` for anything else."""
    try:
        value = jsonvalue.load(output)
    except NotJSONError as error:
        problem = f"expected JSON, got {error}"
    else:
        if isinstance(value, dict):
            return value
        problem = f"expected an object, got {jsonvalue.describe_type(value)}"
    raise ApiError(f"{request}: {problem}; check the server of {server}")


def read_items(reader: ApiReader, path: str, **query: str) -> Iterator[Object]:
    """Yield the items of a list, page by page.

    The items of a list have neither kind nor apiVersion; those of the list are added. If a list
    expires between two pages, the rest is read again without pages. Raises ``ApiError`` for a list
    that does not end.
    """
    uids: set[str] = set()
    token = ""
    for _ in range(MAX_PAGES):
        page = query | {"limit": str(PAGE_SIZE)} | ({"continue": token} if token else {})
        try:
            document = reader.get(path, **page)
        except ExpiredError:
            if not token:
                raise
            document = reader.get(path, **query)
        yield from _new_items(document, uids)
        token = string_at(document, "metadata", "continue")
        if not token:
            return
    raise ApiError(
        f"GET {path}: the list has more than {MAX_PAGES} pages; check the server of {reader.name}"
    )


def _new_items(document: Object, uids: set[str]) -> Iterator[Object]:
    type_fields: Object = {
        "apiVersion": document.get("apiVersion"),
        "kind": string_at(document, "kind").removesuffix("List"),
    }
    for item in objects_at(document, "items"):
        uid = string_at(item, "metadata", "uid")
        if not uid or uid not in uids:
            uids.add(uid)
            yield type_fields | item


def find_server(config: Object) -> str:
    """Return the URL of the server of a kubeconfig with one cluster; empty without one."""
    clusters = objects_at(config, "clusters")
    return string_at(clusters[0], "cluster", "server") if clusters else ""
