"""Runs ``podgraft explain`` in a folder, and the test case of a folder (``podgraft-test.yaml``)."""

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podgraft import cli
from podgraft.kube import yaml
from podgraft_playground import engine
from podgraft_playground.workspace import Input, working_directory


@dataclass(frozen=True, slots=True)
class Result:
    """The exit status and the output of a command."""

    status: int
    stdout: str
    stderr: str


def run_explain(folder: Path, arguments: Sequence[str]) -> Result:
    """Run ``podgraft explain`` in a folder."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with working_directory(folder), redirect_stdout(stdout), redirect_stderr(stderr):
        status = cli.main(["explain", *arguments])
    return Result(status, stdout.getvalue(), stderr.getvalue())


def find_differences(folder: Path) -> list[str]:
    """What the command line and the patches of the engine have else than the test case."""
    document: Any = yaml.load((folder / "podgraft-test.yaml").read_text())
    assert (document["apiVersion"], document["kind"]) == ("podgraft.dev/v1", "Test")
    spec = document["spec"]
    expected = spec["expected"]
    result = _explain(folder, spec)
    differences = _compare("exitStatus", result.status, expected["exitStatus"])
    if "objects" not in expected:
        return differences + _compare("errors", result.stderr, expected["errors"])
    answer: Any = json.loads(result.stdout)
    traces: Any = [answer] if isinstance(answer, dict) else answer
    for trace, wanted in zip(traces, expected["objects"], strict=True):
        for key in ("subject", "verdict", "conclusion"):
            differences += _compare(key, trace[key], wanted[key])
        for review, fields in zip(trace["reviews"], wanted["reviews"], strict=True):
            for key in fields.keys() - {"patch"}:
                differences += _compare(key, review[key], fields[key])
    patches = [
        review.get("patch") for wanted in expected["objects"] for review in wanted["reviews"]
    ]
    return differences + _compare("patch", _read_patches(folder, spec), patches)


def _explain(folder: Path, spec: Any) -> Result:
    arguments = ["-f", spec["input"], "--config", "."]
    if "webhookConfig" in spec:
        arguments += ["--webhook-config", spec["webhookConfig"]]
    for name, value in spec.get("options", {}).items():
        arguments += [f"--{name}", value]
    return run_explain(folder, ["--output", "json", *arguments])


def _read_patches(folder: Path, spec: Any) -> list[Any]:
    def read(name: str) -> str:
        return (folder / spec[name]).read_text() if name in spec else ""

    bundle = folder / spec["bundle"]
    files = {
        path.relative_to(bundle).as_posix(): path.read_text()
        for path in bundle.rglob("*")
        if path.is_file()
    }
    given = Input(
        pod=read("input"),
        files=files,
        policy=read("policy"),
        webhooks=read("webhookConfig"),
        options=spec.get("options", {}),
    )
    with working_directory(folder):
        explanation = engine.explain(given, engine.compile_input(given))
    return [call.patch for document in explanation.documents for call in document.calls]


def _compare(key: str, actual: Any, expected: Any) -> list[str]:
    return [] if actual == expected else [f"{key}: expected {expected!r}, got {actual!r}"]
