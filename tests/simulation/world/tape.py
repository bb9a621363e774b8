"""The responses that an environment got before its snapshot, for those restored from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ConnectTimeoutError

from .responses import make_response

_Key = tuple[str, str, object]


class Tape:
    """Records the outcome of each request, and plays it to an equal request."""

    def __init__(self, outcomes: dict[_Key, list[Any]] | None = None) -> None:
        self._plays = outcomes is not None
        self._outcomes = outcomes if outcomes is not None else defaultdict[_Key, list[Any]](list)
        self.is_closed = False

    def close(self) -> None:
        """Record nothing more: the snapshot is taken."""
        self.is_closed = True

    def rewind(self) -> Tape:
        """Return a tape that plays this one from its start."""
        return Tape({key: [*found] for key, found in self._outcomes.items()})

    def answer(self, operation: str, request: Any, send: Callable[[], Any]) -> Any:
        """Return the response to a request, or raise the exception of its client."""
        key = operation, request.url, request.body
        if self._plays:
            return self._play(key, request.url)
        try:
            response = send()
        except Exception as error:
            self._outcomes[key].append(error)
            raise
        if not self.is_closed:
            sent = response.status_code, response.content, dict(response.headers)
            self._outcomes[key].append(sent)
            return make_response(request.url, *sent)
        return response

    def _play(self, key: _Key, url: str) -> Any:
        found = self._outcomes.get(key)
        outcome = found.pop(0) if found else ConnectTimeoutError(endpoint_url=url)
        if isinstance(outcome, Exception):
            raise outcome
        return make_response(url, *outcome)
