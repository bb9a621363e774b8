"""Istio's own bundles of every release pass a trial without an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from podgraft.core import bundle, policy, trial

from . import corpus

ROOT = corpus.find_root()
SETTINGS = sorted(ROOT.glob("*/settings/*/config.yaml")) if ROOT else []


def config_map(name: str, **data: str) -> bytes:
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
    return json.dumps(document).encode()


@pytest.mark.skipif(not SETTINGS, reason=f"no corpus: set {corpus.VARIABLE} to its folder")
@pytest.mark.parametrize("path", SETTINGS, ids=lambda path: f"{path.parts[-4]}-{path.parent.name}")
def test_unchanged_bundles_have_no_errors(path: Path) -> None:
    values = path.with_name("values.json")
    own = {"values": values.read_text()} if values.exists() else {}
    files = {
        "injector.yaml": config_map("injector", config=path.read_text(), **own),
        "mesh.yaml": config_map("mesh", mesh=path.with_name("mesh.yaml").read_text()),
    }
    read = policy.parse(f'policy: enabled\nistioRelease: "{path.parts[-4]}"\n')
    report = trial.check_bundle(bundle.compile_(files, read), read)
    assert [*map(str, report.errors)] == []
