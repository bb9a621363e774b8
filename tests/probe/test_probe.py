"""The probe: it accepts equal versions, rejects different ones, and fails if it cannot compare."""

import base64
import gzip
import json
from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import botocore.loaders
import botocore.session
import pytest

import recordings
from podgraft.core.census.record import InvalidRecordError, Record, decode_record, encode_record
from probe import Clients, Settings, make_handler, parse_expected
from support.aws_account import CREDENTIALS
from support.function_versions import FUNCTION, Account, Invoke, open_version, serve
from support.store_fixture import BUNDLE, TOKEN, admit, write_injector
from versions import RefusedError, Version

EVENT = {"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "e-1"}
SECRET = "sesame-of-the-test"
SETTINGS = Settings(stack="dev", function=FUNCTION, alias="live", new_version=f"{FUNCTION}:6")
ROLLOUT = """\
policy: enabled
rollout:
  id: 2026-11-22-probes
  mode: %s
  share: 5
  candidate: {policy: disabled}
"""
WIRE = Path(__file__).parents[1] / "support" / "events" / "wire"


create_loader = cache(botocore.loaders.create_loader)


def sleep_not(seconds: float) -> None:
    """Wait for nothing."""
    assert seconds > 0


class Time:
    """The context of an invocation with this many milliseconds left."""

    def __init__(self, milliseconds: int = 900_000) -> None:
        self.milliseconds = milliseconds

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    admit(tmp_path, "prod-eu", TOKEN)
    return write_injector(tmp_path, policy="policy: enabled")


@pytest.fixture
def account(folder: Path) -> Account:
    return Account({"5": open_version(folder), "6": open_version(folder)})


@pytest.fixture
def clients(account: Account, monkeypatch: pytest.MonkeyPatch) -> Generator[Clients]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr("time.sleep", sleep_not)
    # Each client would read the models of the services again.
    monkeypatch.setattr(botocore.session, "create_loader", create_loader)
    session: Any = botocore.session.get_session()
    with serve(account) as address:
        yield Clients(
            lambda_=session.create_client("lambda", endpoint_url=address),
            codedeploy=session.create_client("codedeploy", endpoint_url=address),
            s3=None,
        )


@pytest.fixture
def few_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two recorded reviews instead of all of them."""
    bodies = recordings.read_packaged_bodies()[:2]
    monkeypatch.setattr(recordings, "read_packaged_bodies", lambda: bodies)


def run(
    clients: Clients,
    capsys: pytest.CaptureFixture[str],
    settings: Settings = SETTINGS,
    context: Time | None = None,
) -> dict[str, Any]:
    """The line of the probe. No output contains the secret."""
    capsys.readouterr()
    make_handler(lambda: settings, clients)(EVENT, context or Time())
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    lines = [json.loads(line) for line in out.splitlines()]
    [line] = [each for each in lines if "status" in each]
    return line


def statuses(account: Account) -> list[str]:
    return [each["status"] for each in account.reports]


def change_patch(invoke: Invoke, old: bytes, new: bytes) -> Invoke:
    """A version that renders something else."""

    def respond(event: Mapping[str, Any]) -> Any:
        result = invoke(event)
        if "body" not in result or event["deployment_check"]["request"] != "review":
            return result
        document = json.loads(result["body"])
        response = document.get("response", {})
        if "patch" in response:
            patch = base64.b64decode(response["patch"]).replace(old, new)
            response["patch"] = base64.b64encode(patch).decode()
        return {**result, "body": json.dumps(document, separators=(",", ":"))}

    return respond


def change_result(invoke: Invoke, **fields: Any) -> Invoke:
    """A version with other results of reviews."""

    def respond(event: Mapping[str, Any]) -> Any:
        result = invoke(event)
        is_review = event["deployment_check"]["request"] == "review"
        return {**result, **fields} if is_review else result

    return respond


def test_equal_versions_are_accepted_with_all_reviews(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    line = run(clients, capsys)
    bodies = recordings.read_packaged_bodies()
    assert line == {
        "level": "INFO",
        "message": "deployment_check",
        "service": "dev",
        "status": "Succeeded",
        "live": "5",
        "new": "6",
        "reviews": len(bodies) * 4,  # three routes, and /inject for the cluster
        "omitted": 0,
    }
    assert account.reports == [
        {
            "deploymentId": "d-1",
            "lifecycleEventHookExecutionId": "e-1",
            "status": "Succeeded",
        }
    ]
    sent = {
        number: [each for by, each in account.invoked if by == number and "body" in each]
        for number in ("5", "6")
    }
    assert sent["5"] == sent["6"]
    assert {each["route"] for each in sent["6"]} == {"inject", "mutate", "validate"}
    assert {each["cluster"] for each in sent["6"]} == {"", "prod-eu"}


@pytest.mark.usefixtures("few_bodies")
def test_it_can_run_twice(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(clients, capsys)
    assert run(clients, capsys) == first
    assert statuses(account) == ["Succeeded"]
    account.live = "6"  # and after the deployment
    assert run(clients, capsys)["note"].startswith("not compared")


@pytest.mark.usefixtures("few_bodies")
def test_a_difference_fails_with_its_path_and_without_values(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    account.versions["6"] = change_patch(account.versions["6"], b"/proxy:", SECRET.encode())
    line = run(clients, capsys)
    assert statuses(account) == ["Failed"]
    [change] = line["changes"]
    assert change["paths"] == ["replace object.spec.containers[istio-proxy].image"]
    assert change["injector"] == "default"
    assert (
        "first: injector default, replace object.spec.containers[istio-proxy].image"
        in (line["reason"])
    )
    # The text is what the operator sets for the next deployment.
    [expected] = [word for word in line["reason"].split() if word.startswith("ExpectedChanges=")]
    assert expected == f"ExpectedChanges=default={change['kind']}"
    value = parse_expected(expected.removeprefix("ExpectedChanges="))
    accepted = run(clients, capsys, replace(SETTINGS, expected=value))
    assert (accepted["status"], accepted["expected"]) == ("Succeeded", [change])


@pytest.mark.usefixtures("few_bodies")
@pytest.mark.parametrize(
    ("expected", "status"),
    [
        ("default=any", "Succeeded"),
        ("*=any", "Succeeded"),
        ("other=any", "Failed"),
        ("default=0123456789ab", "Failed"),
        ("", "Failed"),
    ],
)
def test_expected_changes_name_injectors_and_kinds(
    account: Account,
    clients: Clients,
    capsys: pytest.CaptureFixture[str],
    expected: str,
    status: str,
) -> None:
    account.versions["6"] = change_patch(account.versions["6"], b"/proxy:", b"/other:")
    line = run(clients, capsys, replace(SETTINGS, expected=parse_expected(expected)))
    assert line["status"] == status


@pytest.mark.usefixtures("few_bodies")
@pytest.mark.parametrize(
    "fields",
    [
        {"code": 500, "body": '{"kind": "Status"}'},
        {"body": '{"response": {"allowed": false}}'},
    ],
    ids=["failure", "denial"],
)
def test_a_failure_or_a_denial_is_expected_by_its_kind_only(
    account: Account,
    clients: Clients,
    capsys: pytest.CaptureFixture[str],
    fields: dict[str, Any],
) -> None:
    account.versions["6"] = change_result(account.versions["6"], **fields)
    every = replace(SETTINGS, expected=parse_expected("*=any"))
    assert run(clients, capsys, every)["status"] == "Failed"


@pytest.mark.usefixtures("few_bodies")
@pytest.mark.parametrize(
    ("mode", "status"), [("share", "Failed"), ("shadow", "Succeeded"), ("paused", "Succeeded")]
)
def test_a_rollout_in_mode_share_fails_the_deployment(
    account: Account,
    clients: Clients,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    mode: str,
    status: str,
) -> None:
    write_injector(folder, policy=ROLLOUT % mode)
    line = run(clients, capsys)
    assert (line["status"], statuses(account)) == (status, [status])
    if mode == "share":
        assert line["reason"] == (
            "injector default: rollout 2026-11-22-probes is in mode share; end it with "
            "podgraft rollout promote or abort, or pause it, and deploy again"
        )
        assert line["reviews"] == 0


def test_a_brake_does_not_allow_a_deployment(
    clients: Clients, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An operator can release it while the alias has two versions."""
    write_injector(folder, policy=ROLLOUT % "share")
    (folder / "brake.yaml").write_text('id: "*"\n')
    assert "is in mode share" in run(clients, capsys)["reason"]


@pytest.mark.usefixtures("few_bodies")
def test_a_rollout_that_starts_during_the_check_fails_it(
    account: Account, clients: Clients, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = account.versions["6"]

    def start_rollout(event: Mapping[str, Any]) -> Any:
        result = new(event)
        if event["deployment_check"]["request"] == "review" and len(account.invoked) > 10:
            write_injector(folder, policy=ROLLOUT % "share")
        return result

    account.versions["6"] = start_rollout
    assert run(clients, capsys)["status"] == "Failed"


def test_a_return_to_an_earlier_version_is_never_refused(
    account: Account, clients: Clients, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_injector(folder, policy=ROLLOUT % "share")
    account.live = "7"
    line = run(clients, capsys)
    assert (line["status"], line["reviews"]) == ("Succeeded", 0)
    assert "older than the live one" in line["note"]
    assert not account.invoked


def test_a_version_that_does_not_review_a_request_is_refused() -> None:
    """Its response is that to each invalid event, which has a body too."""
    version = Version("6", lambda _: {"statusCode": 400, "body": "{}"})
    review = recordings.RecordedReview(injector="a", cluster="", route="inject", body="{}")
    with pytest.raises(RefusedError, match="version 6: does not respond to the check"):
        version.review(review)


EMPTY: Mapping[str, Any] = {"rollouts": {}, "problems": [], "injectors": [], "clusters": []}
REFUSALS: tuple[tuple[str, Any, str], ...] = (
    ("6", None, "version 6: an invocation ended without a response"),
    ("5", {"statusCode": 400}, "of an earlier release, deploy once with"),
    ("6", [], "version 6: does not respond to the check of a deployment"),
    ("6", {**EMPTY, "problems": ["a problem"]}, "version 6: a problem"),
    ("6", EMPTY, "does not find the injectors"),
    ("6", {**EMPTY, "rollouts": {"a": SECRET}}, "the check failed: TypeError"),
)


@pytest.mark.parametrize(("number", "result", "reason"), REFUSALS)
def test_what_prevents_the_comparison_fails_the_deployment(
    account: Account,
    clients: Clients,
    capsys: pytest.CaptureFixture[str],
    number: str,
    result: Any,
    reason: str,
) -> None:
    account.versions[number] = lambda _event: result
    line = run(clients, capsys)
    assert (line["status"], statuses(account)) == ("Failed", ["Failed"])
    assert reason in line["reason"]


def test_a_stack_without_a_policy_compares_nothing(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in ("5", "6"):
        account.versions[number] = lambda _event: EMPTY
    line = run(clients, capsys)
    assert (line["status"], line["reviews"]) == ("Succeeded", 0)
    assert line["note"] == "not compared: no injector has a policy"


@pytest.mark.parametrize("operation", ["InvokeFunction", "GetAlias"])
def test_a_missing_permission_fails_the_deployment(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str], operation: str
) -> None:
    account.denied.add(operation)
    line = run(clients, capsys)
    assert statuses(account) == ["Failed"]
    names = {"InvokeFunction": "Invoke", "GetAlias": "GetAlias"}
    assert line["reason"] == f"the check failed: AccessDeniedException of {names[operation]}"


@pytest.mark.usefixtures("few_bodies")
def test_a_result_that_cannot_be_reported_is_an_error(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lambda repeats the invocation, and CodeDeploy fails the deployment after an hour."""
    account.denied.add("Report")
    with pytest.raises(clients.codedeploy.exceptions.ClientError):
        make_handler(lambda: SETTINGS, clients)(EVENT, Time())
    assert '"status":"Succeeded"' in capsys.readouterr().out


def test_invalid_settings_fail_the_deployment(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    make_handler(lambda: Settings.from_environment({}), clients)(EVENT, Time())
    assert "the check failed: KeyError" in capsys.readouterr().out
    assert statuses(account) == ["Failed"]


def test_a_check_without_time_fails(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    line = run(clients, capsys, context=Time(59_999))
    assert line["reason"] == "out of time after 0 reviews"
    assert statuses(account) == ["Failed"]


@pytest.mark.usefixtures("few_bodies")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"code": 503}, "got 200 from the live version and 503 from the new version"),
        ({"policy_version": "other", "body": "{}"}, "the policy changed during the check"),
    ],
)
def test_a_passing_difference_is_tried_again(
    account: Account,
    clients: Clients,
    capsys: pytest.CaptureFixture[str],
    fields: dict[str, Any],
    reason: str,
) -> None:
    """AWS was not available, or an operator pushed a policy between both reviews."""
    good = account.versions["6"]
    bad = change_result(good, **fields)

    def recover(event: Mapping[str, Any]) -> Any:
        is_fresh = event["deployment_check"].get("fresh")
        return good(event) if is_fresh else bad(event)

    account.versions["6"] = recover
    assert run(clients, capsys)["status"] == "Succeeded"
    account.versions["6"] = bad
    line = run(clients, capsys)
    assert line["status"] == "Failed"
    assert reason in line["reason"]


@pytest.mark.usefixtures("few_bodies")
def test_reviews_that_all_fail_compare_nothing(
    clients: Clients, account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in ("5", "6"):
        account.versions[number] = change_result(account.versions[number], code=500)
    assert "no review succeeded" in run(clients, capsys)["reason"]


class Bucket:
    """The bucket of the census, in pages of one key."""

    def __init__(self, objects: Mapping[str, bytes]) -> None:
        self.objects = objects

    def list_objects_v2(self, **arguments: Any) -> Any:
        keys = sorted(key for key in self.objects if key.startswith(arguments["Prefix"]))
        at = int(arguments.get("ContinuationToken", 0))
        page: dict[str, Any] = {"Contents": [{"Key": key} for key in keys[at : at + 1]]}
        return page | ({"NextContinuationToken": str(at + 1)} if at + 1 < len(keys) else {})

    def get_object(self, **arguments: Any) -> Any:
        content = self.objects[arguments["Key"]]

        class Body:
            def read(self, amt: int) -> bytes:
                return content[:amt]

        return {"Body": Body()}


def make_record(name: str, pod: Any = None) -> bytes:
    return encode_record(
        Record(
            injector="default",
            cluster="prod-eu",
            namespace="shop",
            workload=f"Deployment/{name}",
            route="inject",
            request={"operation": "CREATE", "kind": {"version": "v1", "kind": "Pod"}},
            environment={"ISTIO_META_CLUSTER_ID": "c1", "ROOTPAGE": "/a"},
            object=pod or {"metadata": {"name": name}, "spec": {"containers": [{"name": "app"}]}},
        )
    )


@pytest.mark.usefixtures("few_bodies")
def test_workloads_of_the_census_are_sent(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    """The newest record of each workload, and no damaged one."""
    place = "default/prod-eu/shop"
    objects = {
        f"{place}/{'a' * 32}/2026-W46.json.gz": make_record("old"),
        f"{place}/{'a' * 32}/2026-W47.json.gz": make_record("web"),
        f"{place}/{'b' * 32}/2026-W47.json.gz": b"damaged",
        f"other/prod-eu/shop/{'c' * 32}/2026-W47.json.gz": make_record("other"),
    }
    clients = replace(clients, s3=Bucket(objects))
    line = run(clients, capsys, replace(SETTINGS, census="bucket"))
    assert line["status"] == "Succeeded"
    first = account.invoked[2][1]
    assert json.loads(first["body"])["request"]["object"]["metadata"]["name"] == "web"
    assert (first["cluster"], first["path"]) == (
        "prod-eu",
        "ISTIO_META_CLUSTER_ID/c1/ROOTPAGE/--slash--a",
    )
    assert line["reviews"] == 1 + 2 * 4
    names = {each["body"] for _, each in account.invoked if "body" in each}
    assert len(names) == 3


def decodes(content: bytes) -> bool:
    try:
        decode_record(content)
    except InvalidRecordError:
        return False
    return True


def test_the_probe_and_the_commands_can_read_the_same_files() -> None:
    """The probe has no layer, so it has a reader of its own: each damage must be one for both."""
    content = make_record("web")
    expected = recordings.parse_record(content)
    nested = b'{"v": 1, "route": ' + b"[" * 100_000
    large = gzip.decompress(content) + b" " * recordings.MAX_BYTES
    documents = (b"", b"{}", b"[]", b'{"v": 2}', b'{"v": 1}', b"\xff", nested, large)
    damaged = [
        *(content[:length] for length in range(len(content))),
        *(content[:i] + bytes([content[i] ^ 0xFF]) + content[i + 1 :] for i in range(len(content))),
        *documents,
        *map(gzip.compress, documents),
    ]
    for each in damaged:
        review = recordings.parse_record(each)
        assert review in (None, expected)
        assert decodes(each) is (review is not None), each[:40]


@pytest.mark.usefixtures("few_bodies")
@pytest.mark.parametrize("is_changed", [False, True])
def test_no_value_of_a_pod_or_a_bundle_is_logged(
    account: Account,
    clients: Clients,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    is_changed: bool,
) -> None:
    """``run`` searches the lines of the probe and of both versions."""
    files = {
        name: text.replace(b"example.com/init", SECRET.encode()) for name, text in BUNDLE.items()
    }
    write_injector(folder, files=files)
    env = [{"name": "TOKEN", "value": SECRET}]
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "env": env}]}}
    content = make_record("web", pod)
    bucket = Bucket({f"default/prod-eu/shop/{'a' * 32}/2026-W47.json.gz": content})
    if is_changed:
        account.versions["6"] = change_patch(account.versions["6"], SECRET.encode(), b"other")
    line = run(replace(clients, s3=bucket), capsys, replace(SETTINGS, census="bucket"))
    assert line["status"] == ("Failed" if is_changed else "Succeeded")
    assert SECRET in json.dumps(account.invoked)


def test_a_bucket_that_cannot_be_read_fails_the_deployment(
    account: Account, clients: Clients, capsys: pytest.CaptureFixture[str]
) -> None:
    line = run(clients, capsys, replace(SETTINGS, census="bucket"))
    assert "the check failed: AttributeError" in line["reason"]
    assert statuses(account) == ["Failed"]


def test_the_number_of_reviews_is_limited(
    clients: Clients, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "MAX_REVIEWS", 5)
    line = run(clients, capsys)
    bodies = recordings.read_packaged_bodies()
    assert (line["status"], line["reviews"]) == ("Succeeded", 5)
    assert line["omitted"] == len(bodies) * 4 - 5


def test_more_workloads_than_reviews_are_not_all_sent(
    clients: Clients, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "MAX_REVIEWS", 2)
    places = (f"default/prod-eu/shop/{letter * 32}/2026-W47.json.gz" for letter in "abc")
    bucket = Bucket(dict.fromkeys(places, make_record("web")))
    line = run(replace(clients, s3=bucket), capsys, replace(SETTINGS, census="bucket"))
    assert (line["status"], line["reviews"]) == ("Succeeded", 2)


def test_the_packaged_reviews_are_recorded_ones() -> None:
    """Requests of kube-apiserver, of the kinds that sidecars differ by."""
    reviews = json.loads((Path(recordings.__file__).with_name("reviews.json")).read_text())
    assert len(reviews) >= 15
    for name, body in reviews.items():
        assert body == json.loads((WIRE / f"{name}.json").read_text())["request"]["body"], name
    kinds = {body["request"]["kind"]["kind"] for body in reviews.values()}
    assert {"Pod", "Deployment", "StatefulSet"} <= kinds


def test_selected_records_are_spread_by_their_digest() -> None:
    keys = [f"a/{cluster}/n/{each:032x}/2026-W47.json.gz" for each in (3, 1) for cluster in "xy"]
    assert recordings.select_keys(keys, 2) == [keys[2], keys[3]]
