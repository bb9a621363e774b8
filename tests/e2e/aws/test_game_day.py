"""The game day: the stack in two local AWSs, and what pods get while one of them has a fault.

DNS follows ``/readyz``, so a pod gets what the stack with 200 decides.
"""

import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from e2e.aws.cloud import REGION, Cloud, Stack, Stage, Tools, deploy_stack, ministack
from e2e.aws.operator import PATIENCE_SECONDS, containers, local, send_review
from e2e.aws.region_router import Router, route

A, B = REGION, "eu-west-1"
STAGE = Stage("default", "podgraft-regions")
HEAD = "apiVersion: podgraft.dev/v1\nkind: Fleet\nmetadata: {name: prod}\n"


@dataclass(frozen=True, slots=True)
class Site:
    """Both stacks by region, and the one name of AWS that commands call."""

    stacks: dict[str, Stack]
    router: Router
    folder: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in both regions."""
        options = ("--config", f"stack:{STAGE.name}", "--regions", f"{A},{B}")
        command = (sys.executable, "-m", "podgraft", *words, *options)
        return self.stacks[A].cloud.attempt(*command, **self.router.environment)

    def push(self, policy: str) -> subprocess.CompletedProcess[str]:
        """Push the sample with another policy."""
        file = self.folder / "policy.yaml"
        file.write_text(policy)
        return self.run("push", local(file), "--injector", "istio")

    def pods(self, name: str = "token") -> list[Any]:
        """What a new pod gets in each region: whether it has a sidecar, or the status."""
        token = (self.folder / name).read_text().strip()
        found: list[Any] = []
        for region in (A, B):
            answer = send_review(self.stacks[region], token)
            found.append(
                "istio-proxy" in containers(answer) if answer.status == 200 else answer.status
            )
        return found

    def ready(self) -> list[int]:
        """The status that DNS follows."""
        return [self.stacks[each].call("GET", "/readyz").status for each in (A, B)]

    def wait(self, pods: list[Any], name: str = "token") -> None:
        """Send reviews until pods get this."""
        ends = monotonic() + PATIENCE_SECONDS
        while (found := self.pods(name)) != pods:
            assert monotonic() < ends, f"{found} instead of {pods}"


@pytest.fixture(scope="module")
def site(
    tools: Tools, cloud: Cloud, build: Path, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Site]:
    folder = tmp_path_factory.mktemp("regions")
    with (
        ministack(tools, folder / "aws", B) as other,
        deploy_stack(cloud, build, STAGE) as first,
        deploy_stack(other, build, STAGE) as second,
        route(cloud, other) as router,
    ):
        made = Site({A: first, B: second}, router, folder)
        (folder / "fleet.yaml").write_text(
            f"{HEAD}spec:\n  url: https://hooks.example.com\n  clusters: {{e2e: {{}}}}\n"
        )
        for done in (
            made.push("policy: enabled\n"),
            made.run("fleet", "adopt"),
            made.run("fleet", "adopt", "--finish"),
            made.run("tokens", "issue", "--cluster", "e2e", "--output", str(folder / "token")),
        ):
            assert done.returncode == 0, done.stderr
        made.wait([True, True])
        yield made


def test_a_split_push_ends_with_the_next_one(site: Site) -> None:
    site.router.throttled.add(B)
    done = site.push("policy: disabled\n")
    assert done.returncode == 1
    assert f"region {B}: parameter" in done.stderr
    assert f"done: {A}; not done: {B}" in done.stderr
    site.wait([False, True])
    site.router.throttled.clear()
    assert site.push("policy: disabled\n").returncode == 0
    site.wait([False, False])
    assert site.push("policy: enabled\n").returncode == 0
    site.wait([True, True])


def test_a_region_that_is_away_gets_no_grant_and_loses_no_pod(site: Site) -> None:
    """Its reviews continue: only commands cannot reach it."""
    site.router.down.add(B)
    assert site.push("policy: disabled\n").returncode == 2
    assert site.run("fleet", "apply", str(site.folder / "fleet.yaml")).returncode == 2
    assert site.pods() == [True, True]
    issued = ("--cluster", "e2e", "--output", str(site.folder / "second"))
    assert site.run("tokens", "rotate", *issued).returncode == 2
    site.router.down.clear()
    assert site.run("tokens", "rotate", *issued).returncode == 0
    site.wait([True, True], "second")
    site.router.down.add(B)
    identity = (site.folder / "second").read_text().split("-")[1]
    assert site.run("tokens", "revoke", "--cluster", "e2e", identity).returncode == 1
    site.router.down.clear()
    site.wait([401, True], "second")
    plan = site.run("fleet", "plan", str(site.folder / "fleet.yaml"))
    assert plan.returncode == 1
    assert f"{B} has other tokens, revoked" in plan.stdout
    assert site.run("fleet", "apply", str(site.folder / "fleet.yaml")).returncode == 0
    site.wait([401, 401], "second")
    assert site.pods() == [True, True]


def test_a_store_that_is_gone_stops_no_pod_and_comes_back_with_a_push(site: Site) -> None:
    s3 = site.stacks[B].cloud.client("s3")
    bucket = site.stacks[B].outputs["BundleBucket"]
    for each in s3.list_objects_v2(Bucket=bucket, Prefix="bundles/")["Contents"]:
        s3.delete_object(Bucket=bucket, Key=each["Key"])
    assert site.pods() == [True, True]
    assert site.push("policy: enabled\n").returncode == 0
    assert s3.list_objects_v2(Bucket=bucket, Prefix="bundles/")["KeyCount"] > 0


def test_a_function_that_fails_is_not_ready_in_its_region_alone(site: Site) -> None:
    """DNS leads all clusters to the other region."""
    client = site.stacks[B].cloud.client("lambda")
    name = site.stacks[B].outputs["FunctionAlias"].rpartition(":")[0]
    assert site.ready() == [200, 200]
    client.delete_function(FunctionName=name)
    ready = site.ready()
    assert ready[0] == 200
    assert ready[1] >= 400
    assert site.pods()[0] is True
