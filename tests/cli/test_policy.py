"""``podgraft policy`` against S3 and Parameter Store on loopback, and all that can go wrong.

What ``check`` finds is in test_policy_check.py.
"""

import json
import os
import re
import shlex
from collections.abc import Callable, Generator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import botocore.loaders
import botocore.session
import pytest

from podgraft.cli import main
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.core import bundle
from podgraft.service.store.aws.client import MAX_OBJECT_BYTES
from service.store.aws_fault_proxy import Fault, FaultyAws, Service, faulty_aws
from support.broken_bundles import BROKEN, POLICY, BrokenBundle
from support.store_fixture import BUNDLE

BUCKET, NAME, OWNER = "bundles-of-the-cli", "/podgraft/shop/policy", "/podgraft/stack"
REMOTE = ("--injector", "shop", "--parameter-prefix", "/podgraft")
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: i}]}\n"


@pytest.fixture(scope="module")
def faulty_aws_server() -> Generator[FaultyAws]:
    with faulty_aws() as aws:
        yield aws


@pytest.fixture
def aws(faulty_aws_server: FaultyAws, monkeypatch: pytest.MonkeyPatch) -> Generator[FaultyAws]:
    """An account with an empty bucket, which the command line takes for AWS."""
    for name, value in {
        "AWS_ENDPOINT_URL": faulty_aws_server.endpoint,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(botocore.session, "create_loader", loader)
    faulty_aws_server.faults.clear()
    client("s3").create_bucket(Bucket=BUCKET)
    own(BUCKET)
    yield faulty_aws_server
    faulty_aws_server.faults.clear()
    for key in keys():
        client("s3").delete_object(Bucket=BUCKET, Key=key)
    client("s3").delete_bucket(Bucket=BUCKET)
    client("ssm").delete_parameters(Names=[NAME, OWNER])


def own(bucket: str, *, stack: str = "podgraft", bundle_prefix: str = "bundles/") -> None:
    """Write the owner of the prefix, as the stack does."""
    value = json.dumps({"stack": stack, "bucket": bucket, "bundlePrefix": bundle_prefix})
    client("ssm").put_parameter(Name=OWNER, Value=value, Type="String", Overwrite=True)


def client(service: str) -> Any:
    """A client of the account, outside the command line."""
    return make_client(service, os.environ["AWS_ENDPOINT_URL"])


@cache
def make_client(service: str, endpoint: str) -> Any:
    return botocore.session.get_session().create_client(service, endpoint_url=endpoint)


# Each command is a process of its own that reads megabytes of models; here they are read once.
loader = cache(botocore.loaders.create_loader)


def keys() -> list[str]:
    listing = client("s3").list_objects_v2(Bucket=BUCKET)
    return [entry["Key"] for entry in listing.get("Contents", [])]


def versions() -> list[str]:
    """The documents that were ever in force, oldest first."""
    try:
        found = client("ssm").get_parameter_history(Name=NAME)["Parameters"]
    except client("ssm").exceptions.ParameterNotFound:
        return []
    return [entry["Value"] for entry in found]


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """A bundle and a policy to push."""
    (tmp_path / "bundle").mkdir()
    for name, content in BUNDLE.items():
        (tmp_path / "bundle" / name).write_bytes(content)
    (tmp_path / "policy.yaml").write_text("policy: enabled\n")
    return tmp_path


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a subcommand; its exit status, and all that it said."""

    def command(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(["policy", *arguments])
        return status, "".join(capsys.readouterr())

    return command


def write_policy(local: Path, policy: str) -> None:
    (local / "policy.yaml").write_text(policy)


def test_check_states_what_would_be_pushed(local: Path, run: Run) -> None:
    status, said = run("check", str(local))
    assert (status, bundle.digest(BUNDLE) in said) == (0, True)
    assert "2 files" in said


@pytest.mark.parametrize("first", ["---\n", "# for editors\n", "bundle: ''\n"])
def test_the_digest_takes_a_line_of_the_document(
    local: Path, run: Run, aws: FaultyAws, first: str
) -> None:
    del aws
    write_policy(local, f"{first}policy: enabled")
    status, said = run("push", str(local), *REMOTE)
    if first.startswith("bundle"):
        assert (status, "/bundle" in said) == (1, True)
    else:
        assert (status, said.count("upload")) == (0, 2)
        assert versions() == [f"{first}policy: enabled\nbundle: {bundle.digest(BUNDLE)}\n"]


def test_a_document_without_room_for_the_digest_is_refused(local: Path, run: Run) -> None:
    write_policy(local, "{policy: enabled}")
    assert "one key per line" in run("check", str(local))[1]


def test_push_shows_its_progress_and_again_changes_nothing(
    local: Path, run: Run, aws: FaultyAws
) -> None:
    del aws
    status, said = run("push", str(local), *REMOTE)
    assert (status, "upload   2/2 mesh.yaml" in said) == (0, True)
    assert "take it back" not in said
    stored = keys()
    status, said = run("push", str(local), *REMOTE)
    assert (status, "upload" in said, "already the same" in said) == (0, False, True)
    assert (keys(), len(versions())) == (stored, 1)


def closing(local: Path) -> None:
    """Let the bundle name a registry that closes."""
    file = local / "bundle" / "injector.yaml"
    text = file.read_bytes()
    file.write_bytes(text.replace(b'"hub": "registry.example.com"', b'"hub": "registry.istio.io"'))


def test_push_reports_warnings_and_goes_on(local: Path, run: Run, aws: FaultyAws) -> None:
    del aws
    closing(local)
    status, said = run("push", str(local), *REMOTE)
    assert (status, len(versions())) == (0, 1)
    assert "warning: injector.yaml /data/values/global/hub: registry.istio.io has no" in said


def test_push_refuses_warnings_when_it_is_strict(local: Path, run: Run, aws: FaultyAws) -> None:
    del aws
    closing(local)
    status, said = run("push", str(local), *REMOTE, "--strict")
    assert (status, versions(), keys()) == (1, [], [])
    assert "error: injector.yaml /data/values/global/hub: registry.istio.io has no" in said


def test_push_compares_the_paths_of_its_own_injector(local: Path, run: Run, aws: FaultyAws) -> None:
    del aws
    registered = local / "webhook.yaml"
    webhooks = [
        f"{{name: {name}.b.c, clientConfig: {{url: 'https://a.example/{name}/inject/cluster/c1'}}}}"
        for name in ("shop", "other")
    ]
    registered.write_text(
        f"kind: MutatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks: "
        f"[{', '.join(webhooks)}]\n"
    )
    status, said = run("push", str(local), *REMOTE, "--webhook-config", str(registered))
    assert (status, said.count("warning: ")) == (0, 1)
    assert "/webhooks/0/clientConfig: the path sets the cluster id of proxies" in said


@pytest.mark.parametrize("command", ["push", "diff", "history", "pull", "rollback"])
@pytest.mark.parametrize("name", ["Istio/1", "auth", "", "../x"])
def test_an_injector_that_no_route_can_name_is_refused(
    local: Path, run: Run, aws: FaultyAws, command: str, name: str
) -> None:
    del aws
    arguments = {
        "push": (str(local),),
        "diff": (str(local),),
        "pull": (str(local / "out"),),
        "rollback": ("1",),
    }
    own = ("--parameter-prefix", "/podgraft", "--injector", name)
    status, said = run(command, *arguments.get(command, ()), *own)
    assert (status, keys(), versions()) == (2 if command == "diff" else 1, [], [])
    assert said.startswith("error: injector: ")


def test_push_repairs_damage_of_the_same_length(local: Path, run: Run, aws: FaultyAws) -> None:
    del aws
    run("push", str(local), *REMOTE)
    [key] = [key for key in keys() if key.endswith("mesh.yaml")]
    damaged = BUNDLE["mesh.yaml"].replace(b"example.org", b"example.com")
    client("s3").put_object(Bucket=BUCKET, Key=key, Body=damaged)
    assert "damaged" in run("pull", str(local / "pulled"), *REMOTE)[1]
    status, said = run("push", str(local), *REMOTE)
    assert (status, said.count("upload"), "upload   1/1 mesh.yaml" in said) == (0, 1, True)
    assert client("s3").get_object(Bucket=BUCKET, Key=key)["Body"].read() == BUNDLE["mesh.yaml"]
    status, said = run("push", str(local), *REMOTE)
    assert (status, "upload" in said, len(versions())) == (0, False, 1)


@pytest.mark.parametrize("stranger", ["old.yaml", "it's.txt", ""])
def test_push_refuses_a_bundle_that_a_strange_object_spoils(
    local: Path, run: Run, aws: FaultyAws, stranger: str
) -> None:
    """It is another's, so it stays; the function counts every object below the digest."""
    del aws
    run("push", str(local), *REMOTE)
    write_policy(local, "policy: disabled\n")
    key = keys()[0].rpartition("/")[0] + f"/{stranger}"
    client("s3").put_object(Bucket=BUCKET, Key=key, Body=b"a: b\n")
    before = keys()
    status, said = run("push", str(local), *REMOTE)
    assert (status, keys(), len(versions())) == (1, before, 1)
    assert f"error: s3://{BUCKET}/{key}: unexpected object; bundle {bundle.digest(BUNDLE)}" in said
    remedy = said[said.index("aws s3 rm") :].splitlines()[0]
    assert shlex.split(remedy) == ["aws", "s3", "rm", f"s3://{BUCKET}/{key}"]
    client("s3").delete_object(Bucket=BUCKET, Key=key)
    assert run("push", str(local), *REMOTE)[0] == 0


def test_no_command_downloads_more_than_the_function(local: Path, run: Run, aws: FaultyAws) -> None:
    """Whoever writes to the bucket could else fill the memory of each machine that compares."""
    del aws
    run("push", str(local), *REMOTE)
    key = keys()[0].rpartition("/")[0] + "/old.yaml"
    client("s3").put_object(Bucket=BUCKET, Key=key, Body=bytes(MAX_OBJECT_BYTES))
    for command in ("diff", "pull"):
        status, said = run(command, str(local / "new" if command == "pull" else local), *REMOTE)
        assert status in (1, 2)
        assert "the bundle is too large; at most 1000 files" in said


def test_the_rollback_line_that_push_prints_works(local: Path, run: Run, aws: FaultyAws) -> None:
    del aws
    run("push", str(local), *REMOTE)
    write_policy(local, "policy: disabled\n")
    _, said = run("push", str(local), *REMOTE)
    line = said[said.index("podgraft rollback") :].splitlines()[0]
    status, said = run(*shlex.split(line)[1:])
    assert (status, "version 3, the same as 1" in said) == (0, True)
    found = versions()
    assert (len(found), found[2]) == (3, found[0])
    listed = run("history", *REMOTE)[1].splitlines()
    assert [line.split("  20")[0].split() for line in listed] == [["1"], ["2"], ["*", "3"]]
    assert listed[2].endswith("  rollback to version 1")
    for line in listed:
        assert re.search(r"\d{4}-\d\d-\d\dT\S+  \S+ +sha256:", line), line


def test_an_upload_that_fails_leaves_the_policy_as_it_was(
    local: Path, run: Run, aws: FaultyAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("push", str(local), *REMOTE)
    before = versions()
    upload = DeployedInjector.upload_file

    def deny_upload(cloud: DeployedInjector, digest: str, path: str, content: bytes) -> None:
        upload(cloud, digest, path, content)
        aws.faults[Service.S3] = Fault.DENIED

    monkeypatch.setattr(DeployedInjector, "upload_file", deny_upload)
    for path in (local / "bundle").iterdir():
        path.write_bytes(path.read_bytes() + b"# changed\n")
    status, said = run("push", str(local), *REMOTE)
    assert (status, "AccessDenied" in said, f"s3://{BUCKET}/" in said) == (1, True, True)
    assert versions() == before


def test_an_invalid_policy_reaches_neither_service(local: Path, run: Run, aws: FaultyAws) -> None:
    write_policy(local, "policy: [\n")
    aws.calls.clear()
    assert run("push", str(local), *REMOTE)[0] == 1
    assert aws.calls == []


@pytest.mark.parametrize(
    ("size", "status", "tier"), [(3900, 0, "Standard"), (5000, 0, "Advanced"), (8200, 1, "")]
)
def test_the_size_is_known_before_anything_is_sent(
    local: Path, run: Run, aws: FaultyAws, size: int, status: int, tier: str
) -> None:
    write_policy(local, "policy: enabled\n#" + "x" * size + "\n")
    aws.calls.clear()
    got, said = run("push", str(local), *REMOTE)
    assert got == status
    if tier:
        assert client("ssm").get_parameter_history(Name=NAME)["Parameters"][0]["Tier"] == tier
    else:
        assert (aws.calls, "8192" in said) == ([], True)


def test_an_advanced_parameter_stays_one(local: Path, run: Run, aws: FaultyAws) -> None:
    """Of a standard one Parameter Store says that it can't be downgraded, and changes nothing."""
    del aws
    run("push", str(local), *REMOTE)
    write_policy(local, "policy: enabled\n#" + "x" * 5000 + "\n")
    run("push", str(local), *REMOTE)
    write_policy(local, "policy: disabled\n")
    run("push", str(local), *REMOTE)
    run("rollback", "1", *REMOTE)
    found = client("ssm").get_parameter_history(Name=NAME)["Parameters"]
    assert [each["Tier"] for each in found] == ["Standard", "Advanced", "Advanced", "Advanced"]


def test_a_version_that_is_not_there_is_reported_with_those_that_are(
    local: Path, run: Run, aws: FaultyAws
) -> None:
    del aws
    assert "available versions: none" in run("rollback", "7", *REMOTE)[1]
    run("push", str(local), *REMOTE)
    status, said = run("rollback", "7", *REMOTE)
    assert (status, "version 7 not found; available versions: 1 to 1" in said) == (1, True)


def test_a_rollback_to_a_bundle_that_is_gone_is_refused(
    local: Path, run: Run, aws: FaultyAws
) -> None:
    del aws
    run("push", str(local), *REMOTE)
    write_policy(local, "policy: disabled\n")
    run("push", str(local), *REMOTE)
    for key in keys():
        client("s3").delete_object(Bucket=BUCKET, Key=key)
    status, said = run("rollback", "1", *REMOTE)
    assert (status, "push it" in said, len(versions())) == (1, True, 2)


def test_pull_writes_what_is_live_into_a_new_folder_only(
    local: Path, run: Run, aws: FaultyAws
) -> None:
    del aws
    run("push", str(local), *REMOTE)
    status, said = run("pull", str(local), *REMOTE)
    assert (status, "not empty" in said) == (1, True)
    out = local / "pulled"
    assert run("pull", str(out), *REMOTE)[0] == 0
    assert (out / "policy.yaml").read_text() == versions()[-1]
    found = {path.name: path.read_bytes() for path in (out / "bundle").iterdir()}
    assert found == dict(BUNDLE)


ESCAPES = ("../../../ESCAPED.yaml", "{local}/ABSOLUTE.yaml", "..\\ESCAPED.yaml", "a/./b.yaml", "")


@pytest.mark.parametrize("escape", ESCAPES)
def test_pull_writes_nothing_outside_its_folder(
    local: Path, run: Run, aws: FaultyAws, monkeypatch: pytest.MonkeyPatch, escape: str
) -> None:
    """The digest counts the strange path too, so that the bundle itself is undamaged."""
    del aws
    escape = escape.format(local=local)
    stored = {**BUNDLE, escape: b"escaped: true\n"}
    lines = (f"{sha256(content).hexdigest()}  {path}\n" for path, content in sorted(stored.items()))
    digest = sha256("".join(lines).encode()).hexdigest()
    for path, content in stored.items():
        key = f"bundles/shop/{digest}/{path}"
        client("s3").put_object(Bucket=BUCKET, Key=key, Body=content)
    text = f"bundle: sha256:{digest}\n"
    client("ssm").put_parameter(Name=NAME, Value=text, Type="String")
    monkeypatch.chdir(local)
    before = sorted(local.rglob("*"))
    status, said = run("pull", "out/a/b", *REMOTE)
    assert (status, "Traceback" in said) == (1, False)
    assert repr(f"bundles/shop/{digest}/{escape}") in said
    assert "delete the object" in said
    assert sorted(local.rglob("*")) == before


def test_pull_writes_all_files_or_none(local: Path, run: Run, aws: FaultyAws) -> None:
    """S3 has an object and a folder of one name side by side; no file system does."""
    del aws
    files = {**BUNDLE, "one.yaml/two.yaml": b"a: b\n", "one.yaml": b"a: b\n"}
    digest = bundle.digest(files)
    for path, content in files.items():
        key = f"bundles/shop/{digest.removeprefix('sha256:')}/{path}"
        client("s3").put_object(Bucket=BUCKET, Key=key, Body=content)
    client("ssm").put_parameter(Name=NAME, Value=f"bundle: {digest}\n", Type="String")
    status, said = run("pull", str(local / "out" / "new"), *REMOTE)
    assert (status, "cannot write" in said, "nothing was written" in said) == (1, True, True)
    assert list((local / "out").iterdir()) == []


@pytest.mark.parametrize("what", ["push", "diff", "history", "rollback", "pull"])
def test_a_refusal_of_aws_is_one_line_with_its_place(
    local: Path, run: Run, aws: FaultyAws, what: str
) -> None:
    run("push", str(local), *REMOTE)
    aws.faults.update(dict.fromkeys(Service, Fault.DENIED))
    further = {
        "push": (str(local),),
        "diff": (str(local),),
        "rollback": ("1",),
        "pull": (str(local / "new"),),
    }.get(what, ())
    status, said = run(what, *further, *REMOTE)
    expected = 2 if what == "diff" else 1
    assert (status, "AccessDenied" in said, "Traceback" in said) == (expected, True, False)
    assert any(place in said for place in (NAME, OWNER, BUCKET))


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_push_refuses_what_breaks_every_pod(
    local: Path, run: Run, aws: FaultyAws, broken: BrokenBundle
) -> None:
    del aws
    fill(local, broken)
    status, said = run("push", str(local), *REMOTE)
    assert (status, broken.problem in said) == (1, True)
    assert (keys(), versions()) == ([], [])


def fill(local: Path, broken: BrokenBundle) -> None:
    """Put a broken bundle in the place of the good one."""
    for path in (local / "bundle").iterdir():
        path.unlink()
    for name, content in broken.files.items():
        (local / "bundle" / name).write_bytes(content)
    write_policy(local, POLICY if "injector.yaml" in broken.files else "policy: enabled\n")


def test_bundles_of_clusters_and_old_versions_are_tried_too(
    local: Path, run: Run, aws: FaultyAws
) -> None:
    del aws
    broken = next(broken for broken in BROKEN if broken.name == "misspelt value")
    digest = bundle.digest(broken.files)
    for name, content in broken.files.items():
        key = f"bundles/shop/{digest.removeprefix('sha256:')}/{name}"
        client("s3").put_object(Bucket=BUCKET, Key=key, Body=content)
    write_policy(local, f"policy: enabled\nclusters: {{eu: {{bundle: '{digest}'}}}}\n")
    status, said = run("push", str(local), *REMOTE)
    assert (status, broken.problem in said) == (1, True)
    assert versions() == []
    client("ssm").put_parameter(Name=NAME, Type="String", Value=f"bundle: {digest}")
    write_policy(local, "policy: enabled\n")
    assert run("push", str(local), *REMOTE)[0] == 0
    status, said = run("rollback", "1", *REMOTE)
    assert (status, broken.problem in said) == (1, True)
    assert len(versions()) == 2
