"""Two regions: all are prepared before one switches, and the next command ends a split.

The game day: a region is away, the function of one cannot read, and a switch fails. What pods get
is what the function of each region decides with its own store.
"""

import inspect
import json
import shutil
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config

from cli.test_manifest_files import all_commands
from fuzz.application import read_patch
from podgraft.cli import aws_options, main, podgraft, stacks
from podgraft.kube import yaml
from podgraft.service.http import Auth, create_app
from podgraft.service.store.factory import AwsStoreConfig, open_stores
from support.aws_account import deploy_stack, open_account
from support.patience import wait_long
from support.policy_account import set_tag
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE

A, B = "eu-central-1", "eu-west-1"
BODY = load_request("03-kubectl-run").body
POLICY, CALLERS, BRAKE = (f"/podgraft-dev/{name}" for name in ("default/policy", "auth/a", "brake"))
STACK = ("--config", "stack:podgraft-dev")


@dataclass(slots=True)
class Site:
    """Both regions; ``down`` are those without a network, ``refused`` the parameters of B.

    ``calls`` are the functions by region. Each returns the tag of the sidecar, or the status.
    """

    session: Any
    capsys: pytest.CaptureFixture[str]
    down: set[str] = field(default_factory=set[str])
    refused: set[str] = field(default_factory=set[str])
    calls: dict[str, Callable[[], object]] = field(default_factory=dict[str, Callable[[], object]])
    clients: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    out: str = ""
    err: str = ""

    def run(self, *words: str) -> int:
        """Run a command in both regions."""
        self.capsys.readouterr()
        status = main([*words, *STACK, "--regions", f"{A},{B}"])
        self.out, self.err = self.capsys.readouterr()
        return status

    def ssm(self, region: str) -> Any:
        return self.session.create_client("ssm", region_name=region)

    def read(self, region: str, name: str) -> str:
        return self.ssm(region).get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"]

    def versions(self, name: str = POLICY) -> list[int]:
        """The number of the newest version in each region."""
        return [self.ssm(each).get_parameter(Name=name)["Parameter"]["Version"] for each in (A, B)]

    def pods(self) -> list[object]:
        """What a new pod of the cluster gets in each region."""
        return [self.calls[region]() for region in (A, B)]


def start_function(region: str) -> Callable[[], object]:
    store, callers = open_stores(
        AwsStoreConfig(
            bucket=f"bundles-{region}",
            bundle_prefix="bundles/",
            parameter_prefix="/podgraft-dev",
            refresh_seconds=0,
        )
    )
    client = create_app(store, callers, auth=Auth.TOKEN).test_client()

    def call() -> object:
        token = Path("token").read_text().strip()
        response = client.post(
            f"/k/{token}/inject", data=BODY, headers={"Content-Type": "application/json"}
        )
        if response.status_code != 200:
            return response.status_code
        text = json.dumps(read_patch(response.get_json()))
        return text.partition("registry.example.com/proxy:")[2].partition('"')[0]

    return call


@pytest.fixture
def site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Generator[Site]:
    monkeypatch.chdir(tmp_path)
    wait_long(monkeypatch)
    with open_account() as session:
        made = Site(session, capsys)
        for region in (A, B):
            monkeypatch.setenv("AWS_DEFAULT_REGION", region)
            client = session.create_client("cloudformation", region_name=region)
            deploy_stack(
                _OneRegion(client), "podgraft-dev", f"bundles-{region}", guard={"documents": 2}
            )
            made.calls[region] = start_function(region)
        monkeypatch.setattr(stacks, "make_session", lambda: _Session(made))
        yield made


@dataclass(frozen=True, slots=True)
class _OneRegion:
    client: Any

    def create_client(self, service: str) -> Any:
        del service
        return self.client


