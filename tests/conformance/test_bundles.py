"""Istio's own bundles of every release pass a trial, and the preset ``istio`` is complete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from podgraft.core import bundle, policy, trial
from podgraft.kube.privileges import Kind, find_added
from support.effort import part

from . import corpus

ROOT = corpus.find_root()
# Some of each release; make test-long compiles all.
SETTINGS = part(sorted(ROOT.glob("*/settings/*/config.yaml") if ROOT else ()), by=5)
WEBHOOK_DOCUMENTS = sorted(ROOT.glob("*/webhook/*.json")) if ROOT else []
# Not in the preset: a privileged init container of old releases, on request of the pod.
CORE_DUMP = "enable-core-dump"
ALLOWS = policy.parse("allows: {presets: [istio]}").allows
assert ALLOWS is not None


@pytest.mark.skipif(not WEBHOOK_DOCUMENTS, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
def test_the_goldens_of_istio_add_no_other_privilege() -> None:
    assert ALLOWS is not None
    unlisted: set[str] = set()
    listed: set[str] = set()
    for path in WEBHOOK_DOCUMENTS:
        for document in json.loads(path.read_text()):
            if document.get("expected_pod"):
                before, after = (
                    {**document[key], "kind": "Pod"} for key in ("pod", "expected_pod")
                )
                added = find_added(before, after)
                unlisted |= {
                    f"{path.parts[-3]}: {privilege}"
                    for privilege in ALLOWS.find_unlisted(added)
                    if privilege.container != CORE_DUMP
                }
                listed |= {str(each) for each in added if each.kind is not Kind.IMAGE}
    assert unlisted == set()
    assert {
        "container istio-init adds the capability NET_ADMIN",
        "container istio-init adds the capability NET_RAW",
        "container istio-init can run as root",
        "container istio-proxy adds the capability NET_ADMIN",
        "container istio-proxy can run as root",
    } <= listed


@pytest.mark.skipif(not SETTINGS, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
@pytest.mark.parametrize("path", SETTINGS, ids=lambda path: f"{path.parts[-4]}-{path.parent.name}")
def test_unchanged_bundles_have_no_errors_and_no_other_privilege(path: Path) -> None:
    values = path.with_name("values.json")
    own = {"values": values.read_text()} if values.exists() else {}
    files = {
        "injector.yaml": _config_map("injector", config=path.read_text(), **own),
        "mesh.yaml": _config_map("mesh", mesh=path.with_name("mesh.yaml").read_text()),
    }
    release = f'policy: enabled\nistioRelease: "{path.parts[-4]}"\n'
    read = policy.parse(f"{release}allows: {{presets: [istio]}}\n")
    report = trial.check_bundle(bundle.compile_(files, read), read)
    assert [*map(str, report.errors)] == []
    # In the debug mode of 1.0, the proxy is privileged, and in some patches the init container too.
    is_debug = "DebugMode-True" in path.parent.name
    privileged = {f"container istio-{name} is privileged" for name in ("proxy", "init")}
    problems = {each.problem for each in report.unlisted}
    assert problems - privileged == set()
    assert ("container istio-proxy is privileged" in problems) is is_debug
    assert is_debug or not problems


def _config_map(name: str, **data: str) -> bytes:
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
    return json.dumps(document).encode()
