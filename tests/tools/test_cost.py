"""The bill: sums that anybody can do again, figures that were measured, a page that says both."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cost
from costs import bill, measurement, scale
from costs.bill import GB, MILLION, Figures, Fleet
from costs.census import PUT_MILLION, RECORD_BYTES, Census, monthly_lines, render_census
from podgraft.core.census.record import Record, encode_record
from podgraft.core.census.redaction import KeyFilter, Redactor
from podgraft.service.store.aws.callers import CachedCallers
from podgraft.service.store.aws.client import Listing, RetryBudget
from podgraft.service.store.aws.registry import RegistryReader
from podgraft.service.store.aws.ssm import ParameterReader
from podgraft.service.store.registry_document import encode_registry

EVENTS = Path(__file__).parents[1] / "support" / "events" / "wire"

FIGURES = Figures(
    measured="today",
    source="a template",
    milliseconds=5.0,
    response_bytes=10_000,
    log_bytes=1_000 - 3 * bill.EVENT_OVERHEAD,
    events=3,
    memory_mib=1024,
    refresh_seconds=30,
    metrics=20,
    alarms=7,
)


LIMITS = scale.Limits(requests_a_second=500, cold_seconds=0.2)


def dollars(figures: Figures, pods: int, fleet: Fleet = bill.ONE_CLUSTER) -> dict[str, float]:
    return {line.item: line.dollars for line in bill.monthly_lines(figures, pods, fleet)}


def test_the_bill_of_ten_million_pods_worked_out_by_hand() -> None:
    assert FIGURES.billed_milliseconds == 9  # 5 ms × 1769/1024 = 8.6 ms
    got = dollars(FIGURES, 10 * MILLION)
    assert got == pytest.approx(
        {
            "API Gateway, HTTP API": 10.00,
            "Lambda requests": 2.00,
            "Lambda time": 90_000 * 0.0000133334,
            "SnapStart": 30 * 24 * 3600 * 0.0000015046,
            "CloudWatch Logs": 10 * 0.50,
            "hourly query of the log": 10 * 0.005,
            "answers to the internet": 100 * 0.09,
            "metrics, alarms, dashboard": 6.00 + 0.70 + 3.00,
            "metrics by cluster and injector": 1.20,
            # 9,360 checks of at most 0.35 GB-seconds, 18,720 invocations, and 8,640 requests.
            "the watch": 3276 * 0.0000133334 + 0.003744 + 0.00864,
            "KMS, tokens": 8.64 * 0.03,  # 86,400 refreshes of one environment
        }
    )


@pytest.mark.parametrize(("memory", "billed"), [(256, 35), (1024, 9), (1769, 5), (3008, 5)])
def test_more_memory_shortens_what_is_billed_until_a_whole_processor(
    memory: int, billed: int
) -> None:
    assert replace(FIGURES, memory_mib=memory).billed_milliseconds == billed


def test_environments_refresh_as_many_as_the_load_retains_busy() -> None:
    """A billion pods of 9 ms are 3.5 environments' work of a month."""
    few, many = (dollars(FIGURES, pods)["KMS, tokens"] for pods in (1, 1000 * MILLION))
    assert many == pytest.approx(4 * few)


@pytest.mark.parametrize(
    ("fleet", "metrics", "tokens"),
    [
        (Fleet(10, 3), 10 * 3 * 4 * 0.30, 10 * 0.2592),
        (Fleet(20, 3), 20 * 3 * 4 * 0.30, 20 * 0.2592),
        (Fleet(21, 3), 0, 21 * 0.2592),  # ClusterMetrics=auto
        (Fleet(21, 3, groups=20), 20 * 4 * 0.30, 21 * 0.2592),  # by group
        (Fleet(300, 3, has_registry=True), 0, 0),  # a pointer and an object, without KMS
        (Fleet(300, 1, has_registry=False), 0, 300 * 0.2592),
    ],
)
def test_tokens_are_billed_by_cluster_and_metrics_by_pair(
    fleet: Fleet, metrics: float, tokens: float
) -> None:
    got = dollars(FIGURES, MILLION, fleet)
    assert got["metrics by cluster and injector"] == pytest.approx(metrics)
    assert got["KMS, tokens"] == pytest.approx(tokens)  # 86,400 × $0.03 / 10,000 = $0.2592


