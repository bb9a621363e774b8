"""What a cold start of the function leaves out: packages that only some policies need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.signers import MemorySigner
from support.store_fixture import write_injector

HANDLER = Path(__file__).parents[2] / "functions" / "webhook"
_COUNT = """
import json, sys
import handler
print(json.dumps(sorted(sys.modules)))
"""
# A policy with rules, a rollout, a census, or a signature loads these; so do the commands.
LEFT_OUT = (
    "cryptography",
    "gunicorn",
    "jsonschema",
    "podgraft.kube.cel",
    "podgraft.cli",
    "podgraft.core.census",
    "podgraft.core.review.candidate",
    "podgraft.core.signing",
    "podgraft.core.versions.candidate",
    "podgraft.service.http.deployment_check",
    "podgraft.service.http.synthetic",
    "podgraft.service.store.census",
    "podgraft.service.store.folder.brakes",
    "podgraft.core.trial",
    "podgraft.kube.validation",
    "prometheus_client",
    "re2",
    "tzdata",
    "zoneinfo",
)


def find_modules(folder: Path, **variables: str) -> set[str]:
    """What a function imports over a folder."""
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "PODGRAFT_STORE": f"file:{folder}",
        **variables,
    }
    done = subprocess.run(
        [sys.executable, "-c", _COUNT],
        cwd=HANDLER,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def imported_modules(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What a function imports over a folder without a signer."""
    return find_modules(write_injector(tmp_path_factory.mktemp("store")))


@pytest.mark.parametrize("module", LEFT_OUT)
def test_a_cold_start_imports_only_what_each_review_needs(
    module: str, imported_modules: set[str]
) -> None:
    assert module not in imported_modules


def test_flask_and_mangum_serve_every_event(imported_modules: set[str]) -> None:
    assert {"flask", "mangum"} <= imported_modules


def test_only_the_public_key_of_a_signer_loads_cryptography(tmp_path: Path) -> None:
    """A deny list loads the package ``signing`` without it."""
    signer = MemorySigner()
    folder = write_injector(tmp_path)
    (folder / "denied.yaml").write_text(f"sha256:{0:064}: known vulnerability\n")
    modules = find_modules(folder)
    assert "podgraft.core.signing.denied" in modules
    assert "cryptography" not in modules
    with_signer = {"PODGRAFT_SIGNER": signer.public_pem, "PODGRAFT_REQUIRE_SIGNATURE": "false"}
    assert {"cryptography", "podgraft.core.signing.keys"} <= find_modules(folder, **with_signer)
