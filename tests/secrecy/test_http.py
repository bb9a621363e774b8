"""No route and no fault of the webhook writes a secret, with any input, on any server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug.test import Client

from podgraft.core.review.results import ReviewOutcome
from podgraft.service.http import create_app
from podgraft.service.http.errors import NoRouteError, UnsupportedMethodError
from podgraft.service.http.faults import TABLE
from podgraft.service.paths import ROUTES, Target, format_path
from podgraft.service.store.folder import FolderCallers, FolderStore
from secrecy.calls import SCENARIOS, Call, Scenario, pod, scenario_code
from secrecy.function import Ask, function
from secrecy.known_secrets import MARK, find_secrets
from support.store_fixture import TOKEN

Heard = Callable[[], str]


def application(folder: Path) -> Ask:
    """The application as any WSGI server has it."""
    client = Client(create_app(FolderStore(folder), FolderCallers(folder)))

    def ask(call: Call) -> tuple[int, str]:
        headers = dict(call.headers)
        response = client.open(call.path, method=call.method, data=call.body, headers=headers)
        return response.status_code, response.text

    return ask


@pytest.fixture(params=["application", "function"])
def ask(
    request: pytest.FixtureRequest,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    captured_output: Heard,
    failing_engine: None,
) -> Ask:
    """Either, with everything that they write being heard."""
    del captured_output, failing_engine
    if request.param == "application":
        return application(folder)
    return function(monkeypatch, {"PODGRAFT_STORE": f"file:{folder}"})


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_no_fault_and_no_outcome_of_a_review_writes_a_secret(
    scenario: Scenario, ask: Ask, folder: Path, captured_output: Heard
) -> None:
    if scenario.warm:
        ask(Call(pod()))
    scenario.store(folder)
    captured_output()
    code, body = [ask(scenario.call) for _ in range(scenario.times)][-1]
    written = captured_output()
    assert code == scenario_code(scenario), body
    assert '"milliseconds":' in written or scenario.fault in {NoRouteError, UnsupportedMethodError}
    assert find_secrets(written) == [], written
    assert scenario.shows or find_secrets(body) == [], body
    assert f'"decision":"{scenario.decision}"' in body or scenario.fault, body


def test_every_fault_and_every_outcome_of_a_review_is_covered() -> None:
    """A fault that is new in the table, or a new word, needs a scenario."""
    assert {each.fault for each in SCENARIOS if each.fault} - {RuntimeError} == set(TABLE)
    assert {each.decision for each in SCENARIOS if each.decision} == set(ReviewOutcome) - {
        ReviewOutcome.FAIL
    }


# Reviews, with values of the environment in the path.
TARGETS = [
    Target(route, injector, f"cluster/prod-eu/PASSWORD/{MARK}/:ENV:A={MARK}")
    for route in ROUTES
    for injector in ("default", "istio")
]


@pytest.mark.parametrize("token", ["", f"/k/{TOKEN}"], ids=["header", "path"])
@pytest.mark.parametrize("method", ["POST", "GET", "PUT", "HEAD", "OPTIONS"])
def test_no_route_writes_a_secret(
    method: str, token: str, ask: Ask, folder: Path, captured_output: Heard
) -> None:
    """All that the application itself knows, so a new one is among them."""
    app = create_app(FolderStore(folder), FolderCallers(folder))
    adapter = app.url_map.bind("localhost")
    endpoints = [rule.endpoint for rule in app.url_map.iter_rules() if "<" not in str(rule)]
    paths = [*map(adapter.build, endpoints), *map(format_path, TARGETS)]
    assert len(endpoints) + 1 == len(list(app.url_map.iter_rules()))
    for path in paths:
        query = f"?timeout=10s&password={MARK}"
        for body in (pod(), pod()[:-20]):
            code, answer = ask(Call(body, f"{token}{path}{query}", method))
            assert find_secrets(answer if code != 200 else "") == [], (path, answer)
    written = captured_output()
    assert method != "POST" or '"route":"inject"' in written
    assert find_secrets(written) == [], written


@pytest.mark.parametrize("path", ["/ping", "/healthz", "/readyz"])
def test_an_internal_error_on_a_health_route_is_reported_with_its_location(
    path: str, ask: Ask, captured_output: Heard
) -> None:
    code, body = ask(Call(path=path, method="GET"))
    written = captured_output()
    assert (code == 500) is ('"endpoint":"readyz"' in written) is (path == "/readyz")
    assert find_secrets(written + body) == [], written