def test_the_bill_of_fleets_worked_out_by_hand() -> None:
    """A million reviews cost 1.00 + 0.20 + 0.12 + 0.50 + 0.005 + 0.90, and 13.66 are fixed."""
    million = 1.00 + 0.20 + 9_000 * 0.0000133334 + 0.50 + 0.005 + 0.90
    fixed = 9.70 + 3.90 + 0.056064
    rows = {title: cells for title, _, cells in scale.fleet_rows(FIGURES, LIMITS)}
    assert rows["reviews"] == ["1,000,000", "30,000,000", "300,000,000"]
    totals = [float(cell.strip("*$")) for cell in rows["**a month**"]]
    assert totals == pytest.approx(
        [
            million + fixed + 36.00 + 10 * 0.2592,
            30 * million + fixed + 24.00,
            300 * million + fixed + 24.00,
        ],
        abs=0.02,
    )
    assert rows["a private API, 1 endpoint"] == ["$16.90", "$89.40", "$764.40"]
    assert rows["`TokenRotationDays`"] == ["$4.00", "$120.00", "$1,200.00"]
    # 8 clusters of 60 requests a second fit into 500, and 166 into 10,000.
    restart = "all restart, `ThrottlingRateLimit={}`"
    assert rows[restart.format(500)] == ["50 s", "950 s", "9,375 s"]
    assert rows[restart.format(10_000)] == ["25 s", "50 s", "475 s"]


def test_what_breaks_first_worked_out_by_hand() -> None:
    """A cluster that restarts a node group sends 20 reviews a second to each injector.

    With 0.2 s for a cold start, the clusters of one injector start 4 environments each. In the 10 s
    of a timeout, Parameter Store serves 400 reads: of 200 environments with 2 reads each, of 12.5
    with 32, and of 1.3 with 302.
    """
    found = {each.name: each.clusters for each in scale.find_limits(LIMITS)}
    assert found == {
        "`ThrottlingRateLimit`": (25, 8),
        "Parameter Store, registry": (50, 16),
        "Parameter Store, 300 clusters without a registry": (3, 1),
        "Parameter Store, 3,000 clusters without a registry": (0, 0),
        "API Gateway in newer regions": (125, 41),
        "API Gateway": (500, 166),
        "Lambda concurrency": (500, 166),
    }
    page = cost.PAGE.read_text()
    price = f"${scale.PRIVATE_API_MILLION:.2f} instead of ${bill.API_MILLION:.2f}"
    assert f"A million requests cost {price}" in page
    decisions = page.partition("## Ten decisions")[2]
    assert "| More than 25 clusters restart all pods at once | `ThrottlingRateLimit`" in decisions


class Parameters:
    """Parameter Store of a stack with clusters, which counts its requests."""

    def __init__(self, clusters: int, *, has_registry: bool) -> None:
        self.requests = 0
        self._clusters = clusters
        registry = {"serial": 1, "callers": object_digest(), "clusters": clusters}
        self._values = {"/podgraft/istio/policy": "policy: enabled"}
        if has_registry:
            self._values["/podgraft/callers"] = json.dumps(registry)

    def __call__(self, operation: str, arguments: Any, seconds: float) -> Mapping[str, Any]:
        del seconds
        self.requests += 1
        if operation == "GetParameters":
            names = [name for name in arguments["Names"] if name in self._values]
            found = [{"Name": each, "Value": self._values[each], "Version": 1} for each in names]
            return {"Parameters": found}
        begin = int(arguments.get("NextToken", 0))
        end = min(begin + scale.PARAMETERS_A_PAGE, self._clusters)
        return {"Parameters": [], **({"NextToken": str(end)} if end < self._clusters else {})}


