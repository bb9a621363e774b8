"""From an empty account to injected pods, a changed policy and back, as operators do it."""

import base64
import json
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import jsonpatch

from e2e.aws.cloud import ROOT, Answer, Stack

SAMPLE = ROOT / "samples" / "istio"
EVENT = ROOT / "tests" / "events" / "wire" / "01-deployment-pod.json"
# RefreshSeconds is 1; the rest is for a machine that does other things too.
PATIENCE_SECONDS = 20


def test_the_whole_way_from_push_to_rollback(stack: Stack, tmp_path: Path) -> None:
    """A pod is injected, is not after a policy change without a deployment, and is again."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    assert "version 1" in _podgraft(stack, "push", *_local(policy), *_remote(stack))
    token = _token(stack, "e2e", tmp_path / "token")

    first = _review(stack, token)
    assert first.status == 200, f"{first.body}\n{stack.logs()}"
    assert "istio-proxy" in _containers(first)

    assert _review(stack, "wrong").status == 401
    assert _review(stack, token, cluster="other").status == 200  # the path is Istio's

    # Not by our own command: whatever changes the parameter changes the decision.
    live = stack.cloud.client("ssm")
    name = "/podgraft/istio/policy"
    text = live.get_parameter(Name=name)["Parameter"]["Value"]
    live.put_parameter(
        Name=name, Value=text.replace("enabled", "disabled"), Type="String", Overwrite=True
    )
    _eventually(stack, token, injected=False)

    # A policy that does not validate is refused, and the one in force stays and says so.
    live.put_parameter(Name=name, Value="policy: [", Type="String", Overwrite=True)
    assert "older configuration" in " ".join(_eventually_warned(stack, token))

    history = _podgraft(stack, "history", *_remote(stack))
    assert [line.split()[0] for line in history.splitlines()] == ["1", "2", "3"]
    assert "version 4" in _podgraft(stack, "rollback", "1", *_remote(stack))
    _eventually(stack, token, injected=True)

    pulled = tmp_path / "pulled"
    _podgraft(stack, "pull", "-o", str(pulled), *_remote(stack))
    assert (pulled / "bundle").is_dir()
    assert "the same already" in _podgraft(
        stack, "diff", "--bundle", str(pulled / "bundle"), "--policy", str(policy), *_remote(stack)
    )


def test_pushing_twice_changes_nothing(stack: Stack, tmp_path: Path) -> None:
    """The second push uploads no file and makes no version."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    where = _remote(stack, "twice")
    _podgraft(stack, "push", *_local(policy), *where)
    again = _podgraft(stack, "push", *_local(policy), *where)
    assert "is in S3 already" in again
    assert "version 1 says the same already" in again


def _podgraft(stack: Stack, *arguments: str) -> str:
    return stack.cloud.run(sys.executable, "-m", "podgraft", "policy", *arguments)


def _local(policy: Path) -> tuple[str, ...]:
    return ("--bundle", str(SAMPLE / "bundle"), "--policy", str(policy))


def _remote(stack: Stack, injector: str = "istio") -> tuple[str, ...]:
    return ("--injector", injector, "--bucket", stack.outputs["BundleBucket"])


def _token(stack: Stack, cluster: str, file: Path) -> str:
    script = str(ROOT / "scripts" / "tokens.py")
    stack.cloud.run(sys.executable, script, "issue", "--cluster", cluster, "--output", str(file))
    return file.read_text().strip()


def _review(stack: Stack, token: str, cluster: str = "e2e") -> Answer:
    body: dict[str, Any] = json.loads(EVENT.read_text())["request"]["body"]
    return stack.call(
        "POST",
        f"/istio/inject/cluster/{cluster}?timeout=10s",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}"},
    )


def _containers(answer: Answer) -> list[str]:
    """The names of all containers of the patched pod."""
    pod = json.loads(EVENT.read_text())["request"]["body"]["request"]["object"]
    patch = answer.body["response"].get("patch")
    patched: Any = jsonpatch.apply_patch(pod, json.loads(base64.b64decode(patch)) if patch else [])
    spec = patched["spec"]
    return [each["name"] for key in ("initContainers", "containers") for each in spec.get(key, [])]


def _eventually(stack: Stack, token: str, *, injected: bool) -> None:
    ends = monotonic() + PATIENCE_SECONDS
    while ("istio-proxy" in _containers(_review(stack, token))) is not injected:
        assert monotonic() < ends, f"injected is not {injected} after {PATIENCE_SECONDS} s"


def _eventually_warned(stack: Stack, token: str) -> list[str]:
    ends = monotonic() + PATIENCE_SECONDS
    while True:
        warnings = _review(stack, token).body["response"].get("warnings", [])
        if warnings:
            return warnings
        assert monotonic() < ends, f"no warning after {PATIENCE_SECONDS} s"
