"""``podgraft rollout`` with a stack and with a folder: every command, and every refusal."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli import main
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.large_policy import split_policy
from podgraft.cli.policy.options import MAX_MESSAGE_CHARACTERS
from podgraft.cli.policy.rollout import start
from podgraft.cli.policy.rollout.candidate import make_candidate
from podgraft.cli.policy.rollout.commands import MISSING_EVIDENCE
from podgraft.cli.policy.rollout.status import format_bar
from podgraft.core import bundle, policy
from podgraft.core.signing.verifier import Verifier
from podgraft.core.versions.brake import parse_brakes
from podgraft.core.versions.overrides import find_overrides
from podgraft.kube import yaml
from podgraft.service.store.folder import FolderStore
from support.rollout_world import (
    BUCKET,
    DIGEST,
    ID,
    NEXT,
    STABLE,
    START,
    FolderWorld,
    Run,
    StackWorld,
    World,
    block,
    make_run,
    rollout_of,
    write_log,
)
from support.signers import MemorySigner
from support.store_fixture import BUNDLE, write


def test_a_rollout_from_its_start_to_its_promotion(world: World, run: Run) -> None:
    status, output = run(f"{START} --cluster-share dev 100 --needs 2 1 0 --reason 'gRPC probes'")
    assert status == 0, output
    assert world.read().startswith(STABLE)
    expected = block(
        clusters={"dev": 100},
        needs={"reviews": 2, "workloads": 1, "minutes": 0},
        reason="gRPC probes",
    )
    assert rollout_of(world) == expected
    assert "the candidate serves 5 % of workloads, dev 100 %" in output

    status, output = run("step 25")
    assert status == MISSING_EVIDENCE
    assert "0 of 2 reviews (no log; add --log FILE)" in output
    assert rollout_of(world) == expected

    write_log("log.json", reviews=2)
    status, output = run("step 25 --log log.json")
    assert (status, rollout_of(world)) == (0, {**expected, "share": 25}), output
    assert run("step 10 --cluster dev")[0] == 0  # less needs no evidence
    assert run("pause")[0] == 0
    assert rollout_of(world) == {
        **expected,
        "share": 25,
        "clusters": {"dev": 10},
        "mode": "paused",
    }
    status, output = run("step 100 --force --reason 'tested in dev'")
    assert (status, "forced" in output) == (0, True)

    status, output = run("promote --log log.json")
    assert status == 0, output
    assert world.read() == STABLE.replace(bundle.digest(BUNDLE), DIGEST)
    assert ("podgraft rollback" in output) is ("stack:" in world.options)


def test_shadow_becomes_a_share_with_a_step(world: World, run: Run) -> None:
    assert run(f"start next --shadow --id {ID}")[0] == 0
    assert rollout_of(world) == block(mode="shadow", share=100)
    status, output = run("status")
    assert (status, "shadow: stable serves all workloads" in output) == (0, True)
    assert run("step 0.5")[0] == 0
    assert rollout_of(world) == block(share=0.5)


def test_abort_sets_the_brake_and_ends_the_rollout(world: World, run: Run) -> None:
    assert run(START)[0] == 0
    status, output = run("abort --reason '5xx in checkout'")
    assert status == 0, output
    assert world.read() == STABLE
    brake = world.brake()
    assert brake is not None
    assert parse_brakes([brake]) == {ID}
    assert "reason: 5xx in checkout" in brake
    assert f"rollout who --got --id {ID} " in output
    assert f"stops {ID}: by operator" in run("status")[1]
    status, output = run(START)
    assert status == 1
    assert f"stops {ID}: by operator, at " in output
    assert run(START.replace(ID, "another"))[0] == 0
    status, output = run("status")
    assert f"does not stop the rollout, but {ID}: by operator" in output
    status, output = run("release")
    assert (status, world.brake()) == (0, None)
    assert "rollout    another continues" in output
    assert run("release")[0] == 1


@pytest.mark.parametrize(
    ("first", "second", "for_all"),
    [
        (f"--id {ID}", f"--id {ID}", False),
        ("--all", "--all", True),
        # A brake of all rollouts, as the abort of an unreadable policy writes it, is not narrowed.
        ("", f"--id {ID}", False),
    ],
)
def test_the_brake_of_the_first_abort_stays(
    world: World, run: Run, first: str, second: str, *, for_all: bool
) -> None:
    world.put("rollout: [" if not first else STABLE)
    run(f"abort {first} --reason '5xx in checkout'")
    brake = world.brake(for_all=for_all)
    world.put(STABLE + yaml.dump({"rollout": block()}))
    status, output = run(f"abort {second} --reason later")
    assert (status, world.brake(for_all=for_all)) == (0, brake)
    stopped = ID if "id: " + ID in (brake or "") else "all rollouts"
    assert f" already stops {stopped}: by operator, at " in output
    assert "reason 5xx in checkout" in output
    assert world.read() == STABLE


def test_a_brake_of_another_rollout_is_replaced(world: World, run: Run) -> None:
    assert run("abort --id another --reason earlier")[0] == 0
    assert run(f"abort --id {ID} --reason now")[0] == 0
    assert parse_brakes([world.brake() or ""]) == {ID}


def test_abort_without_a_rollout_names_the_brake(run: Run) -> None:
    """The brake can be that of an earlier rollout, so it is no success."""
    assert run(START)[0] == 0
    assert run("abort --reason '5xx in checkout'")[0] == 0
    status, output = run("abort --reason later")
    assert status == 1
    assert "the policy has no rollout" in output
    assert f" stops {ID}: by operator, at " in output


def test_the_brake_of_all_injectors_stops_every_start(world: World, run: Run) -> None:
    status, output = run("abort --all --reason incident")
    assert status == 0, output
    brake = world.brake(for_all=True)
    assert brake is not None
    assert parse_brakes([brake]) == {"*"}
    assert "who --got --id ID " in output  # each injector has its own rollout
    assert "stops all rollouts: by operator" in run("status")[1]
    problem = run(START)[1]
    assert "; remove the reason, then release it: podgraft rollout release --all " in problem
    assert "another --id" not in problem
    assert run("release --all")[0] == 0
    assert run(START)[0] == 0


def test_the_brake_of_all_injectors_needs_no_injector(world: World) -> None:
    """Without the option, the injector is default, which can have no policy."""
    words = world.options.replace("--injector istio ", "").split()
    assert main(["rollout", "abort", "--all", "--reason", "incident", *words]) == 0
    assert world.brake(for_all=True) is not None
    assert main(["rollout", "release", "--all", *words]) == 0
    assert world.brake(for_all=True) is None


def test_release_works_with_an_invalid_policy(world: World, run: Run) -> None:
    assert run(f"abort --id {ID} --reason incident")[0] == 0
    world.put("rollout: [")
    status, output = run("release")
    assert (status, world.brake()) == (0, None)
    assert "released   rollouts can use their candidates again" in output
    assert "warning: policy: invalid YAML: line 2 column 1" in output


@pytest.mark.parametrize("text", ["rollout: [", f"rollout: {{id: {ID}, mode: 5}}\npolicy: 7\n"])
def test_abort_works_with_an_invalid_policy(world: World, run: Run, text: str) -> None:
    world.put(text)
    run("abort --reason incident")
    brake = world.brake()
    assert brake is not None
    assert parse_brakes([brake]) <= {"*", ID}


def test_abort_does_not_sign_an_invalid_policy(world: World, run: Run) -> None:
    """The brake is stored, and the error is a message: seed 4443 of the simulation."""
    text = f"unknown: 1\nrollout:\n  id: {ID}\n"
    signer = MemorySigner()
    world.put_signed(text, signer)
    stored = world.read()
    Path("key.pem").write_text(signer.private_pem)
    status, output = run("abort --reason incident --sign-key key.pem")
    assert (status, world.read()) == (1, stored)
    assert "unknown key" in output
    assert "the policy stays as it is" in output
    brake = world.brake()
    assert brake is not None
    assert parse_brakes([brake]) == {ID}


@pytest.mark.parametrize("kind", ["unsigned", "of another key", "changed"])
@pytest.mark.parametrize("line", [START, "step 50", "pause", "promote", "abort --reason incident"])
def test_no_command_signs_what_no_signer_has_signed(
    world: World, run: Run, line: str, kind: str
) -> None:
    """Whoever can write the policy, but not sign, must not get a signature for it."""
    signer, text = MemorySigner(), STABLE
    if line != START:
        text += yaml.dump({"rollout": block(candidate={"revision": "canary"})})
    Path("key.pem").write_text(signer.private_pem)
    if kind == "unsigned":
        world.put(text)
    else:
        world.put_signed(text, signer if kind == "changed" else MemorySigner())
    if kind == "changed":
        world.put(f"# reviewed\n{world.read()}")
    before = world.read()
    status, output = run(f"{line} --sign-key key.pem")
    assert (status, world.read()) == (1, before)
    assert "and this signature would cover its text; review it" in output
    assert (world.brake() is not None) is line.startswith("abort")


def test_a_rollout_of_a_large_policy_retains_its_overrides(
    stack: StackWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(stack, capsys)
    owner = json.loads(stack.read_parameter("stack") or "")
    stack.put_parameter("stack", json.dumps({**owner, "documents": 3}))
    clusters = "".join(f"  c{n}: {{revision: canary}}\n" for n in range(500))
    Path("next/policy.yaml").write_text(f"{STABLE}{clusters}")
    split = split_policy(f"{STABLE}{clusters}")
    folder = f"bundles/istio/{split.digest.removeprefix('sha256:')}/"
    for name, content in split.files.items():
        stack.s3.put_object(Bucket=BUCKET, Key=folder + name, Body=content)
    stack.put(split.document)
    for line in (START, "step 50", "promote"):
        status, output = run(line)
        assert status == 0, output
        assert find_overrides(stack.read()) == split.digest
    stack.s3.delete_object(Bucket=BUCKET, Key=f"{folder}clusters.yaml")
    status, output = run("abort --reason incident")
    assert status == 1
    assert "is missing in s3:" in output
    assert "id: '*'" in (stack.brake() or "")


def test_a_braked_rollout_takes_no_step(world: World, run: Run) -> None:
    assert run(START)[0] == 0
    assert run(f"abort --all --reason incident --id {ID}")[0] == 0
    world.put(STABLE + yaml.dump({"rollout": block()}))
    for line in ("step 50", "promote"):
        status, output = run(line)
        assert status == 1
        assert "brake" in output
    status, output = run("status")
    assert "STOPS THE ROLLOUT" in output
    assert "result     stopped: stable serves all workloads" in output
    assert run("step 1")[0] == 0  # less


def test_an_equal_step_writes_no_version(
    stack: StackWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """A schedule repeats a step: the evidence counts from the newest version on."""
    signer = MemorySigner()
    Path("key.pem").write_text(signer.private_pem)
    run = make_run(stack, capsys)
    signed = "--sign-key key.pem"
    for line, is_written in (
        (START, True),
        ("step 5", False),
        ("step 10", True),
        ("step 10", False),
        ("pause", True),
        ("pause", False),
        ("step 10", True),
        (f"step 10 {signed}", False),
        (f"pause {signed}", True),
        (f"pause {signed}", False),
    ):
        if signed in line and "signature" not in stack.read():
            stack.put_signed(stack.read(), signer)
        before = stack.list_messages()
        status, output = run(line)
        assert status == 0, output
        assert (stack.list_messages() != before) is is_written, line
        assert ("is already the same" not in output) is is_written


def test_history_has_a_message_for_each_change(
    stack: StackWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(stack, capsys)
    for line in (
        f"{START} --needs 2 1 0 --reason 'gRPC probes'",
        "step 2 --force --reason unused",
        "step 25 --force --reason 'tested in dev'",
        "pause",
        "promote --force --reason incident",
        f"start next --id {'a' * 63} --shadow",
        f"abort --reason {'b' * 2000}",
    ):
        if "aaa" in line:
            stack.put(STABLE)
        status, output = run(line)
        assert status == 0, output
    messages = list(dict.fromkeys(filter(None, stack.list_messages())))
    assert messages[:-1] == [
        f"rollout {ID}: the candidate serves 5 % of workloads; reason: gRPC probes",
        f"rollout {ID}: the candidate serves 2 % of workloads",
        f"rollout {ID}: the candidate serves 25 % of workloads; reason: tested in dev",
        f"rollout {ID}: paused, no further pods get the candidate",
        f"rollout {ID}: promoted; reason: incident",
        f"rollout {'a' * 63}: the candidate compares 100 % of workloads",
    ]
    assert messages[-1].startswith(f"rollout {'a' * 63}: aborted; reason: bbb")
    assert len(messages[-1]) == MAX_MESSAGE_CHARACTERS


def test_abort_refuses_the_id_of_another_rollout(world: World, run: Run) -> None:
    """The brake would be for one rollout, and the policy would lose another."""
    assert run(START)[0] == 0
    before = world.read()
    status, output = run("abort --reason typo --id another")
    assert (status, world.read(), world.brake()) == (1, before, None)
    assert f"--id another: the policy has rollout {ID}; leave out --id to stop it" in output
    assert run(f"abort --reason incident --id {ID}")[0] == 0
    assert run("abort --reason later --id another")[0] == 0


REFUSALS = (
    ("step 5", STABLE, "the policy has no rollout; start one"),
    ("pause", STABLE, "the policy has no rollout; start one"),
    ("promote", STABLE, "the policy has no rollout; start one"),
    ("abort --reason a", STABLE, "the policy has no rollout; use --id, or --all"),
    ("start next --id A", STABLE, '/rollout/id: got "A"; use at most 63'),
    (START, STABLE + "revision: a\n", "/revision: is missing, but the policy in force sets it"),
    (
        START,
        STABLE.replace("openshift", "a\n  compliancePolicy: b"),
        "/features/compliancePolicy: is missing, but the policy in force sets it",
    ),
    (START, STABLE.replace("disabled}", "enabled}"), "/clusters: differs from the policy in"),
    (START, f"{{bundle: {bundle.digest(BUNDLE)}}}", "unsupported flow style"),
    (START, STABLE.replace(bundle.digest(BUNDLE), DIGEST), "is equal to the policy in force"),
    (START, STABLE + yaml.dump({"rollout": block()}), f"rollout {ID} is active; end it with"),
    ("step 0.001", STABLE, "use a number from 0 to 100 with at most two decimals"),
    ("who", STABLE, "Missing option '--workload' or '--log'"),
    ("start --id next", STABLE, "Missing argument 'FOLDER'"),
    ("who --workload a", STABLE + yaml.dump({"rollout": block()}), "use CLUSTER/NAMESPACE/KIND"),
)


@pytest.mark.parametrize(("line", "text", "problem"), REFUSALS, ids=lambda each: each[:30])
def test_a_refusal_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, text: str, problem: str
) -> None:
    world = FolderWorld(tmp_path)
    world.put(text)
    if "flow style" in problem:
        write(tmp_path / "next/policy.yaml", b"policy: enabled\n")
    status, output = make_run(world, capsys)(line)
    assert status in (1, 2)
    assert problem in output
    assert (world.read(), world.brake()) == (text, None)


def test_a_denied_candidate_is_refused(world: World, run: Run) -> None:
    world.deny(DIGEST)
    status, output = run(START)
    assert (status, world.read()) == (1, STABLE)
    assert f"bundle {DIGEST} is denied: old" in output


def test_the_privileges_of_a_candidate_are_checked(
    tmp_path: Path, candidate: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = FolderWorld(tmp_path)
    text = STABLE + "allows: {}\n"
    world.put(text)
    write(candidate / "policy.yaml", text.encode())
    config = NEXT["injector.yaml"].replace(
        b"image: registry.example.com/init:1",
        b"image: registry.example.com/init:1\n            securityContext: {privileged: true}",
    )
    write(candidate / "bundle/injector.yaml", config)
    status, output = make_run(world, capsys)(START)
    assert (status, world.read()) == (1, text)
    assert "privileged" in output


def test_a_rollout_of_a_signed_policy_is_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, signer = FolderWorld(tmp_path), MemorySigner()
    world.put_signed(STABLE, signer)
    Path("key.pem").write_text(signer.private_pem)
    run = make_run(world, capsys)
    assert "is signed; sign the new version" in run(START)[1]
    store = FolderStore(world.path, verifier=Verifier((signer.public_key,)))
    for line in (START, "step 50", "pause"):
        status, output = run(f"{line} --sign-key key.pem")
        assert status == 0, output
        snapshot = store.snapshot("istio", None)
        assert snapshot.stale is None
        assert snapshot.candidate is not None
        assert snapshot.candidate.disabled is None
    assert run("promote --sign-key key.pem")[0] == 0
    assert store.snapshot("istio", None).bundle.digest == DIGEST


def test_the_brake_of_a_signed_policy_needs_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, signer = FolderWorld(tmp_path), MemorySigner()
    text = STABLE + yaml.dump({"rollout": block()})
    world.put_signed(text, signer)
    status, output = make_run(world, capsys)("abort --reason incident")
    assert status == 1
    assert "is signed; sign the new version" in output
    assert parse_brakes([world.brake() or ""]) == {ID}


def test_who_lists_workloads_before_the_start(run: Run) -> None:
    status, output = run("who --id 2026-11-22-hotfix-probes --workload prod-eu/shop/Deployment/web")
    assert status == 0
    assert output == ("prod-eu shop Deployment/web   bucket 223: gets the candidate from 2.24 %\n")


def test_who_reads_the_shares_of_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the callers, and those of the policy: as the function finds them."""
    world = FolderWorld(tmp_path)
    groups: Any = {"ring-0": {}, "ring-1": {"members": ["us-*"]}}
    rollout = block(share=0, groups={"ring-0": 100, "ring-1": 100})
    world.put(STABLE + yaml.dump({"groups": groups, "rollout": rollout}))
    write(world.path / "auth/prod-eu.yaml", b"groups: [ring-0]\n")
    clusters = ("prod-eu", "us-1", "prod-ap")
    words = " ".join(f"--workload {each}/shop/Deployment/web" for each in clusters)
    status, output = make_run(world, capsys)(f"who {words}")
    assert status == 0
    eu, us, ap = output.splitlines()
    assert eu.startswith("prod-eu (ring-0) shop Deployment/web ")
    assert us.startswith("us-1 (ring-1) shop Deployment/web ")
    assert ["gets the candidate, from" in each for each in (eu, us, ap)] == [True, True, False]


