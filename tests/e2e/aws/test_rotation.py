"""The function that rotates tokens, deployed: a token goes from the registry to the secret."""

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from time import time
from typing import Any

from e2e.aws.cloud import Cloud, Stack, Stage, deploy_stack
from e2e.aws.operator import (
    PATIENCE_SECONDS,
    await_injection,
    issue,
    local,
    podgraft,
    remote,
    send_review,
)
from podgraft.service.store.caller_document import identify_token

STAGE = Stage("default", "podgraft-rotation")
SECRET = f"{STAGE.name}/tokens/e2e"
BOUND_SECONDS = 1 + 2  # RefreshSeconds, and the read of the registry


def test_a_due_token_is_replaced_in_the_secret(cloud: Cloud, build: Path, tmp_path: Path) -> None:
    with deploy_stack(cloud, build, STAGE, "TokenRotationDays=60", "LogRetentionDays=14") as stack:
        policy = tmp_path / "policy.yaml"
        policy.write_text("policy: enabled\n")
        podgraft(stack, "push", local(policy), *remote(stack))
        token = issue(stack, "e2e", tmp_path / "token", "--expires", "20d")  # so it is due
        issue(stack, "other", tmp_path / "other", "--expires", "20d")
        secrets = cloud.client("secretsmanager")
        secrets.create_secret(Name=SECRET, SecretString=token)
        assert "podgraft fleet adopt" in rotate(stack)["errorMessage"]
        for words in (("adopt",), ("adopt", "--finish")):
            cloud.run(
                sys.executable, "-m", "podgraft", "fleet", *words, "--config", f"stack:{stack.name}"
            )
        assert rotate(stack) == {}
        assert rotate(stack) == {}  # the function may not have read the registry
        assert read(secrets) == token
        set_refresh_seconds(stack, "-60")
        assert rotate(stack) == {}
        new = read(secrets)
        assert new != token
        for each in (new, token):  # until the log confirms that the old one is silent
            await_injection(stack, each, injected=True)
        assert rotate(stack) == {}
        lines = read_lines(stack)
        steps = [(each["cluster"], each["progress"]) for each in lines]
        assert steps == [("e2e", step) for step in ("issued", "waiting", "delivered", "waiting")]
        assert not [each for each in (token, new) if each in json.dumps(lines)]
        assert measure_revocation(stack, token) <= BOUND_SECONDS
        await_injection(stack, new, injected=True)
        secrets.delete_secret(SecretId=SECRET, ForceDeleteWithoutRecovery=True)


def measure_revocation(stack: Stack, token: str) -> float:
    """Revoke a token; the seconds from the write of the registry to the last accepted review."""
    command = ("tokens", "revoke", "--cluster", "e2e", identify_token(token))
    words = (sys.executable, "-m", "podgraft", *command, "--config", f"stack:{stack.name}")
    accepted: list[float] = []
    with ThreadPoolExecutor(1) as pool:
        revocation = pool.submit(stack.cloud.run, *words)
        ends = time() + PATIENCE_SECONDS
        while (sent := time()) < ends:
            is_done = revocation.done()
            if send_review(stack, token).status != HTTPStatus.UNAUTHORIZED:
                accepted.append(sent)
            elif is_done:
                ends = min(ends, sent + BOUND_SECONDS)
        revocation.result()
    pointer = stack.cloud.client("ssm").get_parameter(Name=f"/{stack.name}/callers")["Parameter"]
    return max(accepted) - pointer["LastModifiedDate"].timestamp()


def find_rotation(stack: Stack) -> str:
    names = [
        each["FunctionName"] for each in stack.cloud.client("lambda").list_functions()["Functions"]
    ]
    [name] = [each for each in names if each.startswith(f"{stack.name}-Rotation-")]
    return name


def rotate(stack: Stack) -> Mapping[str, Any]:
    """Invoke the function as its schedule does; its error."""
    client = stack.cloud.client("lambda")
    response = client.invoke(FunctionName=find_rotation(stack), Payload=b"{}")
    return json.loads(response["Payload"].read() or b"null") or {}


def set_refresh_seconds(stack: Stack, seconds: str) -> None:
    """Shorten the time between issue and delivery."""
    client, name = stack.cloud.client("lambda"), find_rotation(stack)
    found = client.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
    changed = {**found, "PODGRAFT_ROTATION_REFRESH_SECONDS": seconds}
    client.update_function_configuration(FunctionName=name, Environment={"Variables": changed})


def read(secrets: Any) -> str:
    return str(secrets.get_secret_value(SecretId=SECRET)["SecretString"])


def read_lines(stack: Stack) -> list[dict[str, Any]]:
    logs = stack.cloud.client("logs")
    groups = [each["logGroupName"] for each in logs.describe_log_groups()["logGroups"]]
    [group] = [each for each in groups if "RotationLogs" in each]
    events = logs.filter_log_events(logGroupName=group)["events"]
    lines = (json.loads(each["message"]) for each in events if each["message"].startswith("{"))
    return [each for each in lines if each.get("message") == "token_rotation"]
