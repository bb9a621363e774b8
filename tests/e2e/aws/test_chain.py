"""From an empty account to injected pods, a changed policy and back, as operators do it."""

import sys
from pathlib import Path

from e2e.aws.cloud import Stack
from e2e.aws.operator import (
    await_injection,
    await_status,
    await_warning,
    containers,
    issue,
    local,
    podgraft,
    remote,
    send_review,
    watch,
)
from support.retry import retry_until


def test_the_whole_way_from_push_to_rollback(stack: Stack, tmp_path: Path) -> None:
    """A pod is injected, is not after a policy change without a deployment, and is again."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    assert "version 1" in podgraft(stack, "push", local(policy), *remote(stack))
    token = issue(stack, "e2e", tmp_path / "token")

    first = send_review(stack, token)
    assert first.status == 200, f"{first.body}\n{stack.logs()}"
    assert "istio-proxy" in containers(first)

    assert send_review(stack, "wrong").status == 401
    assert send_review(stack, token, cluster="other").status == 200  # the path is Istio's

    # Not by our own command: whatever changes the parameter changes the decision.
    live = stack.cloud.client("ssm")
    name = "/podgraft-dev/istio/policy"
    text = live.get_parameter(Name=name)["Parameter"]["Value"]
    live.put_parameter(
        Name=name, Value=text.replace("enabled", "disabled"), Type="String", Overwrite=True
    )
    await_injection(stack, token, injected=False)

    # A policy that does not validate is refused, and the one in force stays and says so.
    live.put_parameter(Name=name, Value="policy: [", Type="String", Overwrite=True)
    assert "older configuration" in " ".join(await_warning(stack, token))

    history = podgraft(stack, "history", *remote(stack))
    # The mark is at the version in force: version 3 does not load.
    assert [line.split("  20")[0].split() for line in history.splitlines()] == [
        ["1"],
        ["*", "2"],
        ["3"],
    ]
    assert "version 4" in podgraft(stack, "rollback", "1", *remote(stack))
    await_injection(stack, token, injected=True)

    pulled = tmp_path / "pulled"
    podgraft(stack, "pull", str(pulled), *remote(stack))
    assert (pulled / "bundle").is_dir()
    (pulled / "policy.yaml").write_text(policy.read_text())
    assert "# 0 files differ" in podgraft(stack, "diff", str(pulled), *remote(stack))


def test_pushing_twice_changes_nothing(stack: Stack, tmp_path: Path) -> None:
    """The second push uploads no file and makes no version."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    where = remote(stack, "twice")
    podgraft(stack, "push", local(policy), *where)
    again = podgraft(stack, "push", local(policy), *where)
    assert "is in S3 already" in again
    assert "version 1 is already the same" in again


def test_the_watch_reviews_through_the_deployed_function(stack: Stack, tmp_path: Path) -> None:
    """Both schedules exist, and their events give metrics and no metric of a cluster.

    The report of an hour has the requests of each cluster, which the log of the function has.
    """
    policy = tmp_path / "policy.yaml"
    policy.write_text("policy: enabled\n")
    podgraft(stack, "push", local(policy), *remote(stack, "watched"))
    issue(stack, "quiet", tmp_path / "token")
    token = issue(stack, "busy", tmp_path / "busy")
    await_status(stack, token, 200, "busy", "watched")
    rules = stack.cloud.client("events").list_rules()["Rules"]
    schedules = {rule["ScheduleExpression"] for rule in rules if "ScheduleExpression" in rule}
    assert schedules == {"rate(5 minutes)", "rate(1 hour)"}

    reviews, emitted = watch(stack, "reviews")
    assert "watched" in reviews["injectors"]
    assert emitted["synthetic_review_failure_total"] == len(reviews["problems"])
    assert not [problem for problem in reviews["problems"] if "watched" in problem]
    # CloudWatch Logs has a line a moment after its review.
    assert retry_until(True, lambda: "busy" in watch(stack, "clusters")[0]["requests"])
    clusters, emitted = watch(stack, "clusters")
    assert clusters["clusters"] >= 1
    assert emitted["silent_clusters"] == len(clusters["silent"])
    assert clusters["requests"]["busy"] >= 1
    assert "quiet" not in clusters["requests"]
    assert not {"busy", "quiet"} & {*clusters["silent"]}  # a new cluster is not silent yet
    program = (
        *(sys.executable, "-m", "podgraft", "tokens", "list"),
        *("--config", f"stack:{stack.name}"),
    )
    uses = {
        row.split("\t")[0]: row.split("\t")[-1]
        for row in stack.cloud.run(*program, "--used").splitlines()
    }
    assert uses["busy"].startswith("used 20")
    assert uses["quiet"] == "not used"
    synthetic = [line for line in stack.lines() if line.get("message") == "synthetic_review"]
    assert {line["cluster"] for line in synthetic} == {""}
    assert not [line for line in stack.lines() if line.get("cluster") == "quiet"]
