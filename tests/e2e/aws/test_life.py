"""The life of a stack, through the alias: what a deployment reports is what answers requests.

ministack has no CodeDeploy, and publishes a version that equals the last one. So a refused
deployment is what its rollback leaves: the alias at the earlier version, and a newer version.
``check_versions`` is the rule of Lambda.
"""

import base64
import json
import shutil
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from e2e.aws.cloud import Cloud, Stack, Stage, deploy, deploy_stack, read_stack
from e2e.aws.operator import await_injection, await_status, issue, local, podgraft, remote

STAGE = Stage("default", "podgraft-life")
# What Lambda compares with the last version.
COMPARED = (
    *("Architectures", "CodeSha256", "Environment", "Layers", "MemorySize", "Runtime"),
    *("SnapStart", "Timeout", "TracingConfig"),
)
# The base point of P-256 as a public key: no policy of these tests has a signature of it.
SIGNER = base64.b64encode(
    bytes.fromhex(
        "3059301306072a8648ce3d020106082a8648ce3d030107034200046b17d1f2e12c4247f8bce6e563a440f2"
        "77037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb640"
        "6837bf51f5"
    )
).decode()
# Parameters that change nothing which a response shows.
QUIET = ("RefreshSeconds=2", "ClusterMetrics=false", "MemorySize=1769")


@pytest.fixture(autouse=True)
def _no_parameters(cloud: Cloud) -> Generator[None]:
    """Delete what the deletion of a stack leaves: policies and tokens."""
    yield
    client = cloud.client("ssm")
    pages = client.get_paginator("get_parameters_by_path").paginate(
        Path=f"/{STAGE.name}", Recursive=True
    )
    for name in [each["Name"] for page in pages for each in page["Parameters"]]:
        client.delete_parameter(Name=name)


@pytest.fixture
def life(cloud: Cloud, build: Path, tmp_path: Path) -> Generator[tuple[Stack, str]]:
    """A new stack with a policy, and a token."""
    with deploy_stack(cloud, build, STAGE) as stack:
        yield stack, fill(stack, tmp_path)


def fill(stack: Stack, folder: Path) -> str:
    """Push a policy to a new stack; a token."""
    policy = folder / "policy.yaml"
    policy.write_text("policy: enabled\n")
    podgraft(stack, "push", local(policy), *remote(stack))
    token = issue(stack, "e2e", folder / "token")
    await_injection(stack, token, injected=True)
    return token


def change_engine(build: Path, copied: Path, answer: str) -> Path:
    """A build of another engine, with another answer to ``/ping``."""
    shutil.copytree(build, copied)
    source = copied / "EngineLayer" / "python" / "podgraft" / "service" / "http" / "app.py"
    source.write_text(source.read_text().replace('"pong"', f'"{answer}"'))
    for compiled in source.parent.glob("__pycache__/app.*"):
        compiled.unlink()
    return copied


def update(stack: Stack, build: Path, *overrides: str) -> Stack:
    """Deploy over a stack that runs, as ``sam deploy`` does; its new version answers requests."""
    before = read_versions(stack)
    done = deploy(stack.cloud, build, STAGE, *overrides)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    updated = read_stack(stack.cloud, STAGE)
    check_versions(updated)
    assert len(read_versions(updated)) == len(before) + 1
    return updated


def check_versions(stack: Stack) -> None:
    """The newest version is live, and Lambda publishes each: it differs from the one before."""
    versions = read_versions(stack)
    assert read_live(stack)["Version"] == versions[-1]["Version"]
    assert stack.outputs["FunctionVersion"] == versions[-1]["Version"]
    compared = [json.dumps([each.get(key) for key in COMPARED]) for each in versions]
    for earlier, later in pairwise(compared):
        assert earlier != later


def find_function(stack: Stack) -> str:
    return stack.outputs["FunctionAlias"].rpartition(":")[0]


def read_versions(stack: Stack) -> list[dict[str, Any]]:
    """The published versions, the oldest first."""
    client = stack.cloud.client("lambda")
    versions = client.list_versions_by_function(FunctionName=find_function(stack))["Versions"]
    published = (each for each in versions if each["Version"] != "$LATEST")
    return sorted(published, key=lambda each: int(each["Version"]))


def read_live(stack: Stack) -> dict[str, Any]:
    """The configuration of the version that answers requests."""
    client = stack.cloud.client("lambda")
    return client.get_function_configuration(FunctionName=find_function(stack), Qualifier="live")


def read_variables(stack: Stack) -> dict[str, str]:
    return read_live(stack)["Environment"]["Variables"]


