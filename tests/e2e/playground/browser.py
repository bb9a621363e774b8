"""Chromium as the tests drive it: a Node process that answers one JSON request at a time."""

import json
import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

DRIVER = Path(__file__).with_name("driver.mjs")


class BrowserError(AssertionError):
    """An action in the browser failed."""


class Browser:
    """A page in Chromium."""

    def __init__(self, node: str, chromium: str, modules: Path) -> None:
        variables = {"PODGRAFT_E2E_BROWSER": str(modules), "PODGRAFT_E2E_CHROMIUM": chromium}
        self._process = subprocess.Popen(
            [node, str(DRIVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **variables},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def do(self, action: str, **parameters: Any) -> dict[str, Any]:
        """Run an action of the driver; raises ``BrowserError``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"action": action, **parameters}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line or '{"error": "the driver stopped"}')
        if "error" in answer:
            raise BrowserError(f"{action} {parameters.get('selector', '')}: {answer['error']}")
        return answer

    def after(self, action: str, **parameters: Any) -> None:
        """Run an action, and wait for the answer that it leads to."""
        count = self.do("answers")["count"]
        self.do(action, **parameters)
        self.do("settle", after=count)

    def text(self, selector: str) -> str:
        """The text of an element."""
        return self.do("text", selector=selector)["text"]

    def value(self, selector: str) -> str:
        """The value of a field."""
        return self.do("value", selector=selector)["text"]

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        return self.do("evaluate", expression=expression)["value"]
