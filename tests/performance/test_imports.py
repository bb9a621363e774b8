"""What a cold start of the function leaves out: packages that only some policies need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.store_fixture import write_injector

HANDLER = Path(__file__).parents[2] / "functions" / "webhook"
_COUNT = """
import json, sys
import handler
print(json.dumps(sorted(sys.modules)))
"""
# A policy with rules, a rollout, a census, or a signature loads these; so do the commands.
LEFT_OUT = (
    "cel_expr_python",
    "cryptography",
    "gunicorn",
    "jsonschema",
    "podgraft.cel",
    "podgraft.cli",
    "podgraft.review.candidate",
    "podgraft.signing",
    "podgraft.store.candidate",
    "podgraft.store.folder.brakes",
    "podgraft.trial",
    "podgraft.validation",
    "prometheus_client",
    "re2",
)


@pytest.fixture(scope="module")
def imported_modules(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What a function imports over a folder."""
    folder = write_injector(tmp_path_factory.mktemp("store"))
    environment = {
        "PATH": os.environ["PATH"],
        "AWS_LAMBDA_FUNCTION_NAME": "podgraft",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "PODGRAFT_STORE": f"file:{folder}",
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


@pytest.mark.parametrize("module", LEFT_OUT)
def test_a_cold_start_imports_only_what_each_review_needs(
    module: str, imported_modules: set[str]
) -> None:
    assert module not in imported_modules


def test_flask_and_mangum_serve_every_event(imported_modules: set[str]) -> None:
    assert {"flask", "mangum"} <= imported_modules
