"""The memory of a worker while one caller sends the reviews that need most of it."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from charts.rendering import CHART
from podgraft.kube import quantity, yaml
from service.serve.running import PATH, REVIEW, issue_token, prepare, serving

CLIENTS = 16


def make_review() -> str:
    """A review that decodes to one of the largest values for its length."""
    review = json.loads(json.dumps(REVIEW))
    review["request"]["object"]["metadata"]["x"] = [{}] * 1_500_000
    return json.dumps(review, separators=(",", ":"))


def test_the_limit_of_the_chart_is_enough_for_the_worst_reviews(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise one cluster could stop the pods that serve all clusters."""
    values: Any = yaml.load((CHART / "values.yaml").read_text())
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    headers = {"Authorization": f"Bearer {issue_token()}", "Content-Type": "application/json"}
    body = make_review()
    with serving(tmp_path, "--threads", str(values["threads"])) as served:

        def send(_: int) -> int:
            with served.connect() as connection:
                connection.request("POST", PATH, body, headers)
                return connection.getresponse().status

        assert served.ask("GET", "/ping") == (200, "pong")
        with ThreadPoolExecutor(CLIENTS) as pool:
            assert {*pool.map(send, range(CLIENTS))} <= {413, 503}
        [worker] = served.workers()
        status = Path(f"/proc/{worker}/status").read_text()
    [peak_kilobytes] = map(int, re.findall(r"VmHWM:\s+(\d+) kB", status))
    limit = quantity.parse(values["resources"]["limits"]["memory"])
    assert values["workers"] * peak_kilobytes * 1024 < limit.scale_unbounded(0)