class Objects:
    """The bucket with the registry."""

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        del bucket, key, seconds
        return encode_registry({})[1]

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        raise NotImplementedError


def object_digest() -> str:
    return encode_registry({})[0]


@pytest.mark.parametrize(
    ("clusters", "has_registry", "reads"),
    [(10, False, 3), (25, False, 5), (300, False, 32), (300, True, 2)],
)
def test_a_start_reads_what_the_page_assumes(clusters: int, has_registry: bool, reads: int) -> None:
    """The policy and the pointer, and without a registry ten caller documents a page."""
    client = Parameters(clusters, has_registry=has_registry)
    parameters = ParameterReader(client, "/podgraft")
    parameters.policy("istio", RetryBudget.from_seconds(9.0))
    CachedCallers(
        parameters, 30.0, registry=RegistryReader(parameters, Objects(), "bucket")
    ).callers()
    assert client.requests == reads
    assert scale.reads_of_a_start(clusters, has_registry=has_registry) == reads


def test_the_page_states_what_the_script_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert cost.main([]) == 0
    assert f"<!-- tools/cost.py -->\n\n{capsys.readouterr().out}\n<!--" in cost.PAGE.read_text()


def test_the_page_of_the_census_states_its_bill() -> None:
    page = cost.CENSUS_PAGE.read_text()
    assert f"<!-- tools/cost.py -->\n\n{render_census()}\n\n<!-- /" in page
    one = f"{PUT_MILLION / MILLION:.6f}"
    assert f"with another image is a distinct workload, and costs ${one}." in page


def test_the_bill_of_a_census_follows_from_its_size() -> None:
    lines = [line.dollars for line in monthly_lines(Census())]
    weeks = 30 / 7
    puts = 10_000 * weeks * 5
    expected = puts * 5 / MILLION + 4 * 0.30 + puts * 0.015 * bill.GIB_SECOND
    assert sum(lines) == pytest.approx(expected, abs=0.01)
    double = [line.dollars for line in monthly_lines(Census(workloads=20_000))]
    assert sum(double) - 1.2 == pytest.approx(2 * (sum(lines) - 1.2), rel=0.01)


@pytest.mark.parametrize(
    ("event", "size"),
    [("01-deployment-pod", RECORD_BYTES[0]), ("09-twelve-containers", RECORD_BYTES[1])],
)
def test_the_size_of_a_record_is_at_most_that_of_the_bill(event: str, size: int) -> None:
    body = json.loads((EVENTS / f"{event}.json").read_text())["request"]["body"]
    record = Record(
        injector="istio",
        cluster="prod-eu",
        namespace="shop",
        workload="Deployment/web",
        route="inject",
        request={key: body["request"][key] for key in ("kind", "resource", "operation")},
        environment={},
        object=Redactor(bytes(32), KeyFilter()).redact(body["request"]["object"]),
        decision="inject",
        policy="42",
        bundle="sha256:" + "0" * 64,
        date="2026-11-22",
    )
    assert size / 2 < len(encode_record(record)) <= size


def test_the_columns_add_up() -> None:
    rows = [
        line.split("|")[1:-1] for line in cost.render_costs().splitlines() if line.startswith("| ")
    ]
    table = [row for row in rows if "$" in row[-1] and len(row) == 4]
    for column in (2, 3):
        *lines, total = [float(re.sub(r"[ *$,]", "", row[column])) for row in table]
        assert total == pytest.approx(sum(lines), abs=0.01 * len(lines))


def test_what_is_measured_is_a_review_with_its_response_and_its_logs() -> None:
    got = measurement.measure(10)
    assert 0.1 < got.milliseconds < 1000
    assert 2_000 < got.response_bytes < GB
    assert got.events == 3  # the review's line, its metrics, the API's access log
    assert 800 < got.log_bytes < 5_000
    assert (got.memory_mib, got.refresh_seconds, got.alarms) == (1024, 30, 19)
