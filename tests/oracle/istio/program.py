"""Istio's injector as a running program: reviews in, responses out (main.go)."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

import jsonpatch

from podgraft.base.jsonvalue import JSON, Object


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one review: an injected pod, a refusal, or neither for a skipped pod."""

    pod: Object | None = None
    refusal: str | None = None
    is_operators: bool = False  # a refusal that podgraft reports as HTTP 500
    is_panic: bool = False  # a refusal of Istio by a panic


class Istio:
    """The program of one release, in one environment of istiod."""

    def __init__(self, program: Path, environment: Mapping[str, str]) -> None:
        self._command = [program]
        self._environment = {"PATH": os.environ.get("PATH", ""), **environment}
        self._settings: Mapping[str, JSON] = {}
        self._process = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__(None, None, None)

    def load(self, settings: Mapping[str, JSON]) -> str | None:
        """Load settings; return the error of Istio, if it does not accept them."""
        self._settings = settings
        try:
            return self._ask({"settings": {**settings}}).get("error")
        except EOFError:
            self._restart()
            return "panic"

    def review(self, pod: Object, namespace: str, path: str) -> Outcome:
        """The outcome of a review of the pod."""
        try:
            answer = self._ask({"review": make_review(pod, namespace), "path": path})
        except EOFError:
            # In istiod, the HTTP server recovers from a panic, and kube-apiserver gets no response.
            self._restart()
            self.load(self._settings)
            return Outcome(refusal="panic", is_panic=True)
        if answer.get("status") != 200:
            return Outcome(refusal=f"HTTP {answer.get('status')}: {answer.get('body')}")
        response: dict[str, Any] = json.loads(answer["body"])["response"]
        if not response.get("allowed"):
            return Outcome(refusal=response["status"]["message"])
        if response.get("patch") is None:
            return Outcome()
        operations = json.loads(base64.b64decode(response["patch"]))
        return Outcome(pod=apply_patch(pod, operations))

    def time_review(self, review: Mapping[str, JSON], path: str) -> tuple[float, dict[str, Any]]:
        """The seconds of an admission review in the program, and its response."""
        answer = self._ask({"review": {**review}, "path": path})
        if answer.get("status") != HTTPStatus.OK:
            raise ValueError(f"Istio returns HTTP {answer.get('status')}: {answer.get('body')}")
        return answer["nanoseconds"] / 1e9, json.loads(answer["body"])

    def listen(self, certificate: Path, key: Path) -> int:
        """Serve the webhook over TLS on loopback until the program ends; return the port."""
        files: dict[str, JSON] = {"certificate": str(certificate), "key": str(key)}
        answer = self._ask({"listen": files})
        if "error" in answer:
            raise ValueError(f"Istio does not listen: {answer['error']}")
        return answer["port"]

    def profile(self, path: Path | None) -> None:
        """Start the CPU profile of the program, which is written to *path*; ``None`` ends it."""
        answer = self._ask({"profile": str(path or "")})
        if "error" in answer:
            raise ValueError(f"Istio writes no profile: {answer['error']}")

    def kube_inject(self, text: str) -> tuple[str, str | None]:
        """The stream with sidecars, and the error, if there is one."""
        answer = self._ask({"file": text})
        return answer.get("output", ""), answer.get("error")

    def methods(self) -> dict[str, list[str]]:
        """The methods that a template can call, by type of its data."""
        return self._ask({"methods": True})["methods"]

    def normalize(self, pods: Sequence[Object]) -> list[Object]:
        """The pods as Go's type of the release prints them."""
        answer = self._ask({"pods": [*pods]})
        assert "error" not in answer, answer
        return answer["pods"]

    def _restart(self) -> None:
        self._process.__exit__(None, None, None)
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment,
        )

    def _ask(self, question: Mapping[str, JSON]) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(question).encode() + b"\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise EOFError(f"Istio's injector stopped; the question was {question}")
        return json.loads(line)


def make_review(pod: Object, namespace: str) -> Object:
    """An AdmissionReview as kube-apiserver sends it."""
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "1",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "namespace": namespace,
            "operation": "CREATE",
            "object": pod,
        },
    }


def apply_patch(pod: Object, operations: Sequence[Any]) -> Object:
    """The pod after a JSON Patch, by a library that neither side uses to make it."""
    copied = json.loads(json.dumps(pod))  # faster than the deep copy of the library
    return jsonpatch.apply_patch(copied, [*operations], in_place=True)