def test_who_got_the_candidate(run: Run) -> None:
    assert run(START)[0] == 0
    write_log("log.json", reviews=1)
    write_log("stable.json", reviews=1, track="stable", candidate="outside")
    status, output = run("who --got --log log.json")
    assert (status, output) == (
        0,
        "kubectl --context prod-eu --namespace shop rollout restart deployment/web-0\n",
    )
    assert run("who --got --log stable.json")[1] == "no workload in the log got the candidate\n"
    assert "bucket" in run("who --log stable.json")[1]


def test_status_shows_both_tracks(run: Run) -> None:
    assert run("status")[1].endswith("rollout    none: stable serves all workloads\n")
    assert run(f"{START} --needs 3 1 0")[0] == 0
    write_log("log.json", reviews=2)
    status, output = run("status --log log.json")
    assert status == 0
    assert "all  [##......................................] 5 %" in output
    assert "reviews            0           2         3\n" in output
    assert "kind       5d0c1fa2b3e4: 2 workloads, for example prod-eu shop Deployment/web" in output
    assert "result     inconclusive: 2 of 3 reviews" in output
    write_log("log.json", reviews=3)
    assert "result     the needed evidence is complete" in run("status --log log.json")[1]
    write_log("log.json", 3, candidate="fallback", candidate_reason="limit", track="stable")
    output = run("status --log log.json")[1]
    assert "reason     fallback (limit): 3 reviews" in output
    assert "inconclusive: 3 reviews in which the candidate failed" in output


