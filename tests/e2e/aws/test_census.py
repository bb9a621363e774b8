"""The census of the deployed function: reviews through HTTPS, records in S3, and a preview."""

import gzip
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from e2e.aws.cloud import Stack
from e2e.aws.operator import SAMPLE, issue, local, podgraft, remote, send_review

INJECTOR = "recorded"
SECRET = "planted-secret-value"
POLICY = "policy: disabled\ncensus: {}\ngroups: {canary: {members: [counted], policy: enabled}}\n"
# A record is written within 50 ms. After a failure on a busy machine, there is none for 30 s.
PATIENCE_SECONDS = 180


@pytest.fixture
def where(stack: Stack) -> Iterator[tuple[str, ...]]:
    """The options of an injector with a census, whose records are deleted at the end."""
    yield remote(stack, INJECTOR)
    podgraft(stack, "census", "purge", "--yes", *remote(stack, INJECTOR))
    podgraft(stack, "census", "off", *remote(stack, INJECTOR))


def make_request(name: str, *, dry_run: bool = False) -> Callable[[dict[str, Any]], None]:
    """An edit of a review: the pod of another Deployment, with a secret."""

    def edit(request: dict[str, Any]) -> None:
        request["dryRun"] = dry_run
        pod = request["object"]
        hash_ = pod["metadata"]["labels"]["pod-template-hash"]
        pod["metadata"]["generateName"] = f"{name}-{hash_}-"
        pod["metadata"]["ownerReferences"][0]["name"] = f"{name}-{hash_}"
        pod["spec"]["containers"][0]["env"] = [{"name": "PASSWORD", "value": SECRET}]

    return edit


def make_candidate(folder: Path) -> Path:
    """A folder with another proxy image."""
    shutil.copytree(SAMPLE / "bundle", folder / "bundle")
    path = folder / "bundle" / "injector.yaml"
    text = path.read_text().replace('"image": "proxyv2"', '"image": "proxyv3"')
    assert text != path.read_text()
    path.write_text(text)
    (folder / "policy.yaml").write_text(POLICY)
    return folder


def read_records(stack: Stack) -> dict[str, str]:
    """All objects in the bucket of the census."""
    s3 = stack.cloud.client("s3")
    bucket = stack.outputs["CensusBucket"]
    keys = [each["Key"] for each in s3.list_objects_v2(Bucket=bucket).get("Contents", [])]
    bodies = (s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys)
    return {key: gzip.decompress(body).decode() for key, body in zip(keys, bodies, strict=True)}


def count_workloads(stack: Stack, where: tuple[str, ...]) -> dict[str, Any]:
    return json.loads(podgraft(stack, "census", "stats", "-o", "json", *where))


def test_reviews_are_recorded_and_previewed(
    stack: Stack, where: tuple[str, ...], tmp_path: Path
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    podgraft(stack, "push", local(policy), *where)
    podgraft(stack, "census", "on", *where)
    token = issue(stack, "counted", tmp_path / "token")

    def review(name: str, *, dry_run: bool = False) -> None:
        edit = make_request(name, dry_run=dry_run)
        answer = send_review(stack, token, "counted", INJECTOR, edit)
        assert answer.status == 200, f"{answer.body}\n{stack.logs()}"
        assert answer.body["response"]["allowed"] is True

    for name in ("web", "cart"):
        ends = monotonic() + PATIENCE_SECONDS
        # A dry run of another workload accompanies each review, also while others are recorded.
        while not any(f"Deployment/{name}" in text for text in read_records(stack).values()):
            review("dry", dry_run=True)
            review(name)
            assert monotonic() < ends, stack.logs()
    review("dry", dry_run=True)
    review("web")

    records = read_records(stack)
    assert {json.loads(text)["workload"] for text in records.values()} == {
        "Deployment/cart",
        "Deployment/web",
    }
    assert {tuple(key.split("/")[:2]) for key in records} == {(INJECTOR, "counted")}
    assert SECRET not in "".join(records.values())
    outcomes = Counter(line.get("census") for line in stack.lines())
    # On a busy machine, S3 can store a record after the function stopped waiting for it.
    assert outcomes["stored"] <= 2 <= outcomes["stored"] + outcomes["dropped"], outcomes

    stats = count_workloads(stack, where)
    assert (stats["records"], stats["workloads"], stats["clusters"]) == (2, 2, {"counted": 2})
    preview = ("preview", str(make_candidate(tmp_path / "next")), *where)
    document = json.loads(podgraft(stack, *preview, "-o", "json"))
    assert document["counts"] == {"same": 0, "changed": 2, "failed": 0, "unknown": 0}
    [kind] = {each["kind"] for each in document["workloads"]}
    of_group = (*preview, "--group", "canary", "--by", "group", "-o", "json")
    [(group, counts)] = json.loads(podgraft(stack, *of_group))["byGroup"].items()
    assert (group, counts["changed"]) == ("canary", 2)
    history = podgraft(stack, "history", *where, "--cluster", "counted")
    assert "counted: policy from group canary\n" in history
    text = podgraft(stack, *preview)
    assert kind in text
    assert "replace spec.initContainers[istio-proxy].image" in text.replace(
        "spec.containers[istio-proxy]", "spec.initContainers[istio-proxy]"
    )
    program = (sys.executable, "-m", "podgraft", "policy")
    assert stack.cloud.attempt(*program, *preview, "--fail-on", "changed").returncode == 3


def test_the_other_stage_records_nothing(prod: Stack) -> None:
    """The census is off by default."""
    assert "CensusBucket" not in prod.outputs