@dataclass(frozen=True, slots=True)
class _Session:
    """A session of boto3 that finds no server in a region that is down."""

    site: Site

    def client(self, service: str, *, region_name: str | None) -> Any:
        region = region_name or aws_options.make_session().region_name
        key = (service, "down" if region in self.site.down else region)
        if key not in self.site.clients:
            self.site.clients[key] = self._make_client(*key)
        return self.site.clients[key]

    def _make_client(self, service: str, region: str) -> Any:
        if region == "down":
            once = Config(retries={"total_max_attempts": 1})
            down = {"endpoint_url": "http://127.0.0.1:1", "region_name": A, "config": once}
            return self.site.session.create_client(service, **down)
        client = self.site.session.create_client(service, region_name=region)
        if region == B:
            client.meta.events.register("before-call.ssm.PutParameter", self._refuse)
        return client

    def _refuse(self, params: Any, **_: object) -> None:
        name = json.loads(params["body"])["Name"]
        if name in self.site.refused:
            params["body"] = json.dumps({"Name": name, "Value": "{{x}}", "Type": "String"})


@pytest.fixture
def local(site: Site, tmp_path: Path) -> Path:
    """A folder that both regions have, and a token that both accept."""
    folder = tmp_path / "mesh"
    (folder / "bundle").mkdir(parents=True)
    for name, content in BUNDLE.items():
        (folder / "bundle" / name).write_bytes(content)
    (folder / "policy.yaml").write_text("policy: enabled\n")
    assert site.run("push", "mesh") == 0
    assert site.run("tokens", "issue", "--cluster", "a", "--output", "token") == 0
    assert site.pods() == ["1.30.0", "1.30.0"]
    return folder


def test_a_push_that_fails_in_one_region_ends_with_the_next(site: Site, local: Path) -> None:
    set_tag(local, "1.30.1")
    site.refused.add(POLICY)
    assert site.run("push", "mesh") == 1
    assert f"error: region {B}: parameter {POLICY}: ValidationException" in site.err
    assert f"done: {A}; not done: {B}\n" in site.err
    assert f"  to finish: podgraft push mesh {' '.join(STACK)} --regions {A},{B}\n" in site.err
    assert site.pods() == ["1.30.1", "1.30.0"]
    assert site.run("history") == 1
    assert site.err.count("the policies in force differ") == 1
    site.refused.clear()
    assert site.run("push", "mesh") == 0
    assert site.pods() == ["1.30.1", "1.30.1"]
    assert site.versions() == [2, 2]
    assert site.run("history") == 0


def test_a_push_changes_nothing_while_a_region_is_down(site: Site, local: Path) -> None:
    set_tag(local, "1.30.1")
    site.down.add(B)
    assert site.run("push", "mesh") == 2
    assert f"done: none; not done: {A}, {B}\n" in site.err
    assert site.run("tokens", "rotate", "--cluster", "a", "--output", "new") == 2
    assert not Path("new").exists()
    assert site.pods() == ["1.30.0", "1.30.0"]
    assert site.versions() == [1, 1]


def test_a_rollback_finds_the_document_in_each_region(site: Site, local: Path) -> None:
    """The numbers differ: only one region has a version in between."""
    site.ssm(A).put_parameter(Name=POLICY, Value="policy: enabled\n", Type="String", Overwrite=True)
    set_tag(local, "1.30.1")
    assert site.run("push", "mesh") == 0
    assert site.versions() == [3, 2]
    site.refused.add(POLICY)
    assert site.run("rollback", "1") == 1
    assert site.pods() == ["1.30.0", "1.30.1"]
    site.refused.clear()
    assert site.run("rollback", "1") == 0
    assert site.pods() == ["1.30.0", "1.30.0"]
    assert site.versions() == [4, 3]
    assert site.run("rollback", "2") == 2
    assert "no version has the document of version 2 of the first region" in site.err


