"""Guarantee: podgraft connects to no address that stands in a document or in a pod.

Incidents: Kyverno CVE-2026-4789 (HTTP functions in CEL), Istio CVE-2026-41413 (``jwksUri``),
Rekor CVE-2026-24117. With all network access blocked, every sample and the corpus have the same
results, and a mesh configuration full of URLs loads.
"""

import json
from itertools import islice
from pathlib import Path

import pytest
from werkzeug.test import Client

from conformance import corpus
from podgraft.base.jsonvalue import Object
from podgraft.kube.cel import CompileError, Environment
from podgraft.service.http import Auth, create_app
from podgraft.service.store.folder import FolderCallers, FolderStore
from samples.test_samples import INPUTS, review_with_engine, run_sample
from support.effort import scaled
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, write_injector

URL = "http://192.0.2.1/x"  # TEST-NET-1: no host has the address
MESH = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: istio, namespace: istio-system}}
data:
  mesh: |
    trustDomain: example.org
    configSources: [{{address: "{URL}"}}]
    caCertificates: [{{spiffeBundleUrl: "{URL}"}}]
    ca: {{address: "192.0.2.1:443"}}
    defaultConfig:
      discoveryAddress: 192.0.2.1:15012
      proxyMetadata: {{A: "{URL}"}}
      tracing: {{zipkin: {{address: "192.0.2.1:9411"}}}}
"""
ANNOTATIONS: Object = {
    "sidecar.istio.io/proxyImage": "192.0.2.1/proxy:1",
    "proxy.istio.io/config": '{"discoveryAddress": "192.0.2.1:1"}',
    "sidecar.istio.io/bootstrapOverride": URL,
    "sidecar.istio.io/userVolume": json.dumps([{"name": "a", "nfs": {"server": "192.0.2.1"}}]),
}


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.usefixtures("offline")
def test_a_sample_has_its_goldens_without_a_network(path: Path) -> None:
    for name, text in run_sample(path, review_with_engine).items():
        assert text == (path.parent / name).read_text()


@pytest.mark.usefixtures("offline")
def test_the_corpus_passes_without_a_network() -> None:
    if corpus.find_root() is None:
        pytest.skip(f"no corpus: set {corpus.VARIABLE} to its folder")
    for case in islice(corpus.cases(), 0, None, 1000 // scaled(100)):
        assert corpus.find_failure(case) is None, case


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("route", ["inject", "mutate", "validate"])
def test_addresses_in_documents_and_pods_are_text(route: str, tmp_path: Path) -> None:
    folder = write_injector(tmp_path, files={**BUNDLE, "mesh.yaml": MESH.encode()})
    store, callers = FolderStore(folder), FolderCallers(folder)
    client = Client(create_app(store, callers, auth=Auth.NONE, request_log=lambda _: None))
    sent = load_request("03-kubectl-run")
    single: list[Object] = [{name: value} for name, value in ANNOTATIONS.items()]
    for annotations in ({}, *single, ANNOTATIONS):
        body = sent.with_value("request", "object", "metadata", "annotations", value=annotations)
        answer = client.post(f"/{route}", data=body.body, content_type="application/json")
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("name", ["http.Get", "http.Post", "http.Client", "get", "fetch", "lookup"])
def test_cel_has_no_function_that_fetches(name: str) -> None:
    with pytest.raises(CompileError):
        Environment({"object": "dyn"}).compile_(f"{name}('{URL}') == ''")
