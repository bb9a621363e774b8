"""What operators and kube-apiserver do with a deployed stack."""

import base64
import json
import shutil
import sys
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import jsonpatch

from e2e.aws.cloud import ROOT, Answer, Stack

SAMPLE = ROOT / "samples" / "istio"
EVENT = ROOT / "tests" / "support" / "events" / "wire" / "01-deployment-pod.json"
# RefreshSeconds is 1; the rest is for a machine that does other things too.
PATIENCE_SECONDS = 20


def podgraft(stack: Stack, *arguments: str) -> str:
    """Run ``podgraft policy``; its output."""
    return stack.cloud.run(sys.executable, "-m", "podgraft", "policy", *arguments)


def local(policy: Path) -> str:
    """The folder of a policy, with the sample bundle if it has none."""
    assert policy.name == "policy.yaml"
    if not policy.with_name("bundle").exists():
        shutil.copytree(SAMPLE / "bundle", policy.with_name("bundle"))
    return str(policy.parent)


def remote(stack: Stack, injector: str = "istio") -> tuple[str, ...]:
    """The options that name an injector of a stack."""
    return ("--injector", injector, "--config", f"stack:{stack.name}")


def issue(stack: Stack, cluster: str, file: Path, *options: str) -> str:
    """A new token for a cluster of a stack."""
    command = (
        *(sys.executable, "-m", "podgraft", "tokens", "issue"),
        *("--config", f"stack:{stack.name}"),
    )
    stack.cloud.run(*command, "--cluster", cluster, "--output", str(file), *options)
    return file.read_text().strip()


def send_review(
    stack: Stack,
    token: str,
    cluster: str = "e2e",
    injector: str = "istio",
    edit: Callable[[dict[str, Any]], object] = lambda _: None,
    stage: str = "",
) -> Answer:
    """A pod's creation, as kube-apiserver sends it; *edit* changes the request.

    *stage* is that of a private API, with its slash.
    """
    body: dict[str, Any] = json.loads(EVENT.read_text())["request"]["body"]
    edit(body["request"])
    return stack.call(
        "POST",
        f"{stage}/{injector}/inject/cluster/{cluster}?timeout=10s",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}"},
    )


def containers(answer: Answer) -> list[str]:
    """The names of all containers of the patched pod."""
    pod = json.loads(EVENT.read_text())["request"]["body"]["request"]["object"]
    patch = answer.body["response"].get("patch")
    patched: Any = jsonpatch.apply_patch(pod, json.loads(base64.b64decode(patch)) if patch else [])
    spec = patched["spec"]
    return [each["name"] for key in ("initContainers", "containers") for each in spec.get(key, [])]


def await_injection(stack: Stack, token: str, cluster: str = "e2e", *, injected: bool) -> None:
    """Send reviews until the pod is injected, or is not.

    An environment that the watch has used may not know a new token before its next refresh.
    """
    await_status(stack, token, HTTPStatus.OK, cluster)
    ends = monotonic() + PATIENCE_SECONDS
    while ("istio-proxy" in containers(send_review(stack, token, cluster))) is not injected:
        assert monotonic() < ends, f"injected is not {injected} after {PATIENCE_SECONDS} s"


def await_status(
    stack: Stack, token: str, status: int, cluster: str = "e2e", injector: str = "istio"
) -> None:
    """Send reviews until one has a status: on a busy machine, a start can exceed its deadline."""
    ends = monotonic() + PATIENCE_SECONDS
    while (answer := send_review(stack, token, cluster, injector)).status != status:
        assert monotonic() < ends, f"{answer.status} {answer.body}, not {status}"
        Event().wait(0.2)  # many requests with an unknown token would be throttled


def await_warning(stack: Stack, token: str) -> list[str]:
    """Send reviews until one has warnings."""
    ends = monotonic() + PATIENCE_SECONDS
    while True:
        warnings = send_review(stack, token).body["response"].get("warnings", [])
        if warnings:
            return warnings
        assert monotonic() < ends, f"no warning after {PATIENCE_SECONDS} s"


def watch(stack: Stack, check: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Invoke the watch as its schedule does; its log line and its metrics."""
    client = stack.cloud.client("lambda")
    names = [each["FunctionName"] for each in client.list_functions()["Functions"]]
    [name] = [each for each in names if each.startswith(f"{stack.name}-Watch-")]
    payload = json.dumps({"check": check}).encode()
    response = client.invoke(FunctionName=name, Payload=payload)
    assert "FunctionError" not in response, response["Payload"].read()
    logs = stack.cloud.client("logs")
    events = logs.filter_log_events(logGroupName=stack.outputs["WatchLogGroup"])["events"]
    lines = [json.loads(each["message"]) for each in events if each["message"].startswith("{")]
    event = {"reviews": "synthetic_reviews", "clusters": "registered_clusters"}[check]
    at = max(number for number, line in enumerate(lines) if line.get("message") == event)
    return lines[at], lines[at + 1]
