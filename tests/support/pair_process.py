"""A process that answers reviews: ``python pair_process.py FOLDER fresh|used [DEFECT]``.

Its input is one review a line, and its output is the result of each: the status, the body, and the
log line. The process loads the configuration of all injectors first. Mode ``used`` answers all
reviews in this process. Mode ``fresh`` forks for each review, so the process that answers it has
answered none before. ``DEFECT`` is a cache that forgets an input, to prove that the law finds it.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from msgspec.structs import replace
from werkzeug.test import Client

from podgraft.core.bundle import privilege_check
from podgraft.core.injectors.istio.render import rendering
from podgraft.core.review import REVIEWS
from podgraft.core.review.results import ReviewResponse
from podgraft.kube import patch
from podgraft.kube.privileges.additions import CONTAINER_LISTS
from podgraft.service.http import create_app
from podgraft.service.store.folder import FolderCallers, FolderStore

Review = dict[str, Any]
# These fields of the log line are durations.
_TIMES = ("milliseconds", "candidate_milliseconds")


class Server:
    """The application over a folder store with loaded injectors."""

    def __init__(self, folder: Path) -> None:
        self._records: list[Mapping[str, Any]] = []
        # With these pauses, the files are read once.
        store = FolderStore(folder, seconds=1e9)
        callers = FolderCallers(folder, seconds=1e9)
        app = create_app(store, callers, request_log=self._records.append)
        self._client = Client(app)
        for name in store.injectors():
            store.snapshot(name, None)
        self._load_modules()

    def _load_modules(self) -> None:
        """Send a request that is denied, so that the libraries are loaded."""
        self._client.post("/inject", data=b"{}")
        self._records.clear()

    def respond(self, review: Review) -> str:
        """Return the result of a review as one line of JSON."""
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {review['token']}",
        }
        # A review with little time left uses no candidate, and a busy machine takes long.
        path = f"{review['path']}?timeout=600s"
        response = self._client.post(path, data=review["body"], headers=headers)
        record = {key: each for key, each in self._records.pop().items() if key not in _TIMES}
        return json.dumps([response.status_code, response.text, record], sort_keys=True)


def respond_in_child(server: Server, review: Review) -> str:
    """Return the result of a review by a copy of this process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writer, "wb") as output:
                output.write(server.respond(review).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as source:
        text = source.read().decode()
    os.waitpid(child, 0)
    return text


def _store_verdicts(fields: Sequence[str]) -> None:
    """Check only one pod of those with the same patch, and the same *fields* of the spec."""
    check = privilege_check.check_privileges
    valid: dict[str, Any] = {}

    def check_once(bundle: Any, before: Any, after: Any, trace: Any = None) -> None:
        inputs = [before["spec"].get(field) for field in fields]
        key = repr((patch.diff(before, after), inputs))
        if valid.get(key) is not bundle.allows:
            check(bundle, before, after, trace)
            valid[key] = bundle.allows

    privilege_check.check_privileges = check_once


def _forget_origin() -> None:
    """The result of a template is used for each pod with the same texts."""

    def forget(_data: object, _fields: object) -> None:
        return None

    rendering.find_origin = forget


def _forget_token_volumes() -> None:
    """The result of a review is used for each pod without its generated texts."""
    inject = REVIEWS["inject"]
    results: dict[str, Any] = {}

    def inject_once(context: Any, store: Any) -> Any:
        request = context.request
        pod = {**request.object, "metadata": {**request.object["metadata"], "managedFields": None}}
        volumes = [
            each
            for each in pod["spec"].get("volumes", ())
            if not each["name"].startswith("kube-api-access-")
        ]
        pod["spec"] = {**pod["spec"], "volumes": volumes}
        parts = (context.injector, context.cluster, context.url_path, request.namespace, pod)
        key = json.dumps(parts)
        result = results.setdefault(key, inject(context, store))
        if not isinstance(result, ReviewResponse):
            return result
        response = replace(result.response, uid=request.uid)
        return replace(result, response=response, record=replace(result.record, uid=request.uid))

    REVIEWS["inject"] = inject_once  # type: ignore[index]


DEFECTS: Mapping[str, Callable[[], None]] = {
    "own containers": lambda: _store_verdicts(("volumes", "securityContext")),
    "own volumes": lambda: _store_verdicts((*CONTAINER_LISTS, "securityContext")),
    "origin": _forget_origin,
    "token volumes": _forget_token_volumes,
}


def main(folder: str, mode: str, defect: str = "") -> None:
    """Answer the reviews of standard input."""
    if defect:
        DEFECTS[defect]()
    server = Server(Path(folder))
    gc.collect()
    gc.freeze()
    source: BinaryIO = sys.stdin.buffer
    for line in source:
        review = json.loads(line)
        answer = server.respond(review) if mode == "used" else respond_in_child(server, review)
        sys.stdout.write(f"{answer}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
