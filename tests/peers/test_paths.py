"""Guarantee: authentication, routing, and stores use the same path, parsed once.

Incidents: grpc-go CVE-2026-33186 (a path without the leading slash bypasses deny rules), OPA
CVE-2025-46569 (a query built from the URL path), Envoy CVE-2026-73551 and CVE-2026-73553 (dot
segments, path parameters). A request ends with 4xx, or as a review of the cluster of its token by
the injector that a strict parser finds. A name reaches a store only if it is valid.
"""

import json
import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest
from werkzeug.test import Client, create_environ, run_wsgi_app

from podgraft.base.deadline import Deadline
from podgraft.core.identifiers import is_injector as is_name
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.http import create_app
from podgraft.service.paths import ROUTES, Target, format_path
from podgraft.service.store.folder import FolderCallers, FolderStore
from service.http.test_fronts import load_balancer, rest_api
from service.http.test_handler import load_handler
from support.effort import scaled
from support.recorded_requests import load_request
from support.store_fixture import OTHER_TOKEN, PATH_TOKEN, TOKEN, admit, write_injector

BODY = load_request("24-bearer-token").body
CLUSTERS = {TOKEN: "prod-eu", PATH_TOKEN: "prod-eu", OTHER_TOKEN: "staging"}
STRICT = re.compile(
    r"(?:/k/(?P<token>[^/]*))?(?:/(?!(?:inject|mutate|validate)/)(?P<injector>[^/]+))?/(?P<route>inject|mutate|validate)(?:/.*)?",
    re.DOTALL,
)
PATHS = (
    "inject",
    "//inject",
    "/./inject",
    "/../inject",
    "/istio/../inject",
    "/istio/./inject",
    "/istio//inject",
    "//istio/inject",
    "/istio/inject/../../inject",
    f"/./k/{PATH_TOKEN}/inject",
    f"/k//{PATH_TOKEN}/inject",
    f"//k/{PATH_TOKEN}/inject",
    f"/k/{PATH_TOKEN}//inject",
    f"/k/{PATH_TOKEN}/k/{OTHER_TOKEN}/inject",
    f"/k/{PATH_TOKEN}/../{OTHER_TOKEN}/inject",
    f"/K/{PATH_TOKEN}/inject",
    f"/istio/k/{PATH_TOKEN}/inject",
    f"/{PATH_TOKEN}/inject",
    f"/{OTHER_TOKEN}/inject",
    "/inject;x",
    "/inject;/x",
    "/inject;jsessionid=1/cluster/a",
    ";/inject",
    "/Inject",
    "/INJECT",
    "/ISTIO/inject",
    "/istio%2finject",
    "/istio%2Finject",
    "/%2e/inject",
    "/%2e%2e/inject",
    "/%69nject",
    "/inject%00",
    "/inject\x00",
    "/istio\x00/inject",
    "/istio/inject\n",
    "/istio\\inject",
    "/inject?x=/istio/inject",
    "/inject#/istio",
    "/auth/inject",
    "/k/inject",
    "/healthz/inject",
    "/inject/inject",
    "/inject/istio/mutate",
    "/ⅰnject",
    "/inject/",
    "/inject//",
    "http://other.example/inject",
    "",
    "/",
    "*",
)
SEGMENTS = (
    *("inject", "mutate", "validate", "istio", "default", "auth", "k", "readyz", "healthz"),
    *("", ".", "..", "%2e%2e", "..%2f", "%2finject", "Inject", "inject;x", "a", "\x00", "é"),
    *(TOKEN, PATH_TOKEN, OTHER_TOKEN),
)  # fmt: skip
REDIRECTS = range(300, 400)


