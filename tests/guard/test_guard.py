"""The guard of a stack: only an alarm sets the brake, and a brake of an operator remains."""

import json
from collections.abc import Generator
from datetime import UTC, datetime
from typing import Any

import botocore.session
import pytest

from guard import MAX_REASON, Settings, format_brake, make_handler
from podgraft.core.versions.brake import ALL, parse_brakes
from podgraft.kube import yaml
from support.aws_account import CREDENTIALS, start_account

BRAKE = "/podgraft/brake"
SETTINGS = Settings("podgraft", BRAKE)


@pytest.fixture(scope="module")
def account() -> Generator[Any]:
    with start_account() as (host, port), pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        session: Any = botocore.session.get_session()
        yield session.create_client("ssm")


@pytest.fixture
def ssm(account: Any) -> Generator[Any]:
    yield account
    account.delete_parameters(Names=[BRAKE])


def make_event(state: str, reason: str = "2 datapoints\nwere above 0") -> dict[str, Any]:
    """The event of an alarm, as CloudWatch documents it."""
    return {
        "source": "aws.cloudwatch",
        "alarmArn": "arn:aws:cloudwatch:eu-central-1:111122223333:alarm:podgraft-failures",
        "accountId": "111122223333",
        "time": "2026-11-22T08:31:07.490+0000",
        "region": "eu-central-1",
        "alarmData": {
            "alarmName": "podgraft-failures",
            "state": {"value": state, "reason": reason, "timestamp": "2026-11-22T08:31:07+0000"},
            "previousState": {"value": "INSUFFICIENT_DATA", "reason": "unchecked"},
            "configuration": {"metrics": []},
        },
    }


def read_brake(ssm: Any) -> str | None:
    try:
        return ssm.get_parameter(Name=BRAKE)["Parameter"]["Value"]
    except ssm.exceptions.ParameterNotFound:
        return None


def send(ssm: Any, state: str, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The log line of the guard for an alarm in a state."""
    make_handler(SETTINGS, ssm)(make_event(state), None)
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_an_alarm_sets_the_brake(ssm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    line = send(ssm, "ALARM", capsys)
    assert line == {
        "level": "WARNING",
        "message": "guard",
        "service": "podgraft",
        "alarm": "podgraft-failures",
        "state": "ALARM",
        "brake": "set",
    }
    brake = read_brake(ssm)
    assert brake is not None
    assert parse_brakes([brake]) == {ALL}
    assert "alarm podgraft-failures: 2 datapoints were above 0" in brake


def test_an_alarm_with_braces_in_its_name_sets_the_brake(ssm: Any) -> None:
    """Parameter Store rejects ``{{…}}`` in a value."""
    event = make_event("ALARM", 'the {{metric}} "of" {one}')
    event["alarmData"]["alarmName"] = "{{ team }}"
    make_handler(SETTINGS, ssm)(event, None)
    brake = yaml.load(read_brake(ssm) or "")
    assert isinstance(brake, dict)
    assert brake["reason"] == 'alarm {{ team }}: the {{metric}} "of" {one}'


@pytest.mark.parametrize("state", ["OK", "INSUFFICIENT_DATA"])
def test_another_state_changes_nothing(
    ssm: Any, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    assert send(ssm, state, capsys)["brake"] == "ignored"
    assert read_brake(ssm) is None


@pytest.mark.parametrize("id_", ["'*'", '"*"'])
def test_the_brake_of_an_operator_remains(
    ssm: Any, capsys: pytest.CaptureFixture[str], id_: str
) -> None:
    own = f"id: {id_}\nby: operator\nreason: incident\n"
    ssm.put_parameter(Name=BRAKE, Value=own, Type="String")
    assert send(ssm, "ALARM", capsys)["brake"] == "exists"
    assert read_brake(ssm) == own


@pytest.mark.parametrize(
    "text",
    [
        "id: 2026-11-22-probes\n",
        "[",
        "reason: id is missing\n",
        "id: other\nreason: 'a\nid: \"*\"\n'\n",
        'id: "*\'\n"\n',
        "by: a\u2028? \"\nid: '*'\n\"\n: x\nid: other\n",
        'own: {\nid: "*"\n}\nid: other\n',
    ],
)
def test_a_brake_that_can_stop_less_is_replaced(
    ssm: Any, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    ssm.put_parameter(Name=BRAKE, Value=text, Type="String")
    assert send(ssm, "ALARM", capsys)["brake"] == "set"
    assert parse_brakes([read_brake(ssm) or ""]) == {ALL}


def test_a_brake_of_abort_remains(ssm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    own = yaml.dump({"id": ALL, "at": "2026-11-22T08:31:07Z", "by": "o'neil", "reason": "a: b"})
    ssm.put_parameter(Name=BRAKE, Value=own, Type="String")
    assert send(ssm, "ALARM", capsys)["brake"] == "exists"


def test_the_second_alarm_changes_nothing(ssm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    send(ssm, "ALARM", capsys)
    first = read_brake(ssm)
    assert send(ssm, "ALARM", capsys)["brake"] == "exists"
    assert read_brake(ssm) == first


def test_a_released_brake_is_set_again(capsys: pytest.CaptureFixture[str]) -> None:
    """An operator releases the brake between the two requests of the guard."""

    class Released:
        class exceptions:  # noqa: N801 - as in botocore
            ParameterAlreadyExists = KeyError
            ParameterNotFound = LookupError

        def __init__(self) -> None:
            self.writes: list[bool] = []

        def get_parameter(self, **arguments: Any) -> Any:
            raise LookupError(arguments)

        def put_parameter(self, **arguments: Any) -> Any:
            self.writes.append(arguments["Overwrite"])
            if not arguments["Overwrite"]:
                raise KeyError(arguments["Name"])

    ssm = Released()
    assert send(ssm, "ALARM", capsys)["brake"] == "set"
    assert ssm.writes == [False, True]


def test_an_error_of_the_service_is_raised() -> None:
    """Lambda repeats an asynchronous invocation that fails, and the alarm for the guard starts."""

    class Unavailable:
        class exceptions:  # noqa: N801 - as in botocore
            ParameterAlreadyExists = KeyError

        def get_parameter(self, **arguments: Any) -> Any:
            raise AssertionError(arguments)

        def put_parameter(self, **arguments: Any) -> Any:
            raise OSError(arguments["Name"])

    with pytest.raises(OSError, match=BRAKE):
        make_handler(SETTINGS, Unavailable())(make_event("ALARM"), None)


@pytest.mark.parametrize("event", [{}, {"alarmData": {}}, {"alarmData": {"alarmName": "a"}}])
def test_another_event_is_an_error(event: dict[str, Any], ssm: Any) -> None:
    with pytest.raises(KeyError):
        make_handler(SETTINGS, ssm)(event, None)
    assert read_brake(ssm) is None


@pytest.mark.parametrize("reason", ['5 > 0: "quoted" # {', "é\u2028\x07", "x" * 5000, ""])
def test_the_document_is_valid_and_small(reason: str) -> None:
    text = format_brake("a: 'b'", reason, datetime(2026, 11, 22, tzinfo=UTC))
    document = yaml.load(text)
    assert isinstance(document, dict)
    assert document["id"] == ALL
    assert document["by"] == "guard"
    assert document["reason"] == f"alarm a: 'b': {reason}"[:MAX_REASON]
    assert len(text.encode()) < 4096