@pytest.mark.usefixtures("local")
def test_a_token_is_revoked_where_it_can_be(site: Site) -> None:
    identity = Path("token").read_text().split("-")[1]
    site.down.add(B)
    assert site.run("tokens", "revoke", "--cluster", "a", identity) == 1
    assert f"done: {A}; not done: {B}\n" in site.err
    assert site.pods() == [401, "1.30.0"]
    site.down.clear()
    assert site.run("tokens", "revoke", "--cluster", "a", identity) == 0
    assert site.pods() == [401, 401]
    assert site.run("tokens", "revoke", "--cluster", "a", identity) == 0
    assert site.run("tokens", "revoke", "--cluster", "a", "unknown") == 2


@pytest.mark.usefixtures("local")
def test_the_same_command_issues_the_same_token_in_the_other_region(site: Site) -> None:
    site.refused.add(CALLERS)
    before = Path("token").read_text()
    assert site.run("tokens", "rotate", "--cluster", "a", "--output", "new") == 1
    Path("token").write_text(Path("new").read_text())
    assert site.pods() == ["1.30.0", 401]
    site.refused.clear()
    assert site.run("tokens", "rotate", "--cluster", "a", "--output", "new") == 0
    assert site.pods() == ["1.30.0", "1.30.0"]
    assert site.read(A, CALLERS) == site.read(B, CALLERS)
    assert before.strip() not in site.out + site.err
    assert site.run("tokens", "rotate", "--cluster", "a") == 2
    assert "--regions: requires --output" in site.err


@pytest.mark.usefixtures("local")
def test_a_bundle_is_denied_where_it_can_be(site: Site) -> None:
    digest = site.read(A, POLICY).partition("bundle: ")[2].strip()
    site.down.add(A)
    assert site.run("policy", "deny", digest, "--reason", "CVE") == 1
    assert f"done: {B}; not done: {A}\n" in site.err
    assert site.pods() == ["1.30.0", 503]
    site.down.clear()
    assert site.run("policy", "undeny", digest) == 0
    assert site.pods() == ["1.30.0", "1.30.0"]


@pytest.mark.usefixtures("local")
def test_a_brake_needs_one_region(site: Site) -> None:
    site.down.add(A)
    assert site.run("rollout", "abort", "--all", "--reason", "test") == 1
    assert "reason: test" in site.read(B, BRAKE)
    site.down.clear()
    assert site.run("rollout", "release", "--all") == 0
    assert "brake      not found in this region" in site.out
    assert site.run("rollout", "abort", "--all", "--reason", "test") == 0
    assert "reason: test" in site.read(A, BRAKE)


@pytest.mark.usefixtures("local")
def test_a_certificate_is_allowed_in_all_regions_and_forbidden_in_one(site: Site) -> None:
    words = ("--cluster", "a", "CN=a,O=podgraft-clusters")
    site.down.add(B)
    assert site.run("tokens", "allow", *words) == 2
    site.down.clear()
    assert site.run("tokens", "allow", *words) == 0
    site.down.add(B)
    assert site.run("tokens", "forbid", *words) == 1
    site.down.clear()
    assert site.run("tokens", "forbid", *words) == 0
    assert "a: CN=a,O=podgraft-clusters is not allowed here" in site.out
    assert "CN=a" not in site.read(A, CALLERS) + site.read(B, CALLERS)


@pytest.mark.usefixtures("local")
def test_a_function_without_its_store_continues(site: Site) -> None:
    """A bucket is emptied: the environment continues, a new one fails, and a push repairs it."""
    s3 = site.session.create_client("s3", region_name=B)
    for each in s3.list_objects_v2(Bucket=f"bundles-{B}")["Contents"]:
        s3.delete_object(Bucket=f"bundles-{B}", Key=each["Key"])
    assert site.pods() == ["1.30.0", "1.30.0"]
    site.calls[B] = start_function(B)
    assert site.pods() == ["1.30.0", 500]
    assert site.run("push", "mesh") == 0
    assert site.pods() == ["1.30.0", "1.30.0"]