def point_alias(stack: Stack, version: str) -> None:
    """Point the alias at a version, as an operator does, and CodeDeploy at a refused deployment."""
    client = stack.cloud.client("lambda")
    client.update_alias(FunctionName=find_function(stack), Name="live", FunctionVersion=version)


def ping(stack: Stack) -> bytes:
    answer = stack.call("GET", "/ping")
    assert answer.status == 200
    return answer.body


def find_attempt(stack: Stack) -> list[str]:
    """The parameter that ``make deploy`` adds; its stage has the name of this stack."""
    code = (
        "import sys; sys.path.insert(0, 'scripts'); import botocore.session as b, "
        "deployment_attempt as d; s = b.get_session(); "
        "print(d.find_attempt(s.create_client('cloudformation'), s.create_client('lambda'), "
        f"{stack.name!r}) or '')"
    )
    printed = stack.cloud.run(stack.cloud.tools.program("sam", "python"), "-c", code).strip()
    return [f"Attempt={printed}"] if printed else []


def test_updates_of_a_stack_are_in_force(
    life: tuple[Stack, str], build: Path, tmp_path: Path
) -> None:
    """A new engine and each kind of parameter; the same deployment again changes nothing."""
    stack, token = life
    check_versions(stack)
    assert ping(stack) == b"pong"

    engine = change_engine(build, tmp_path / "engine", "a new engine")
    stack = update(stack, engine)
    assert ping(stack) == b"a new engine"
    await_status(stack, token, 200)

    before = read_versions(stack)
    done = deploy(stack.cloud, engine, STAGE)
    assert done.returncode == 0, done.stderr
    assert read_versions(stack) == before

    # An unsigned policy must not load any more: the deployment said so.
    signed = ("RequireSignature=true", f"SignerPublicKey={SIGNER}")
    stack = update(stack, engine, *signed)
    await_status(stack, token, 503)
    stack = update(stack, engine, "RequireSignature=false")
    await_status(stack, token, 200)

    stack = update(stack, engine, *QUIET)
    variables = read_variables(stack)
    assert variables["PODGRAFT_REFRESH_SECONDS"] == "2"
    assert variables["PODGRAFT_CLUSTER_METRICS"] == "false"
    assert read_live(stack)["MemorySize"] == 1769
    await_status(stack, token, 200)

    # ministack forgets that a list is empty, so no prefix of parameters: its rule would fail.
    stack = update(stack, engine, "BundlePrefix=other/")
    assert read_variables(stack)["PODGRAFT_BUNDLE_PREFIX"] == "other/"


def test_a_refused_deployment_is_repeated(
    life: tuple[Stack, str], build: Path, tmp_path: Path
) -> None:
    """After a rollback, a deployment that equals the refused one publishes a version.

    The same applies after an operator pointed the alias at an earlier version.
    """
    stack, token = life
    assert find_attempt(stack) == []
    [first] = read_versions(stack)
    engine = change_engine(build, tmp_path / "engine", "refused")
    gradual = ("DeploymentType=AllAtOnce",)
    stack = update(stack, engine, *gradual)
    refused = read_versions(stack)[-1]

    point_alias(stack, first["Version"])
    assert ping(stack) == b"pong"
    await_status(stack, token, 200)
    attempt = find_attempt(stack)
    assert attempt == [f"Attempt={refused['Version']}"]
    stack = update(stack, engine, *gradual, *attempt)
    assert ping(stack) == b"refused"
    assert find_attempt(stack) == []

    point_alias(stack, first["Version"])
    stack = update(stack, engine, *gradual, *attempt, "ExpectedChanges=istio=3f2a9c01d4e5")
    assert ping(stack) == b"refused"


def test_a_stage_is_removed_and_created_again(cloud: Cloud, build: Path, tmp_path: Path) -> None:
    """The tokens and the policy remain, and the bundle is in the first bucket."""
    with deploy_stack(cloud, build, STAGE) as stack:
        token = fill(stack, tmp_path)
        first = stack.outputs["BundleBucket"]
    names = [each["logGroupName"] for each in read_log_groups(cloud)]
    assert not [name for name in names if STAGE.name in name]
    with deploy_stack(cloud, build, STAGE) as stack:
        check_versions(stack)
        assert stack.outputs["BundleBucket"] != first
        podgraft(stack, "push", local(tmp_path / "policy.yaml"), *remote(stack))
        await_injection(stack, token, injected=True)


def read_log_groups(cloud: Cloud) -> list[dict[str, Any]]:
    return cloud.client("logs").describe_log_groups()["logGroups"]