def test_status_as_json(run: Run) -> None:
    """A schedule reads the result, and which brake stops what."""
    state = json.loads(run("status -o json")[1])
    assert (state["rollout"], state["result"], state["brakes"]) == (None, "none", [])
    assert run(f"{START} --needs 3 1 0")[0] == 0
    write_log("log.json", reviews=2)
    state = json.loads(run("status -o json --log log.json")[1])
    assert state["rollout"]["id"] == ID
    assert state["rollout"]["needs"] == {"reviews": 3, "workloads": 1, "minutes": 0}
    assert state["evidence"]["candidate"]["reviews"] == 2
    assert state["evidence"]["kinds"][0]["paths"] == ["replace spec.containers[istio-proxy].image"]
    assert (state["result"], state["missing"][0]) == ("inconclusive", "2 of 3 reviews")
    write_log("log.json", reviews=3)
    assert json.loads(run("status -o json --log log.json")[1])["result"] == "complete"
    assert run("abort --all --reason incident")[0] == 0
    (brake,) = json.loads(run("status -o json")[1])["brakes"]
    assert (brake["forAll"], brake["stops"]) == (True, ["*"])
    assert (brake["by"], brake["reason"]) == ("operator", "incident")


def test_concurrent_changes_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = FolderWorld(tmp_path)
    original = start.check_document

    def check(*arguments: Any) -> object:
        world.put(STABLE + "revision: b\n")
        return original(*arguments)

    monkeypatch.setattr(start, "check_document", check)
    status, output = make_run(world, capsys)(START)
    assert status == 1
    assert "run the command again" in output
    assert world.read() == STABLE + "revision: b\n"