def test_options_that_name_no_regions(site: Site, local: Path) -> None:
    for words, problem in (
        (("--regions", "a,a"), "use each region once"),
        (("--regions", "a,,b"), "use each region once"),
        (("--regions", "a,b", "--region", "c"), "--regions replaces --region; use one of them"),
        (("--regions", "a,b", "--expect-version", "1"), "each region has its own numbers"),
    ):
        assert main(["push", str(local), *STACK, *words]) == 2
        assert problem in site.capsys.readouterr().err


def test_the_project_file_names_the_regions(site: Site, local: Path) -> None:
    set_tag(local, "1.30.1")
    Path("podgraft.toml").write_text(f'config = "stack:podgraft-dev"\nregions = "{A},{B}"\n')
    assert main(["push", "mesh", "--region", B]) == 0
    assert site.versions() == [1, 2]
    assert main(["push", "mesh"]) == 0
    assert site.versions() == [2, 2]
    assert main(["diff", "mesh"]) == 0  # of the first region
    site.capsys.readouterr()
    assert main(["policy", "edit"]) == 2
    assert "podgraft policy edit changes one region; use --region" in site.capsys.readouterr().err
    assert main(["fleet", "adopt"]) == 0
    assert site.versions("/podgraft-dev/callers") == [1, 1]


def test_a_rollout_that_starts_in_one_region_continues_in_both(site: Site, local: Path) -> None:
    shutil.copytree(local, "next")
    set_tag(Path("next"), "1.30.1")

    def shares() -> list[object]:
        documents: list[Any] = [yaml.load(site.read(each, POLICY)) for each in (A, B)]
        return [each.get("rollout", {}).get("share") for each in documents]

    start = ("rollout", "start", "next", "--id", "r1", "--share", "5")
    site.refused.add(POLICY)
    assert site.run(*start) == 1
    assert shares() == [5, None]
    assert site.run("rollout", "status") == 1
    assert site.out.count("rollout    r1 ") == site.out.count("rollout    none") == 1
    assert site.err.count("the rollouts differ") == 1
    site.refused.clear()
    assert site.run(*start) == 0
    assert shares() == [5, 5]
    stop = f"to stop:   podgraft rollout abort --injector default {' '.join(STACK)}"
    assert f"{stop} --regions {A},{B} --reason …\n" in site.out
    assert f"--region {A}" not in site.out
    assert site.run(*start) == 2
    assert "rollout r1 is active" in site.err
    assert site.run("rollout", "step", "50") == 0
    assert shares() == [50, 50]
    site.refused.add(POLICY)
    assert site.run("rollout", "promote") == 1
    site.refused.clear()
    assert site.run("rollout", "promote") == 0
    assert site.pods() == ["1.30.1", "1.30.1"]
    assert site.versions() == [4, 4]
    assert site.run("rollout", "promote") == 2
    assert site.run("rollout", "status") == 0
    assert site.run("rollout", "status", "-o", "json") == 2
    assert "-o json: shows one region; use --region" in site.err


@pytest.mark.usefixtures("local")
def test_bundles_are_pruned_in_both_regions(site: Site) -> None:
    assert site.run("policy", "prune") == 0
    assert site.out.count("0 of 1 bundles are unused") == 2


# What they read is of one region.
READS_ONE = {
    *("certs import-acm", "compare", "diff", "explain", "inject", "register", "tokens list"),
    *("policy census stats", "policy denied", "policy diff", "policy export", "policy preview"),
    *("policy pull", "policy rollout who", "rollout who"),
}


def test_each_command_that_writes_has_regions_or_refuses_them() -> None:
    """A project file can name several for all commands."""
    others: set[str] = set()
    for words, command in all_commands(podgraft):
        names = {each.name for each in command.params}
        if "region" in names and "regions" not in names and command.callback is not None:
            source = inspect.getsource(inspect.unwrap(command.callback))
            if "refuse_regions(" not in source:
                others.add(" ".join(words))
    assert others == READS_ONE