class WatchedStore(FolderStore):
    """A store that records the names that reach it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.names: list[str] = []

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        self.names.append(injector)
        return super().snapshot(injector, cluster, deadline, groups)


class Site:
    """An application for two clusters, and everything that it recorded."""

    def __init__(self, folder: Path) -> None:
        admit(folder, "prod-eu", TOKEN, PATH_TOKEN)
        admit(folder, "staging", OTHER_TOKEN)
        write_injector(write_injector(folder), "istio", policy="policy: disabled")
        self.store = WatchedStore(folder)
        self.records: list[Any] = []
        clock = iter(range(0, 10**9, 61)).__next__  # each request in a new window of the throttle
        self.app = create_app(
            self.store,
            FolderCallers(folder),
            request_log=self.records.append,
            clock=clock,
            ages=clock,
        )

    def post(self, path: str, token: str = "") -> int:
        """The status of a review under the path, as a WSGI server passes it."""
        environ = create_environ(method="POST", content_type="application/json", data=BODY)
        environ["PATH_INFO"] = path.encode().decode("latin-1")
        if token:
            environ["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        _, status, headers = run_wsgi_app(self.app, environ)
        assert "Location" not in headers
        return int(status.split()[0])


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def check(site: Site, path: str, header_token: str) -> None:
    """The path ends as the strict parser says."""
    del site.records[:], site.store.names[:]
    code = site.post(path, header_token)
    assert all(is_name(name) for name in site.store.names), (path, site.store.names)
    if code != 200:
        assert 400 <= code < 500, (path, code)
        return
    parsed = STRICT.fullmatch(path)
    assert parsed is not None, (path, header_token)
    presented = {CLUSTERS[each] for each in (header_token, parsed["token"]) if each in CLUSTERS}
    [record] = site.records
    assert presented == {record["cluster"]}, path
    assert record["injector"] == (parsed["injector"] or "default"), path
    assert record["route"] == parsed["route"], path
    assert {*site.store.names} == {record["injector"]}, path


@pytest.mark.parametrize("token", ["", TOKEN, OTHER_TOKEN, "guess"])
@pytest.mark.parametrize("path", PATHS, ids=repr)
def test_a_path_means_the_same_to_each_step(path: str, token: str, site: Site) -> None:
    check(site, path, token)


def test_generated_paths_mean_the_same_to_each_step(site: Site) -> None:
    random = Random("paths")  # noqa: S311  the same paths each time
    for _ in range(scaled(10_000, by=10)):
        segments = random.choices(SEGMENTS, k=random.randrange(1, 6))
        path = "/" + random.choice(("/", "/", "/", "//")).join(segments)
        check(site, path, random.choice(("", TOKEN, OTHER_TOKEN, "guess")))


def test_the_function_reads_a_path_as_the_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind each front; a front passes the path decoded or encoded."""
    Site(tmp_path)
    monkeypatch.setenv("PODGRAFT_STORE", f"file:{tmp_path}")
    handler = load_handler()
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    for front in (rest_api, load_balancer):
        for path in PATHS:
            if OTHER_TOKEN in path:  # a misplaced token that is a valid name; the log has names
                continue
            sent = {**front(headers), "path": path}
            code = handler(sent, None)["statusCode"]
            decoded = unquote(path) if front is load_balancer else path
            assert code not in REDIRECTS, path
            assert code == 200 or 400 <= code < 500, (path, code)
            if code == 200:
                assert STRICT.fullmatch(decoded) or STRICT.fullmatch(unquote(path)), path


def test_no_route_redirects(site: Site) -> None:
    """A redirect could send the token to another host (compare Kubernetes CVE-2020-8561)."""
    client = Client(site.app)
    adapter = site.app.url_map.bind("localhost")
    endpoints = [rule.endpoint for rule in site.app.url_map.iter_rules() if "<" not in str(rule)]
    tails = ("", "cluster/prod-eu")
    targets = [Target(*each) for each in product(ROUTES, ("default", "istio"), tails)]
    paths = {*map(adapter.build, endpoints), *map(format_path, targets)}
    for path in sorted(paths):
        for variant in (path, f"{path}/", f"/{path}", path.upper(), f"{path}//", f"{path}?x=1"):
            for method in ("GET", "POST", "HEAD", "PUT", "OPTIONS", "DELETE"):
                for headers in ({}, {"Authorization": f"Bearer {TOKEN}", "Host": "other.example"}):
                    response = client.open(variant, method=method, headers=headers, data=BODY)
                    assert response.status_code not in REDIRECTS, (method, variant)
                    assert "Location" not in response.headers


def test_the_query_names_no_injector_and_no_caller(site: Site) -> None:
    query = f"injector=istio&cluster=staging&token={OTHER_TOKEN}&timeout=10s"
    client = Client(site.app)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    answer = client.post(f"/inject?{query}", data=BODY, headers=headers)
    assert (answer.status_code, json.loads(answer.data)["response"]["allowed"]) == (200, True)
    [record] = site.records
    assert (record["cluster"], record["injector"]) == ("prod-eu", "default")