# push and rollback


def test_push_refuses_while_a_rollout_is_active(
    stack: StackWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(stack, capsys)
    assert run(START)[0] == 0

    def call(line: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(["policy", *shlex.split(line), *shlex.split(stack.options)])
        return status, "".join(capsys.readouterr())

    running = stack.read()
    status, output = call("push next")
    assert (status, stack.read()) == (1, running)
    assert f"rollout {ID} is active; end it with podgraft rollout promote" in output
    # A person stored text that is no YAML: the message says which text, and what replaces it.
    stack.put(f"policy: [{running}")
    status, output = call("push next")
    assert status == 1
    assert "the stored version has no rollout that podgraft can read: " in output
    assert "use --end-rollout" in output
    stack.put(running)
    # A document with the same rollout continues it, as GitOps does.
    Path("next/policy.yaml").write_text(running.replace("share: 5", "share: 6"))
    for name, content in BUNDLE.items():
        write(Path("next/bundle") / name, content)
    status, output = call("push next")
    assert status == 0, output
    assert rollout_of(stack) == block(share=6)
    # rollback never refuses: it removes the rollout.
    status, output = call("rollback 2")
    assert status == 0, output
    assert stack.read() == STABLE
    assert f"restart their workloads. To list:\n  podgraft rollout who --got --id {ID} " in output
    status, output = call("rollback 1")
    assert "Pods do not change until you restart their workloads." in output
    status, output = call("rollback 2 --with-rollout")
    assert (status, stack.read()) == (0, running), output
    Path("next/policy.yaml").write_text(STABLE)
    status, output = call("push next --end-rollout")
    assert (status, stack.read()) == (0, STABLE), output


def test_a_missing_bundle_of_a_candidate_is_not_pushed(
    stack: StackWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in BUNDLE.items():
        write(Path("next/bundle") / name, content)
    missing = "sha256:" + "0" * 64
    text = STABLE + yaml.dump({"rollout": block(candidate={"bundle": missing})})
    Path("next/policy.yaml").write_text(text)
    status = main(["policy", "push", "next", *shlex.split(stack.options)])
    assert (status, stack.read()) == (1, STABLE)
    assert missing in capsys.readouterr().err


# Pure parts


def test_all_bundles_of_a_policy() -> None:
    digests = {name: "sha256:" + name * 64 for name in "abcd"}
    document = {
        "bundle": digests["a"],
        "clusters": {"dev": {"bundle": digests["b"]}, "prod": {"policy": "disabled"}},
        "rollout": block(candidate={"bundle": digests["c"]}),
    }
    read = policy.parse(yaml.dump(document))  # pyright: ignore[reportArgumentType]
    assert read.digests == (digests["a"], digests["b"], digests["c"])
    assert policy.parse("").digests == ()


@pytest.mark.parametrize(
    ("current", "specified", "expected"),
    [
        ("bundle: a", None, {"bundle": "b"}),
        ("bundle: b\npolicy: enabled", "policy: disabled", {"policy": "disabled"}),
        (
            "bundle: b\nfeatures: {platform: a}",
            "features: {platform: a, nativeSidecars: true}",
            {"features": {"nativeSidecars": True}},
        ),
    ],
)
def test_the_candidate_is_what_differs(
    current: str, specified: str | None, expected: Mapping[str, object]
) -> None:
    assert make_candidate(current, specified, "b", "p") == expected


@pytest.mark.parametrize(
    ("share", "filled"), [(0, 0), (0.01, 1), (2.5, 1), (50, 20), (99.99, 39), (100, 40)]
)
def test_a_bar_shows_a_small_share_and_is_full_only_at_the_end(share: float, filled: int) -> None:
    assert format_bar(share) == f"[{'#' * filled}{'.' * (40 - filled)}]"


def test_a_bundle_that_a_prune_deleted_meanwhile_is_uploaded_again(
    stack: StackWorld, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original, prefix = DeployedInjector.put_parameter, f"bundles/istio/{DIGEST.partition(':')[2]}/"

    def list_keys() -> list[str]:
        found = stack.s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix)
        return [each["Key"] for each in found.get("Contents", [])]

    def delete_first(self: DeployedInjector, *arguments: Any) -> int:
        number = original(self, *arguments)
        for key in list_keys():
            stack.s3.delete_object(Bucket=BUCKET, Key=key)
        return number

    monkeypatch.setattr(DeployedInjector, "put_parameter", delete_first)
    assert make_run(stack, capsys)(START)[0] == 0
    assert len(list_keys()) == len(NEXT)
